//! Deviation of a series: its distance from the usual, row by row, for as long as it lasts.
//!
//! A row is compared with the median of the past two weeks and, where it explains the series
//! better, with the median of the same hour of the last seven days; the distance is measured in
//! median distances. The rows under judgement hardly move a median. A running mean of the signed
//! distances adds duration: a shift that lasts counts for more than a spike of its size. A series
//! that has kept to a new level for a day has moved, and is learnt anew from there.

use std::collections::VecDeque;

use super::sample::AnomalySample;
use crate::window::{DAY_MS, HOUR_MS};

/// Rows needed for a level; until then nothing is said.
const LEAST_ROWS: usize = 3;
/// Rounds of the day an hour's profile looks back on.
const ROUNDS: usize = 7;
/// Rounds after which an hour is known.
const KNOWN_ROUNDS: usize = 2;
/// The day explains a series when it leaves less than this share of what the level leaves.
const EXPLAINS: f64 = 0.8;
/// Distance believed usual, as a share of the level, before any was seen; it counts as one
/// distance.
const BELIEVED: f64 = 0.3;
/// Least distance that means anything, as a share of the level.
const LEAST: f64 = 0.005;
/// Part of the largest distances that counts as usual where most rows do not differ at all: a
/// metric that is mostly nothing.
const OF_LARGEST: f64 = 0.15;
/// Share with which the running mean follows: four rows.
const FOLLOW: f64 = 0.25;
/// Worth of a running mean beside a single row.
const STAYING: f64 = 1.5;
/// Usual distances from which a row supports a new level,
const MOVED: f64 = 6.0;
/// and what one that does not takes away from it.
const MOVED_BACK: f64 = 3.0;
/// Rows of what may be a new level that still count among the old one's distances.
const MOVED_LEARNT: f64 = 8.0;
/// Rows that a new level takes at the least.
const MOVED_ROWS: f64 = 24.0;
/// Rows kept to learn from again.
const RECENT: usize = 128;
/// Distances are cut here, so that means stay finite.
const LARGEST: f64 = 1e9;

/// A confirmed move to a new level.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Move {
    /// The latest rows of the new level, oldest first, at most 128.
    pub(crate) rows: Vec<(i64, f64)>,
    /// Median of the new level.
    pub(crate) level: f64,
    /// Factor by which the usual distance changed, 0 or infinite where one of both is nothing.
    pub(crate) factor: f64,
}

/// Daily profile: the usual deviation from the level at each hour of the day.
#[derive(Debug, Clone)]
struct Profile {
    hours: Vec<[f32; ROUNDS]>,
    rounds: Vec<u32>,
    open: usize,
    sum: f64,
    count: f64,
    /// Mean distance from the level alone, and with the profile.
    left: [f64; 2],
}

/// The deviation of one series.
#[derive(Debug, Clone)]
pub(crate) struct AnomalyDeviation {
    level: AnomalySample,
    sizes: AnomalySample,
    profile: Profile,
    mean: f64,
    distance: f64,
    /// Rows beyond [`MOVED`] on one side, and which.
    moved: f64,
    side: f64,
    /// Values since the first of those rows.
    run: AnomalySample,
    recent: VecDeque<(i64, f64)>,
}

impl AnomalyDeviation {
    /// Before the first row.
    pub(crate) fn new() -> Self {
        Self {
            level: AnomalySample::default(),
            sizes: AnomalySample::default(),
            profile: Profile::new(),
            mean: 0.0,
            distance: 0.0,
            moved: 0.0,
            side: 0.0,
            run: AnomalySample::default(),
            recent: VecDeque::new(),
        }
    }

    /// Reads the next row of a series with so many rows a day. `of_week` is the value that the week
    /// lets expect, where that explains the series best. A confirmed move is handed out once.
    pub(crate) fn read(
        &mut self,
        at_ms: i64,
        value: f64,
        of_week: Option<f64>,
        per_day: f64,
    ) -> Option<Move> {
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }

        self.recent.push_back((at_ms, value));
        let widest = AnomalySample::widest_stride(per_day);

        if self.level.len() >= LEAST_ROWS {
            let level = self.level.quantile(0.5);
            let size = self.size(level);
            let off = value - level;
            let of_day = off - self.profile.usual(at_ms, off, size);
            let of_week = of_week.map_or(f64::INFINITY, |usual| value - usual);
            let left = if of_week.abs() < of_day.abs() {
                of_week
            } else {
                of_day
            };
            self.profile.learn(at_ms, off);
            self.distance = (left / size).clamp(-LARGEST, LARGEST);
            self.mean += FOLLOW * (self.distance - self.mean);
            if self.moved <= MOVED_LEARNT {
                self.sizes.add(left.abs(), widest);
            }
        }

