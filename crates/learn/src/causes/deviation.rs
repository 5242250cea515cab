//! Deviation of a series from its own past, and its onset.
//!
//! The past is described by its median and its median absolute deviation, so that earlier spikes do
//! not widen it. The limit is that of the series: what its past often exceeds is no deviation.

use crate::quantile::{percentile, percentile_of_sorted, sorted};
use crate::window::Point;

/// Measurements of the past, and of the span, that a judgement takes.
const LEAST_PAST: usize = 10;
const LEAST_WITHIN: usize = 3;
/// Limit in robust standard deviations, and its distance from what 99 % of the past stay within.
const LIMIT: f64 = 4.0;
const ABOVE_PAST: f64 = 1.25;
/// Standard deviations of a normal distribution in a median absolute deviation.
const MAD_TO_SIGMA: f64 = 1.4826;
/// Least spread of a series, as a share of its median: rounding is no deviation.
const LEAST_SPREAD: f64 = 0.01;
/// Size of the largest deviations: it counts fully.
pub(super) const MOST_SIZE: f64 = 50.0;
/// Points of three in a row beyond the limit that make an onset.
const OF_THREE: usize = 2;
/// Share of the limit that the median after the onset must exceed: a short spike is no incident.
const LASTS: f64 = 0.6;

/// Span in which a deviation is sought; everything before is the past.
#[derive(Debug, Clone, Copy)]
pub(super) struct DeviationSpan {
    pub(super) from_ms: i64,
    pub(super) until_ms: i64,
}

/// Deviation of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CauseDeviation {
    /// First point beyond the limit that others follow (milliseconds since the epoch).
    pub onset_ms: i64,
    /// Median distance from the past since the onset, in robust standard deviations, smaller where
    /// the past was restless; at most 50.
    pub size: f64,
    /// Median of the past.
    pub before: f64,
    /// Median since the onset.
    pub during: f64,
}

/// Deviation within a span, if there is one.
pub(super) fn deviation(points: &[Point], span: DeviationSpan) -> Option<CauseDeviation> {
    let past: Vec<f64> = points
        .iter()
        .filter(|(at, value)| *at < span.from_ms && value.is_finite())
        .map(|(_, value)| *value)
        .collect();
    let within: Vec<Point> = points
        .iter()
        .filter(|(at, value)| (span.from_ms..span.until_ms).contains(at) && value.is_finite())
        .copied()
        .collect();
    if past.len() < LEAST_PAST || within.len() < LEAST_WITHIN {
        return None;
    }

    let before = percentile(&past, 50.0)?;
    let distances: Vec<f64> = past.iter().map(|value| (value - before).abs()).collect();
    let distances = sorted(&distances);
    let spread = (MAD_TO_SIGMA * percentile_of_sorted(&distances, 50.0)?)
        .max(LEAST_SPREAD * before.abs())
        .max(1e-9);
    let usual = percentile_of_sorted(&distances, 99.0)? / spread;
    let limit = LIMIT.max(ABOVE_PAST * usual);

    let score = |value: f64| (value - before) / spread;
    let onset = (0..within.len()).find(|at| {
        let first = score(within[*at].1);
        let near = &within[*at..within.len().min(at + 3)];
        let beyond = near
            .iter()
            .filter(|(_, value)| score(*value) * first.signum() > limit);
        first.abs() > limit && beyond.count() >= OF_THREE
    })?;

    let since: Vec<f64> = within[onset..].iter().map(|(_, value)| *value).collect();
    let during = percentile(&since, 50.0)?;
    let distance = score(during).abs();
    (distance >= LASTS * limit).then(|| CauseDeviation {
        onset_ms: within[onset].0,
        size: (distance * LIMIT / limit).min(MOST_SIZE),
        before,
        during,
    })
}
