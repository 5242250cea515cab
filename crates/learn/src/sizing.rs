//! Capacity that the demand of the next week needs.
//!
//! Sizes fail at their peaks, and a percentile hides those: the highest of 28 days is where this starts. What next weeks had
//! beyond the peaks before them, week after week of the history, says how much room such a load needs; a short history is
//! helped out by how much its peaks differ. Judged from the past alone; measured by `make bench-learn`.

use crate::backtest::{Backtest, Prior};
use crate::quantile::percentile;
use crate::window::{DAY_MS, Point};

/// Days that the answer is for.
pub const AHEAD_DAYS: usize = 7;
/// Days with measurements without which there is no answer.
pub const LEAST_DAYS: usize = 3;
/// Days whose highest demand is the starting point: a month has its end in it.
const PEAK_DAYS: usize = 28;
/// Days that are looked at.
const HISTORY_DAYS: usize = 98;
/// Readings are averaged over this long: what is shorter has no time to be felt.
const BUCKET_MS: i64 = 300_000;
/// Room above the peaks of a load whose peaks never differ, as a logarithm.
const ROOM: f64 = 0.1;
/// Room above what next weeks are known to have had beyond the peaks before them.
const ROOM_KNOWN: f64 = 0.03;
/// Weeks that the difference of peaks counts for, beside those of the history.
const WEEKS_ASSUMED: f64 = 2.0;
/// Difference of peaks that is assumed where too few are known.
const SPREAD_ASSUMED: f64 = 0.3;
/// Room at most: more than three times the peak is no advice.
const MOST_ROOM: f64 = 1.2;
/// Demand is cut off where it reaches this share of what there is, percent.
const CUT_OFF: f64 = 97.0;
/// Share of the time at the limit from which the true demand is taken to be higher.
const CUT_OFF_SHARE: f64 = 0.01;
/// The present capacity, percent.
const WHOLE: f64 = 100.0;

/// Capacity needed for the next seven days.
#[derive(Debug, Clone, PartialEq)]
pub struct Needed {
    /// Capacity in percent of the present one.
    pub percent: f64,
    /// Highest demand of the last 28 days, percent of the present capacity.
    pub peak: f64,
    /// Room above the peak, as a share of it; negative where it falls from week to week.
    pub room: f64,
    /// Days with measurements.
    pub days: usize,
    /// Weeks of the history whose demand the advice made before them would have held, of those that could be judged.
    pub held_out: Backtest,
    /// `true` if the demand was cut off at what there is, so that the true one is higher.
    pub cut_off: bool,
}

impl Needed {
    /// Confidence that the next week stays within the capacity, 0 to 1.
    #[must_use]
    pub fn confidence(&self) -> f64 {
        // A load that was cut off tells nothing of how high it would have gone.
        let doubt = if self.cut_off { 4.0 } else { 0.0 };
        self.held_out.confidence(Prior { held: 3.0, failed: 1.0 }.doubting(doubt))
    }
}

/// Returns the capacity that the seven days after `now_ms` need; `None` with fewer than three days of measurements.
/// The series is in percent of the present capacity and sorted by time; values that are not finite are left out.
#[must_use]
pub fn needed(points: &[Point], now_ms: i64) -> Option<Needed> {
    let days = Days::from_points(points, now_ms);
    if days.peaks.iter().flatten().count() < LEAST_DAYS {
        return None;
    }
    let advised = advise(&days.peaks)?;
    let cut_off = days.at_limit > CUT_OFF_SHARE;
    let percent = if cut_off { advised.percent.max(WHOLE * advised.room.max(ROOM).exp()) } else { advised.percent };
    Some(Needed {
        percent,
        peak: advised.peak,
        room: percent / advised.peak.max(f64::MIN_POSITIVE) - 1.0,
        days: days.peaks.iter().flatten().count(),
        held_out: held_out(&days.peaks),
        cut_off,
    })
}

/// The highest demand of each day, the oldest first and the last one ending now; `None` for days without measurements.
struct Days {
    peaks: Vec<Option<f64>>,
    /// Share of the last 28 days that was spent at the limit.
    at_limit: f64,
}

