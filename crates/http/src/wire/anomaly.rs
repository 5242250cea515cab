//! Anomalies on the wire.

mod activity;
pub mod budget;
mod course;
mod incident;
mod investigation;
mod settings;
pub mod spending;
mod threat;
mod threshold;

use reeve_access::RowFilter;
use reeve_anomalies::{Anomaly, Reading, RelatedEntry};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::time;
use crate::wire::form::enumeration;
use crate::wire::form::enumeration::{
    AnomalyFeedbackKind, AnomalyStatus, AnomalyType, Metric, Priority, ResponseStage,
};

pub use activity::{AttackTechniqueBody, RelatedAnomalyBody, SecurityActivityBody};
pub use course::{AnomalyCourseBody, AnomalyCourseParams, CourseChangeBody, CoursePointBody};
pub use incident::{IncidentBody, IncidentMemberBody};
pub use investigation::{
    ContributionBody, EvidenceBody, EvidenceLinkBody, HypothesisBody, InvestigationBody,
    LookupBody, RemediationBody,
};
pub use settings::{
    AnomalySettingsBody, AnomalySettingsPut, CostAnomalyBody, CostAnomalyPut,
    PerformanceAnomalyBody, PerformanceAnomalyPut, SecurityAnomalyBody, SecurityAnomalyPut,
    ThreatIntelligence,
};
pub use threat::{
    StixImportBody, StixNotUsedBody, ThreatFeedBody, ThreatFeedPut, ThreatListBody, ThreatListPut,
    ThreatListTextBody,
};
pub use threshold::{AnomalyThresholdBody, AnomalyThresholdParams, LessonBody};

/// An anomaly with its cause, its incident and what was done about it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AnomalyBody {
    pub id: String,
    /// Identifier of its incident, the same for all anomalies of one attack: that of the anomaly
    /// that the incident began with.
    pub incident_id: String,
    /// Its incident; of security anomalies alone, where they are asked for over HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incident: Option<IncidentBody>,
    #[serde(rename = "type")]
    pub class: AnomalyType,
    pub status: AnomalyStatus,
    pub severity: Priority,
    /// Title of one line, for lists.
    pub title: String,
    /// Place of the anomaly: a resource, or the principal of a security anomaly.
    pub resource: AnomalyPlaceBody,
    /// Readings, strangest first, each with the expected value and the usual band.
    pub readings: Vec<ReadingBody>,
    /// Deviation of the strangest from what was expected, percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deviation_percent: Option<f64>,
    /// Resources of the bill that make the difference, the greatest first; of cost anomalies alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contributions: Vec<ContributionBody>,
    /// Calls or sign-ins behind it; of security anomalies alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activity: Option<SecurityActivityBody>,
    /// Security anomalies that may belong to the same attack; only where one anomaly is asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<RelatedAnomalyBody>,
    /// Investigation: the sources that were read and the hypotheses that follow. Absent while it
    /// was not investigated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub investigation: Option<InvestigationBody>,
    /// The likely cause. Names what the log tells of it to those who may see those entries.
    pub likely_cause: String,
    pub evidence: Vec<String>,
    /// Evidence beside `readings`, which is among `evidence` too.
    pub facts: Vec<String>,
    /// Advice on the next step.
    pub recommended_action: String,
    /// Recommended remedy. Absent while none was looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remediation: Option<RemediationBody>,
    /// Entries of the audit log on its resource shortly before it, oldest first: those that the
    /// caller may see.
    pub log_entries: Vec<AnomalyEntryBody>,
    /// The response so far: alert, investigate, recommend, execute, learn.
    pub responses: Vec<ResponseBody>,
    /// Feedback that people gave.
    pub feedback: Vec<AnomalyFeedbackBody>,
    pub started_at: String,
    /// Time of its last anomalous point.
    pub last_at: String,
    pub detected_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<String>,
}

/// Place of an anomaly.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AnomalyPlaceBody {
    pub id: String,
    pub name: String,
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
}

/// One metric at its strangest.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ReadingBody {
    /// The metric; absent for behavior.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<Metric>,
    /// Time, RFC 3339 UTC with milliseconds.
    pub at: String,
    /// Value that was measured.
    pub value: f64,
    pub expected: f64,
    /// Lower edge of the usual band.
    pub low: f64,
    /// Upper edge of the expected range.
    pub high: f64,
    /// Score from 0 to 1; 1 is most unusual.
    pub anomaly_score: f64,
    /// Evidence that revealed it.
    pub sign: String,
}

/// An entry of the audit log that may tell the cause.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AnomalyEntryBody {
    /// Position in the log.
    pub sequence: u64,
    pub event_id: String,
    pub at: String,
    pub who: String,
    /// Operation and its outcome.
    pub operation: String,
}

/// One stage of the response.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ResponseBody {
    pub stage: ResponseStage,
    /// Time, RFC 3339 UTC with milliseconds.
    pub at: String,
    pub detail: String,
}

/// Feedback of a person.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AnomalyFeedbackBody {
    pub kind: AnomalyFeedbackKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments: Option<String>,
    /// E-mail address or name of the user.
    pub by: String,
    /// Time, RFC 3339 UTC with milliseconds.
    pub at: String,
    /// Time of withdrawal; it no longer counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withdrawn_at: Option<String>,
    /// User who withdrew it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withdrawn_by: Option<String>,
}

/// Feedback of a person.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnomalyFeedbackCreate {
    /// `real`, `false`, `planned`, `new_normal`.
    #[schema(value_type = enumeration::AnomalyFeedbackKind)]
    pub kind: String,
    pub comments: Option<String>,
}

