//! Settings of each class of anomalies (requirements ).

use reeve_estate::{Metric, named};

use super::record::AnomalyClass;

named!(
    /// Sensitivity of the detection of deviations.
    Sensitivity {
        /// Reports only large deviations.
        Low => "low",
        /// Reports only anomalies beyond doubt.
        Medium => "medium",
        /// Everything the detector is sure of.
        High => "high",
    }
);

impl Sensitivity {
    /// The detector's sensitivity for metrics.
    #[must_use]
    pub const fn of_detector(self) -> reeve_learn::anomaly::Sensitivity {
        match self {
            Sensitivity::Low => reeve_learn::anomaly::Sensitivity::Low,
            Sensitivity::Medium => reeve_learn::anomaly::Sensitivity::Medium,
            Sensitivity::High => reeve_learn::anomaly::Sensitivity::High,
        }
    }

    /// The least score of behavior that counts, 0.5 to 1.
    #[must_use]
    pub const fn least_score(self) -> f64 {
        match self {
            Sensitivity::Low => 0.8,
            Sensitivity::Medium => 0.6,
            Sensitivity::High => 0.5,
        }
    }
}

named!(
    /// Response to an anomaly, in the stages of: alert, investigate, recommend,
    /// execute, learn.
    Reaction {
        /// The anomaly is reported only.
        Alert => "alert",
        /// Told, investigated, and a remedy recommended.
        AlertAndAnalyze => "alert_and_analyze",
        /// Same stages as `AlertAndAnalyze`.
        AutoInvestigate => "auto_investigate",
        /// The same, and what an agent in active mode may do is done at once.
        AutoRemediate => "auto_remediate",
        /// The same for whoever behaves strangely.
        AlertAndQuarantine => "alert_and_quarantine",
    }
);

impl Reaction {
    /// Returns the responses that a class allows.
    #[must_use]
    pub const fn of_class(class: AnomalyClass) -> &'static [Reaction] {
        match class {
            AnomalyClass::Cost => &[
                Reaction::Alert,
                Reaction::AlertAndAnalyze,
                Reaction::AutoRemediate,
            ],
            AnomalyClass::Performance | AnomalyClass::Operational => &[
                Reaction::Alert,
                Reaction::AutoInvestigate,
                Reaction::AutoRemediate,
            ],
            AnomalyClass::Security => &[
                Reaction::Alert,
                Reaction::AutoInvestigate,
                Reaction::AlertAndQuarantine,
            ],
        }
    }

    /// Returns `true` if the cause is investigated and a remedy recommended.
    #[must_use]
    pub const fn investigates(self) -> bool {
        !matches!(self, Reaction::Alert)
    }

    /// Returns `true` if a remedy is applied.
    #[must_use]
    pub const fn executes(self) -> bool {
        matches!(self, Reaction::AutoRemediate | Reaction::AlertAndQuarantine)
    }
}

/// Settings of cost anomalies.
#[derive(Debug, Clone, PartialEq)]
pub struct CostSettings {
    /// Alert when spending of the window deviates from the baseline by more than this, percent.
    pub threshold_percent: f64,
    pub window_hours: u32,
    /// Days the baseline averages.
    pub baseline_days: u32,
    /// Response to cost anomalies.
    pub action: Reaction,
}

/// Of performance and operations.
#[derive(Debug, Clone, PartialEq)]
pub struct PerformanceSettings {
    /// Metrics that are watched; empty is all.
    pub metrics: Vec<Metric>,
    pub sensitivity: Sensitivity,
    /// Response to performance anomalies, and to operational ones.
    pub action: Reaction,
}

/// Settings of security anomalies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecuritySettings {
    /// Compares actions with the usual behavior of their principals.
    pub behavioral_analysis: bool,
    /// Enables the comparison of addresses and programs with threat lists.
    pub threat_intelligence: bool,
    pub sensitivity: Sensitivity,
    /// Response to security anomalies.
    pub action: Reaction,
}

/// Settings of all classes of anomalies.
#[derive(Debug, Clone, PartialEq)]
pub struct AnomalySettings {
    pub cost: CostSettings,
    /// Of performance and operations.
    pub performance: PerformanceSettings,
    pub security: SecuritySettings,
    /// Grows with every change.
    pub version: u64,
}

impl AnomalySettings {
    /// Returns the response to an anomaly of a class.
    #[must_use]
    pub const fn action(&self, class: AnomalyClass) -> Reaction {
        match class {
            AnomalyClass::Cost => self.cost.action,
            AnomalyClass::Performance | AnomalyClass::Operational => self.performance.action,
            AnomalyClass::Security => self.security.action,
        }
    }
}

impl Default for AnomalySettings {
    /// The values of requirements.
    fn default() -> Self {
        AnomalySettings {
            cost: CostSettings {
                threshold_percent: 20.0,
                window_hours: 24,
                baseline_days: 30,
                action: Reaction::AlertAndAnalyze,
            },
            performance: PerformanceSettings {
                metrics: Vec::new(),
                sensitivity: Sensitivity::Medium,
                action: Reaction::AutoInvestigate,
            },
            security: SecuritySettings {
                behavioral_analysis: true,
                threat_intelligence: true,
                sensitivity: Sensitivity::Medium,
                action: Reaction::AlertAndQuarantine,
            },
            version: 0,
        }
    }
}
