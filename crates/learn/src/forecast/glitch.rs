//! Glitches: single values, or a few in a row, so far from everything else that they say nothing of
//! what comes next. They are left out before anything is learnt: one of them would be in every
//! level, season and weight after it.
//!
//! The neighbours' median tells how far a value is off (Hampel's identifier), the rest of the
//! series how far values ever lie. What comes again at the same time of day or week, or at the ends
//! of months, is no glitch; nor is what happens often.

use super::effect::is_month_edge;
use super::frame::median;
use crate::grid::Grid;
use crate::window::{DAY_MS, WEEK_MS};

/// Neighbours on each side. What lasts longer than that has a level of its own.
const REACH: usize = 12;
/// Distance of a glitch from its neighbours' median, as a multiple of the distance of 19 of 20
/// values.
const FARTHER: f64 = 10.0;
/// Distance of a glitch beyond its neighbours, in spans that hold 98 of 100 values; half the level
/// where they do not differ.
const BEYOND: f64 = 3.0;
/// A run up to the newest value may as well be a new level when it is longer than this.
const NEWEST: usize = 3;
/// Rounds of the day and of the week that are searched for the like.
const ROUNDS: usize = 4;
/// Part of its distance that counts as the like.
const LIKE: f64 = 0.3;
/// Values below which nothing can be called rare.
const LEAST: usize = 10;

/// Leaves out the glitches of the newest values of a grid, which begin at its slot `first`. Returns
/// their indices.
pub(super) fn leave_out(
    values: &mut [f64],
    grid: &Grid,
    first: usize,
    announced: impl Fn(i64) -> bool,
) -> Vec<usize> {
    let measured = values.iter().filter(|value| value.is_finite()).count();
    if measured < LEAST {
        return Vec::new();
    }

    let off = distances(values);
    let far = far_ones(values, &off);
    let at_ms = |index: usize| grid.time_ms(first + index);
    let mut found: Vec<usize> = far
        .iter()
        .copied()
        .filter(|index| !announced(at_ms(*index)) && !comes_again(&off, *index, grid.step_ms))
        .collect();

    // Two at ends of months are what months' ends do.
    if grid.step_ms <= DAY_MS
        && found
            .iter()
            .filter(|index| is_month_edge(at_ms(**index)))
            .count()
            > 1
    {
        found.retain(|index| !is_month_edge(at_ms(*index)));
    }

    let newest = values
        .iter()
        .rposition(|value| value.is_finite())
        .unwrap_or(0);
    let run = found
        .iter()
        .rev()
        .enumerate()
        .take_while(|(back, index)| **index + back == newest)
        .count();

    if run > NEWEST {
        found.truncate(found.len() - run);
    }
    if found.len() > (measured / 100).max((measured / 10).min(12)) {
        return Vec::new();
    }

    found.iter().for_each(|index| values[*index] = f64::NAN);
    found
}

/// Returns the signed distance of each value from the median of its neighbours.
fn distances(values: &[f64]) -> Vec<f64> {
    let mut near = Vec::with_capacity(2 * REACH + 1);
    (0..values.len())
        .map(|index| {
            near.clear();
            let around =
                &values[index.saturating_sub(REACH)..(index + REACH + 1).min(values.len())];
            near.extend(around.iter().filter(|value| value.is_finite()));
            median(&mut near).map_or(f64::NAN, |middle| values[index] - middle)
        })
        .collect()
}