/// Filters of anomalies, and the page to answer.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct AnomalyParams {
    /// `cost`, `performance`, `security`, `operational`.
    #[serde(rename = "type")]
    pub class: Option<String>,
    /// `open`, `acknowledged`, `resolved`; several joined by commas.
    pub status: Option<String>,
    /// A resource's identifier, or a principal.
    pub resource: Option<String>,
    /// Members of this incident.
    pub incident: Option<String>,
    /// Begun at or after.
    pub since: Option<String>,
    /// Page size, 1 to 1000.
    pub limit: Option<u32>,
    /// Number of results to skip.
    pub offset: Option<u64>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

impl AnomalyBody {
    /// An anomaly as somebody who may see these entries of the log is told of it.
    pub(crate) fn seen_by(anomaly: &Anomaly, rows: &RowFilter) -> Self {
        let allowed = |entry: &RelatedEntry| {
            rows.allows_actor(entry.actor_id.as_deref(), entry.actor_email.as_deref())
        };
        let entries: Vec<&RelatedEntry> = anomaly
            .related_entries
            .iter()
            .filter(|entry| allowed(entry))
            .collect();
        let view = anomaly.cause_for(&entries);

        let may_see = |account: &str| rows.allows_actor(Some(account), Some(account));
        let activity = anomaly.activity.as_ref();
        let facts: Vec<String> = activity
            .map(|activity| activity.words(may_see))
            .unwrap_or_default();
        let facts: Vec<String> = facts.into_iter().chain(view.evidence).collect();

        AnomalyBody {
            investigation: anomaly
                .investigation_for(&entries)
                .as_ref()
                .map(|one| InvestigationBody::seen_by(one, allowed)),
            likely_cause: view.cause,
            activity: activity.map(|activity| SecurityActivityBody::seen_by(activity, may_see)),
            evidence: anomaly
                .readings
                .iter()
                .filter_map(Reading::words)
                .chain(facts.iter().cloned())
                .collect(),
            facts,
            recommended_action: view.advice,
            log_entries: entries
                .into_iter()
                .map(|entry| AnomalyEntryBody {
                    sequence: entry.sequence,
                    event_id: entry.event_id.clone(),
                    at: time::text(entry.at),
                    who: entry.who().to_owned(),
                    operation: entry.operation.clone(),
                })
                .collect(),
            ..AnomalyBody::from(anomaly)
        }
    }
}

/// As whoever may see no entry of the log is told of it, receivers outside among them.
impl From<&Anomaly> for AnomalyBody {
    fn from(anomaly: &Anomaly) -> Self {
        let place = &anomaly.place;
        AnomalyBody {
            id: anomaly.id.0.clone(),
            incident_id: anomaly.incident.0.clone(),
            incident: None,
            class: anomaly.class.into(),
            status: anomaly.status.into(),
            severity: anomaly.severity.into(),
            title: anomaly.title.clone(),
            resource: AnomalyPlaceBody {
                id: place.id.clone(),
                name: place.name.clone(),
                kind: place.kind.clone(),
                provider: place.provider.clone(),
                account: place.account.clone(),
                region: place.region.clone(),
                service: place.service.clone(),
            },
            readings: anomaly.readings.iter().map(ReadingBody::from).collect(),
            deviation_percent: anomaly.deviation_percent,
            contributions: anomaly
                .contributions
                .iter()
                .map(ContributionBody::from)
                .collect(),
            activity: anomaly
                .activity
                .as_ref()
                .map(|activity| SecurityActivityBody::seen_by(activity, |_| false)),
            related: Vec::new(),
            investigation: anomaly
                .investigation
                .as_ref()
                .map(|one| InvestigationBody::seen_by(one, |_| false)),
            likely_cause: anomaly.cause_in_words(),
            evidence: anomaly.evidence_in_words().collect(),
            facts: anomaly
                .activity
                .iter()
                .flat_map(|one| one.words(|_| false))
                .chain(anomaly.evidence.clone())
                .collect(),
            recommended_action: anomaly.advice.clone(),
            remediation: anomaly.remediation.as_ref().map(RemediationBody::from),
            log_entries: Vec::new(),
            responses: anomaly
                .responses
                .iter()
                .map(|response| ResponseBody {
                    stage: response.stage.into(),
                    at: time::text(response.at),
                    detail: response.detail.clone(),
                })
                .collect(),
            feedback: anomaly
                .feedback
                .iter()
                .map(|said| AnomalyFeedbackBody {
                    kind: said.kind.into(),
                    comments: said.comments.clone(),
                    by: said.by.clone(),
                    at: time::text(said.at),
                    withdrawn_at: said.withdrawn.as_ref().map(|(at, _)| time::text(*at)),
                    withdrawn_by: said.withdrawn.as_ref().map(|(_, by)| by.clone()),
                })
                .collect(),
            started_at: time::text(anomaly.started_at),
            last_at: time::text(anomaly.last_at),
            detected_at: time::text(anomaly.detected_at),
            resolved_at: anomaly.resolved_at.map(time::text),
        }
    }
}

impl From<&Reading> for ReadingBody {
    fn from(reading: &Reading) -> Self {
        ReadingBody {
            metric: reading.metric.map(Into::into),
            at: time::text(reading.at),
            value: reading.value,
            expected: reading.expected,
            low: reading.low,
            high: reading.high,
            anomaly_score: reading.score,
            sign: reading.indication.to_string(),
        }
    }
}
