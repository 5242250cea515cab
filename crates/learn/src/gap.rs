//! Gaps in a series.

use crate::window::{Point, Window};

/// A stretch without points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// Start of the gap: the end of the last point's period, or the window's start.
    pub start_ms: i64,
    /// End of the gap: the next point, or the window's end.
    pub end_ms: i64,
    /// Whole periods that are missing.
    pub missing: u64,
}

/// The gaps of a series within a window: every stretch of at least one whole period without a
/// finite point. The series must be sorted by time. A period that is not positive has no gaps.
#[must_use]
pub fn gaps(points: &[Point], window: Window, period_ms: i64) -> Vec<Gap> {
    let mut found = Vec::new();
    if period_ms <= 0 {
        return found;
    }

    let mut covered_to = window.start_ms;
    let mut close = |from: i64, to: i64| {
        let missing = (to - from) / period_ms;
        if missing >= 1 {
            found.push(Gap {
                start_ms: from,
                end_ms: to,
                missing: missing as u64,
            });
        }
    };

    for (at, value) in window.select(points) {
        if value.is_finite() {
            close(covered_to, *at);
            covered_to = covered_to.max(at + period_ms);
        }
    }

    close(covered_to, window.end_ms);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn finds_the_silence_at_the_start_in_the_middle_and_at_the_end() {
        let points = [(20, 1.0), (30, 1.0), (40, f64::NAN), (60, 1.0)];
        let found = gaps(
            &points,
            Window {
                start_ms: 0,
                end_ms: 90,
            },
            10,
        );

        assert_eq!(
            found,
            [
                Gap {
                    start_ms: 0,
                    end_ms: 20,
                    missing: 2
                },
                Gap {
                    start_ms: 40,
                    end_ms: 60,
                    missing: 2
                },
                Gap {
                    start_ms: 70,
                    end_ms: 90,
                    missing: 2
                },
            ]
        );

        assert_eq!(
            gaps(
                &[],
                Window {
                    start_ms: 0,
                    end_ms: 30
                },
                10
            ),
            [Gap {
                start_ms: 0,
                end_ms: 30,
                missing: 3
            }]
        );

        assert!(
            gaps(
                &points,
                Window {
                    start_ms: 0,
                    end_ms: 30
                },
                0
            )
            .is_empty()
        );
    }

    proptest! {
        #[test]
        fn points_and_missing_periods_add_up(present in prop::collection::vec(any::<bool>(), 1..200)) {
            let points: Vec<Point> = present.iter().enumerate().filter(|(_, here)| **here).map(|(i, _)| (i as i64 * 60, 1.0)).collect();
            let window = Window { start_ms: 0, end_ms: present.len() as i64 * 60 };
            let missing: u64 = gaps(&points, window, 60).iter().map(|gap| gap.missing).sum();
            prop_assert_eq!(missing as usize + points.len(), present.len());
        }
    }
}