impl Days {
    fn from_points(points: &[Point], now_ms: i64) -> Days {
        let mut peaks = vec![None; HISTORY_DAYS];
        let (mut at_limit, mut measured) = (0_u64, 0_u64);
        for (at_ms, value) in buckets(points) {
            let age = (now_ms - 1 - at_ms).max(0) / DAY_MS;
            let Some(place) = usize::try_from(age).ok().and_then(|age| HISTORY_DAYS.checked_sub(age + 1)) else {
                continue;
            };
            let peak = &mut peaks[place];
            *peak = Some(peak.map_or(value, |peak: f64| peak.max(value)));
            if place >= HISTORY_DAYS - PEAK_DAYS {
                measured += 1;
                at_limit += u64::from(value >= CUT_OFF);
            }
        }
        let first = peaks.iter().position(Option::is_some).unwrap_or(HISTORY_DAYS);
        peaks.drain(..first);
        Days { peaks, at_limit: at_limit as f64 / measured.max(1) as f64 }
    }
}

/// Means over five minutes, each at the time of its first reading.
fn buckets(points: &[Point]) -> Vec<Point> {
    let mut means: Vec<(i64, i64, f64, f64)> = Vec::new();
    for (at_ms, value) in points.iter().copied().filter(|(_, value)| value.is_finite()) {
        let bucket = at_ms.div_euclid(BUCKET_MS);
        match means.last_mut() {
            Some((last, _, sum, count)) if *last == bucket => {
                *sum += value;
                *count += 1.0;
            }
            _ => means.push((bucket, at_ms, value, 1.0)),
        }
    }
    means.into_iter().map(|(_, at_ms, sum, count)| (at_ms, (sum / count).max(0.0))).collect()
}

struct Advice {
    percent: f64,
    peak: f64,
    /// Logarithm of advice over peak.
    room: f64,
}

/// Capacity for the week after days with these peaks.
fn advise(peaks: &[Option<f64>]) -> Option<Advice> {
    let peak = highest(last(peaks, PEAK_DAYS))?;
    // Loads of nothing have no ratio.
    let floor = peak.max(1e-6) * 1e-3;
    let ratios = ratios(peaks, floor);
    let known = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // A peak that comes once a month looks like a load that falls, until two months are known.
    let known = if peaks.len() < 2 * PEAK_DAYS { known.max(0.0) } else { known };
    let assumed = ROOM + spread(last(peaks, PEAK_DAYS), floor);
    let weeks = ratios.len() as f64 / AHEAD_DAYS as f64;
    let share = WEEKS_ASSUMED / (WEEKS_ASSUMED + weeks);
    let room = if ratios.is_empty() { assumed } else { share * assumed + (1.0 - share) * (known + ROOM_KNOWN) };
    let room = room.min(MOST_ROOM);
    // What was measured never took more than there is, unless weeks have been growing towards it.
    let growth = percentile(&ratios, 50.0).unwrap_or(0.0).max(0.0);
    let most = WHOLE.max(peak * (growth + ROOM).exp());
    let percent = (peak * room.exp()).min(most);
    Some(Advice { percent, peak, room })
}

/// Logarithms of the highest demand of seven days over that of the days before them, a day after the other.
fn ratios(peaks: &[Option<f64>], floor: f64) -> Vec<f64> {
    let origins = AHEAD_DAYS..(peaks.len() + 1).saturating_sub(AHEAD_DAYS).max(AHEAD_DAYS);
    let ratio = |origin: usize| {
        let before = highest(last(&peaks[..origin], PEAK_DAYS))?;
        let next = highest(&peaks[origin..origin + AHEAD_DAYS])?;
        Some(((next + floor) / (before + floor)).ln())
    };
    origins.filter_map(ratio).collect()
}

/// Weeks that the advice made before them would have held. They do not overlap: weeks that share days tell the same.
fn held_out(peaks: &[Option<f64>]) -> Backtest {
    let mut count = Backtest::default();
    let mut origin = peaks.len().saturating_sub(AHEAD_DAYS);
    while origin >= AHEAD_DAYS {
        let before = peaks.get(..origin).and_then(advise);
        if let (Some(advice), Some(next)) = (before, highest(&peaks[origin..origin + AHEAD_DAYS])) {
            count.windows += 1;
            count.held += u64::from(next <= advice.percent);
        }
        origin -= AHEAD_DAYS;
    }
    count
}

