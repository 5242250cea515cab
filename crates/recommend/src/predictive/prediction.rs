//! Prediction of an evaluation, stored with the rule.

use crate::recommendation::RecommendationId;
use crate::recommendation::origin::RuleId;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, Metric, ResourceId, named};
use serde::{Deserialize, Serialize};

use super::reason::PredictiveReason;
use super::rule::Foreseen;
use super::signal::Signal;

/// A prediction's identifier, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PredictionId(pub String);

named!(
    /// Outcome of a prediction.
    Outcome {
        /// It comes within the horizon, with at least the rule's probability.
        Foreseen => "foreseen",
        /// The forecast stays below the capacity or level.
        NotForeseen => "not_foreseen",
        /// The data does not decide; the reasons say why.
        Abstained => "abstained",
    }
);

/// One step of a forecast.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// Time of the expected value.
    pub at: Timestamp,
    /// One value in twenty is below.
    pub p05: f64,
    /// The median: one value in two is above.
    pub p50: f64,
    /// One value in twenty is above.
    pub p95: f64,
}

/// A forecast and what was decided on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    pub id: PredictionId,
    pub rule: RuleId,
    /// Version of the rule at the evaluation.
    pub rule_version: u64,
    /// Time of the prediction.
    pub at: Timestamp,
    /// Connection through which the resource was observed.
    pub connection: ConnectionId,
    pub resource: ResourceId,
    pub resource_name: String,
    /// Metric that was forecast.
    pub signal: Option<Signal>,
    /// Metric of its samples, whose unit the numbers have; `None` for events, and for predictions
    /// kept before it was.
    pub samples: Option<Metric>,
    /// Condition on the forecast.
    pub foreseen: Foreseen,
    pub outcome: Outcome,
    /// Probability within the horizon, percent; `None` when nothing can be said.
    pub probability_percent: Option<f64>,
    /// Time at which the condition is met with a probability of 50 %, up to four horizons ahead.
    pub expected_at: Option<Timestamp>,
    /// Before this with one chance in twenty.
    pub earliest_at: Option<Timestamp>,
    /// Before this with nineteen chances in twenty.
    pub latest_at: Option<Timestamp>,
    /// End of the event or peak (the median of the forecast falls below its level again); `None` if
    /// it is not within a day.
    pub over_at: Option<Timestamp>,
    /// Height of the peak until then, with a probability of 95 %.
    pub peak: Option<f64>,
    /// Value of the newest sample.
    pub value: Option<f64>,
    /// The capacity or level it was held against.
    pub limit: Option<f64>,
    /// Origin of the limit, in words.
    pub limit_source: String,
    /// First sample looked at.
    pub observed_from: Option<Timestamp>,
    /// Last sample looked at.
    pub observed_until: Option<Timestamp>,
    /// Number of samples that the forecast rests on.
    pub points: u64,
    /// The forecast, oldest step first; at most 48 of its steps.
    pub forecast: Vec<Expected>,
    /// The event it is about.
    pub event: Option<String>,
    /// Reasons of the outcome.
    pub reasons: Vec<PredictiveReason>,
    /// The recommendation it led to.
    pub recommendation: Option<RecommendationId>,
    /// Reason why the prediction led to no recommendation.
    pub not_recommended: Option<String>,
}
