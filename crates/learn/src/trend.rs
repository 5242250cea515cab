//! Growth from week to week: the seasonal Kendall test and slope (Hirsch, Slack and Smith,
//! "Techniques of Trend Analysis for Monthly Water Quality Data", 1982), with the days of the week
//! as seasons.
//!
//! Only days that lie whole weeks apart are compared, so that quiet weekends make no trend, and the
//! slope is a median, so that a day of peaks makes none either. A few days are no trend: it takes
//! two whole weeks.

use crate::quantile::percentile;
use crate::window::{DAY_MS, Point};

/// Days in a season's cycle.
const WEEK: i64 = 7;
/// Days that have to be there.
const LEAST_DAYS: usize = 14;
/// The test's value from which growth counts: one series in about 200 without a trend gets there.
const SIGNIFICANT: f64 = 2.6;

/// A trend of daily figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// Growth a day, in units of the series.
    pub per_day: f64,
    /// The level of the last week: the median of its days.
    pub level: f64,
    /// The level of the first week.
    pub first_level: f64,
    /// Days that the figures are of.
    pub days: usize,
}

impl Trend {
    /// Fits the trend of the daily percentile; `None` if no trend is significant. The series must
    /// be sorted by time.
    #[must_use]
    pub fn fit(points: &[Point], day_percentile: f64) -> Option<Trend> {
        let days = daily(points, day_percentile);
        if days.len() < LEAST_DAYS {
            return None;
        }

        let (slopes, test) = compare(&days);
        if test.abs() < SIGNIFICANT {
            return None;
        }

        let values =
            |part: &[(i64, f64)]| part.iter().map(|(_, value)| *value).collect::<Vec<f64>>();
        let week = WEEK as usize;
        Some(Trend {
            per_day: percentile(&slopes, 50.0)?,
            level: percentile(&values(&days[days.len() - week..]), 50.0)?,
            first_level: percentile(&values(&days[..week]), 50.0)?,
            days: days.len(),
        })
    }

    /// Returns the growth within so many days if the trend continues; never below 0.
    #[must_use]
    pub fn growth_in(&self, days: f64) -> f64 {
        (self.per_day * days).max(0.0)
    }
}

/// The figure of each day that has points, by the day's number.
fn daily(points: &[Point], day_percentile: f64) -> Vec<(i64, f64)> {
    let finite = |day: &[Point]| {
        day.iter()
            .map(|(_, value)| *value)
            .filter(|value| value.is_finite())
            .collect()
    };

    let chunks = points.chunk_by(|a, b| a.0.div_euclid(DAY_MS) == b.0.div_euclid(DAY_MS));
    let figure = |day: &[Point]| {
        let values: Vec<f64> = finite(day);
        Some((
            day.first()?.0.div_euclid(DAY_MS),
            percentile(&values, day_percentile)?,
        ))
    };

    chunks.filter_map(figure).collect()
}

/// The slopes between days whole weeks apart, and how many deviations the count of rises lies from
/// that of chance.
fn compare(days: &[(i64, f64)]) -> (Vec<f64>, f64) {
    let (mut slopes, mut rises, mut variance) = (Vec::new(), 0.0, 0.0);
    for season in 0..WEEK {
        let same_day: Vec<&(i64, f64)> = days
            .iter()
            .filter(|(day, _)| day.rem_euclid(WEEK) == season)
            .collect();
        for (at, later) in same_day.iter().enumerate() {
            for earlier in &same_day[..at] {
                let difference = later.1 - earlier.1;
                slopes.push(difference / (later.0 - earlier.0) as f64);
                rises += if difference == 0.0 {
                    0.0
                } else {
                    difference.signum()
                };
            }
        }
        let n = same_day.len() as f64;
        variance += n * (n - 1.0) * (2.0 * n + 5.0) / 18.0;
    }

    // One less, as the count moves in steps of two (continuity).
    let test = if variance > 0.0 {
        (rises.abs() - 1.0).max(0.0) * rises.signum() / variance.sqrt()
    } else {
        0.0
    };

    (slopes, test)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::window::HOUR_MS;

    fn hourly(days: i64, value: impl Fn(i64) -> f64) -> Vec<Point> {
        (0..days * 24)
            .map(|hour| (hour * HOUR_MS, value(hour)))
            .collect()
    }

    /// Between 0 and 1, by its place alone.
    fn noise(place: i64) -> f64 {
        let mixed = (place as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 40) as f64
            / (1u64 << 24) as f64
    }

    #[test]
    fn steady_growth_is_found_with_its_slope() {
        let found = Trend::fit(
            &hourly(30, |hour| 1.0 + 18.0 * hour as f64 / 720.0 + noise(hour)),
            95.0,
        )
        .unwrap();
        assert!((found.per_day - 0.6).abs() < 0.03, "{found:?}");
        assert!(
            (found.growth_in(28.0) - 16.8).abs() < 1.0 && found.level > found.first_level + 10.0,
            "{found:?}"
        );

        let fall = Trend::fit(&hourly(30, |hour| 20.0 - 15.0 * hour as f64 / 720.0), 95.0).unwrap();
        assert!(fall.per_day < -0.4);
        assert_eq!(fall.growth_in(28.0), 0.0);
    }

    #[test]
    fn weekends_noise_and_single_peaks_are_no_trend() {
        let week = |hour: i64| if (hour / 24) % 7 < 5 { 40.0 } else { 4.0 };
        assert_eq!(
            Trend::fit(&hourly(30, |hour| week(hour) + noise(hour)), 95.0),
            None
        );
        assert_eq!(
            Trend::fit(&hourly(30, |hour| 10.0 + 8.0 * noise(hour)), 95.0),
            None
        );
        assert_eq!(
            Trend::fit(
                &hourly(30, |hour| if hour > 690 { 90.0 } else { 5.0 }),
                95.0
            ),
            None
        );

        assert_eq!(Trend::fit(&hourly(30, |_| 5.0), 95.0), None);
        assert_eq!(
            Trend::fit(&hourly(10, |hour| hour as f64), 95.0),
            None,
            "ten days are too few"
        );
        assert_eq!(Trend::fit(&[], 95.0), None);
    }
}
