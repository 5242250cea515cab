//! An anomaly, and the settings of all.

mod cause;

use jiff::Timestamp;
use reeve_anomalies::{
    Anomaly, AnomalyClass, AnomalyFeedback, AnomalyId, AnomalySettings, AnomalyStatus,
    Contribution, CostSettings, Indication, Investigation, LikelyCause, PerformanceSettings, Place,
    Reaction, Reading, RelatedEntry, Remediation, Response, SecurityActivity, SecuritySettings,
    Sensitivity,
};
use reeve_estate::{Metric, finite};
use reeve_recommend::recommendation::Priority;
use serde::{Deserialize, Serialize};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::fault::Fault;
use crate::rows::{decode, unreadable};

use self::cause::LikelyCauseRow;

/// An anomaly out of its id and document.
pub(crate) fn anomaly(row: &AnyRow) -> Result<Anomaly, Fault> {
    let id: String = row.try_get(0)?;
    decode::<AnomalyRow>(row.try_get(1)?)
        .map(AnomalyRow::into_anomaly)
        .map_err(unreadable("anomaly", &id))
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AnomalyRow {
    id: AnomalyId,
    /// Absent in documents of earlier releases, whose anomalies are an incident each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    incident: Option<AnomalyId>,
    class: AnomalyClass,
    status: AnomalyStatus,
    severity: Priority,
    title: String,
    place: Place,
    readings: Vec<ReadingRow>,
    deviation_percent: Option<f64>,
    // Documents that were written before there were these have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    contributions: Vec<Contribution>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    activity: Option<SecurityActivity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    investigation: Option<Investigation>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    remediation: Option<Remediation>,
    /// Sentence of the likely cause, the only form of it in earlier releases.
    cause: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    likely_cause: Option<LikelyCauseRow>,
    evidence: Vec<String>,
    advice: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    deeds: Vec<RelatedEntry>,
    responses: Vec<Response>,
    feedback: Vec<AnomalyFeedback>,
    started_at: Timestamp,
    last_at: Timestamp,
    detected_at: Timestamp,
    resolved_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reopened_at: Option<Timestamp>,
    key: String,
    version: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct ReadingRow {
    metric: Option<Metric>,
    at: Timestamp,
    #[serde(serialize_with = "finite")]
    value: f64,
    #[serde(serialize_with = "finite")]
    expected: f64,
    #[serde(serialize_with = "finite")]
    low: f64,
    #[serde(serialize_with = "finite")]
    high: f64,
    #[serde(serialize_with = "finite")]
    score: f64,
    sign: String,
    /// `true` where the sign is an indicator of a threat list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    threat_list: Option<bool>,
}

impl From<&Anomaly> for AnomalyRow {
    fn from(anomaly: &Anomaly) -> Self {
        AnomalyRow {
            id: anomaly.id.clone(),
            incident: Some(anomaly.incident.clone()),
            class: anomaly.class,
            status: anomaly.status,
            severity: anomaly.severity,
            title: anomaly.title.clone(),
            place: anomaly.place.clone(),
            readings: anomaly.readings.iter().map(ReadingRow::from).collect(),
            deviation_percent: anomaly.deviation_percent,
            contributions: anomaly.contributions.clone(),
            activity: anomaly.activity.clone(),
            investigation: anomaly.investigation.clone(),
            remediation: anomaly.remediation.clone(),
            cause: anomaly.cause_in_words(),
            likely_cause: anomaly.cause.as_ref().map(LikelyCauseRow::from),
            evidence: anomaly.evidence.clone(),
            advice: anomaly.advice.clone(),
            deeds: anomaly.related_entries.clone(),
            responses: anomaly.responses.clone(),
            feedback: anomaly.feedback.clone(),
            started_at: anomaly.started_at,
            last_at: anomaly.last_at,
            detected_at: anomaly.detected_at,
            resolved_at: anomaly.resolved_at,
            reopened_at: anomaly.reopened_at,
            key: anomaly.key.clone(),
            version: anomaly.version,
        }
    }
}

impl AnomalyRow {
    pub(crate) fn into_anomaly(self) -> Anomaly {
        let readings: Vec<Reading> = self
            .readings
            .into_iter()
            .map(ReadingRow::into_reading)
            .collect();

        // Earlier releases wrote the readings' sentences among the evidence.
        let said: Vec<String> = readings.iter().filter_map(Reading::words).collect();
        let evidence = self
            .evidence
            .into_iter()
            .filter(|text| !said.contains(text))
            .collect();

        let cause = match self.likely_cause {
            Some(row) => Some(row.into_cause()),
            None => LikelyCause::from_stored_sentence(&self.cause),
        };
        Anomaly {
            incident: self.incident.unwrap_or_else(|| self.id.clone()),
            id: self.id,
            class: self.class,
            status: self.status,
            severity: self.severity,
            title: self.title,
            place: self.place,
            readings,
            deviation_percent: self.deviation_percent,
            contributions: self.contributions,
            activity: self.activity,
            investigation: self.investigation,
            remediation: self.remediation,
            cause,
            evidence,
            advice: self.advice,
            related_entries: self.deeds,
            responses: self.responses,
            feedback: self.feedback,
            started_at: self.started_at,
            last_at: self.last_at,
            detected_at: self.detected_at,
            resolved_at: self.resolved_at,
            reopened_at: self.reopened_at,
            key: self.key,
            version: self.version,
        }
    }
}

impl From<&Reading> for ReadingRow {
    fn from(reading: &Reading) -> Self {
        ReadingRow {
            metric: reading.metric,
            at: reading.at,
            value: reading.value,
            expected: reading.expected,
            low: reading.low,
            high: reading.high,
            score: reading.score,
            sign: reading.indication.to_string(),
            threat_list: Some(reading.indication == Indication::ThreatList),
        }
    }
}

impl ReadingRow {
    fn into_reading(self) -> Reading {
        // Earlier releases kept the sign's sentence alone.
        let is_listed = self
            .threat_list
            .unwrap_or_else(|| self.sign == Indication::ThreatList.to_string());
        let indication = if is_listed {
            Indication::ThreatList
        } else {
            Indication::Other(self.sign)
        };

        Reading {
            metric: self.metric,
            at: self.at,
            value: self.value,
            expected: self.expected,
            low: self.low,
            high: self.high,
            score: self.score,
            indication,
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AnomalySettingsRow {
    #[serde(serialize_with = "finite")]
    cost_threshold_percent: f64,
    cost_window_hours: u32,
    cost_baseline_days: u32,
    performance_metrics: Vec<Metric>,
    performance_sensitivity: Sensitivity,
    behavioral_analysis: bool,
    security_sensitivity: Sensitivity,
    // Documents that were written before there were these have the defaults.
    #[serde(default)]
    cost_action: Option<Reaction>,
    #[serde(default)]
    performance_action: Option<Reaction>,
    #[serde(default)]
    threat_intelligence: Option<bool>,
    #[serde(default)]
    security_action: Option<Reaction>,
    version: u64,
}

impl From<&AnomalySettings> for AnomalySettingsRow {
    fn from(settings: &AnomalySettings) -> Self {
        AnomalySettingsRow {
            cost_threshold_percent: settings.cost.threshold_percent,
            cost_window_hours: settings.cost.window_hours,
            cost_baseline_days: settings.cost.baseline_days,
            performance_metrics: settings.performance.metrics.clone(),
            performance_sensitivity: settings.performance.sensitivity,
            behavioral_analysis: settings.security.behavioral_analysis,
            security_sensitivity: settings.security.sensitivity,
            cost_action: Some(settings.cost.action),
            performance_action: Some(settings.performance.action),
            threat_intelligence: Some(settings.security.threat_intelligence),
            security_action: Some(settings.security.action),
            version: settings.version,
        }
    }
}

impl AnomalySettingsRow {
    pub(crate) fn into_settings(self) -> AnomalySettings {
        let usual = AnomalySettings::default();

        AnomalySettings {
            cost: CostSettings {
                threshold_percent: self.cost_threshold_percent,
                window_hours: self.cost_window_hours,
                baseline_days: self.cost_baseline_days,
                action: self.cost_action.unwrap_or(usual.cost.action),
            },
            performance: PerformanceSettings {
                metrics: self.performance_metrics,
                sensitivity: self.performance_sensitivity,
                action: self.performance_action.unwrap_or(usual.performance.action),
            },
            security: SecuritySettings {
                behavioral_analysis: self.behavioral_analysis,
                threat_intelligence: self
                    .threat_intelligence
                    .unwrap_or(usual.security.threat_intelligence),
                sensitivity: self.security_sensitivity,
                action: self.security_action.unwrap_or(usual.security.action),
            },
            version: self.version,
        }
    }
}
