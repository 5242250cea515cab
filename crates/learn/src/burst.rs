//! Peaks that a percentile hides: a spike in under one percent of the points is invisible at p99
//! and still real.

use crate::window::Point;

/// A run of points above a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Burst {
    /// The first point above.
    pub start_ms: i64,
    /// The last point above (the start of its period).
    pub end_ms: i64,
    /// Highest value of the run.
    pub peak: f64,
    /// Number of points above the threshold.
    pub points: u64,
}

/// Runs of consecutive points above a threshold, oldest first. A silence of more than `join_ms`
/// ends a run.
#[must_use]
pub fn bursts(points: &[Point], threshold: f64, join_ms: i64) -> Vec<Burst> {
    let mut found: Vec<Burst> = Vec::new();
    let mut open = false;

    for (at, value) in points.iter().filter(|(_, value)| value.is_finite()) {
        if *value <= threshold {
            open = false;
            continue;
        }
        match found.last_mut() {
            Some(burst) if open && at - burst.end_ms <= join_ms => {
                burst.end_ms = *at;
                burst.peak = burst.peak.max(*value);
                burst.points += 1;
            }
            _ => found.push(Burst {
                start_ms: *at,
                end_ms: *at,
                peak: *value,
                points: 1,
            }),
        }
        open = true;
    }

    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::HOUR_MS;
    use proptest::prelude::*;

    #[test]
    fn a_weekly_peak_hides_from_six_quiet_days() {
        let points: Vec<Point> = (0..14 * 24)
            .map(|hour| (hour * HOUR_MS, if hour % 168 == 100 { 95.0 } else { 5.0 }))
            .collect();
        let found = bursts(&points, 50.0, HOUR_MS);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].peak, found[0].points), (95.0, 1));
    }

    #[test]
    fn neighbours_are_one_burst_and_silence_ends_it() {
        let points = [(0, 9.0), (10, 8.0), (20, 1.0), (30, 7.0), (60, 7.5)];
        let found = bursts(&points, 5.0, 10);
        assert_eq!(
            found
                .iter()
                .map(|b| (b.start_ms, b.end_ms, b.points))
                .collect::<Vec<_>>(),
            [(0, 10, 2), (30, 30, 1), (60, 60, 1)]
        );
    }

    proptest! {
        #[test]
        fn every_point_above_is_in_one_burst(values in prop::collection::vec(0f64..100.0, 0..200), threshold in 0f64..100.0) {
            let points: Vec<Point> = values.iter().enumerate().map(|(i, v)| (i as i64, *v)).collect();
            let found = bursts(&points, threshold, 1);
            let above = values.iter().filter(|v| **v > threshold).count() as u64;
            prop_assert_eq!(found.iter().map(|b| b.points).sum::<u64>(), above);
            prop_assert!(found.windows(2).all(|pair| pair[0].end_ms + 1 < pair[1].start_ms));
        }
    }
}
