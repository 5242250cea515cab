//! Capacity that the demand of the next week needs.
//!
//! Sizes fail at their peaks, and a percentile hides those: the highest of 35 days is where this
//! starts, so that a job of the end of every month is in it. What next weeks had beyond the peaks
//! before them, over up to thirteen months of daily maxima, says how much room such a load needs; a
//! short history is helped out by how much its peaks differ. Judged from the past alone; measured
//! by `make bench-learn`.

use crate::backtest::{Backtest, Prior};
use crate::quantile::percentile;
use crate::window::{DAY_MS, Point};

/// Days that the answer is for.
pub const AHEAD_DAYS: usize = 7;
/// Days with measurements without which there is no answer.
pub const LEAST_DAYS: usize = 3;
/// Days whose highest demand is the starting point: what comes once a month, four days early or
/// late, is in it.
const PEAK_DAYS: usize = 35;
/// Days that are looked at: thirteen months of daily maxima.
pub const HISTORY_DAYS: usize = 396;
/// Days in which a monthly peak comes twice. Before them nothing is known of what comes once a
/// month.
pub const TWO_MONTHS_DAYS: usize = 63;
/// Share of past weeks whose demand beyond the peaks before them the room must cover, percent:
/// extremes, and not the one largest, which a year of history always has.
const COVERED: f64 = 98.0;
/// Room above the highest demand of the whole history, as a logarithm, once that is two months.
const ROOM_EVER: f64 = 0.2;
/// Growth of peaks from week to week, as a logarithm, from which more may be needed than there is.
const GROWS: f64 = 0.02;
/// Weeks of ratios that the growth is read from.
const GROWTH_WEEKS: usize = 14;
/// Weeks that the tail of ratios is believed to be twice as wide as peaks differ.
const TAIL_WEEKS: f64 = 3.0;
/// Weeks that the tail counts for in the confidence, beside those that were tried.
const TAIL_TRIALS: f64 = 30.0;
/// Confidence at most before a monthly peak can have come twice.
const MOST_CONFIDENCE_EARLY: f64 = 0.85;
/// A peak stands alone when it is this many times as high as every other.
const ALONE: f64 = 2.0;
/// Other days without which no peak stands alone.
const ALONE_AMONG: usize = 14;
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
/// A load at or under this never needed anything, percent.
const NOTHING: f64 = 1e-6;
/// The present capacity, percent.
const WHOLE: f64 = 100.0;

/// Capacity needed for the next seven days.
#[derive(Debug, Clone, PartialEq)]
pub struct Needed {
    /// Capacity in percent of the present one.
    pub percent: f64,
    /// Highest demand of the last 35 days, percent of the present capacity.
    pub peak: f64,
    /// Room above the peak, as a share of it; negative where it falls from week to week, 0 for a
    /// load of nothing.
    pub room: f64,
    /// Days of the history that have measurements.
    pub days: usize,
    /// Weeks of the history whose demand the advice made before them would have held, of those that
    /// could be judged.
    pub held_out: Backtest,
    /// Peak that came once; `None` where the highest demand is one of several alike.
    pub lone_peak: Option<LonePeak>,
    /// `true` if the demand was cut off at what there is, so that the true one is higher.
    pub cut_off: bool,
    /// Probability that a week stays within the capacity, by how weeks have differed from the peaks
    /// before them.
    pub tail: f64,
}

/// Peak that stands alone: at least twice as high as on every day that is not beside it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LonePeak {
    /// Days since the peak.
    pub days_ago: usize,
    /// Its height, percent of the present capacity.
    pub percent: f64,
    /// Highest demand of the days that are not beside it, percent.
    pub otherwise: f64,
}

impl Needed {
    /// Confidence that the next week stays within the capacity, 0 to 1.
    #[must_use]
    pub fn confidence(&self) -> f64 {
        // A load that was cut off tells nothing of how high it would have gone.
        let doubt = if self.cut_off {
            0.25 * TAIL_TRIALS
        } else {
            0.0
        };

        let prior = Prior {
            held: TAIL_TRIALS * self.tail,
            failed: TAIL_TRIALS * (1.0 - self.tail),
        };
        let confidence = self.held_out.confidence(prior.doubting(doubt));

        if self.knows_months() {
            confidence
        } else {
            confidence.min(MOST_CONFIDENCE_EARLY)
        }
    }

