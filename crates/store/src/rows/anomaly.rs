//! An anomaly, and the settings of all.

mod cause;
mod investigation;

use reeve_anomalies::{
    Anomaly, AnomalyClass, AnomalyFeedback, AnomalyId, AnomalySettings, AnomalyStatus,
    CostSettings, FeedbackKind, Indication, LikelyCause, PerformanceSettings, Place, Reaction,
    Reading, RelatedEntry, Response, SecurityActivity, SecuritySettings, Sensitivity, Stage,
};
use reeve_estate::{Metric, finite};
use reeve_recommend::Priority;
use serde::{Deserialize, Serialize};

use self::cause::LikelyCauseRow;
use self::investigation::{ContributionRow, InvestigationRow, RemediationRow};
use super::{RowError, named, time, time_or_none};

/// An anomaly, whole.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AnomalyRow {
    id: String,
    /// Absent in documents of earlier releases, whose anomalies are an incident each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    incident: Option<String>,
    class: String,
    status: String,
    severity: String,
    title: String,
    place: PlaceRow,
    readings: Vec<ReadingRow>,
    deviation_percent: Option<f64>,
    // Documents that were written before there were these have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    contributions: Vec<ContributionRow>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    activity: Option<SecurityActivity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    investigation: Option<InvestigationRow>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    remediation: Option<RemediationRow>,
    /// Sentence of the likely cause, the only form of it in earlier releases.
    cause: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    likely_cause: Option<LikelyCauseRow>,
    evidence: Vec<String>,
    advice: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    deeds: Vec<RelatedEntryRow>,
    responses: Vec<ResponseRow>,
    feedback: Vec<FeedbackRow>,
    started_at: String,
    last_at: String,
    detected_at: String,
    resolved_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reopened_at: Option<String>,
    key: String,
    version: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct PlaceRow {
    id: String,
    name: String,
    kind: String,
    provider: Option<String>,
    account: Option<String>,
    region: Option<String>,
    service: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct ReadingRow {
    metric: Option<String>,
    at: String,
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

#[derive(Debug, Serialize, Deserialize)]
struct RelatedEntryRow {
    sequence: u64,
    event_id: String,
    at: String,
    actor_id: Option<String>,
    actor_email: Option<String>,
    operation: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct ResponseRow {
    stage: String,
    at: String,
    detail: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct FeedbackRow {
    kind: String,
    comments: Option<String>,
    by: String,
    at: String,
    /// Time and user of the withdrawal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    withdrawn: Option<(String, String)>,
}

impl From<&Anomaly> for AnomalyRow {
    fn from(anomaly: &Anomaly) -> Self {
        let place = &anomaly.place;
        AnomalyRow {
            id: anomaly.id.0.clone(),
            incident: Some(anomaly.incident.0.clone()),
            class: anomaly.class.as_str().to_owned(),
            status: anomaly.status.as_str().to_owned(),
            severity: anomaly.severity.as_str().to_owned(),
            title: anomaly.title.clone(),
            place: PlaceRow {
                id: place.id.clone(),
                name: place.name.clone(),
                kind: place.kind.clone(),
                provider: place.provider.clone(),
                account: place.account.clone(),
                region: place.region.clone(),
                service: place.service.clone(),
            },
            readings: anomaly.readings.iter().map(ReadingRow::from).collect(),
            deviation_percent: anomaly.deviation_percent,
            contributions: anomaly
                .contributions
                .iter()
                .map(ContributionRow::from)
                .collect(),
            activity: anomaly.activity.clone(),
            investigation: anomaly.investigation.as_ref().map(InvestigationRow::from),
            remediation: anomaly.remediation.as_ref().map(RemediationRow::from),
            cause: anomaly.cause_in_words(),
            likely_cause: anomaly.cause.as_ref().map(LikelyCauseRow::from),
            evidence: anomaly.evidence.clone(),
            advice: anomaly.advice.clone(),
            deeds: anomaly
                .related_entries
                .iter()
                .map(RelatedEntryRow::from)
                .collect(),
            responses: anomaly.responses.iter().map(ResponseRow::from).collect(),
            feedback: anomaly.feedback.iter().map(FeedbackRow::from).collect(),
            started_at: anomaly.started_at.to_string(),
            last_at: anomaly.last_at.to_string(),
            detected_at: anomaly.detected_at.to_string(),
            resolved_at: anomaly.resolved_at.map(|at| at.to_string()),
            reopened_at: anomaly.reopened_at.map(|at| at.to_string()),
            key: anomaly.key.clone(),
            version: anomaly.version,
        }
    }
}

impl AnomalyRow {
    pub(crate) fn into_anomaly(self) -> Result<Anomaly, RowError> {
        let place = self.place;
        let readings: Vec<Reading> = self
            .readings
            .into_iter()
            .map(ReadingRow::into_reading)
            .collect::<Result<_, _>>()?;

        // Earlier releases wrote the readings' sentences among the evidence.
        let said: Vec<String> = readings.iter().filter_map(Reading::words).collect();
        let evidence = self
            .evidence
            .into_iter()
            .filter(|text| !said.contains(text))
            .collect();

        let cause = match self.likely_cause {
            Some(row) => Some(row.into_cause()?),
            None => LikelyCause::from_stored_sentence(&self.cause),
        };
        Ok(Anomaly {
            incident: AnomalyId(self.incident.unwrap_or_else(|| self.id.clone())),
            id: AnomalyId(self.id),
            class: named("class", &self.class, AnomalyClass::parse)?,
            status: named("status", &self.status, AnomalyStatus::parse)?,
            severity: named("severity", &self.severity, Priority::parse)?,
            title: self.title,
            place: Place {
                id: place.id,
                name: place.name,
                kind: place.kind,
                provider: place.provider,
                account: place.account,
                region: place.region,
                service: place.service,
            },
            readings,
            deviation_percent: self.deviation_percent,
            contributions: self
                .contributions
                .into_iter()
                .map(ContributionRow::into_contribution)
                .collect(),
            activity: self.activity,
            investigation: self
                .investigation
                .map(InvestigationRow::into_investigation)
                .transpose()?,
            remediation: self.remediation.map(RemediationRow::into_remediation),
            cause,
            evidence,
            advice: self.advice,
            related_entries: self
                .deeds
                .into_iter()
                .map(RelatedEntryRow::into_entry)
                .collect::<Result<_, _>>()?,
            responses: self
                .responses
                .into_iter()
                .map(ResponseRow::into_response)
                .collect::<Result<_, _>>()?,
            feedback: self
                .feedback
                .into_iter()
                .map(FeedbackRow::into_feedback)
                .collect::<Result<_, _>>()?,
            started_at: time(&self.started_at)?,
            last_at: time(&self.last_at)?,
            detected_at: time(&self.detected_at)?,
            resolved_at: time_or_none(self.resolved_at.as_deref())?,
            reopened_at: time_or_none(self.reopened_at.as_deref())?,
            key: self.key,
            version: self.version,
        })
    }
}

impl From<&Reading> for ReadingRow {
    fn from(reading: &Reading) -> Self {
        ReadingRow {
            metric: reading.metric.map(|metric| metric.as_str().to_owned()),
            at: reading.at.to_string(),
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
    fn into_reading(self) -> Result<Reading, RowError> {
        // Earlier releases kept the sign's sentence alone.
        let is_listed = self
            .threat_list
            .unwrap_or_else(|| self.sign == Indication::ThreatList.to_string());
        let indication = if is_listed {
            Indication::ThreatList
        } else {
            Indication::Other(self.sign)
        };

        Ok(Reading {
            metric: self
                .metric
                .map(|text| named("metric", &text, Metric::parse))
                .transpose()?,
            at: time(&self.at)?,
            value: self.value,
            expected: self.expected,
            low: self.low,
            high: self.high,
            score: self.score,
            indication,
        })
    }
}

impl From<&RelatedEntry> for RelatedEntryRow {
    fn from(entry: &RelatedEntry) -> Self {
        let (event_id, operation, at) = (
            entry.event_id.clone(),
            entry.operation.clone(),
            entry.at.to_string(),
        );
        let (actor_id, actor_email) = entry.actor.clone();
        RelatedEntryRow {
            sequence: entry.sequence,
            event_id,
            at,
            actor_id,
            actor_email,
            operation,
        }
    }
}

impl RelatedEntryRow {
    fn into_entry(self) -> Result<RelatedEntry, RowError> {
        let (event_id, operation, at) = (self.event_id, self.operation, time(&self.at)?);
        Ok(RelatedEntry {
            sequence: self.sequence,
            event_id,
            at,
            actor: (self.actor_id, self.actor_email),
            operation,
        })
    }
}

impl From<&Response> for ResponseRow {
    fn from(response: &Response) -> Self {
        ResponseRow {
            stage: response.stage.as_str().to_owned(),
            at: response.at.to_string(),
            detail: response.detail.clone(),
        }
    }
}

impl ResponseRow {
    fn into_response(self) -> Result<Response, RowError> {
        let stage = named("stage", &self.stage, Stage::parse)?;
        Ok(Response {
            stage,
            at: time(&self.at)?,
            detail: self.detail,
        })
    }
}

impl From<&AnomalyFeedback> for FeedbackRow {
    fn from(feedback: &AnomalyFeedback) -> Self {
        let (kind, at) = (feedback.kind.as_str().to_owned(), feedback.at.to_string());
        let withdrawn = feedback
            .withdrawn
            .as_ref()
            .map(|(at, by)| (at.to_string(), by.clone()));
        FeedbackRow {
            kind,
            comments: feedback.comments.clone(),
            by: feedback.by.clone(),
            at,
            withdrawn,
        }
    }
}

impl FeedbackRow {
    fn into_feedback(self) -> Result<AnomalyFeedback, RowError> {
        let kind = named("kind", &self.kind, FeedbackKind::parse)?;
        let withdrawn = self
            .withdrawn
            .map(|(at, by)| Ok::<_, RowError>((time(&at)?, by)))
            .transpose()?;
        Ok(AnomalyFeedback {
            kind,
            comments: self.comments,
            by: self.by,
            at: time(&self.at)?,
            withdrawn,
        })
    }
}

/// The settings, whole.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AnomalySettingsRow {
    #[serde(serialize_with = "finite")]
    cost_threshold_percent: f64,
    cost_window_hours: u32,
    cost_baseline_days: u32,
    performance_metrics: Vec<String>,
    performance_sensitivity: String,
    behavioral_analysis: bool,
    security_sensitivity: String,
    // Documents that were written before there were these have the defaults.
    #[serde(default)]
    cost_action: Option<String>,
    #[serde(default)]
    performance_action: Option<String>,
    #[serde(default)]
    threat_intelligence: Option<bool>,
    #[serde(default)]
    security_action: Option<String>,
    version: u64,
}

impl From<&AnomalySettings> for AnomalySettingsRow {
    fn from(settings: &AnomalySettings) -> Self {
        AnomalySettingsRow {
            cost_threshold_percent: settings.cost.threshold_percent,
            cost_window_hours: settings.cost.window_hours,
            cost_baseline_days: settings.cost.baseline_days,
            performance_metrics: settings
                .performance
                .metrics
                .iter()
                .map(|metric| metric.as_str().to_owned())
                .collect(),
            performance_sensitivity: settings.performance.sensitivity.as_str().to_owned(),
            behavioral_analysis: settings.security.behavioral_analysis,
            security_sensitivity: settings.security.sensitivity.as_str().to_owned(),
            cost_action: Some(settings.cost.action.as_str().to_owned()),
            performance_action: Some(settings.performance.action.as_str().to_owned()),
            threat_intelligence: Some(settings.security.threat_intelligence),
            security_action: Some(settings.security.action.as_str().to_owned()),
            version: settings.version,
        }
    }
}

impl AnomalySettingsRow {
    pub(crate) fn into_settings(self) -> Result<AnomalySettings, RowError> {
        let metric = |text: &String| named("metrics", text, Metric::parse);
        let usual = AnomalySettings::default();
        let action = |given: Option<String>, usual: Reaction| {
            given.map_or(Ok(usual), |text| named("action", &text, Reaction::parse))
        };

        Ok(AnomalySettings {
            cost: CostSettings {
                threshold_percent: self.cost_threshold_percent,
                window_hours: self.cost_window_hours,
                baseline_days: self.cost_baseline_days,
                action: action(self.cost_action, usual.cost.action)?,
            },
            performance: PerformanceSettings {
                metrics: self
                    .performance_metrics
                    .iter()
                    .map(metric)
                    .collect::<Result<_, _>>()?,
                sensitivity: named(
                    "sensitivity",
                    &self.performance_sensitivity,
                    Sensitivity::parse,
                )?,
                action: action(self.performance_action, usual.performance.action)?,
            },
            security: SecuritySettings {
                behavioral_analysis: self.behavioral_analysis,
                threat_intelligence: self
                    .threat_intelligence
                    .unwrap_or(usual.security.threat_intelligence),
                sensitivity: named(
                    "sensitivity",
                    &self.security_sensitivity,
                    Sensitivity::parse,
                )?,
                action: action(self.security_action, usual.security.action)?,
            },
            version: self.version,
        })
    }
}
