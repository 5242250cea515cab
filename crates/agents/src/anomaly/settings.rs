//! The specification's settings of each class.

use reeve_estate::{Metric, named};

named!(
    /// How readily something is called unusual.
    Sensitivity {
        /// Only what is very strange.
        Low => "low",
        /// What is strange beyond doubt.
        Medium => "medium",
        /// Everything the detector is sure of.
        High => "high",
    }
);

impl Sensitivity {
    /// The least score that counts, 0.5 to 1.
    #[must_use]
    pub const fn least_score(self) -> f64 {
        match self {
            Sensitivity::Low => 0.8,
            Sensitivity::Medium => 0.6,
            Sensitivity::High => 0.5,
        }
    }
}

/// Of cost.
#[derive(Debug, Clone, PartialEq)]
pub struct CostSettings {
    /// Alert when spending of the window deviates from the baseline by more than this, percent.
    pub threshold_percent: f64,
    /// Window, hours.
    pub window_hours: u32,
    /// Days the baseline averages.
    pub baseline_days: u32,
}

/// Of performance and operations.
#[derive(Debug, Clone, PartialEq)]
pub struct PerformanceSettings {
    /// Metrics that are watched; empty is all.
    pub metrics: Vec<Metric>,
    /// How readily.
    pub sensitivity: Sensitivity,
}

/// Of security.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecuritySettings {
    /// Whether behaviour is watched.
    pub behavioral_analysis: bool,
    /// How readily.
    pub sensitivity: Sensitivity,
}

/// All of them.
#[derive(Debug, Clone, PartialEq)]
pub struct AnomalySettings {
    /// Of cost.
    pub cost: CostSettings,
    /// Of performance and operations.
    pub performance: PerformanceSettings,
    /// Of security.
    pub security: SecuritySettings,
    /// Grows with every change.
    pub version: u64,
}

impl Default for AnomalySettings {
    /// The specification's values.
    fn default() -> Self {
        AnomalySettings {
            cost: CostSettings { threshold_percent: 20.0, window_hours: 24, baseline_days: 30 },
            performance: PerformanceSettings { metrics: Vec::new(), sensitivity: Sensitivity::Medium },
            security: SecuritySettings { behavioral_analysis: true, sensitivity: Sensitivity::Medium },
            version: 0,
        }
    }
}
