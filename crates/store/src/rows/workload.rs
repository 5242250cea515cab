//! Workloads and corrections.

use reeve_estate::{ConnectionId, ResourceId};
use reeve_recommend::agent::AgentId;
use reeve_recommend::workload::{Signal, Unclassified, WorkloadClass};
use reeve_recommend::{Classification, Correction, Workload};
use serde::{Deserialize, Serialize};

use super::{RowError, time};

/// A workload, whole.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WorkloadRow {
    connection: String,
    resource: String,
    agent_id: String,
    judged_at: String,
    class: Option<String>,
    unclassified: Option<(String, String)>,
    confidence: f64,
    probabilities: [f64; 4],
    scores: [f64; 4],
    signals: Vec<SignalRow>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SignalRow {
    name: String,
    detail: String,
    weights: [f64; 4],
}

fn class(text: &str) -> Result<WorkloadClass, RowError> {
    WorkloadClass::parse(text).ok_or_else(|| RowError::Unknown {
        field: "class",
        value: text.to_owned(),
    })
}

impl From<&Workload> for WorkloadRow {
    fn from(from: &Workload) -> Self {
        let Classification {
            class,
            unclassified,
            confidence,
            probabilities,
            scores,
            signals,
        } = &from.classification;

        let signal = |signal: &Signal| SignalRow {
            name: signal.name.clone(),
            detail: signal.detail.clone(),
            weights: signal.weights,
        };

        WorkloadRow {
            connection: from.connection.0.clone(),
            resource: from.resource.0.clone(),
            agent_id: from.agent_id.0.clone(),
            judged_at: from.judged_at.to_string(),
            class: class.map(|class| class.as_str().to_owned()),
            unclassified: unclassified
                .as_ref()
                .map(|reason| (reason.code.clone(), reason.detail.clone())),
            confidence: *confidence,
            probabilities: *probabilities,
            scores: *scores,
            signals: signals.iter().map(signal).collect(),
        }
    }
}

impl WorkloadRow {
    pub(crate) fn into_workload(self) -> Result<Workload, RowError> {
        let signal = |row: SignalRow| Signal {
            name: row.name,
            detail: row.detail,
            weights: row.weights,
        };
        Ok(Workload {
            connection: ConnectionId(self.connection),
            resource: ResourceId(self.resource),
            agent_id: AgentId(self.agent_id),
            judged_at: time(&self.judged_at)?,
            classification: Classification {
                class: self.class.as_deref().map(class).transpose()?,
                unclassified: self
                    .unclassified
                    .map(|(code, detail)| Unclassified { code, detail }),
                confidence: self.confidence,
                probabilities: self.probabilities,
                scores: self.scores,
                signals: self.signals.into_iter().map(signal).collect(),
            },
        })
    }
}

/// A correction, whole.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CorrectionRow {
    connection: String,
    resource: String,
    class: String,
    comment: Option<String>,
    by: String,
    at: String,
    tokens: Vec<String>,
    scores: [f64; 4],
}

impl From<&Correction> for CorrectionRow {
    fn from(from: &Correction) -> Self {
        CorrectionRow {
            connection: from.connection.0.clone(),
            resource: from.resource.0.clone(),
            class: from.class.as_str().to_owned(),
            comment: from.comment.clone(),
            by: from.by.clone(),
            at: from.at.to_string(),
            tokens: from.tokens.clone(),
            scores: from.scores,
        }
    }
}

impl CorrectionRow {
    pub(crate) fn into_correction(self) -> Result<Correction, RowError> {
        Ok(Correction {
            connection: ConnectionId(self.connection),
            resource: ResourceId(self.resource),
            class: class(&self.class)?,
            comment: self.comment,
            by: self.by,
            at: time(&self.at)?,
            tokens: self.tokens,
            scores: self.scores,
        })
    }
}
