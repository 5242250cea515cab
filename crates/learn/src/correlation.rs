//! Correlation of two series, and of their changes from day to day.

use std::collections::HashMap;

use crate::window::{DAY_MS, Point};

/// Pairs below which nothing is said of a correlation.
const LEAST_PAIRS: f64 = 24.0;
/// Pairs below which nothing is said of changes: a day of points every five minutes.
const LEAST_CHANGES: usize = 288;

/// Returns the correlation of pairs by Pearson, -1 to 1; 0 for fewer than 24 pairs and where one
/// side does not change.
pub(crate) fn correlation(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut n, mut a, mut b, mut aa, mut bb, mut ab) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    for (x, y) in pairs {
        (n, a, b) = (n + 1.0, a + x, b + y);
        (aa, bb, ab) = (aa + x * x, bb + y * y, ab + x * y);
    }

    let spread = (n * aa - a * a) * (n * bb - b * b);
    if n < LEAST_PAIRS || spread <= 1e-9 {
        0.0
    } else {
        (n * ab - a * b) / spread.sqrt()
    }
}

/// Returns the correlation of the changes of two series against the same time a day before; `None`
/// where fewer than 288 points have a partner in the other series and on the day before.
///
/// Levels of almost any two series of an estate rise in the morning and fall at night. Changes from
/// one day to the next have no such season, so that only what moved both remains.
#[must_use]
pub fn daily_change_correlation(one: &[Point], other: &[Point]) -> Option<f64> {
    let (one, other) = (changes(one), changes(other));
    let other: HashMap<i64, f64> = other.into_iter().collect();
    let pairs: Vec<(f64, f64)> = one
        .into_iter()
        .filter_map(|(at, change)| Some((change, *other.get(&at)?)))
        .collect();
    (pairs.len() >= LEAST_CHANGES).then(|| correlation(scaled(&pairs).into_iter()))
}

/// Changes of each point against the one a day before.
fn changes(points: &[Point]) -> Vec<Point> {
    let values: HashMap<i64, f64> = points
        .iter()
        .filter(|(_, value)| value.is_finite())
        .copied()
        .collect();
    points
        .iter()
        .filter_map(|(at, _)| {
            let change = values.get(at)? - values.get(&(at - DAY_MS))?;
            Some((*at, change))
        })
        .collect()
}

/// Pairs in units of their own greatest change: sums of squares of bytes lose all digits otherwise.
fn scaled(pairs: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let most = |values: &mut dyn Iterator<Item = f64>| {
        values
            .map(f64::abs)
            .fold(0.0, f64::max)
            .max(f64::MIN_POSITIVE)
    };
    let x = most(&mut pairs.iter().map(|(x, _)| *x));
    let y = most(&mut pairs.iter().map(|(_, y)| *y));
    pairs.iter().map(|(a, b)| (a / x, b / y)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP_MS: i64 = 300_000;

    /// Three days of points every five minutes.
    fn series(value: impl Fn(f64) -> f64) -> Vec<Point> {
        (0..864)
            .map(|index| (index * STEP_MS, value(index as f64)))
            .collect()
    }

    fn season(index: f64) -> f64 {
        (index / 288.0 * std::f64::consts::TAU).sin()
    }

    /// Steps that no season explains.
    fn work(index: f64) -> f64 {
        ((index / 37.0).floor() * 7.3).sin()
    }

    #[test]
    fn a_common_season_is_no_correlation() {
        let one = series(|index| 100.0 * season(index) + work(index));
        let other = series(|index| 50.0 * season(index) + work(index * 1.7 + 900.0));
        let levels = correlation(one.iter().zip(&other).map(|(a, b)| (a.1, b.1)));
        assert!(levels > 0.95, "{levels}");
        let changes = daily_change_correlation(&one, &other).unwrap_or(1.0);
        assert!(changes.abs() < 0.5, "{changes}");
    }

    #[test]
    fn common_work_is_a_correlation_in_any_unit() {
        let one = series(|index| season(index) + work(index));
        let other = series(|index| 1e12 * (3.0 - work(index)));
        let found = daily_change_correlation(&one, &other);
        assert!(found.is_some_and(|found| found < -0.95), "{found:?}");
    }

    #[test]
    fn nothing_is_said_of_a_day() {
        let day = series(season)[..288].to_vec();
        assert_eq!(daily_change_correlation(&day, &day), None);
    }
}
