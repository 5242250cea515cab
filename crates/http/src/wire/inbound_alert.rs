//! Alerts of other tools on the wire, and the answer to a push.

mod source;

use std::collections::BTreeMap;

use reeve_siem::{AlertReport, FormatRefusal, InboundAlert, Intake, WeightFactor};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::time;
use crate::wire::form::enumeration::{InboundAlertStatus, InboundAlertVerdict, Severity};

pub use source::{
    AlertSourceBody, AlertSourceCreate, AlertSourcePatch, AlertSourceTokenBody, CloseCallbackBody,
};

/// Result of a push.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AlertIntakeBody {
    /// Alerts that are new.
    pub new: u64,
    /// Reports of a cause that an open alert has already.
    pub repeated: u64,
    /// Reports with an identifier that arrived before, without a difference.
    pub known: u64,
    /// Alerts that the sender closed.
    pub closed: u64,
    /// Alerts that were not taken; the others were.
    pub refused: Vec<AlertRefusalBody>,
}

/// An alert that was not taken.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AlertRefusalBody {
    /// Line of the body, or number of the array's member; both count from 1.
    pub line: u64,
    /// Field that is wrong; absent if the alert as a whole is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    pub message: String,
}

/// An alert of another tool.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct InboundAlertBody {
    pub id: String,
    pub source_id: String,
    /// Name of the source.
    pub source: String,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub status: InboundAlertStatus,
    /// Severity after weighing.
    pub severity: Severity,
    /// Severity that the sender gives; of several reports the worst.
    pub sender_severity: Severity,
    /// Weight from 0 to 1: the product of the factors.
    pub weight: f64,
    /// Factors of the weight, each with its reason.
    pub weight_factors: Vec<AlertWeightFactorBody>,
    /// Time of the alert at its sender.
    pub occurred_at: String,
    pub received_at: String,
    /// Arrival of the last report.
    pub last_at: String,
    /// Reports of the same cause.
    pub reports: u64,
    /// The sender's identifiers, oldest first.
    pub sender_ids: Vec<String>,
    /// Page of the alert at the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Rule of the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// ATT&CK techniques.
    pub techniques: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// Fields of the sender that none of these was read from, by their dotted path.
    #[schema(value_type = Object)]
    pub further: BTreeMap<String, serde_json::Value>,
    /// Incident that it was joined to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incident_id: Option<String>,
    /// Reason why it was joined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joined_because: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<AlertVerdictBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<String>,
    /// User who closed it; absent if the sender did, or it expired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_by: Option<String>,
    /// Incident whose closing closed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_with_incident: Option<String>,
    /// Days without a report after which it expired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expired_after_days: Option<u32>,
    /// Closing at the sender; absent where the source offers none, or the sender closed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callback: Option<AlertCallbackBody>,
    /// Grows by one with every change.
    pub version: u64,
}

/// Factor of a weight.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AlertWeightFactorBody {
    /// `severity`, `track_record` or `asset`.
    pub name: String,
    pub value: f64,
    /// Reason in a sentence.
    pub reason: String,
}

/// Verdict of a person.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AlertVerdictBody {
    pub verdict: InboundAlertVerdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments: Option<String>,
    pub by: String,
    pub at: String,
}

/// Progress of closing an alert at its sender.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AlertCallbackBody {
    /// Identifiers that are not closed there yet.
    pub pending: Vec<String>,
    /// Attempts so far.
    pub tries: u64,
    /// Time of the next attempt; absent once it succeeded or was given up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_at: Option<String>,
    /// Failure of the last attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done_at: Option<String>,
}

/// Closing of an alert.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InboundAlertClose {
    pub verdict: InboundAlertVerdict,
    /// At most 2000 characters; sent to the sender where it takes comments.
    pub comments: Option<String>,
}

impl From<&Intake> for AlertIntakeBody {
    fn from(intake: &Intake) -> Self {
        AlertIntakeBody {
            new: intake.new,
            repeated: intake.repeated,
            known: intake.known,
            closed: intake.closed,
            refused: intake.refused.iter().map(AlertRefusalBody::from).collect(),
        }
    }
}

impl From<&FormatRefusal> for AlertRefusalBody {
    fn from(refusal: &FormatRefusal) -> Self {
        AlertRefusalBody {
            line: refusal.line,
            field: refusal.field.clone(),
            message: refusal.message.clone(),
        }
    }
}

impl From<&WeightFactor> for AlertWeightFactorBody {
    fn from(factor: &WeightFactor) -> Self {
        AlertWeightFactorBody {
            name: factor.name.clone(),
            value: factor.value,
            reason: factor.reason.clone(),
        }
    }
}

impl InboundAlertBody {
    /// Converts an alert of a source with this name, without its incident.
    #[must_use]
    pub fn new(alert: &InboundAlert, source: &str) -> InboundAlertBody {
        let AlertReport {
            title,
            description,
            severity,
            at,
            rule,
            techniques,
            principal,
            address,
            account,
            resource,
            url,
            further,
            ..
        } = alert.report.clone();
        let factors = alert.weight.factors.iter();
        let senders = alert.sender_alerts.iter();

        InboundAlertBody {
            id: alert.id.0.clone(),
            source_id: alert.source.0.clone(),
            source: source.to_owned(),
            title,
            description,
            status: alert.status.into(),
            severity: alert.weight.severity.into(),
            sender_severity: severity.into(),
            weight: alert.weight.value,
            weight_factors: factors.map(AlertWeightFactorBody::from).collect(),
            occurred_at: time::text(at),
            received_at: time::text(alert.received_at),
            last_at: time::text(alert.last_at),
            reports: alert.sender_alerts.len() as u64,
            sender_ids: senders.map(|sender| sender.id.clone()).collect(),
            url,
            rule,
            techniques,
            principal,
            address: address.map(|address| address.to_string()),
            account,
            resource,
            further,
            incident_id: None,
            joined_because: None,
            verdict: alert.judgement.as_ref().map(|judged| AlertVerdictBody {
                verdict: judged.verdict.into(),
                comments: judged.comments.clone(),
                by: judged.by.clone(),
                at: time::text(judged.at),
            }),
            closed_at: alert.end.as_ref().map(|end| time::text(end.at)),
            closed_by: alert.end.as_ref().and_then(|end| end.by.clone()),
            closed_with_incident: alert.end.as_ref().and_then(|end| end.incident.clone()),
            expired_after_days: alert.end.as_ref().and_then(|end| end.expired_after_days),
            callback: alert.callback.as_ref().map(|callback| AlertCallbackBody {
                pending: callback.pending.clone(),
                tries: callback.tries as u64,
                next_at: callback.next_at.map(time::text),
                error: callback.error.clone(),
                done_at: callback.done_at.map(time::text),
            }),
            version: alert.version,
        }
    }
}
