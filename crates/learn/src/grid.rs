//! Raw points on a regular grid: its step, its gaps, its counters that reset.
//!
//! Points may come unsorted, doubled, jittered and with holes. The step is the commonest distance
//! between neighbours (the median where none is common); points of one slot are averaged; slots
//! without a point are gaps, `NaN`, never zero.

mod counter;

pub use counter::{Counter, unwrap_counter};

use crate::window::{DAY_MS, Point};

/// Slots a grid may have: 1-minute samples of two and a half years. Older slots are left out, and
/// counted.
pub const MOST_SLOTS: usize = 1 << 20;

/// The mean month of the Gregorian calendar: what series of months are rounded to.
pub const MONTH_MS: i64 = 2_629_746_000;

/// A series on a regular grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// Time of the first slot, milliseconds since the epoch.
    pub start_ms: i64,
    /// Distance of slots in milliseconds, positive.
    pub step_ms: i64,
    /// One value a slot; `NaN` where nothing finite was measured. The last one is finite.
    pub values: Vec<f64>,
    /// Points that shared a slot with another.
    pub doubled: usize,
    /// Points older than the oldest slot kept.
    pub dropped: usize,
}

/// Reason why points cannot be put on a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GridError {
    /// No point of the series is finite.
    #[error("the series has no finite value")]
    Empty,
    /// All points share one time, so that there is no step.
    #[error("the series has one point in time only, so its step is unknown")]
    OneTime,
    /// A step was given that is not positive.
    #[error("a step must be at least a millisecond")]
    Step,
}

impl Grid {
    /// Points on a grid of their own step.
    ///
    /// # Errors
    /// Nothing finite, or only one moment.
    pub fn new(points: &[Point]) -> Result<Grid, GridError> {
        let sorted = finite_sorted(points);
        let step_ms = step_of(&sorted).ok_or(if sorted.is_empty() {
            GridError::Empty
        } else {
            GridError::OneTime
        })?;
        Ok(place(&sorted, step_ms))
    }

    /// Points on a grid of a known step.
    ///
    /// # Errors
    /// Nothing finite, or a step that is not positive.
    pub fn with_step(points: &[Point], step_ms: i64) -> Result<Grid, GridError> {
        if step_ms <= 0 {
            return Err(GridError::Step);
        }

        let sorted = finite_sorted(points);
        if sorted.is_empty() {
            Err(GridError::Empty)
        } else {
            Ok(place(&sorted, step_ms))
        }
    }

    /// The time of a slot; also of slots after the last one.
    #[must_use]
    pub fn time_ms(&self, slot: usize) -> i64 {
        self.start_ms.saturating_add(
            self.step_ms
                .saturating_mul(i64::try_from(slot).unwrap_or(i64::MAX)),
        )
    }

    /// Slots with a value.
    #[must_use]
    pub fn measured(&self) -> usize {
        self.values.iter().filter(|value| value.is_finite()).count()
    }
}

fn finite_sorted(points: &[Point]) -> Vec<Point> {
    let mut sorted: Vec<Point> = points
        .iter()
        .copied()
        .filter(|(_, value)| value.is_finite())
        .collect();

    if !sorted.is_sorted_by_key(|(at, _)| *at) {
        sorted.sort_by_key(|(at, _)| *at);
    }
    sorted
}

/// The step of sorted points; `None` when they share one time.
fn step_of(sorted: &[Point]) -> Option<i64> {
    let mut distances: Vec<i64> = sorted
        .windows(2)
        .map(|pair| pair[1].0.saturating_sub(pair[0].0))
        .filter(|distance| *distance > 0)
        .collect();
    distances.sort_unstable();
    let median = *distances.get(distances.len() / 2)?;
    if (28 * DAY_MS..=31 * DAY_MS).contains(&median) {
        return Some(MONTH_MS);
    }

    let common = distances
        .chunk_by(|a, b| a == b)
        .max_by_key(|run| (run.len(), std::cmp::Reverse(run[0])))?;
    // Where times jitter, no distance is common, and the middle one is the better guess, to the
    // second.
    let step = if common.len() * 3 >= distances.len() {
        common[0]
    } else {
        (median + 500) / 1000 * 1000
    };

    Some(if step > 0 { step } else { median })
}

