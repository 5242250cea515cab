//! What an evaluation decided on, kept beside the rule.

use jiff::Timestamp;
use reeve_estate::{ConnectionId, ResourceId, named};

use super::rule::{Foreseen, Signal};
use reeve_recommend::RuleId;
use reeve_recommend::recommendation::RecommendationId;

/// A prediction's identifier, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PredictionId(pub String);

named!(
    /// What was decided.
    Outcome {
        /// It comes within the horizon, with at least the rule's probability.
        Foreseen => "foreseen",
        /// It does not.
        NotForeseen => "not_foreseen",
        /// The data cannot tell; the reasons say why.
        Abstained => "abstained",
    }
);

/// One step of a forecast.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// When.
    pub at: Timestamp,
    /// One value in twenty lies below.
    pub p05: f64,
    /// The median.
    pub p50: f64,
    /// One value in twenty lies above.
    pub p95: f64,
}

/// A forecast and what was decided on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Identifier.
    pub id: PredictionId,
    /// The rule.
    pub rule: RuleId,
    /// As it stood.
    pub rule_version: u64,
    /// When it was made.
    pub at: Timestamp,
    /// The resource's connection.
    pub connection: ConnectionId,
    /// The resource.
    pub resource: ResourceId,
    /// Its name.
    pub resource_name: String,
    /// What was watched.
    pub signal: Option<Signal>,
    /// What was asked.
    pub foreseen: Foreseen,
    /// What was decided.
    pub outcome: Outcome,
    /// Probability within the horizon, percent; `None` when nothing can be said.
    pub probability_percent: Option<f64>,
    /// When it comes with one chance in two, as far as four horizons ahead.
    pub expected_at: Option<Timestamp>,
    /// Before this with one chance in twenty.
    pub earliest_at: Option<Timestamp>,
    /// Before this with nineteen chances in twenty.
    pub latest_at: Option<Timestamp>,
    /// When it is over: the event's end, or when the median of a peak falls below its level again; `None` where that is not
    /// seen within a day.
    pub over_at: Option<Timestamp>,
    /// How high a peak goes until then, with nineteen chances in twenty.
    pub peak: Option<f64>,
    /// The newest value.
    pub value: Option<f64>,
    /// The capacity or level it was held against.
    pub limit: Option<f64>,
    /// Where the limit comes from, in words.
    pub limit_source: String,
    /// First sample looked at.
    pub observed_from: Option<Timestamp>,
    /// Last sample looked at.
    pub observed_until: Option<Timestamp>,
    /// Samples looked at.
    pub points: u64,
    /// The forecast, oldest step first; at most 48 of its steps.
    pub forecast: Vec<Expected>,
    /// The event it is about.
    pub event: Option<String>,
    /// Why, in words.
    pub reasons: Vec<String>,
    /// The recommendation it led to.
    pub recommendation: Option<RecommendationId>,
    /// Why what was foreseen led to none.
    pub not_recommended: Option<String>,
}