    /// Returns `true` if the history is long enough for a monthly peak to have come twice.
    #[must_use]
    pub fn knows_months(&self) -> bool {
        self.days >= TWO_MONTHS_DAYS
    }
}

/// Returns the capacity that the seven days after `now_ms` need; `None` with fewer than three days
/// of measurements. The series is in percent of the present capacity and sorted by time; values
/// that are not finite are left out.
#[must_use]
pub fn needed(points: &[Point], now_ms: i64) -> Option<Needed> {
    let days = Days::from_points(points, now_ms);
    if days.peaks.iter().flatten().count() < LEAST_DAYS {
        return None;
    }

    let advised = advise(&days.peaks)?;
    let cut_off = days.at_limit > CUT_OFF_SHARE;
    let percent = if cut_off {
        advised.percent.max(WHOLE * advised.room.max(ROOM).exp())
    } else {
        advised.percent
    };

    Some(Needed {
        percent,
        peak: advised.peak,
        room: if advised.peak > NOTHING {
            percent / advised.peak - 1.0
        } else {
            0.0
        },
        tail: advised.tail,
        days: days.peaks.iter().flatten().count(),
        held_out: held_out(&days.peaks),
        lone_peak: lone_peak(&days.peaks),
        cut_off,
    })
}

/// The highest demand of each day, the oldest first and the last one ending now; `None` for days
/// without measurements.
struct Days {
    peaks: Vec<Option<f64>>,
    /// Share of the last 35 days that was spent at the limit.
    at_limit: f64,
}

impl Days {
    fn from_points(points: &[Point], now_ms: i64) -> Days {
        let mut peaks = vec![None; HISTORY_DAYS];
        let (mut at_limit, mut measured) = (0_u64, 0_u64);

        for (at_ms, value) in buckets(points) {
            let age = (now_ms - 1 - at_ms).max(0) / DAY_MS;
            let Some(place) = usize::try_from(age)
                .ok()
                .and_then(|age| HISTORY_DAYS.checked_sub(age + 1))
            else {
                continue;
            };
            let peak = &mut peaks[place];
            *peak = Some(peak.map_or(value, |peak: f64| peak.max(value)));
            if place >= HISTORY_DAYS - PEAK_DAYS {
                measured += 1;
                at_limit += u64::from(value >= CUT_OFF);
            }
        }

        let first = peaks
            .iter()
            .position(Option::is_some)
            .unwrap_or(HISTORY_DAYS);
        peaks.drain(..first);
        Days {
            peaks,
            at_limit: at_limit as f64 / measured.max(1) as f64,
        }
    }
}

/// Means over five minutes, each at the time of its first reading.
fn buckets(points: &[Point]) -> Vec<Point> {
    let mut means: Vec<(i64, i64, f64, f64)> = Vec::new();
    for (at_ms, value) in points
        .iter()
        .copied()
        .filter(|(_, value)| value.is_finite())
    {
        let bucket = at_ms.div_euclid(BUCKET_MS);
        match means.last_mut() {
            Some((last, _, sum, count)) if *last == bucket => {
                *sum += value;
                *count += 1.0;
            }
            _ => means.push((bucket, at_ms, value, 1.0)),
        }
    }

    means
        .into_iter()
        .map(|(_, at_ms, sum, count)| (at_ms, (sum / count).max(0.0)))
        .collect()
}

struct Advice {
    percent: f64,
    peak: f64,
    /// Logarithm of advice over peak.
    room: f64,
    tail: f64,
}

