//! A model's record, and what a recommendation was judged by.

use reeve_recommend::models::TrustNote;
use reeve_recommend::models::{Model, ModelId, ModelStatus, ModelType, RetrainCause};
use reeve_recommend::{AgentId, RecommendationId};
use serde::{Deserialize, Serialize};

use super::{RowError, finite, named, time, time_or_none};

/// A model, whole, without its state.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ModelRow {
    id: String,
    agent_id: String,
    name: String,
    kind: String,
    version: u32,
    status: String,
    #[serde(serialize_with = "finite")]
    training_span_days: f64,
    samples: u64,
    held_out: u64,
    #[serde(serialize_with = "finite")]
    accuracy: f64,
    #[serde(serialize_with = "finite")]
    precision: f64,
    #[serde(serialize_with = "finite")]
    recall: f64,
    #[serde(serialize_with = "finite")]
    f1: f64,
    #[serde(serialize_with = "finite")]
    threshold: f64,
    cause: String,
    note: String,
    configuration: String,
    reference: Vec<f64>,
    drift: Option<f64>,
    trained_at: String,
    updated_at: String,
    tried_at: Option<String>,
    requested_by: Option<String>,
    revision: u64,
}

impl From<&Model> for ModelRow {
    fn from(model: &Model) -> Self {
        ModelRow {
            id: model.id.0.clone(),
            agent_id: model.agent_id.0.clone(),
            name: model.name.clone(),
            kind: model.kind.as_str().to_owned(),
            version: model.version,
            status: model.status.as_str().to_owned(),
            training_span_days: model.training_span_days,
            samples: model.samples,
            held_out: model.held_out,
            accuracy: model.accuracy,
            precision: model.precision,
            recall: model.recall,
            f1: model.f1,
            threshold: model.threshold,
            cause: model.cause.as_str().to_owned(),
            note: model.note.clone(),
            configuration: model.configuration.clone(),
            reference: model.reference.clone(),
            drift: model.drift,
            trained_at: model.trained_at.to_string(),
            updated_at: model.updated_at.to_string(),
            tried_at: model.tried_at.map(|at| at.to_string()),
            requested_by: model.requested_by.clone(),
            revision: model.revision,
        }
    }
}

impl ModelRow {
    pub(crate) fn into_model(self) -> Result<Model, RowError> {
        Ok(Model {
            id: ModelId(self.id),
            agent_id: AgentId(self.agent_id),
            name: self.name,
            kind: named("kind", &self.kind, ModelType::parse)?,
            version: self.version,
            status: named("status", &self.status, ModelStatus::parse)?,
            training_span_days: self.training_span_days,
            samples: self.samples,
            held_out: self.held_out,
            accuracy: self.accuracy,
            precision: self.precision,
            recall: self.recall,
            f1: self.f1,
            threshold: self.threshold,
            cause: named("cause", &self.cause, RetrainCause::parse)?,
            note: self.note,
            configuration: self.configuration,
            reference: self.reference,
            drift: self.drift,
            trained_at: time(&self.trained_at)?,
            updated_at: time(&self.updated_at)?,
            tried_at: time_or_none(self.tried_at.as_deref())?,
            requested_by: self.requested_by,
            revision: self.revision,
        })
    }
}

/// Input of the confidence of a recommendation.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TrustNoteRow {
    group: String,
    at: String,
    #[serde(serialize_with = "finite")]
    raw: f64,
    features: Vec<f64>,
}

impl From<&TrustNote> for TrustNoteRow {
    fn from(note: &TrustNote) -> Self {
        let (group, at) = (note.group.clone(), note.at.to_string());
        TrustNoteRow {
            group,
            at,
            raw: note.raw,
            features: note.features.clone(),
        }
    }
}

impl TrustNoteRow {
    pub(crate) fn into_note(self, recommendation: RecommendationId) -> Result<TrustNote, RowError> {
        let at = time(&self.at)?;
        Ok(TrustNote {
            recommendation,
            group: self.group,
            at,
            raw: self.raw,
            features: self.features,
        })
    }
}
