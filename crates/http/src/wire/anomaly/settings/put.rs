//! A change of the settings of anomalies, and the checks that turn it into settings.

use reeve_anomalies::{
    AnomalyClass, AnomalySettings, CostSettings, PerformanceSettings, Reaction, SecuritySettings,
};
use reeve_audit::FieldCode;
use reeve_estate::{Metric, TimeSpan};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::error::Problem;
use crate::wire::anomaly::settings::{NAMES, ThreatIntelligence, metric_name};
use crate::wire::form::enumeration;
use crate::wire::form::quantity::{BaselineText, PercentText, Spelled, TimeSpanText, either};

/// A change of the settings. What is left out stays.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnomalySettingsPut {
    #[serde(default)]
    pub cost: CostAnomalyPut,
    /// Of performance and operations.
    #[serde(default)]
    pub performance: PerformanceAnomalyPut,
    #[serde(default)]
    pub security: SecurityAnomalyPut,
    /// Version that was read; another is a conflict. Left out, the newest is changed.
    pub version: Option<u64>,
}

/// Settings of cost anomalies to set.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CostAnomalyPut {
    /// Deviation above which an alert is raised, 1 % to 10000 %.
    pub threshold: Option<PercentText>,
    /// `threshold` as a number.
    pub threshold_percent: Option<f64>,
    /// Window whose spending is compared, whole hours from 1h to 31d.
    pub window: Option<TimeSpanText>,
    pub window_hours: Option<u32>,
    /// Spending that the window is compared with, 7 to 365 days.
    pub baseline: Option<BaselineText>,
    /// Days that the baseline averages.
    pub baseline_days: Option<u32>,
    /// Reaction: `alert`, `alert_and_analyze`, `auto_remediate`.
    pub action: Option<String>,
}

/// Settings of performance and operational anomalies to set.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PerformanceAnomalyPut {
    /// Metrics that are watched (`latency` is `response_time`, `throughput` is `request_rate`);
    /// empty is every metric.
    pub metrics: Option<Vec<String>>,
    pub sensitivity: Option<enumeration::Sensitivity>,
    /// Reaction: `alert`, `auto_investigate`, `auto_remediate`.
    pub action: Option<String>,
}

/// Settings of security anomalies to set.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SecurityAnomalyPut {
    /// Behavior of users and services is watched.
    pub behavioral_analysis: Option<bool>,
    /// Entries are compared with the threat lists.
    pub threat_intelligence: Option<ThreatIntelligence>,
    pub sensitivity: Option<enumeration::Sensitivity>,
    /// Reaction: `alert`, `auto_investigate`, `alert_and_quarantine`.
    pub action: Option<String>,
}

impl AnomalySettingsPut {
    /// Returns the settings after the change. Ranges are checked where they are stored.
    ///
    /// # Errors
    /// 422 naming the field.
    pub fn applied(self, before: &AnomalySettings) -> Result<AnomalySettings, Problem> {
        let (performance, security) = (self.performance, self.security);
        let metrics: Option<Result<Vec<Metric>, Problem>> = performance.metrics.map(|names| {
            names
                .iter()
                .enumerate()
                .map(|(index, name)| metric(index, name))
                .collect()
        });

        Ok(AnomalySettings {
            cost: self.cost.applied(before)?,
            performance: PerformanceSettings {
                metrics: metrics
                    .transpose()?
                    .unwrap_or_else(|| before.performance.metrics.clone()),
                sensitivity: performance
                    .sensitivity
                    .map_or(before.performance.sensitivity, |given| given.0),
                action: reaction(
                    "performance.action",
                    performance.action.as_deref(),
                    AnomalyClass::Performance,
                    before,
                )?,
            },
            security: SecuritySettings {
                behavioral_analysis: security
                    .behavioral_analysis
                    .unwrap_or(before.security.behavioral_analysis),
                threat_intelligence: security
                    .threat_intelligence
                    .map_or(before.security.threat_intelligence, |use_of| {
                        use_of == ThreatIntelligence::Integrated
                    }),
                sensitivity: security
                    .sensitivity
                    .map_or(before.security.sensitivity, |given| given.0),
                action: reaction(
                    "security.action",
                    security.action.as_deref(),
                    AnomalyClass::Security,
                    before,
                )?,
            },
            version: self.version.unwrap_or(before.version),
        })
    }
}

impl CostAnomalyPut {
    fn applied(self, before: &AnomalySettings) -> Result<CostSettings, Problem> {
        let window = self.window.map(|Spelled(span)| hours(span)).transpose()?;
        let threshold = self.threshold.map(|Spelled(percent)| percent.value());
        let baseline = self.baseline.map(|Spelled(baseline)| baseline.days);
        let cost = &before.cost;
        let threshold_percent = either(
            ("cost.threshold", threshold),
            ("cost.threshold_percent", self.threshold_percent),
            Some(cost.threshold_percent),
        )?;

        let window_hours = either(
            ("cost.window", window),
            ("cost.window_hours", self.window_hours),
            Some(cost.window_hours),
        )?;

        let baseline_days = either(
            ("cost.baseline", baseline),
            ("cost.baseline_days", self.baseline_days),
            Some(cost.baseline_days),
        )?;

        Ok(CostSettings {
            threshold_percent: threshold_percent.unwrap_or(cost.threshold_percent),
            window_hours: window_hours.unwrap_or(cost.window_hours),
            baseline_days: baseline_days.unwrap_or(cost.baseline_days),
            action: reaction(
                "cost.action",
                self.action.as_deref(),
                AnomalyClass::Cost,
                before,
            )?,
        })
    }
}

fn hours(span: TimeSpan) -> Result<u32, Problem> {
    let whole = span
        .whole_hours()
        .and_then(|hours| u32::try_from(hours).ok());
    whole.ok_or_else(|| {
        Problem::field(
            "cost.window",
            FieldCode::InvalidValue,
            "must be whole hours from 1h to 31d",
        )
    })
}

fn metric(index: usize, text: &str) -> Result<Metric, Problem> {
    let named = NAMES
        .iter()
        .find(|(name, _)| *name == text)
        .map(|(_, metric)| *metric);
    named.or_else(|| Metric::parse(text)).ok_or_else(|| {
        let known: Vec<&str> = Metric::all().into_iter().map(metric_name).collect();
        let message = format!("{text:?} is not a metric; metrics are {}", known.join(", "));
        Problem::field(
            format!("performance.metrics[{index}]"),
            FieldCode::InvalidValue,
            message,
        )
    })
}

fn reaction(
    field: &str,
    text: Option<&str>,
    class: AnomalyClass,
    before: &AnomalySettings,
) -> Result<Reaction, Problem> {
    let Some(text) = text else {
        return Ok(before.action(class));
    };

    let names: Vec<&str> = Reaction::of_class(class)
        .iter()
        .map(|reaction| reaction.as_str())
        .collect();
    let wrong = || {
        Problem::field(
            field,
            FieldCode::InvalidValue,
            format!("must be one of {}", names.join(", ")),
        )
    };

    Reaction::parse(text).ok_or_else(wrong)
}
