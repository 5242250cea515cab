//! One series in one window, in figures.

use crate::quantile::{percentile_of_sorted, sorted};
use crate::window::{Point, Window};

/// Summary of a series in a window.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Finite points in the window.
    pub count: u64,
    /// Share of the window's periods that have a point, 0 to 1.
    pub coverage: f64,
    /// Mean of the values.
    pub mean: f64,
    /// Median of the values.
    pub p50: f64,
    /// 95th percentile, interpolated between points.
    pub p95: f64,
    /// 99th percentile, interpolated between points.
    pub p99: f64,
    pub min: f64,
    /// Largest value: what a percentile hides.
    pub max: f64,
    /// Standard deviation of the points (divided by their number).
    pub std: f64,
    pub last: Point,
}

impl Summary {
    /// Summarises the points within a window; `None` if none is finite. The series must be sorted
    /// by time.
    #[must_use]
    pub fn new(points: &[Point], window: Window, period_ms: i64) -> Option<Summary> {
        let inside: Vec<Point> = window
            .select(points)
            .iter()
            .copied()
            .filter(|(_, value)| value.is_finite())
            .collect();
        let last = *inside.last()?;

        let values = sorted(&inside.iter().map(|(_, value)| *value).collect::<Vec<_>>());
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>()
            / count;

        Some(Summary {
            count: values.len() as u64,
            coverage: coverage(&inside, window, period_ms),
            mean,
            p50: percentile_of_sorted(&values, 50.0)?,
            p95: percentile_of_sorted(&values, 95.0)?,
            p99: percentile_of_sorted(&values, 99.0)?,
            min: *values.first()?,
            max: *values.last()?,
            std: variance.sqrt(),
            last,
        })
    }
}

/// The share of the window's periods with at least one point, 0 to 1. Two points in one period
/// count once.
#[must_use]
pub fn coverage(points: &[Point], window: Window, period_ms: i64) -> f64 {
    let periods = if period_ms > 0 {
        window.length_ms() / period_ms
    } else {
        0
    };

    if periods == 0 {
        return 0.0;
    }

    let mut seen = 0i64;
    let mut previous = None;

    for (at, value) in window.select(points) {
        let slot = (at - window.start_ms) / period_ms;
        if value.is_finite() && previous != Some(slot) {
            seen += 1;
            previous = Some(slot);
        }
    }

    (seen as f64 / periods as f64).min(1.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn figures_of_a_known_series() {
        let points: Vec<Point> = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]
            .iter()
            .enumerate()
            .map(|(i, v)| (i as i64 * 10, *v))
            .collect();

        let summary = Summary::new(
            &points,
            Window {
                start_ms: 0,
                end_ms: 160,
            },
            10,
        )
        .unwrap();
        assert_eq!((summary.count, summary.mean, summary.std), (8, 5.0, 2.0));

        assert_eq!((summary.min, summary.p50, summary.max), (2.0, 4.5, 9.0));
        assert_eq!(summary.coverage, 0.5);
        assert_eq!(summary.last, (70, 9.0));
    }

    #[test]
    fn points_outside_or_not_finite_do_not_count() {
        let points = [(0, 1.0), (10, f64::NAN), (20, 3.0), (30, 100.0)];
        let summary = Summary::new(
            &points,
            Window {
                start_ms: 0,
                end_ms: 30,
            },
            10,
        )
        .unwrap();
        assert_eq!((summary.count, summary.mean), (2, 2.0));

        assert!((summary.coverage - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(
            Summary::new(
                &points,
                Window {
                    start_ms: 40,
                    end_ms: 50
                },
                10
            ),
            None
        );

        assert_eq!(
            Summary::new(
                &[(0, f64::NAN)],
                Window {
                    start_ms: 0,
                    end_ms: 10
                },
                10
            ),
            None
        );
    }

    #[test]
    fn two_points_in_a_period_cover_it_once() {
        let points = [(0, 1.0), (5, 1.0), (10, 1.0)];
        assert_eq!(
            coverage(
                &points,
                Window {
                    start_ms: 0,
                    end_ms: 40
                },
                10
            ),
            0.5
        );

        assert_eq!(
            coverage(
                &points,
                Window {
                    start_ms: 0,
                    end_ms: 40
                },
                0
            ),
            0.0
        );
    }

    proptest! {
        #[test]
        fn agrees_with_the_naive_figures(values in prop::collection::vec(0f64..100.0, 1..300)) {
            let points: Vec<Point> = values.iter().enumerate().map(|(i, v)| (i as i64 * 300_000, *v)).collect();
            let window = Window { start_ms: 0, end_ms: values.len() as i64 * 300_000 };
            let summary = Summary::new(&points, window, 300_000).unwrap();
            let n = values.len() as f64;
            let mean: f64 = values.iter().sum::<f64>() / n;
            let squares: f64 = values.iter().map(|v| v * v).sum::<f64>() / n;
            prop_assert!((summary.mean - mean).abs() < 1e-9);
            prop_assert!((summary.std.powi(2) - (squares - mean * mean)).abs() < 1e-6);
            prop_assert_eq!(summary.max, values.iter().copied().fold(f64::MIN, f64::max));
            prop_assert_eq!(summary.min, values.iter().copied().fold(f64::MAX, f64::min));
            prop_assert_eq!(summary.coverage, 1.0);
            prop_assert!(summary.p50 <= summary.p95 && summary.p95 <= summary.p99 && summary.p99 <= summary.max);
        }
    }
}