fn place(sorted: &[Point], step_ms: i64) -> Grid {
    let (first, last) = (
        sorted.first().map_or(0, |point| point.0),
        sorted.last().map_or(0, |point| point.0),
    );
    let slots = slot_of(first, last, step_ms).saturating_add(1);
    let kept = slots.min(MOST_SLOTS);
    let start_ms = first.saturating_add(step_ms.saturating_mul((slots - kept) as i64));
    let mut values = vec![f64::NAN; kept];
    let mut counts = vec![0u32; kept];
    let (mut doubled, mut dropped) = (0, 0);

    for (at, value) in sorted {
        let slot = slot_of(first, *at, step_ms);
        let Some(slot) = slot.checked_sub(slots - kept).filter(|slot| *slot < kept) else {
            dropped += 1;
            continue;
        };
        counts[slot] += 1;
        if counts[slot] == 1 {
            values[slot] = *value;
        } else {
            doubled += 1;
            // Halves, since the difference of two huge values may be more than a double holds.
            values[slot] += (0.5 * value - 0.5 * values[slot]) / f64::from(counts[slot]) * 2.0;
        }
    }

    Grid {
        start_ms,
        step_ms,
        values,
        doubled,
        dropped,
    }
}

/// The slot nearest to a time.
fn slot_of(first: i64, at: i64, step_ms: i64) -> usize {
    let since = i128::from(at) - i128::from(first);
    let slot = (since + i128::from(step_ms) / 2) / i128::from(step_ms);
    usize::try_from(slot).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn gaps_doubles_and_disorder() {
        let grid = Grid::new(&[
            (40, 4.0),
            (0, 0.0),
            (10, 1.0),
            (10, 3.0),
            (20, f64::NAN),
            (50, 5.0),
        ])
        .unwrap();
        assert_eq!((grid.step_ms, grid.start_ms, grid.doubled), (10, 0, 1));

        assert_eq!(grid.values[..2], [0.0, 2.0]);
        assert!(grid.values[2].is_nan() && grid.values[3].is_nan());
        assert_eq!(grid.values[4..], [4.0, 5.0]);
        assert_eq!(grid.time_ms(6), 60);
    }

    #[test]
    fn jitter_is_rounded_and_months_are_months() {
        let jittered: Vec<Point> = (0..100)
            .map(|i| (i * 300_000 + (i * 7919) % 9_000, i as f64))
            .collect();
        let grid = Grid::new(&jittered).unwrap();
        assert!((grid.step_ms - 300_000).abs() <= 5_000, "{}", grid.step_ms);
        assert!(grid.measured() >= 98);

        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let mut at = 0;
        let months: Vec<Point> = (0..48)
            .map(|month| {
                let point = (at, month as f64);
                at += lengths[month % 12] * DAY_MS;
                point
            })
            .collect();
        let grid = Grid::new(&months).unwrap();

        assert_eq!(
            (grid.step_ms, grid.values.len(), grid.measured()),
            (MONTH_MS, 48, 48)
        );
    }

    #[test]
    fn says_what_it_cannot_place_and_bounds_the_rest() {
        assert_eq!(Grid::new(&[(0, f64::NAN)]), Err(GridError::Empty));
        assert_eq!(Grid::new(&[(5, 1.0), (5, 2.0)]), Err(GridError::OneTime));
        assert_eq!(Grid::with_step(&[(5, 1.0)], 0), Err(GridError::Step));

        let far = Grid::new(&[
            (0, 1.0),
            (1_700_000_000_000, 2.0),
            (1_700_000_001_000, 3.0),
            (1_700_000_002_000, 4.0),
        ]);
        let far = far.unwrap();
        assert_eq!((far.values.len(), far.dropped), (MOST_SLOTS, 1));

        assert_eq!(far.values[MOST_SLOTS - 3..], [2.0, 3.0, 4.0]);
    }

    proptest! {
        #[test]
        fn any_points_give_a_bounded_grid_that_ends_with_the_newest(
            points in prop::collection::vec((any::<i64>(), -1e300f64..1e300), 2..60),
        ) {
            if let Ok(grid) = Grid::new(&points) {
                prop_assert!(grid.step_ms > 0 && grid.values.len() <= MOST_SLOTS);
                prop_assert!(grid.values.last().unwrap().is_finite());
                prop_assert!(grid.measured() + grid.doubled + grid.dropped == points.len());
            }
        }
    }
}
