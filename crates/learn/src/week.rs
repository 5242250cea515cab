//! The shape of a week: what each of its 168 hours (UTC) usually looks like.

use crate::window::{HOUR_MS, Point};

/// Hours in a week.
pub const HOURS: usize = 168;

/// Names of the days of a week, in the order of its hours.
pub const WEEKDAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

/// Means by hour of the week. Hour 0 is Monday 00:00 UTC.
#[derive(Debug, Clone, PartialEq)]
pub struct WeeklyShape {
    /// Mean of each hour; `None` for an hour nobody saw.
    pub means: Vec<Option<f64>>,
    /// Share of the variance the shape explains, 0 to 1. Near zero there is no weekly pattern.
    /// `None` without variance.
    pub strength: Option<f64>,
}

/// The hour of the week of a time: 0 is Monday 00:00 UTC.
#[must_use]
pub const fn hour_of_week(at_ms: i64) -> usize {
    // The epoch was a Thursday: three days into its week.
    ((at_ms.div_euclid(HOUR_MS)) + 3 * 24).rem_euclid(HOURS as i64) as usize
}

impl WeeklyShape {
    /// Computes the shape of a series; `None` without finite points.
    #[must_use]
    pub fn fit(points: &[Point]) -> Option<WeeklyShape> {
        let mut sums = [0f64; HOURS];
        let mut counts = [0u64; HOURS];
        let mut total = 0f64;
        let finite = || points.iter().filter(|(_, value)| value.is_finite());

        for (at, value) in finite() {
            sums[hour_of_week(*at)] += value;
            counts[hour_of_week(*at)] += 1;
            total += value;
        }

        let count: u64 = counts.iter().sum();
        if count == 0 {
            return None;
        }

        let means: Vec<Option<f64>> = sums
            .iter()
            .zip(counts)
            .map(|(sum, n)| (n > 0).then(|| sum / n as f64))
            .collect();
        let overall = total / count as f64;
        let (mut around_shape, mut around_mean) = (0f64, 0f64);
        for (at, value) in finite() {
            around_shape += (value - means[hour_of_week(*at)].unwrap_or(overall)).powi(2);
            around_mean += (value - overall).powi(2);
        }

        let strength = (around_mean > f64::EPSILON)
            .then(|| (1.0 - around_shape / around_mean).clamp(0.0, 1.0));
        Some(WeeklyShape { means, strength })
    }

    /// The busiest hour of the week and its mean.
    #[must_use]
    pub fn busiest(&self) -> Option<(usize, f64)> {
        self.known().max_by(|a, b| a.1.total_cmp(&b.1))
    }

    fn known(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.means
            .iter()
            .enumerate()
            .filter_map(|(hour, mean)| mean.map(|value| (hour, value)))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::window::DAY_MS;

    // Monday 2026-11-16T00:00:00Z.
    const MONDAY_MS: i64 = 1_794_787_200_000;

    #[test]
    fn monday_midnight_is_hour_zero() {
        assert_eq!(hour_of_week(MONDAY_MS), 0);
        assert_eq!(hour_of_week(MONDAY_MS - 1), HOURS - 1);
        assert_eq!(hour_of_week(0), 72);
        assert_eq!(
            hour_of_week(MONDAY_MS + 5 * DAY_MS + 13 * HOUR_MS),
            5 * 24 + 13
        );
    }

    #[test]
    fn a_working_week_is_a_strong_shape() {
        let points: Vec<Point> = (0..4 * HOURS as i64)
            .map(|hour| {
                (
                    MONDAY_MS + hour * HOUR_MS,
                    if hour % 168 == 30 {
                        90.0
                    } else if hour % 168 < 120 {
                        50.0
                    } else {
                        5.0
                    },
                )
            })
            .collect();
        let shape = WeeklyShape::fit(&points).unwrap();
        assert!(shape.strength.unwrap() > 0.999);

        assert_eq!(shape.busiest(), Some((30, 90.0)));
    }

    #[test]
    fn a_flat_series_has_no_shape_to_speak_of() {
        let flat: Vec<Point> = (0..400).map(|hour| (hour * HOUR_MS, 7.0)).collect();
        assert_eq!(WeeklyShape::fit(&flat).unwrap().strength, None);
        assert_eq!(WeeklyShape::fit(&[(0, f64::NAN)]), None);
    }
}
