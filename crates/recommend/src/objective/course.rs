//! Course of an objective over its window: the metric beside the target, the budget that is left
//! and the rate at which it burns.

use reeve_learn::{HOUR_MS, Point, Window};

use super::Objective;

/// Stretches that a window is shown in at most.
const MOST_STRETCHES: i64 = 168;

/// Metric and budget of a stretch of a window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoursePoint {
    /// Beginning of the stretch, Unix milliseconds.
    pub at_ms: i64,
    /// Mean value of the metric over all resources.
    pub mean: f64,
    /// Value of the stretch that is furthest on the bad side.
    pub worst: f64,
    /// Share of the whole window's budget that was left at the end of the stretch.
    pub left: f64,
    /// Use in the stretch, as a multiple of what uses the budget up at the end of the window.
    pub burn: f64,
}

/// Returns the course over a window; stretches without points are left out.
#[must_use]
pub fn course(objective: &Objective, series: &[&[Point]], window: Window) -> Vec<CoursePoint> {
    let stretch_ms = (window.length_ms() / MOST_STRETCHES).max(HOUR_MS);
    let all: usize = series
        .iter()
        .map(|points| window.select(points).len())
        .sum();
    let budget = all as f64 * objective.allowed();
    let is_least = Objective::is_least(objective.metric);

    let mut used = 0.0;
    let mut found = Vec::new();
    for stretch in window.blocks(stretch_ms) {
        let values: Vec<f64> = series
            .iter()
            .flat_map(|points| stretch.select(points))
            .map(|(_, value)| *value)
            .collect();
        let worst = values.iter().copied().reduce(match is_least {
            true => f64::min,
            false => f64::max,
        });
        let Some(worst) = worst else { continue };
        let bad = values.iter().filter(|value| objective.is_bad(**value));
        let bad = bad.count() as f64;
        used += bad;
        let count = values.len() as f64;
        found.push(CoursePoint {
            at_ms: stretch.start_ms,
            mean: values.iter().sum::<f64>() / count,
            worst,
            left: 1.0 - used / budget,
            burn: bad / count / objective.allowed(),
        });
    }
    found
}
