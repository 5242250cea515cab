//! Settings of anomalies on the wire, as write them: `threshold: "20%"`,
//! `window: "24h"`, `baseline: "30d_average"`, `threat_intelligence: "integrated"`.

use reeve_anomalies::AnomalySettings;
use reeve_estate::{Metric, QuantityBaseline, TimeSpan};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

use crate::wire::form::enumeration::Sensitivity;
use crate::wire::form::quantity::{BaselineText, PercentText, Spelled, TimeSpanText};

mod put;

pub use put::{AnomalySettingsPut, CostAnomalyPut, PerformanceAnomalyPut, SecurityAnomalyPut};

/// The settings of each class.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AnomalySettingsBody {
    pub cost: CostAnomalyBody,
    /// Of performance and operations.
    pub performance: PerformanceAnomalyBody,
    pub security: SecurityAnomalyBody,
    /// Grows with every change.
    pub version: u64,
}

/// Settings of cost anomalies.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CostAnomalyBody {
    /// Deviation of the window's spending from the baseline above which an alert is raised.
    pub threshold: PercentText,
    /// `threshold` as a number.
    pub threshold_percent: f64,
    /// Window whose spending is compared.
    pub window: TimeSpanText,
    pub window_hours: u32,
    /// Spending that the window is compared with.
    pub baseline: BaselineText,
    /// Days that the baseline averages.
    pub baseline_days: u32,
    /// Reaction: `alert`, `alert_and_analyze`, `auto_remediate`.
    pub action: String,
}

/// Settings of performance and operational anomalies.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PerformanceAnomalyBody {
    /// Metrics that are watched (`latency`, `error_rate`, `throughput`, `cpu_utilization`, ...);
    /// empty is every metric.
    pub metrics: Vec<String>,
    pub sensitivity: Sensitivity,
    /// Reaction: `alert`, `auto_investigate`, `auto_remediate`.
    pub action: String,
}

/// Settings of security anomalies.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SecurityAnomalyBody {
    /// Behavior of users and services is watched.
    pub behavioral_analysis: bool,
    /// Entries are compared with the threat lists.
    pub threat_intelligence: ThreatIntelligence,
    pub sensitivity: Sensitivity,
    /// Reaction: `alert`, `auto_investigate`, `alert_and_quarantine`.
    pub action: String,
}

/// Use of the threat lists: `integrated`, or `disabled`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum ThreatIntelligence {
    /// Entries are compared with them; `true` is read as this.
    Integrated,
    /// They are not used; `false` is read as this.
    Disabled,
}

impl Serialize for ThreatIntelligence {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(if *self == ThreatIntelligence::Integrated {
            "integrated"
        } else {
            "disabled"
        })
    }
}

impl<'de> Deserialize<'de> for ThreatIntelligence {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Read;
        impl Visitor<'_> for Read {
            type Value = ThreatIntelligence;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("\"integrated\", \"disabled\", true or false")
            }

            fn visit_bool<E: Error>(self, on: bool) -> Result<ThreatIntelligence, E> {
                Ok(if on {
                    ThreatIntelligence::Integrated
                } else {
                    ThreatIntelligence::Disabled
                })
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<ThreatIntelligence, E> {
                match text {
                    "integrated" => Ok(ThreatIntelligence::Integrated),
                    "disabled" => Ok(ThreatIntelligence::Disabled),
                    _ => Err(E::custom("must be one of integrated, disabled")),
                }
            }
        }

        from.deserialize_any(Read)
    }
}

impl From<&AnomalySettings> for AnomalySettingsBody {
    fn from(settings: &AnomalySettings) -> Self {
        let AnomalySettings {
            cost,
            performance,
            security,
            version,
        } = settings;

        let threats = if security.threat_intelligence {
            ThreatIntelligence::Integrated
        } else {
            ThreatIntelligence::Disabled
        };

        AnomalySettingsBody {
            cost: CostAnomalyBody {
                threshold: PercentText::new(cost.threshold_percent),
                threshold_percent: cost.threshold_percent,
                window: Spelled(TimeSpan::from_hours(u64::from(cost.window_hours))),
                window_hours: cost.window_hours,
                baseline: Spelled(QuantityBaseline {
                    days: cost.baseline_days,
                }),
                baseline_days: cost.baseline_days,
                action: cost.action.as_str().to_owned(),
            },
            performance: PerformanceAnomalyBody {
                metrics: performance
                    .metrics
                    .iter()
                    .map(|metric| metric_name(*metric).to_owned())
                    .collect(),
                sensitivity: performance.sensitivity.into(),
                action: performance.action.as_str().to_owned(),
            },
            security: SecurityAnomalyBody {
                behavioral_analysis: security.behavioral_analysis,
                threat_intelligence: threats,
                sensitivity: security.sensitivity.into(),
                action: security.action.as_str().to_owned(),
            },
            version: *version,
        }
    }
}

/// Metrics that requirement A-178 calls by other names.
const NAMES: [(&str, Metric); 2] = [
    ("latency", Metric::ResponseTime),
    ("throughput", Metric::RequestRate),
];

fn metric_name(metric: Metric) -> &'static str {
    NAMES
        .iter()
        .find(|(_, named)| *named == metric)
        .map_or(metric.as_str(), |(name, _)| name)
}
