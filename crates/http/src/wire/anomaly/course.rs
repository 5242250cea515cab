//! The course of an anomaly's metric on the wire.

use reeve_anomalies::{CourseChange, CoursePoint};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::time;
use crate::wire::form::enumeration;

/// A metric over an anomaly's time, beside what was expected of it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AnomalyCourseBody {
    pub metric: enumeration::Metric,
    /// The unit of its values.
    pub unit: enumeration::Unit,
    /// Points in order, the oldest first.
    pub points: Vec<CoursePointBody>,
    /// Changes of the resource in that time, oldest first.
    pub changes: Vec<CourseChangeBody>,
}

/// A change of the resource.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CourseChangeBody {
    pub from: String,
    /// To when; of what others changed it is known only to lie between the two.
    pub to: String,
    pub description: String,
    /// The action, where Reeve did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_id: Option<String>,
}

/// A point and what was expected of it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CoursePointBody {
    /// Time, RFC 3339 UTC with milliseconds.
    pub at: String,
    /// Measured value; the mean of five minutes where samples lie closer.
    pub value: f64,
    pub expected: f64,
    /// Lower edge of the usual band.
    pub low: f64,
    /// Upper edge of the expected range.
    pub high: f64,
    /// Score from 0 to 1; 1 is most unusual.
    pub anomaly_score: f64,
}

/// Selection of a part of an anomaly's course.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct AnomalyCourseParams {
    /// One of the anomaly's metrics; the strangest unless given.
    pub metric: Option<String>,
    /// From; a day before it began unless given.
    pub start_time: Option<String>,
    /// To; six hours after its last strange point unless given. At most two weeks are shown.
    pub end_time: Option<String>,
}

impl From<&CoursePoint> for CoursePointBody {
    fn from(point: &CoursePoint) -> Self {
        CoursePointBody {
            at: time::text(point.at),
            value: point.value,
            expected: point.expected,
            low: point.low,
            high: point.high,
            anomaly_score: point.score,
        }
    }
}

impl From<CourseChange> for CourseChangeBody {
    fn from(change: CourseChange) -> Self {
        CourseChangeBody {
            from: time::text(change.from),
            to: time::text(change.to),
            description: change.words,
            action_id: change.action.map(|id| id.0),
        }
    }
}
