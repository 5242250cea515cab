//! The forecast part of `demand`: days after the training, from the hours before it, and peaks that
//! come with the month.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_learn::forecast::{ForecastSettings, fit};
use reeve_learn::grid::Grid;
use reeve_learn::{DAY_MS, HOUR_MS, Point, percentile};

use reeve_recommend::models::{DemandForecast, MonthlyPeak, date};

/// Days of hours below which nothing is forecast.
const LEAST_DAYS: usize = 21;
/// Days forecast: the held-out week, a week until the next training, and four weeks to come.
const DAYS: usize = 42;
/// Hours for which intervals are calibrated.
const HORIZON: usize = 28 * 24;
/// A series that ended longer before the training's end is not forecast.
const ENDED_MS: i64 = 2 * DAY_MS;
/// A monthly peak is above the usual day's highest hour by this factor, and by so many points of
/// CPU.
const ABOVE: (f64, f64) = (1.5, 10.0);
/// Percentile of the days' highest hours that is the usual highest: one day of a month is above it.
const USUAL: f64 = 90.0;
/// Months in which a monthly peak was seen at least.
const LEAST_MONTHS: u32 = 2;

/// Forecasts the days after a training; `None` where too little was measured.
pub(super) fn forecast(points: &[Point], until: Timestamp) -> Option<DemandForecast> {
    let (first, last) = (points.first()?.0, points.last()?.0);
    if points.len() < LEAST_DAYS * 24 || last < until.as_millisecond() - ENDED_MS {
        return None;
    }

    let grid = Grid::with_step(points, HOUR_MS).ok()?;
    let horizon = HORIZON.min(grid.values.len() / 3);
    let model = fit(
        &grid,
        &ForecastSettings {
            horizon,
            ..ForecastSettings::default()
        },
    )
    .ok()?;
    let bands = model.forecast(DAYS * 24);

    let days: Vec<_> = bands
        .chunk_by(|a, b| a.at_ms.div_euclid(DAY_MS) == b.at_ms.div_euclid(DAY_MS))
        .collect();
    let mean = |day: &&[reeve_learn::forecast::Band]| {
        day.iter().map(|band| band.p50).sum::<f64>() / day.len() as f64
    };

    Some(DemandForecast {
        learned_from_s: first.div_euclid(1000),
        first_day: bands.first()?.at_ms.div_euclid(DAY_MS),
        means: days.iter().map(|day| hundredths(mean(day))).collect(),
        uppers: days
            .iter()
            .map(|day| hundredths(day.iter().map(|band| band.p95).fold(0.0, f64::max)))
            .collect(),
        monthly: monthly(points),
    })
}

/// Converts a percentage to whole hundredths of a percent.
pub(super) fn hundredths(value: f64) -> u32 {
    (value.clamp(0.0, 1e6) * 100.0).round() as u32
}

