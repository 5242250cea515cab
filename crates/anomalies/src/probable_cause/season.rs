//! Measurements without their daily season: the ranking takes the past of a metric as one level, so
//! that a rise of every morning would be a deviation, and would hide any other.

use std::collections::HashMap;

use reeve_learn::window::{DAY_MS, Point};

/// Days that a time of the day is compared with, and the fewest of them.
pub(crate) const DAYS: i64 = 7;
const LEAST_DAYS: usize = 2;

/// Returns the points from a time on as differences from the median of the same time on the days
/// before, on the level of the whole. Points are as they are where fewer than half of them have two
/// earlier days.
pub(super) fn without_season(points: &[Point], from_ms: i64) -> Vec<Point> {
    let values: HashMap<i64, f64> = points
        .iter()
        .filter(|(_, value)| value.is_finite())
        .copied()
        .collect();
    let recent = points.iter().filter(|(at, _)| *at >= from_ms);
    let compared: Vec<(Point, f64)> = recent
        .clone()
        .filter_map(|(at, value)| {
            let before = (1..=DAYS).filter_map(|day| values.get(&(at - day * DAY_MS)).copied());
            Some(((*at, *value), usual(before.collect())?))
        })
        .collect();
    if compared.len() * 2 < recent.clone().count() {
        return recent.copied().collect();
    }

    let level = median(compared.iter().map(|(_, usual)| *usual).collect()).unwrap_or(0.0);
    let differences = compared.into_iter();
    differences
        .map(|((at, value), usual)| (at, value - usual + level))
        .collect()
}

fn usual(before: Vec<f64>) -> Option<f64> {
    (before.len() >= LEAST_DAYS)
        .then(|| median(before))
        .flatten()
}

fn median(values: Vec<f64>) -> Option<f64> {
    reeve_learn::percentile(&values, 50.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP_MS: i64 = 300_000;

    fn days(count: i64, value: impl Fn(i64) -> f64) -> Vec<Point> {
        (0..count * 288)
            .map(|at| (at * STEP_MS, value(at)))
            .collect()
    }

    #[test]
    fn a_rise_of_every_day_is_none_and_one_of_today_remains() {
        let daily = |at: i64| if at % 288 > 100 { 60.0 } else { 10.0 };
        let last = 4 * 288 + 200;
        let found = without_season(
            &days(5, |at| daily(at) + if at >= last { 20.0 } else { 0.0 }),
            4 * DAY_MS,
        );
        assert_eq!(found.len(), 288);
        let split = found.iter().position(|(at, _)| *at == last * STEP_MS);
        let (before, after) = found.split_at(split.unwrap_or_default());
        assert!(before.iter().all(|(_, value)| (*value - 60.0).abs() < 1e-9));
        assert!(after.iter().all(|(_, value)| (*value - 80.0).abs() < 1e-9));
    }

    #[test]
    fn a_series_of_one_day_stays_as_it_is() {
        let day = days(1, |at| at as f64);
        assert_eq!(without_season(&day, 0), day);
    }
}
