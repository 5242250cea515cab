//! `suggest_maintenance_windows`: the time of the week with the least load, for findings that need a
//! restart.

use reeve_estate::Metric;
use reeve_learn::week::{HOURS, WEEKDAYS, WeeklyShape};
use reeve_learn::{DAY_MS, HOUR_MS, Window};
use reeve_recommend::judgement::Facts;
use reeve_recommend::words::percent;

use super::settings::Thresholds;
use crate::load::Load;

/// Days that must have been measured: each hour of the week twice.
const LEAST_DAYS: i64 = 14;

/// Hours of the week with the least load of a resource.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct QuietTime {
    /// First hour of the week; 0 is Monday 00:00 UTC.
    pub(super) from: usize,
    pub(super) hours: usize,
    /// Mean of the CPU in these hours, percent.
    pub(super) load: f64,
    /// Mean of the CPU over the week, percent.
    usual: f64,
}

/// Describes the time of the week in which a restart disturbs least; `None` where the setting is off or
/// less than two weeks of the CPU were measured.
pub(super) fn quiet_words(facts: &Facts<'_>, settings: &Thresholds) -> Option<String> {
    let shape = weekly_shape(facts, settings)?;
    let hours = usize::try_from(settings.window_hours).unwrap_or(1);
    Some(words(&quietest(&shape, hours, |_| true)?))
}

/// Returns the mean CPU of each hour of the week; `None` where the setting is off or less than two
/// weeks were measured.
pub(super) fn weekly_shape(facts: &Facts<'_>, settings: &Thresholds) -> Option<WeeklyShape> {
    if !settings.windows {
        return None;
    }

    let load = Load::measured(facts, Metric::CpuUtilization)?;
    let history = Window::ending(facts.now.as_millisecond(), settings.history_days * DAY_MS);
    let points = history.select(&load.points);
    let (first, last) = (points.first()?.0, points.last()?.0);
    // The first and the last period of the window reach beyond their points.
    if last - first < LEAST_DAYS * DAY_MS - HOUR_MS {
        return None;
    }

    WeeklyShape::fit(points)
}

/// Mean of a stretch of hours of the week; `None` where one of them was not measured.
pub(super) fn mean(shape: &WeeklyShape, from: usize, hours: usize) -> Option<f64> {
    let stretch = (0..hours).map(|hour| shape.means[(from + hour) % HOURS]);
    let sum: Option<f64> = stretch.sum();
    Some(sum? / hours.max(1) as f64)
}

/// Finds the stretch of hours with the lowest mean, of those that were measured in each hour and
/// whose first hour is free.
pub(super) fn quietest(
    shape: &WeeklyShape,
    hours: usize,
    is_free: impl Fn(usize) -> bool,
) -> Option<QuietTime> {
    let hours = hours.clamp(1, HOURS);
    let known: Vec<f64> = shape.means.iter().flatten().copied().collect();
    let usual = known.iter().sum::<f64>() / known.len().max(1) as f64;

    let free = (0..HOURS).filter(|from| is_free(*from));
    let all = free.filter_map(|from| Some((from, mean(shape, from, hours)?)));
    let (from, load) = all.min_by(|one, other| one.1.total_cmp(&other.1))?;

    Some(QuietTime {
        from,
        hours,
        load,
        usual,
    })
}

pub(super) fn words(quiet: &QuietTime) -> String {
    let (day, hour) = (WEEKDAYS[(quiet.from / 24) % 7], quiet.from % 24);
    let until = (hour + quiet.hours) % 24;
    format!(
        "Its load is lowest on {day} from {hour:02}:00 to {until:02}:00 UTC: {} of the CPU, {} over the week",
        percent(quiet.load),
        percent(quiet.usual)
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_quietest_stretch_may_cross_the_end_of_the_week() {
        let mut means = vec![Some(50.0); HOURS];
        means[HOURS - 1] = Some(4.0);
        means[0] = Some(6.0);
        means[30] = Some(5.0);
        // Nothing is known of an hour that was not measured.
        means[80] = None;
        let shape = WeeklyShape {
            means,
            strength: None,
        };

        let quiet = quietest(&shape, 2, |_| true).unwrap();

        assert_eq!((quiet.from, quiet.load), (HOURS - 1, 5.0));
        assert!(words(&quiet).starts_with("Its load is lowest on Sunday from 23:00 to 01:00 UTC"));
    }
}
