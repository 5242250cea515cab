//! Predictions on the wire: the forecasts that predictive rules decided on.

use reeve_predict::{Prediction, PredictiveReason};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::time;
use crate::wire::form::enumeration::{Metric, PredictedEvent, PredictionMetric, PredictionOutcome};

/// One step of a forecast.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ForecastStepBody {
    /// Time, RFC 3339 UTC with milliseconds.
    pub at: String,
    /// One value in twenty lies below.
    pub p05: f64,
    /// Median of the forecast.
    pub p50: f64,
    /// One value in twenty lies above.
    pub p95: f64,
}

/// A reason of a prediction, with its numbers in the unit of the metric.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct PredictionFindingBody {
    /// `now`, `grows`, `still`, `stays_below`, `full`, `released`, `risen_already` or `other`.
    pub kind: &'static str,
    /// The reason in words.
    pub words: String,
    /// Newest value (`now`, `risen_already`), growth a day (`grows`), or highest median of the
    /// forecast (`stays_below`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Capacity that is not reached (`stays_below`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// Releases seen before (`released`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<u64>,
}

impl From<&PredictiveReason> for PredictionFindingBody {
    fn from(reason: &PredictiveReason) -> Self {
        let body = PredictionFindingBody {
            kind: reason.kind(),
            words: reason.to_string(),
            ..Self::default()
        };
        match *reason {
            PredictiveReason::Now { value }
            | PredictiveReason::RisenAlready { value }
            | PredictiveReason::Grows { per_day: value } => PredictionFindingBody {
                value: Some(value),
                ..body
            },
            PredictiveReason::StaysBelow { limit, most } => PredictionFindingBody {
                value: Some(most),
                limit: Some(limit),
                ..body
            },
            PredictiveReason::Released { times } => PredictionFindingBody {
                times: Some(times),
                ..body
            },
            PredictiveReason::Still | PredictiveReason::Full | PredictiveReason::Other(_) => body,
        }
    }
}

/// A forecast that a rule decided on.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PredictionBody {
    pub id: String,
    pub rule_id: String,
    /// Version of the rule at that time.
    pub rule_version: u64,
    pub at: String,
    pub connection_id: String,
    pub resource_id: String,
    pub resource_name: String,
    /// Metric that was watched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<PredictionMetric>,
    /// Metric of the samples, whose unit the numbers have: `free_storage` or `disk_utilization` of
    /// `disk_space`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<Metric>,
    /// A search as its caller asked it.
    pub prediction: PredictedEvent,
    pub outcome: PredictionOutcome,
    /// Probability within the horizon, percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// Time of the event with one chance in two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_at: Option<String>,
    /// Before this with one chance in twenty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub earliest_at: Option<String>,
    /// Before this with nineteen chances in twenty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latest_at: Option<String>,
    /// End: the event's own, or the time at which a peak falls below its level again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over_at: Option<String>,
    /// Height of a peak until then, with nineteen chances in twenty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak: Option<f64>,
    /// Newest value of the series.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Limit that it was compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// Source of the limit.
    pub limit_source: String,
    /// First sample looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_from: Option<String>,
    /// Last sample looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_until: Option<String>,
    /// Number of samples that were looked at.
    pub data_points: u64,
    pub forecast: Vec<ForecastStepBody>,
    /// The event it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// Reasons, each as a sentence.
    pub reasons: Vec<String>,
    /// The same reasons with their numbers.
    pub findings: Vec<PredictionFindingBody>,
    /// The recommendation it led to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommendation_id: Option<String>,
    /// Reason why the prediction led to no recommendation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_recommended: Option<String>,
}

impl From<&Prediction> for PredictionBody {
    fn from(prediction: &Prediction) -> Self {
        PredictionBody {
            id: prediction.id.0.clone(),
            rule_id: prediction.rule.0.clone(),
            rule_version: prediction.rule_version,
            at: time::text(prediction.at),
            connection_id: prediction.connection.0.clone(),
            resource_id: prediction.resource.0.clone(),
            resource_name: prediction.resource_name.clone(),
            metric: prediction.signal.map(Into::into),
            samples: prediction.samples.map(Into::into),
            prediction: prediction.foreseen.into(),
            outcome: prediction.outcome.into(),
            probability: prediction.probability_percent,
            expected_at: prediction.expected_at.map(time::text),
            earliest_at: prediction.earliest_at.map(time::text),
            latest_at: prediction.latest_at.map(time::text),
            over_at: prediction.over_at.map(time::text),
            peak: prediction.peak,
            value: prediction.value,
            limit: prediction.limit,
            limit_source: prediction.limit_source.clone(),
            observed_from: prediction.observed_from.map(time::text),
            observed_until: prediction.observed_until.map(time::text),
            data_points: prediction.points,
            forecast: prediction
                .forecast
                .iter()
                .map(|step| ForecastStepBody {
                    at: time::text(step.at),
                    p05: step.p05,
                    p50: step.p50,
                    p95: step.p95,
                })
                .collect(),
            event: prediction.event.clone(),
            reasons: prediction.reasons.iter().map(ToString::to_string).collect(),
            findings: prediction
                .reasons
                .iter()
                .map(PredictionFindingBody::from)
                .collect(),
            recommendation_id: prediction.recommendation.as_ref().map(|id| id.0.clone()),
            not_recommended: prediction.not_recommended.clone(),
        }
    }
}

/// Filters of predictions, and the page to answer.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct PredictionParams {
    pub rule: Option<String>,
    pub resource: Option<String>,
    /// `foreseen`, `not_foreseen` or `abstained`.
    pub outcome: Option<String>,
    /// At most this many (1 to 1000).
    pub limit: Option<u32>,
    /// After skipping this many.
    pub offset: Option<u64>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}
