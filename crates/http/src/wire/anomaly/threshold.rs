//! Thresholds that lessons moved, on the wire.

use reeve_anomalies::{Lesson, LessonThreshold};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::time;
use crate::wire::form::enumeration::{AnomalyType, LessonKind, Metric, ThresholdDirection};

/// Threshold of one kind of anomaly at one place.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AnomalyThresholdBody {
    pub id: String,
    #[serde(rename = "type")]
    pub class: AnomalyType,
    /// The metric; absent for spending and behavior.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<Metric>,
    /// Side of the expected value.
    pub direction: ThresholdDirection,
    /// Identifier of the resource, account or principal.
    pub place: String,
    /// Multiple of the usual band from which a deviation is reported: 1 as configured, 0.7 to 4.
    pub factor: f64,
    /// Start of the level that people called the new usual one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline_from: Option<String>,
    /// Reason why the threshold is what it is.
    pub reason: String,
    /// Lessons that count, newest first.
    pub lessons: Vec<LessonBody>,
}

/// Outcome of one anomaly, from which its threshold was learned.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct LessonBody {
    /// Anomaly it is from.
    pub anomaly_id: String,
    pub kind: LessonKind,
    /// Deviation of the anomaly, in multiples of the usual band.
    pub deviation: f64,
    /// Time, RFC 3339 UTC with milliseconds.
    pub at: String,
    /// Person or service it is from.
    pub by: String,
}

/// Filters of learned thresholds, and the page to answer.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct AnomalyThresholdParams {
    /// Identifier of an anomaly: the thresholds that it was held against, those that nothing moved
    /// included.
    pub anomaly: Option<String>,
}

impl From<&LessonThreshold> for AnomalyThresholdBody {
    fn from(threshold: &LessonThreshold) -> Self {
        let key = &threshold.key;
        AnomalyThresholdBody {
            id: key.id(),
            class: key.class.into(),
            metric: key.metric.map(Into::into),
            direction: key.direction.into(),
            place: key.place.clone(),
            factor: threshold.factor,
            baseline_from: threshold.baseline_from.map(time::text),
            reason: threshold.reason(),
            lessons: threshold.lessons.iter().map(LessonBody::from).collect(),
        }
    }
}

impl From<&Lesson> for LessonBody {
    fn from(lesson: &Lesson) -> Self {
        LessonBody {
            anomaly_id: lesson.anomaly.0.clone(),
            kind: lesson.kind.into(),
            deviation: lesson.excess,
            at: time::text(lesson.at),
            by: lesson.by.clone(),
        }
    }
}