/// Peaks on one day of the month, seen in two months or more and in most of those measured. Where
/// days stand out that are of no such day, they are chance, and so may be the others.
fn monthly(points: &[Point]) -> Vec<MonthlyPeak> {
    let mut highest: BTreeMap<i64, f64> = BTreeMap::new();
    for (at, value) in points.iter().filter(|(_, value)| value.is_finite()) {
        let day = highest.entry(at.div_euclid(DAY_MS)).or_insert(0.0);
        *day = day.max(*value);
    }

    let levels: Vec<f64> = highest.values().copied().collect();
    let Some(usual) = percentile(&levels, USUAL) else {
        return Vec::new();
    };

    let stands_out = |level: f64| level > usual * ABOVE.0 && level > usual + ABOVE.1;
    // By day from the month's beginning and from its end: months are of different length.
    let mut seen: BTreeMap<i8, (u32, u32, f64)> = BTreeMap::new();

    for (day, level) in &highest {
        let Some(date) = date(*day) else { continue };
        for key in [date.day(), date.day() - date.days_in_month() - 1] {
            let (measured, peaks, top) = seen.entry(key).or_insert((0, 0, 0.0));
            *measured += 1;
            if stands_out(*level) {
                *peaks += 1;
                *top = level.max(*top);
            }
        }
    }

    let is_recurring = |(measured, peaks, _): &(u32, u32, f64)| {
        *peaks >= LEAST_MONTHS && peaks * 3 >= measured * 2
    };
    seen.retain(|_, counted| is_recurring(counted));

    let explained = highest.iter().filter(|(day, level)| {
        let date = date(**day).filter(|_| stands_out(**level));
        date.is_some_and(|d| {
            seen.contains_key(&d.day()) || seen.contains_key(&(d.day() - d.days_in_month() - 1))
        })
    });

    let peaks = highest.values().filter(|level| stands_out(**level)).count();
    if explained.count() * 2 < peaks {
        return Vec::new();
    }

    seen.into_iter()
        .map(|(day, (_, months, top))| MonthlyPeak {
            day,
            level: hundredths(top),
            months,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// 2026-11-09T00:00:00Z: the end of a training whose held-out week ends on the 16th.
    const UNTIL_S: i64 = 1_794_182_400;

    /// Between 0 and 1, by its place alone.
    fn noise(place: i64) -> f64 {
        let mixed = (place as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 40) as f64
            / (1u64 << 24) as f64
    }

    /// The outlook a week after a training on so many days; `cpu(hours before its end)`.
    fn outlook(days: i64, cpu: impl Fn(i64) -> f64) -> reeve_recommend::models::DemandOutlook {
        let until = Timestamp::from_second(UNTIL_S).unwrap();
        let points: Vec<Point> = (1..=days * 24)
            .rev()
            .map(|back| (UNTIL_S * 1000 - back * HOUR_MS, cpu(back)))
            .collect();
        let now = until + jiff::SignedDuration::from_hours(7 * 24);
        forecast(&points, until).unwrap().outlook(now, 28).unwrap()
    }

    #[test]
    fn growth_from_week_to_week_is_carried_on_and_a_steady_load_stays() {
        let grown = outlook(84, |back| {
            2.0 + 16.0 * (1.0 - back as f64 / 2016.0) + 2.0 * noise(back)
        });
        assert!(
            (22.0..45.0).contains(&grown.upper) && grown.days == 28,
            "{grown:?}"
        );

        let steady = outlook(84, |back| 6.0 + 4.0 * noise(back));
        assert!(
            (8.0..15.0).contains(&steady.upper) && steady.monthly.is_none(),
            "{steady:?}"
        );
        assert!(
            steady.means.iter().all(|mean| (6.0..10.0).contains(mean)),
            "{:?}",
            steady.means
        );

        let weekly = outlook(84, |back| {
            if (UNTIL_S / 3600 - back) / 24 % 7 < 2 {
                4.0
            } else {
                20.0 + 5.0 * noise(back)
            }
        });

        assert!((22.0..34.0).contains(&weekly.upper), "{weekly:?}");
    }

    #[test]
    fn a_peak_of_the_month_is_expected_again_and_chance_is_not() {
        let day_of = |back: i64| {
            date((UNTIL_S - back * 3600).div_euclid(86_400))
                .unwrap()
                .day()
        };

        let monthly = outlook(84, |back| {
            if day_of(back) == 16 && back % 24 < 3 {
                80.0
            } else {
                5.0 + noise(back)
            }
        });
        let peak = monthly.monthly.unwrap();

        assert_eq!(
            (peak.day, peak.months, peak.level),
            (16, 2, 8_000),
            "{monthly:?}"
        );
        assert_eq!(monthly.upper_on.to_string(), "2026-11-16");

        let chance = outlook(84, |back| {
            if [100, 900, 1500].contains(&back) {
                80.0
            } else {
                5.0 + noise(back)
            }
        });

        assert!(chance.monthly.is_none(), "{chance:?}");
    }

    #[test]
    fn too_little_and_what_has_ended_are_not_forecast() {
        let until = Timestamp::from_second(UNTIL_S).unwrap();
        let points = |days: i64, end: i64| -> Vec<Point> {
            (1..=days * 24)
                .rev()
                .map(|back| (UNTIL_S * 1000 - (back + end) * HOUR_MS, 5.0 + noise(back)))
                .collect()
        };
        assert!(forecast(&points(20, 0), until).is_none());

        assert!(forecast(&points(60, 72), until).is_none());
        assert_eq!(forecast(&[], until), None);

        let kept = forecast(&points(60, 0), until).unwrap();
        assert!(
            kept.outlook(until + jiff::SignedDuration::from_hours(24 * 40), 28)
                .is_none(),
            "it has ended by then"
        );
    }
}
