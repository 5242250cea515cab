//! Recurring spikes: a spike at about the same time each day or week is a habit, not an anomaly. A
//! nightly backup is reported twice at most.
//!
//! The profiles of `Rhythm` learn spikes that come in the same quarter of an hour. A job whose
//! start wanders by some minutes falls between them, and its spikes are too rare for the maxima of
//! signs to learn soon.

use std::collections::VecDeque;

use crate::window::{DAY_MS, HOUR_MS, WEEK_MS};

/// Periods at which spikes may recur: a day and a week.
const PERIODS: [i64; 2] = [DAY_MS, WEEK_MS];
/// Leaps that are remembered: three weeks of daily ones.
const KEPT: usize = 24;
/// Largest shift of the time of day, and longest duration of a spike. A longer deviation is no
/// spike.
const WANDERS_MS: i64 = 3 * HOUR_MS / 4;
/// Number of earlier rounds that are searched,
const ROUNDS: i64 = 4;
/// so many must have had it to be a habit,
const NEEDED: usize = 3;
/// and so many to be told no more.
const TOLD: usize = 2;
/// Largest ratio of a spike to the earlier ones that it still counts as a repetition of.
const HIGHER: f64 = 1.25;

/// Strange points that belong together, in one direction from what was expected.
#[derive(Debug, Clone, Copy)]
struct Leap {
    start_ms: i64,
    end_ms: i64,
    /// Farthest from what was expected, with its sign.
    peak: f64,
}

/// Recurrence of a leap at its time of the day or week.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recurs {
    /// It came less than twice in the last rounds.
    No,
    /// It came twice and was told: anomalous, but no news.
    Told,
    /// It came in most of the last rounds: usual at this time.
    Habit,
}

/// The latest leaps of a series.
#[derive(Debug, Clone, Default)]
pub(crate) struct Habits {
    leaps: VecDeque<Leap>,
}

impl Habits {
    /// Returns how a distance from the expected value, in the series' units, recurs at this time of
    /// the day or week. The end of a recurring spike belongs to it.
    pub(crate) fn recurs(&self, at_ms: i64, distance: f64) -> Recurs {
        let ends =
            |leap: &&Leap| at_ms - leap.end_ms <= WANDERS_MS && distance.abs() <= leap.peak.abs();
        let ending = self.leaps.back().filter(ends);
        if self.comes(at_ms, distance, NEEDED)
            || ending.is_some_and(|leap| self.comes(leap.end_ms, leap.peak, NEEDED))
        {
            Recurs::Habit
        } else if self.comes(at_ms, distance, TOLD) {
            Recurs::Told
        } else {
            Recurs::No
        }
    }

    fn comes(&self, at_ms: i64, distance: f64, needed: usize) -> bool {
        PERIODS.into_iter().any(|period| {
            let peaks = self.before(at_ms, distance, period);
            let (count, most) = peaks.fold((0, 0.0_f64), |(count, most), peak| {
                (count + 1, most.max(peak))
            });
            count >= needed && distance.abs() <= HIGHER * most
        })
    }

    /// Returns `true` if the distance resembles an earlier spike, so that it keeps the habit alive
    /// even after the series has become so used to spikes that it is no anomaly any more.
    pub(crate) fn recall(&self, at_ms: i64, distance: f64) -> bool {
        let like = |peak: f64| distance.abs() * HIGHER >= peak;
        PERIODS
            .into_iter()
            .any(|period| self.before(at_ms, distance, period).any(like))
    }

    /// Returns the peaks of the spikes that came about this time in the last rounds.
    fn before(&self, at_ms: i64, distance: f64, period: i64) -> impl Iterator<Item = f64> {
        (1..=ROUNDS).filter_map(move |back| {
            let then = at_ms - back * period;
            self.leaps
                .iter()
                .find(|leap| leap.is_like(then, distance))
                .map(|leap| leap.peak.abs())
        })
    }

    /// Remembers a point of a leap.
    pub(crate) fn remember(&mut self, at_ms: i64, distance: f64) {
        let goes_on =
            |leap: &&mut Leap| at_ms - leap.end_ms <= WANDERS_MS && leap.peak * distance > 0.0;
        if let Some(leap) = self.leaps.back_mut().filter(goes_on) {
            leap.end_ms = at_ms;
            if distance.abs() > leap.peak.abs() {
                leap.peak = distance;
            }
            return;
        }

        if self.leaps.len() == KEPT {
            self.leaps.pop_front();
        }

        self.leaps.push_back(Leap {
            start_ms: at_ms,
            end_ms: at_ms,
            peak: distance,
        });
    }
}

impl Leap {
    fn is_like(&self, at_ms: i64, distance: f64) -> bool {
        let near = (self.start_ms - WANDERS_MS..=self.end_ms + WANDERS_MS).contains(&at_ms);
        near && self.end_ms - self.start_ms <= WANDERS_MS && self.peak * distance > 0.0
    }
}
