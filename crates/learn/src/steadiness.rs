//! Steadiness of a resource's use, for commitments that only pay when it keeps running.

use crate::quantile::percentile;
use crate::window::{DAY_MS, HOUR_MS, Point, Window};

/// Steadiness of a series in a window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steadiness {
    /// Share of the window's whole hours with at least one point, 0 to 1: hours it ran, as far as anybody saw.
    pub hours_running: f64,
    /// Whole days in the window.
    pub days: u64,
    /// Days with any point.
    pub days_running: u64,
    /// Standard deviation over mean of the daily means; 0 is perfectly even, `None` below two days or for a mean of zero.
    pub day_to_day_cv: Option<f64>,
    /// Median of the daily means.
    pub typical_day: f64,
}

impl Steadiness {
    /// Measures the points within a window; `None` for a window shorter than a day. The series must be sorted by time.
    #[must_use]
    pub fn measure(points: &[Point], window: Window) -> Option<Steadiness> {
        let days = window.blocks(DAY_MS);
        if days.is_empty() {
            return None;
        }
        let hours = window.blocks(HOUR_MS);
        let has_points = |block: &&Window| block.select(points).iter().any(|(_, value)| value.is_finite());
        let running = hours.iter().filter(has_points).count();
        let means: Vec<f64> = days.iter().filter_map(|day| mean(day.select(points))).collect();
        Some(Steadiness {
            hours_running: running as f64 / hours.len() as f64,
            days: days.len() as u64,
            days_running: means.len() as u64,
            day_to_day_cv: coefficient_of_variation(&means),
            typical_day: percentile(&means, 50.0).unwrap_or(0.0),
        })
    }
}

/// Standard deviation over mean; `None` below two values or for a mean of zero.
#[must_use]
pub fn coefficient_of_variation(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    if mean.abs() < f64::EPSILON {
        return None;
    }
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    Some(variance.sqrt() / mean.abs())
}

fn mean(points: &[Point]) -> Option<f64> {
    let finite: Vec<f64> = points.iter().map(|(_, value)| *value).filter(|value| value.is_finite()).collect();
    if finite.is_empty() { None } else { Some(finite.iter().sum::<f64>() / finite.len() as f64) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn hourly(days: i64, value: impl Fn(i64) -> Option<f64>) -> Vec<Point> {
        (0..days * 24).filter_map(|hour| value(hour).map(|v| (hour * HOUR_MS, v))).collect()
    }

    #[test]
    fn an_even_load_is_even() {
        let window = Window { start_ms: 0, end_ms: 30 * DAY_MS };
        let steady = Steadiness::measure(&hourly(30, |_| Some(40.0)), window).unwrap();
        assert_eq!((steady.hours_running, steady.days, steady.days_running), (1.0, 30, 30));
        assert_eq!((steady.day_to_day_cv, steady.typical_day), (Some(0.0), 40.0));
    }

    #[test]
    fn office_hours_are_not_steady() {
        let window = Window { start_ms: 0, end_ms: 10 * DAY_MS };
        let office =
            Steadiness::measure(&hourly(10, |hour| (hour % 24 >= 8 && hour % 24 < 18).then_some(50.0)), window)
                .unwrap();
        assert!((office.hours_running - 10.0 / 24.0).abs() < 1e-12);
        let half = Steadiness::measure(&hourly(10, |hour| (hour < 120).then_some(50.0)), window).unwrap();
        assert_eq!((half.hours_running, half.days_running), (0.5, 5));
    }

    #[test]
    fn variation_over_days_is_standard_deviation_over_mean() {
        assert_eq!(coefficient_of_variation(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]), Some(0.4));
        assert_eq!(coefficient_of_variation(&[0.0, 0.0]), None);
        assert_eq!(coefficient_of_variation(&[1.0]), None);
        assert!(Steadiness::measure(&[], Window { start_ms: 0, end_ms: HOUR_MS }).is_none());
    }
}