        self.level.add(value, widest);
        self.moved(value, per_day).then(|| self.move_on(widest))
    }

    /// Forgets the last few rows: there was a long gap since.
    pub(crate) fn resume(&mut self) {
        self.mean = 0.0;
    }

    /// The row's distance in usual ones, or its running mean's if that is worth more, with its
    /// sign.
    pub(crate) fn signed(&self) -> f64 {
        let staying = self.staying();
        if self.distance.abs() >= staying {
            self.distance
        } else {
            staying.copysign(self.mean)
        }
    }

    /// The running mean's distance.
    pub(crate) fn staying(&self) -> f64 {
        STAYING * self.mean.abs()
    }

    /// The latest rows, oldest first, at most 128.
    pub(crate) fn recent(&self) -> impl Iterator<Item = (i64, f64)> {
        self.recent.iter().copied()
    }

    /// The distance from its level that is usual. What little was seen is mixed with what is
    /// believed.
    fn size(&self, level: f64) -> f64 {
        let least = LEAST * level.abs() + 1e-9;
        let mut own = self.sizes.quantile(0.5);
        if own <= least {
            own = own.max(OF_LARGEST * self.sizes.quantile(0.9));
        }
        let seen = self.sizes.len() as f64;
        ((seen * own + BELIEVED * level.abs()) / (seen + 1.0)).max(least)
    }

    /// Returns `true` once a day of rows, on balance, lies far from the level on one side.
    fn moved(&mut self, value: f64, per_day: f64) -> bool {
        if self.distance.abs() > MOVED {
            let turned = self.distance * self.side < 0.0;
            self.moved = if turned { 1.0 } else { self.moved + 1.0 };
            self.side = self.distance.signum();
        } else {
            self.moved = (self.moved - MOVED_BACK).max(0.0);
        }

        if self.moved <= 1.0 {
            self.run = AnomalySample::default();
        }
        if self.moved > 0.0 {
            self.run.add(value, AnomalySample::widest_stride(per_day));
        }

        self.moved >= per_day.max(MOVED_ROWS)
    }

    fn move_on(&mut self, widest: u32) -> Move {
        let before = self.sizes.quantile(0.5);
        let count = (self.moved as usize).min(self.recent.len());
        let rows: Vec<(i64, f64)> = self
            .recent
            .iter()
            .skip(self.recent.len() - count)
            .copied()
            .collect();

        let run = std::mem::take(&mut self.run);
        let level = run.quantile(0.5);
        (self.sizes, self.profile, self.moved, self.mean) =
            (AnomalySample::default(), Profile::new(), 0.0, 0.0);
        run.values()
            .for_each(|value| self.sizes.add((value - level).abs(), widest));
        self.level = run;
        let after = self.sizes.quantile(0.5);
        let factor = if before > 0.0 {
            after / before
        } else {
            f64::INFINITY
        };

        Move {
            rows,
            level,
            factor,
        }
    }
}

impl Profile {
    fn new() -> Self {
        Self {
            hours: vec![[0.0; ROUNDS]; 24],
            rounds: vec![0; 24],
            open: 0,
            sum: 0.0,
            count: 0.0,
            left: [0.0; 2],
        }
    }

    fn hour(at_ms: i64) -> usize {
        (at_ms.rem_euclid(DAY_MS) / HOUR_MS) as usize
    }

    /// The hour's usual distance from the level, or 0 where it is not known or does not explain the
    /// series. `off` is this row's, of which it is learnt how well the profile does.
    fn usual(&mut self, at_ms: i64, off: f64, size: f64) -> f64 {
        let hour = Self::hour(at_ms);
        let rounds = self
            .rounds
            .get(hour)
            .map_or(0, |rounds| (*rounds as usize).min(ROUNDS));
        if rounds < KNOWN_ROUNDS {
            return 0.0;
        }

        let mut seen = self.hours.get(hour).copied().unwrap_or_default();
        seen.get_mut(..rounds)
            .unwrap_or_default()
            .sort_unstable_by(f32::total_cmp);
        let at = |place: usize| seen.get(place).map_or(0.0, |one| f64::from(*one));
        let usual = 0.5 * (at((rounds - 1) / 2) + at(rounds / 2));
        let explains = self.left[1] < EXPLAINS * self.left[0];
        for (mean, left) in self.left.iter_mut().zip([off, off - usual]) {
            *mean += 0.01 * (left.abs().min(4.0 * size) - *mean);
        }

        if explains { usual } else { 0.0 }
    }

    fn learn(&mut self, at_ms: i64, off: f64) {
        let hour = Self::hour(at_ms);
        if hour != self.open {
            if self.count > 0.0
                && let (Some(rounds), Some(seen)) = (
                    self.rounds.get_mut(self.open),
                    self.hours.get_mut(self.open),
                )
            {
                if let Some(place) = seen.get_mut(*rounds as usize % ROUNDS) {
                    *place = (self.sum / self.count) as f32;
                }
                *rounds = rounds.saturating_add(1);
            }
            (self.open, self.sum, self.count) = (hour, 0.0, 0.0);
        }

        self.sum += off;
        self.count += 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = HOUR_MS;

    #[test]
    fn a_new_level_is_learnt_after_a_day_and_not_before() {
        let mut deviation = AnomalyDeviation::new();
        let row = |hour: i64| {
            if hour < 500 {
                (hour % 5) as f64
            } else {
                300.0 + (hour % 7) as f64
            }
        };

        let moves: Vec<_> = (0..600)
            .filter_map(|hour| {
                deviation
                    .read(hour * HOUR, row(hour), None, 24.0)
                    .map(|moved| (hour, moved))
            })
            .collect();
        assert_eq!(moves.len(), 1, "{moves:?}");

        let (hour, moved) = &moves[0];
        assert!(
            (*hour, moved.rows.len(), moved.level) == (523, 24, 303.0),
            "{moves:?}"
        );
        assert!(deviation.signed().abs() < 3.0, "{}", deviation.signed());
    }
}
