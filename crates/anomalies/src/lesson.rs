//! Lessons: what an anomaly turned out to be, by a person's answer or by the outcome of its remedy.
//! They move the threshold of its kind for its place, within bounds ([`LessonThreshold`]), and the
//! baseline where a new level is to be the usual one.

mod threshold;

use jiff::Timestamp;
use reeve_estate::{Metric, named};
use reeve_recommend::recommendation::origin::AnomalyId;
use serde::{Deserialize, Serialize};

use super::record::{AnomalyClass, Reading, derive_id};

pub(crate) use threshold::LOWEST;
pub use threshold::{LessonThreshold, LessonThresholds};

named!(
    /// Meaning of a lesson.
    LessonKind {
        /// A person called it a false alarm.
        FalseAlarm => "false_alarm",
        /// A person called it real.
        Confirmed => "confirmed",
        /// A person called the new level the usual one from now on.
        NewNormal => "new_normal",
        /// Its remedy was carried out and held.
        RemedyHeld => "remedy_held",
        /// Its remedy was rolled back or failed; it moves nothing.
        RemedyFailed => "remedy_failed",
    }
);

named!(
    /// Side of the expected value on which a deviation lies.
    Direction {
        Above => "above",
        Below => "below",
    }
);

/// Kind of anomalies at one place that share a threshold.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ThresholdKey {
    pub class: AnomalyClass,
    /// Metric; `None` for spending and behavior.
    pub metric: Option<Metric>,
    /// Side of the deviation.
    pub direction: Direction,
    /// Identifier of the place.
    pub place: String,
}

impl ThresholdKey {
    /// The key of a reading at a place.
    #[must_use]
    pub fn new(class: AnomalyClass, place: &str, reading: &Reading) -> Self {
        let direction = if reading.value >= reading.expected {
            Direction::Above
        } else {
            Direction::Below
        };

        let class = reading.metric.map_or(class, AnomalyClass::of_metric);
        ThresholdKey {
            class,
            metric: reading.metric,
            direction,
            place: place.to_owned(),
        }
    }

    /// Identifier of the threshold: it follows from the key.
    #[must_use]
    pub fn id(&self) -> String {
        let metric = self.metric.map_or("", Metric::as_str);
        let text = format!(
            "{}\0{metric}\0{}\0{}",
            self.class, self.direction, self.place
        );
        derive_id(&[], &text, Timestamp::UNIX_EPOCH).0
    }
}

/// Deviation of a reading in multiples of the usual band's reach on its side; 1 is its edge.
/// Patterns inside the band count as 1.
pub(crate) fn excess(reading: &Reading) -> f64 {
    let edge = if reading.value >= reading.expected {
        reading.high
    } else {
        reading.low
    };
    let reach = (edge - reading.expected).abs();

    let distance = (reading.value - reading.expected).abs();
    if reach <= f64::EPSILON * distance {
        f64::INFINITY
    } else {
        (distance / reach).max(1.0)
    }
}

/// One lesson. An anomaly has one at the most: another answer takes its place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    /// Anomaly it is from.
    pub anomaly: AnomalyId,
    /// Threshold that it moves.
    #[serde(flatten)]
    pub key: ThresholdKey,
    /// Meaning of the anomaly, as the answer or the outcome showed it.
    pub kind: LessonKind,
    /// Deviation of the anomaly in multiples of the usual band; at least 1 and finite.
    #[serde(serialize_with = "reeve_estate::finite")]
    pub excess: f64,
    /// Start of the anomaly.
    pub started_at: Timestamp,
    /// Time of the lesson.
    pub at: Timestamp,
    /// Person or agent that it is from.
    pub by: String,
    /// Time and person of the withdrawal; withdrawn lessons do not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<(Timestamp, String)>,
}
