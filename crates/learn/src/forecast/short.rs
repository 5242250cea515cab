//! Forecast of a short series: its level, its slope if that is plain, and intervals wide enough for
//! so little data.

use super::frame::median;
use super::spread::student_factor;

/// A line with a spread.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub last: f64,
    pub slope: f64,
    /// Standard deviation of one step.
    pub deviation: f64,
    /// Share of the change from step to step that stays: 1 is a random walk, 0 is noise around a
    /// level.
    pub staying: f64,
    pub measured: usize,
}

impl Line {
    /// Fits a series with at least two finite values.
    pub(super) fn fit(values: &[f64]) -> Option<Line> {
        let known: Vec<(f64, f64)> = values
            .iter()
            .enumerate()
            .filter(|(_, v)| v.is_finite())
            .map(|(at, v)| (at as f64, *v))
            .collect();
        let newest = &known[known.len().saturating_sub(200)..];

        if newest.len() < 2 {
            return None;
        }

        let mut slopes = Vec::new();
        for (at, (x, y)) in newest.iter().enumerate() {
            slopes.extend(
                newest[at + 1..]
                    .iter()
                    .map(|(later, value)| (value - y) / (later - x)),
            );
        }

        // Theil and Sen's slope counts when nearly all pairs agree on its sign.
        let rising =
            slopes.iter().filter(|slope| **slope > 0.0).count() as f64 / slopes.len() as f64;
        let middle = median(&mut slopes)?;
        let slope = if newest.len() >= 6 && !(0.15..=0.85).contains(&rising) {
            middle
        } else {
            0.0
        };
        let rest: Vec<f64> = newest.iter().map(|(x, y)| y - slope * x).collect();
        let level = median(&mut rest.clone())?;
        let around = mean_size(rest.iter().map(|value| value - level));

        let steps = mean_size(rest.windows(2).map(|pair| pair[1] - pair[0]));
        // Noise around a level moves twice as much (in variance) from step to step as it lies from
        // its level.
        let staying = if around > 0.0 {
            (1.0 - steps / (1.4 * around)).clamp(0.0, 1.0)
        } else {
            0.0
        };

        let end = values.len() as f64 - 1.0;
        let last_rest = rest.last().copied()?;
        let last = level + staying * (last_rest - level) + slope * end;

        Some(Line {
            last,
            slope,
            deviation: 1.25 * around.max(steps),
            staying,
            measured: newest.len(),
        })
    }

    pub(super) fn middle(&self, ahead: usize) -> f64 {
        self.last + self.slope * ahead as f64
    }

    /// Standard deviation of a step ahead.
    pub(super) fn width(&self, ahead: usize) -> f64 {
        let walked = (1.0 + self.staying * (ahead as f64 - 1.0)).sqrt();
        let learnt = (1.0 + 1.0 / self.measured as f64).sqrt();
        self.deviation * walked * learnt * student_factor(self.measured as f64 - 1.0)
    }
}

fn mean_size(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value.abs();
        count += 1.0;
    }
    if count > 0.0 { sum / count } else { 0.0 }
}
