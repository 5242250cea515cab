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
struct QuietTime {
    /// First hour of the week; 0 is Monday 00:00 UTC.
    from: usize,
    hours: usize,
    /// Mean of the CPU in these hours, percent.
    load: f64,
    /// Mean of the CPU over the week, percent.
    usual: f64,
}

/// Describes the time of the week in which a restart disturbs least; `None` where the setting is off or
/// less than two weeks of the CPU were measured.
pub(super) fn quiet_words(facts: &Facts<'_>, settings: &Thresholds) -> Option<String> {
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

    let shape = WeeklyShape::fit(points)?;
    let quiet = quietest(&shape, usize::try_from(settings.window_hours).unwrap_or(1))?;
    Some(words(&quiet))
}

/// Finds the stretch of hours with the lowest mean, of those that were measured in each hour.
fn quietest(shape: &WeeklyShape, hours: usize) -> Option<QuietTime> {
    let hours = hours.clamp(1, HOURS);
    let known: Vec<f64> = shape.means.iter().flatten().copied().collect();
    let usual = known.iter().sum::<f64>() / known.len().max(1) as f64;

    let mean = |from: usize| {
        let stretch = (0..hours).map(|hour| shape.means[(from + hour) % HOURS]);
        let sum: Option<f64> = stretch.sum();
        Some(sum? / hours as f64)
    };
    let all = (0..HOURS).filter_map(|from| Some((from, mean(from)?)));
    let (from, load) = all.min_by(|one, other| one.1.total_cmp(&other.1))?;

    Some(QuietTime {
        from,
        hours,
        load,
        usual,
    })
}

fn words(quiet: &QuietTime) -> String {
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

        let quiet = quietest(&shape, 2).unwrap();

        assert_eq!((quiet.from, quiet.load), (HOURS - 1, 5.0));
        assert!(words(&quiet).starts_with("Its load is lowest on Sunday from 23:00 to 01:00 UTC"));
    }
}
