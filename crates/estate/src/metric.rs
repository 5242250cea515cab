//! The table of metrics: one row for each, with its names, its unit and the kinds of resources that
//! have it.
//!
//! The interface answers the table, and the dashboard, anomalies and predictive rules take names
//! and units from it. A further metric is a row here and its source in each connector.
//!
//! ```
//! use reeve_estate::{Metric, ResourceKind, Unit};
//!
//! let row = Metric::ResponseTime.row();
//! assert_eq!((row.label, row.unit), ("Response time", Unit::Seconds));
//! assert!(ResourceKind::LoadBalancer.metrics().contains(&Metric::ResponseTime));
//! ```

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::kind::ResourceKind;
use crate::named;

/// Bytes of a GiB.
pub const GIB: f64 = 1_073_741_824.0;

named!(
    /// A unit of a sample's value.
    Unit {
        /// A percentage, 0 to 100.
        Percent => "percent",
        BytesPerSecond => "bytes_per_second",
        /// Events in a second.
        PerSecond => "per_second",
        Bytes => "bytes",
        Seconds => "seconds",
        /// A number of things.
        Count => "count",
    }
);

/// Row of the table of metrics.
#[derive(Debug)]
pub struct MetricRow {
    /// Name for people, as the beginning of a sentence.
    pub label: &'static str,
    /// `true` if a sentence about the label has its verb in the plural.
    pub is_plural: bool,
    /// Unit of its samples.
    pub unit: Unit,
    /// Kinds of resources of which it is read.
    pub kinds: &'static [ResourceKind],
}

const MACHINE: ResourceKind = ResourceKind::VirtualMachine;
const DATABASE: ResourceKind = ResourceKind::Database;
const VOLUME: ResourceKind = ResourceKind::Volume;
const BALANCER: ResourceKind = ResourceKind::LoadBalancer;
const GATEWAY: ResourceKind = ResourceKind::NatGateway;

/// Declares the metrics: name, label, number of the verb, unit, kinds.
macro_rules! metrics {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $label:literal, $plural:expr, $unit:ident, [$($kind:ident),+];)+) => {
        named!(
            /// A metric Reeve understands, whichever cloud calls it what.
            Metric { $($(#[$doc])* $variant => $name),+ }
        );

        impl Metric {
            /// Returns the row of a metric.
            #[must_use]
            pub const fn row(self) -> &'static MetricRow {
                match self {
                    $(Metric::$variant => &MetricRow {
                        label: $label,
                        is_plural: $plural,
                        unit: Unit::$unit,
                        kinds: &[$($kind),+],
                    }),+
                }
            }
        }
    };
}

/// `true` for a label in the plural.
const ARE: bool = true;
/// `false` for a label in the singular.
const IS: bool = false;

metrics! {
    /// CPU in use, percent of all cores, 0 to 100.
    CpuUtilization = "cpu_utilization", "CPU", IS, Percent, [MACHINE, DATABASE];
    /// Memory in use, percent. Only there when an agent on the machine sends it.
    MemoryUtilization = "memory_utilization", "Memory", IS, Percent, [MACHINE, DATABASE];
    /// Space in use on the fullest file system of a machine, percent. Only there when a program
    /// on the machine sends it.
    DiskUtilization = "disk_utilization", "Disk space in use", IS, Percent, [MACHINE];
    /// Network in, bytes per second.
    NetworkIn = "network_in", "Network in", IS, BytesPerSecond, [MACHINE, DATABASE, GATEWAY];
    /// Network out, bytes per second.
    NetworkOut = "network_out", "Network out", IS, BytesPerSecond, [MACHINE, DATABASE, GATEWAY];
    /// Disk or EBS reads, bytes per second.
    DiskRead = "disk_read", "Disk reads", ARE, BytesPerSecond, [MACHINE, DATABASE, VOLUME];
    /// Disk or EBS writes, bytes per second.
    DiskWrite = "disk_write", "Disk writes", ARE, BytesPerSecond, [MACHINE, DATABASE, VOLUME];
    /// Read operations per second.
    DiskReadOps = "disk_read_ops", "Read operations", ARE, PerSecond, [MACHINE, DATABASE, VOLUME];
    /// Write operations per second.
    DiskWriteOps = "disk_write_ops", "Write operations", ARE, PerSecond, [MACHINE, DATABASE, VOLUME];
    DatabaseConnections = "database_connections", "Database connections", ARE, Count, [DATABASE];
    /// Free storage of a database, in bytes.
    FreeStorage = "free_storage", "Free storage", IS, Bytes, [DATABASE];
    /// Requests per second (load balancers).
    RequestRate = "request_rate", "Requests", ARE, PerSecond, [BALANCER];
    /// Mean time to an answer, seconds (load balancers).
    ResponseTime = "response_time", "Response time", IS, Seconds, [BALANCER];
    /// Requests that failed on the server's side, percent of all (load balancers).
    ErrorRate = "error_rate", "Errors", ARE, Percent, [BALANCER];
    /// Capacity units that a load balancer used; the cloud reports them even where nothing was
    /// served.
    CapacityUnits = "capacity_units", "Capacity units", ARE, Count, [BALANCER];
    /// Credits left of a burstable machine.
    CpuCreditBalance = "cpu_credit_balance", "CPU credits", ARE, Count, [MACHINE, DATABASE];
}

impl Metric {
    /// The unit its samples have.
    #[must_use]
    pub const fn unit(self) -> Unit {
        self.row().unit
    }
}

/// Metrics of each kind, in the order of the table.
static BY_KIND: LazyLock<BTreeMap<ResourceKind, Vec<Metric>>> = LazyLock::new(|| {
    let mut by_kind: BTreeMap<ResourceKind, Vec<Metric>> = BTreeMap::new();
    for metric in Metric::ALL {
        for kind in metric.row().kinds {
            by_kind.entry(*kind).or_default().push(*metric);
        }
    }
    by_kind
});

impl ResourceKind {
    /// Returns the metrics that are read of resources of this kind.
    #[must_use]
    pub fn metrics(self) -> &'static [Metric] {
        BY_KIND.get(&self).map_or(&[], Vec::as_slice)
    }
}