/// Standard deviation of the logarithms of peaks: of weeks where there are two of them, else of days. A peak that comes every
/// week makes days differ, and weeks not.
fn spread(peaks: &[Option<f64>], floor: f64) -> f64 {
    let log = |peak: f64| (peak + floor).ln();
    let logs: Vec<f64> = if peaks.len() >= 2 * AHEAD_DAYS {
        peaks.windows(AHEAD_DAYS).filter_map(highest).map(log).collect()
    } else {
        peaks.iter().flatten().copied().map(log).collect()
    };
    if logs.len() < LEAST_DAYS {
        return SPREAD_ASSUMED;
    }
    let mean = logs.iter().sum::<f64>() / logs.len() as f64;
    (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / logs.len() as f64).sqrt()
}

fn highest(peaks: &[Option<f64>]) -> Option<f64> {
    peaks.iter().flatten().copied().reduce(f64::max)
}

fn last(peaks: &[Option<f64>], days: usize) -> &[Option<f64>] {
    &peaks[peaks.len().saturating_sub(days)..]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;
    use crate::window::HOUR_MS;

    /// Hours of days with the given peaks at noon and a tenth of them otherwise.
    fn days(peaks: &[f64]) -> (Vec<Point>, i64) {
        let hour = |day: usize, hour: usize| {
            let value = if hour == 12 { peaks[day] } else { peaks[day] / 10.0 };
            ((day * 24 + hour) as i64 * HOUR_MS, value)
        };
        let points = (0..peaks.len()).flat_map(|day| (0..24).map(move |at| (day, at))).map(|(day, at)| hour(day, at));
        (points.collect(), peaks.len() as i64 * DAY_MS)
    }

    fn judged(peaks: &[f64]) -> Needed {
        let (points, now) = days(peaks);
        needed(&points, now).unwrap()
    }

    #[test]
    fn a_load_that_never_differs_gets_little_room() {
        let found = judged(&[40.0; 28]);
        assert!((40.0..44.5).contains(&found.percent), "{found:?}");
        assert_eq!(found.held_out, Backtest { held: 3, windows: 3 });
        assert!(found.confidence() > judged(&[40.0; 7]).confidence());
    }

    #[test]
    fn a_load_that_differs_from_week_to_week_gets_more() {
        let restless: Vec<f64> = (0..28).map(|day| if day / 7 % 2 == 0 { 40.0 } else { 25.0 }).collect();
        let calm = judged(&[40.0; 28]);
        let found = judged(&restless);
        assert!(found.room > calm.room, "{found:?} beside {calm:?}");
    }

    #[test]
    fn growth_is_followed_beyond_what_there_is() {
        let growing: Vec<f64> = (0..56).map(|day| 30.0 * (f64::from(day) * 0.02).exp()).collect();
        let found = judged(&growing);
        let next_week = 30.0 * (62.0_f64 * 0.02).exp();
        assert!(found.percent >= next_week, "{found:?} for {next_week}");
        assert!(found.percent > 100.0);
    }

    #[test]
    fn a_peak_of_last_month_still_counts() {
        let mut peaks = vec![20.0; 28];
        peaks[2] = 70.0;
        assert!(judged(&peaks).percent >= 70.0);
    }

    #[test]
    fn demand_that_was_cut_off_needs_more_than_there_is() {
        let at_limit: Vec<Point> = (0..14 * 24).map(|hour| (hour * HOUR_MS, 100.0)).collect();
        let found = needed(&at_limit, 14 * DAY_MS).unwrap();
        assert!(found.cut_off && found.percent > 105.0, "{found:?}");
        assert!(found.confidence() < 0.6);
        assert!(judged(&[60.0; 14]).percent <= 100.0);
    }

    #[test]
    fn two_days_are_no_basis() {
        let (points, now) = days(&[50.0, 50.0]);
        assert_eq!(needed(&points, now), None);
        assert_eq!(needed(&[], 0), None);
    }

    proptest! {
        #[test]
        fn what_is_needed_holds_the_past_month_or_falls_with_the_load(peaks in prop::collection::vec(0.0f64..100.0, 3..120)) {
            let found = judged(&peaks);
            prop_assert!(found.percent.is_finite() && found.percent >= 0.0);
            prop_assert!(found.percent <= found.peak.max(WHOLE) * MOST_ROOM.exp() + 1e-9);
            prop_assert!((0.0..1.0).contains(&found.confidence()));
            prop_assert!(found.held_out.held <= found.held_out.windows);
        }
    }
}