/// Capacity for the week after days with these peaks.
fn advise(peaks: &[Option<f64>]) -> Option<Advice> {
    let peak = highest(last(peaks, PEAK_DAYS))?;
    // Loads of nothing have no ratio.
    let floor = peak.max(NOTHING) * 1e-3;
    let ratios = ratios(peaks, floor);
    let known = percentile(&ratios, COVERED).unwrap_or(f64::NEG_INFINITY);

    // A peak that comes once a month looks like a load that falls, until two months are known.
    let knows_months = peaks.len() >= TWO_MONTHS_DAYS;
    let known = if knows_months { known } else { known.max(0.0) };
    let spread = spread(last(peaks, PEAK_DAYS), floor);
    let weeks = ratios.len() as f64 / AHEAD_DAYS as f64;
    let share = WEEKS_ASSUMED / (WEEKS_ASSUMED + weeks);
    let assumed = ROOM + spread;
    let room = if ratios.is_empty() {
        assumed
    } else {
        share * assumed + (1.0 - share) * (known + ROOM_KNOWN)
    };
    let room = room.min(MOST_ROOM);

    let lately = ratios.len().saturating_sub(GROWTH_WEEKS * AHEAD_DAYS);
    let growth = percentile(ratios.get(lately..).unwrap_or_default(), 50.0)
        .unwrap_or(0.0)
        .max(0.0);

    // What was measured never took more than there is, unless weeks have been growing towards it.
    // One spike is no growth.
    let most = if growth > GROWS {
        WHOLE.max(peak * (growth + ROOM).exp())
    } else {
        WHOLE.max(peak)
    };

    let ever = highest(peaks)?;
    let bound = if knows_months {
        ever * (growth + ROOM_EVER).exp()
    } else {
        f64::INFINITY
    };
    let percent = (peak * room.exp()).min(bound).min(most);
    let tail = tail(&ratios, spread, ((percent + floor) / (peak + floor)).ln());

    Some(Advice {
        percent,
        peak,
        room,
        tail,
    })
}

/// Probability that the ratio of a week stays under `room`, by the logistic law with the mean and
/// deviation of past ratios. Few weeks are helped out by how much peaks differ.
fn tail(ratios: &[f64], spread: f64, room: f64) -> f64 {
    let (count, weeks) = (ratios.len() as f64, ratios.len() as f64 / AHEAD_DAYS as f64);
    let mean = ratios.iter().sum::<f64>() / count.max(1.0);
    let scatter = ratios
        .iter()
        .map(|ratio| (ratio - mean).powi(2))
        .sum::<f64>()
        / AHEAD_DAYS as f64;
    let believed = (2.0 * spread.max(0.05)).powi(2);
    let deviation = ((scatter + TAIL_WEEKS * believed) / (weeks + TAIL_WEEKS)).sqrt();
    let mean = mean * weeks / (weeks + TAIL_WEEKS);

    1.0 / (1.0 + (-1.7 * (room - mean) / deviation).exp())
}

/// Logarithms of the highest demand of seven days over that of the days before them, a day after
/// the other.
fn ratios(peaks: &[Option<f64>], floor: f64) -> Vec<f64> {
    let origins = AHEAD_DAYS..(peaks.len() + 1).saturating_sub(AHEAD_DAYS).max(AHEAD_DAYS);
    let ratio = |origin: usize| {
        let before = highest(last(&peaks[..origin], PEAK_DAYS))?;
        let next = highest(&peaks[origin..origin + AHEAD_DAYS])?;
        Some(((next + floor) / (before + floor)).ln())
    };
    origins.filter_map(ratio).collect()
}

/// Weeks that the advice made before them would have held. They do not overlap: weeks that share
/// days tell the same.
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

/// Finds the peak that stands alone. A job that runs over midnight is on two days.
fn lone_peak(peaks: &[Option<f64>]) -> Option<LonePeak> {
    let known = peaks.iter().enumerate();
    let (at, percent) = known
        .filter_map(|(at, peak)| Some((at, (*peak)?)))
        .max_by(|a, b| a.1.total_cmp(&b.1))?;
    let others: Vec<f64> = peaks
        .iter()
        .enumerate()
        .filter(|(other, _)| other.abs_diff(at) > 1)
        .filter_map(|(_, peak)| *peak)
        .collect();
    let otherwise = others.iter().copied().reduce(f64::max)?;
    let is_alone = others.len() >= ALONE_AMONG && percent >= ALONE * otherwise;

    is_alone.then_some(LonePeak {
        days_ago: peaks.len() - 1 - at,
        percent,
        otherwise,
    })
}

