//! Models on the wire: the metrics of, and where a version stands.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::wire::form::enumeration::{ModelStatus, ModelType, RetrainReason};

/// Filters of models, and the page to answer.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ModelParams {
    pub agent: Option<String>,
    /// Of this name (`confidence`, `demand`, ...).
    pub name: Option<String>,
    /// `time_series_forecasting`, `classification`, `anomaly_detection`, `recommendation`.
    #[serde(rename = "type")]
    #[param(rename = "type")]
    pub kind: Option<String>,
    /// `serving`, `candidate` or `retired`.
    pub status: Option<String>,
    /// At most this many (1 to 1000).
    #[param(default = 50, minimum = 1, maximum = 1000)]
    pub limit: Option<u32>,
    /// After skipping this many.
    #[param(default = 0)]
    pub offset: Option<u64>,
    /// `next_cursor` of the page before. Not together with `offset`.
    pub cursor: Option<String>,
}

/// One version of a model.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ModelBody {
    pub id: String,
    /// The agent whose model it is.
    pub agent_id: String,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: ModelType,
    /// Counts up from 1.
    pub version: u32,
    pub status: ModelStatus,
    /// Days of samples it was trained on.
    pub training_span_days: f64,
    /// Samples or examples it was trained on.
    pub samples: u64,
    /// Decisions on held-out days that the figures are counted from.
    pub held_out: u64,
    /// Percent of those that were right.
    pub accuracy: f64,
    /// Percent of the yes that were right.
    pub precision: f64,
    /// Percent of what was yes that was found.
    pub recall: f64,
    /// Harmonic mean of precision and recall, percent.
    pub f1: f64,
    /// Accuracy below this trains it anew, percent.
    pub threshold: f64,
    pub retrain_reason: RetrainReason,
    /// The numbers behind that, and what came of it.
    pub note: String,
    /// Distance of the newest data from the training's, 0 to 1; null until measured.
    pub drift: Option<f64>,
    pub trained_at: String,
    /// Time at which its figures were last measured.
    pub last_update: String,
    /// Time at which a successor was last tried.
    pub tried_at: Option<String>,
    /// User who asked for a successor that is not trained yet.
    pub retrain_requested_by: Option<String>,
}

/// A version with its neighbours.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ModelDetailBody {
    #[serde(flatten)]
    pub model: ModelBody,
    /// Every kept version of the same agent and name, newest first.
    pub history: Vec<ModelBody>,
}
