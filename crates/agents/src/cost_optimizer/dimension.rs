//! Dimensions of a machine besides its processors.

use std::fmt;

/// Dimension that a size limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CostDimension {
    Memory,
    /// Network throughput, in plus out.
    Network,
    DiskThroughput,
    /// Disk operations a second.
    DiskOperations,
    /// CPU credits of a burstable machine.
    CpuCredits,
}

impl CostDimension {
    /// Name in reason codes and `not_measured`.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            CostDimension::Memory => "memory",
            CostDimension::Network => "network",
            CostDimension::DiskThroughput => "disk_throughput",
            CostDimension::DiskOperations => "disk_operations",
            CostDimension::CpuCredits => "cpu_credits",
        }
    }

    /// Name in a sentence.
    pub(super) fn words(self) -> String {
        self.as_str().replace('_', " ")
    }

    /// Returns `true` for a dimension whose name is a plural.
    pub(super) const fn is_plural(self) -> bool {
        matches!(
            self,
            CostDimension::DiskOperations | CostDimension::CpuCredits
        )
    }

    /// Failures that the dimension counts as where it gets smaller and was not measured.
    pub(super) const fn doubt(self) -> f64 {
        match self {
            CostDimension::Memory => 2.0,
            CostDimension::Network
            | CostDimension::DiskThroughput
            | CostDimension::DiskOperations
            | CostDimension::CpuCredits => 0.5,
        }
    }
}

impl fmt::Display for CostDimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
