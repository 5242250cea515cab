//! A model's record: the figures of requirements and where the version stands.

use jiff::Timestamp;
use reeve_estate::named;
use serde::{Deserialize, Serialize};

use crate::agent::AgentId;

named!(
    /// Types of models (requirements ).
    ModelType {
        /// Forecast of a series.
        Forecast => "time_series_forecasting",
        /// Class of an object.
        Classification => "classification",
        /// Deviation of a series from its past.
        AnomalyDetection => "anomaly_detection",
        /// Probability that a recommendation succeeds.
        Recommendation => "recommendation",
    }
);

named!(
    /// State of a model version.
    ModelStatus {
        /// Trained, and not judged good enough yet.
        Candidate => "candidate",
        /// The one that answers.
        Serving => "serving",
        /// Replaced, refused, or its agent is gone.
        Retired => "retired",
    }
);

named!(
    /// Cause of a training.
    RetrainCause {
        /// There was no version before.
        First => "first_training",
        /// Accuracy on the newest held-out days fell below the threshold.
        Accuracy => "accuracy_below_threshold",
        /// New data no longer looks like what it was trained on.
        Drift => "drift",
        /// The agent's configuration changed.
        Configuration => "configuration_changed",
        /// Its interval was over.
        Schedule => "schedule",
        /// A person requested it.
        Request => "requested",
    }
);

/// A version's identifier, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ModelId(pub String);

/// One version of one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    pub id: ModelId,
    /// Agent that the model belongs to.
    pub agent_id: AgentId,
    /// Name of the model; one version serves per agent and name.
    pub name: String,
    pub kind: ModelType,
    /// Counts up from 1 within agent and name.
    pub version: u32,
    /// State of the version.
    pub status: ModelStatus,
    /// Days between the oldest and the newest sample it was trained on.
    #[serde(serialize_with = "reeve_estate::finite")]
    pub training_span_days: f64,
    /// Number of samples, or of examples, that the version was trained on.
    pub samples: u64,
    /// Decisions it was judged by on held-out days.
    pub held_out: u64,
    /// Share of those that were right, 0 to 1.
    #[serde(serialize_with = "reeve_estate::finite")]
    pub accuracy: f64,
    /// Share of the yes among them that were right, 0 to 1.
    #[serde(serialize_with = "reeve_estate::finite")]
    pub precision: f64,
    /// Share of what was yes that was found, 0 to 1.
    #[serde(serialize_with = "reeve_estate::finite")]
    pub recall: f64,
    /// Harmonic mean of the two.
    #[serde(serialize_with = "reeve_estate::finite")]
    pub f1: f64,
    /// Accuracy below this trains it anew, 0 to 1.
    #[serde(serialize_with = "reeve_estate::finite")]
    pub threshold: f64,
    /// Cause of the training.
    pub cause: RetrainCause,
    /// The numbers behind that, and what came of it, in a sentence.
    pub note: String,
    /// Fingerprint of the configuration it was trained under.
    pub configuration: String,
    /// Quantiles of what it was trained on, for the test of drift.
    pub reference: Vec<f64>,
    /// Distance of the newest data from those, 0 to 1; `None` until it was measured.
    pub drift: Option<f64>,
    /// Time of the training.
    pub trained_at: Timestamp,
    /// Time of the last measurement of its metrics.
    pub updated_at: Timestamp,
    /// Time of the last attempt to train a successor.
    pub tried_at: Option<Timestamp>,
    /// User who requested a successor that does not exist yet.
    pub requested_by: Option<String>,
    /// Grows with every change; stores compare it before they write.
    pub revision: u64,
}
