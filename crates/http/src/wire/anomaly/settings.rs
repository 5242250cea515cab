//! The settings of anomalies on the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use reeve_anomalies::AnomalySettings;

/// The settings of each class.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnomalySettingsBody {
    /// Of cost.
    pub cost: CostAnomalyBody,
    /// Of performance and operations.
    pub performance: PerformanceAnomalyBody,
    /// Of security.
    pub security: SecurityAnomalyBody,
    /// Grows with every change; a PUT names the version it read.
    pub version: u64,
}

/// Of cost.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CostAnomalyBody {
    /// Alert when spending of the window deviates from the baseline by more than this, percent.
    pub threshold_percent: f64,
    /// Window, hours.
    pub window_hours: u32,
    /// Days the baseline averages.
    pub baseline_days: u32,
    /// What is done about it: `alert`, `alert_and_analyze`, `auto_remediate`; left out in a PUT it stays.
    #[serde(default)]
    pub action: Option<String>,
}

/// Of performance and operations.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PerformanceAnomalyBody {
    /// Metrics that are watched; empty is the usual eight. `latency` and `throughput` may be said for `response_time` and
    /// `request_rate`.
    pub metrics: Vec<String>,
    /// `low`, `medium`, `high`.
    pub sensitivity: String,
    /// What is done about it: `alert`, `auto_investigate`, `auto_remediate`; left out in a PUT it stays.
    #[serde(default)]
    pub action: Option<String>,
}

/// Of security.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SecurityAnomalyBody {
    /// Whether behaviour is watched.
    pub behavioral_analysis: bool,
    /// Whether entries are held against the threat lists; left out in a PUT it stays.
    #[serde(default)]
    pub threat_intelligence: Option<bool>,
    /// `low`, `medium`, `high`.
    pub sensitivity: String,
    /// What is done about it: `alert`, `auto_investigate`, `alert_and_quarantine`; left out in a PUT it stays.
    #[serde(default)]
    pub action: Option<String>,
}

impl From<&AnomalySettings> for AnomalySettingsBody {
    fn from(of: &AnomalySettings) -> Self {
        AnomalySettingsBody {
            cost: CostAnomalyBody {
                threshold_percent: of.cost.threshold_percent,
                window_hours: of.cost.window_hours,
                baseline_days: of.cost.baseline_days,
                action: Some(of.cost.action.as_str().to_owned()),
            },
            performance: PerformanceAnomalyBody {
                metrics: of.performance.metrics.iter().map(|metric| metric.as_str().to_owned()).collect(),
                sensitivity: of.performance.sensitivity.as_str().to_owned(),
                action: Some(of.performance.action.as_str().to_owned()),
            },
            security: SecurityAnomalyBody {
                behavioral_analysis: of.security.behavioral_analysis,
                threat_intelligence: Some(of.security.threat_intelligence),
                sensitivity: of.security.sensitivity.as_str().to_owned(),
                action: Some(of.security.action.as_str().to_owned()),
            },
            version: of.version,
        }
    }
}