/// Values that lie far from their neighbours and from everything else.
fn far_ones(values: &[f64], off: &[f64]) -> Vec<usize> {
    let sorted = |all: &mut dyn Iterator<Item = f64>| {
        let mut known: Vec<f64> = all.filter(|value| value.is_finite()).collect();
        known.sort_unstable_by(f64::total_cmp);
        known
    };
    let sizes = sorted(&mut off.iter().map(|distance| distance.abs()));

    let levels = sorted(&mut values.iter().copied());
    let at = |sorted: &[f64], share: f64| sorted[((sorted.len() - 1) as f64 * share) as usize];

    // Of few values the last hundredth is none, and one glitch among them must not be the measure
    // of itself.
    let edge = (2.0 / levels.len() as f64).max(0.01);
    let (low, high) = (at(&levels, edge), at(&levels, 1.0 - edge));
    let usual = at(&sizes, 0.95f64.min(1.0 - edge));
    let span = (high - low).max(usual);
    let beyond = if span > 0.0 {
        BEYOND * span
    } else {
        0.5 * high.abs()
    };

    let is_far = |index: &usize| {
        let value = values[*index];
        off[*index].abs() > FARTHER * usual && (value > high + beyond || value < low - beyond)
    };

    (0..values.len()).filter(is_far).collect()
}

/// Returns `true` if a value like this one came at the same time of another day or week.
fn comes_again(off: &[f64], index: usize, step_ms: i64) -> bool {
    let like = |other: usize| {
        off.get(other)
            .is_some_and(|one| one * off[index].signum() >= LIKE * off[index].abs())
    };

    let wander = ((DAY_MS / 32) / step_ms.max(1)).max(1) as usize;
    [DAY_MS, WEEK_MS]
        .into_iter()
        .filter(|period_ms| *period_ms >= 4 * step_ms)
        .any(|period_ms| {
            let period = (period_ms / step_ms) as usize;
            (1..=ROUNDS).any(|round| {
                let near =
                    |middle: usize| (middle.saturating_sub(wander)..=middle + wander).any(like);
                near(index + round * period) || index.checked_sub(round * period).is_some_and(near)
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::HOUR_MS;

    fn left_out(step_ms: i64, length: usize, value: impl Fn(usize) -> f64) -> Vec<usize> {
        let mut values: Vec<f64> = (0..length).map(value).collect();
        let grid = Grid {
            start_ms: 0,
            step_ms,
            values: values.clone(),
            doubled: 0,
            dropped: 0,
        };
        let found = leave_out(&mut values, &grid, 0, |_| false);
        assert!(found.iter().all(|index| values[*index].is_nan()));

        assert_eq!(
            values.iter().filter(|value| value.is_nan()).count(),
            found.len()
        );
        found
    }

    #[test]
    fn single_outliers_are_removed_and_recurring_ones_kept() {
        let noise = |at: usize| ((at * 7_919) % 101) as f64 / 50.0;
        let check = |expected: &[usize], value: &dyn Fn(usize) -> f64| {
            assert_eq!(
                left_out(HOUR_MS, 700, |at| 55.0 + noise(at) + value(at)),
                expected
            );
        };
        check(&[690], &|at| if at == 690 { 1e4 } else { 0.0 });

        check(&[699], &|at| if at == 699 { -1e4 } else { 0.0 });
        check(&[30, 31, 32, 555], &|at| {
            if at == 555 || (30..33).contains(&at) {
                1e6
            } else {
                0.0
            }
        });

        check(&[], &|at| if at % 24 == 3 { 1e4 } else { 0.0 });
        check(&[], &|at| if at % 168 == 100 { 1e4 } else { 0.0 });
        check(&[], &|at| if at >= 694 { 1e4 } else { 0.0 });
        check(&[], &|at| if at >= 400 { 1e4 } else { 0.0 });
        check(&[], &|at| if at == 690 { 5.0 } else { 0.0 });
        assert_eq!(
            left_out(HOUR_MS, 700, |at| if at == 600 { 1e4 } else { 55.0 }),
            [600],
            "in what never moves too"
        );

        assert!(
            left_out(DAY_MS, 120, |at| if [30, 58, 89].contains(&at) {
                900.0
            } else {
                noise(at)
            })
            .is_empty()
        );

        assert!(left_out(HOUR_MS, 9, |at| if at == 5 { 1e4 } else { 55.0 }).is_empty());
    }
}
