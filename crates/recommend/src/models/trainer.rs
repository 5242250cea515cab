//! Interface of trainers: one implementation per model name.

use jiff::Timestamp;
use reeve_estate::Metric;
use reeve_learn::calibrate::{CalibrationScores, Confusion};

use crate::models::material::Material;
use crate::models::model::ModelType;

/// Reason why training or evaluation had no result, in words with numbers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotTrained(pub String);

/// Result of a training.
#[derive(Debug, Clone, PartialEq)]
pub struct Trained {
    /// Everything learned, as a text that the same trainer reads again.
    pub state: String,
    /// Days between the oldest and the newest sample.
    pub span_days: f64,
    /// Samples or examples learned from.
    pub samples: u64,
}

/// Metrics of a state on held-out days.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelEvaluation {
    /// Accuracy, precision, recall and F1 score.
    pub scores: CalibrationScores,
    /// Decisions they were counted from.
    pub held_out: u64,
    /// Counts behind the figures; `None` for figures that no single table of counts gives.
    pub counts: Option<Confusion>,
}

impl ModelEvaluation {
    /// Figures of counted decisions.
    ///
    /// # Errors
    /// [`NotTrained`] without decisions.
    pub fn from_counts(counts: Confusion) -> Result<ModelEvaluation, NotTrained> {
        let scores = counts
            .scores()
            .ok_or_else(|| NotTrained("no hour could be evaluated on the test days".to_owned()))?;
        Ok(ModelEvaluation {
            scores,
            held_out: counts.total(),
            counts: Some(counts),
        })
    }

    /// Figures over the decisions of several parts; `None` where a part has no counts, or there is
    /// no part.
    #[must_use]
    pub fn join(parts: &[ModelEvaluation]) -> Option<ModelEvaluation> {
        let counts = parts
            .iter()
            .map(|part| part.counts)
            .sum::<Option<Confusion>>()?;
        ModelEvaluation::from_counts(counts).ok()
    }
}

/// Joins states that were learned from parts of a scope.
pub type JoinStates = fn(&[String]) -> Result<String, NotTrained>;

/// Learns one kind of thing and judges what was learned. Pure: no clock, no store.
pub trait Trainer: Send + Sync {
    /// The model's name (`confidence`, `demand`).
    fn name(&self) -> &'static str;
    /// Version of the state's format and meaning: a model of an earlier one is trained anew at
    /// once.
    fn format(&self) -> u32 {
        1
    }
    fn kind(&self) -> ModelType;
    /// Accuracy below this trains it anew, 0 to 1.
    fn threshold(&self) -> f64;
    /// The metrics it reads.
    fn metrics(&self) -> &'static [Metric];
    /// Days of samples that the training reads.
    fn history_days(&self) -> i64;
    /// Days at the end that it is judged on and never trained on.
    fn held_out_days(&self) -> i64;
    /// Learns from what is before `until`.
    ///
    /// # Errors
    /// [`NotTrained`] when that is too little.
    fn train(&self, material: &Material, until: Timestamp) -> Result<Trained, NotTrained>;
    /// Returns the function that joins states of parts, for a trainer that learns each resource by
    /// itself. Such a trainer learns every resource of a scope, however large; any other learns
    /// from a sample of them.
    fn join(&self) -> Option<JoinStates> {
        None
    }
    /// Judges a state on what is at `from` or later.
    ///
    /// # Errors
    /// [`NotTrained`] when there is no data to evaluate it on, or the state is not this trainer's.
    fn evaluate(
        &self,
        state: &str,
        material: &Material,
        from: Timestamp,
    ) -> Result<ModelEvaluation, NotTrained>;
    /// Figures whose distribution is compared between two times, to detect drift.
    fn figures(&self, material: &Material, from: Timestamp, until: Timestamp) -> Vec<f64>;
}