/// Standard deviation of the logarithms of peaks: of weeks where there are two of them, else of
/// days. A peak that comes every week makes days differ, and weeks not.
fn spread(peaks: &[Option<f64>], floor: f64) -> f64 {
    let log = |peak: f64| (peak + floor).ln();
    let logs: Vec<f64> = if peaks.len() >= 2 * AHEAD_DAYS {
        peaks
            .windows(AHEAD_DAYS)
            .filter_map(highest)
            .map(log)
            .collect()
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
            let value = if hour == 12 {
                peaks[day]
            } else {
                peaks[day] / 10.0
            };
            ((day * 24 + hour) as i64 * HOUR_MS, value)
        };

        let points = (0..peaks.len())
            .flat_map(|day| (0..24).map(move |at| (day, at)))
            .map(|(day, at)| hour(day, at));
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
        assert_eq!(
            found.held_out,
            Backtest {
                held: 3,
                windows: 3
            }
        );

        assert!(
            found.confidence() > 0.7 && judged(&[40.0; 112]).confidence() > found.confidence(),
            "{found:?}"
        );
    }

    #[test]
    fn a_load_that_differs_from_week_to_week_gets_more() {
        let restless: Vec<f64> = (0..28)
            .map(|day| if day / 7 % 2 == 0 { 40.0 } else { 25.0 })
            .collect();
        let calm = judged(&[40.0; 28]);
        let found = judged(&restless);
        assert!(found.room > calm.room, "{found:?} beside {calm:?}");
    }

    #[test]
    fn growth_is_followed_beyond_what_there_is() {
        let growing: Vec<f64> = (0..56)
            .map(|day| 30.0 * (f64::from(day) * 0.02).exp())
            .collect();
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
    fn one_spike_asks_for_no_more_than_there_is_and_nothing_needs_no_room() {
        let mut peaks = vec![12.0; 30];
        peaks[20] = 98.0;
        let found = judged(&peaks);
        assert!((98.0..=100.0).contains(&found.percent), "{found:?}");
        let idle = judged(&[0.0; 30]);
        assert!(idle.percent.abs() < 1e-3 && idle.room == 0.0, "{idle:?}");
    }

    #[test]
    fn a_monthly_job_is_held_and_not_trusted_before_it_came_twice() {
        let monthly = |days: usize| -> Vec<f64> {
            (0..days)
                .map(|day| {
                    if day % 30 == 3 {
                        90.0
                    } else {
                        12.0 + (day % 5) as f64
                    }
                })
                .collect()
        };
        let early = judged(&monthly(31));

        assert!(
            !early.knows_months() && early.confidence() <= 0.85,
            "{early:?}"
        );
        // From 63 days on the job is in the answer on every day of the month.
        for days in 63..93 {
            let found = judged(&monthly(days));
            assert!(
                found.percent >= 90.0 && found.knows_months(),
                "{days}: {found:?}"
            );
        }

        let young: Vec<f64> = (0..28).map(|day| 12.0 + f64::from(day % 5)).collect();
        assert!(
            judged(&young).confidence() <= 0.85,
            "a month without a job may be the month before its first"
        );
    }

    #[test]
    fn thirteen_months_are_looked_at() {
        let mut peaks = vec![20.0; 396];
        (peaks[10], peaks[45]) = (30.0, 60.0);
        let long = judged(&peaks);
        let short = judged(&peaks[300..]);
        assert!(
            long.confidence() >= short.confidence() - 0.1 && long.days == 396,
            "{long:?} {short:?}"
        );
        assert!(
            long.percent <= 60.0 * 0.2_f64.exp(),
            "no more than the year had, and some room: {long:?}"
        );
    }

    #[test]
    fn a_peak_that_came_once_is_told_from_one_of_several() {
        let mut peaks = vec![12.0; 31];
        (peaks[20], peaks[21]) = (50.0, 45.0);
        let alone = judged(&peaks).lone_peak.unwrap();
        assert_eq!((alone.days_ago, alone.percent), (10, 50.0));
        assert_eq!(alone.otherwise, 12.0);

        peaks[5] = 30.0;
        assert_eq!(judged(&peaks).lone_peak, None, "it came before");
        let few: Vec<f64> = [vec![12.0; 12], vec![50.0]].concat();
        assert_eq!(judged(&few).lone_peak, None, "too few days");
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
