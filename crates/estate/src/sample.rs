//! Metric samples: raw points, in units of their own.

use jiff::Timestamp;

use crate::connection::ConnectionId;
use crate::metric::Metric;
use crate::resource::ResourceId;

/// One point of one metric of one resource.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The connection it came over.
    pub connection: ConnectionId,
    pub resource: ResourceId,
    pub metric: Metric,
    /// Start of the period that the value covers.
    pub timestamp: Timestamp,
    /// The value, in the metric's unit.
    pub value: f64,
    /// The length of the period, seconds (300 for basic EC2 monitoring).
    pub period_s: u32,
}

/// One metric of one resource over time, oldest first, no two points at the same time.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleSeries {
    pub resource: ResourceId,
    pub metric: Metric,
    /// (time, value), oldest first.
    pub points: Vec<(Timestamp, f64)>,
    /// Length of a point's period, seconds.
    pub period_s: u32,
}

/// One metric of one resource over time, as plain numbers: for passes over all of them, where a
/// `Timestamp` a point is too much.
#[derive(Debug, Clone, PartialEq)]
pub struct Track {
    /// The connection that its points came over.
    pub connection: ConnectionId,
    pub resource: ResourceId,
    pub metric: Metric,
    /// (milliseconds since the epoch, value), oldest first, no two at the same time.
    pub points: Vec<(i64, f64)>,
    /// Length of a point's period, seconds.
    pub period_s: u32,
}

impl SampleSeries {
    /// Returns the values without their times.
    #[must_use]
    pub fn values(&self) -> Vec<f64> {
        self.points.iter().map(|(_, value)| *value).collect()
    }
}
