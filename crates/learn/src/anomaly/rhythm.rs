//! Usual course of a series: its level, its day and its week, learnt while it runs.

use crate::window::{DAY_MS, HOUR_MS, WEEK_MS};

/// Places of the day's profile: a quarter of an hour each.
const DAY_PLACES: usize = 96;
/// Places of the week's profile: an hour each.
const WEEK_PLACES: usize = 168;
/// Rounds after which a place says something: most of one. Points are missing now and then, and
/// twelve twelfths are a little less than one.
const KNOWN: f32 = 0.75;

/// A mean size that follows slowly and is not carried away by single points.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Size {
    /// Mean of the sizes learnt; one size counts for six times the mean at most.
    pub(crate) mean: f64,
    pub(crate) points: f64,
}

impl Size {
    /// Learns a size with at least this share.
    pub(crate) fn learn(&mut self, size: f64, share: f64) {
        self.points += 1.0;
        let cut = if self.points > 20.0 {
            size.min(6.0 * self.mean.max(f64::MIN_POSITIVE))
        } else {
            size
        };
        self.mean += (1.0 / self.points).max(share) * (cut - self.mean);
    }
}

/// A place of a profile.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    mean: f32,
    /// Points (or, of the day's profile, days) learnt from.
    count: f32,
}

/// Residual of a point against the usual course.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Residual {
    /// The value less level and season.
    pub(crate) left: f64,
    /// Usual size of that.
    pub(crate) size: f64,
    /// Usual size of the value less its level, season left in.
    pub(crate) raw_size: f64,
    /// Value expected from level and season.
    pub(crate) expected: f64,
    /// Share with which day-long memories follow.
    pub(crate) share: f64,
    /// The place in the day.
    pub(crate) place: usize,
    /// Least size that means anything at this value.
    pub(crate) least: f64,
}

/// A series' level and seasons.
#[derive(Debug, Clone)]
pub(crate) struct AnomalyRhythm {
    points: f64,
    step_ms: f64,
    last_ms: i64,
    last: f64,
    /// Usual size of a change, points without one left out.
    change: Size,
    level: f64,
    slow_level: f64,
    day: Vec<Place>,
    week: Vec<Place>,
    /// Usual size of what is left by the level alone, by the day, by the week.
    sizes: [Size; 3],
}

impl AnomalyRhythm {
    /// Before the second point.
    pub(crate) fn new(at_ms: i64, value: f64) -> Self {
        Self {
            points: 1.0,
            step_ms: 0.0,
            last_ms: at_ms,
            last: value,
            change: Size::default(),
            level: value,
            slow_level: value,
            day: vec![Place::default(); DAY_PLACES],
            week: vec![Place::default(); WEEK_PLACES],
            sizes: [Size::default(); 3],
        }
    }

    /// Steps that have passed since the last point; 1 where that is not known.
    pub(crate) fn steps_since(&self, at_ms: i64) -> f64 {
        let passed = at_ms.saturating_sub(self.last_ms).max(0) as f64;
        if self.step_ms > 0.0 {
            passed / self.step_ms
        } else {
            1.0
        }
    }

    /// Returns the residual of a point against the forecast from the points before it.
    pub(crate) fn residual(&mut self, at_ms: i64, value: f64) -> Residual {
        self.pace(at_ms);
        self.points += 1.0;
        let per_day = self.per_day();
        let share = 1.0 / per_day.max(100.0);
        let place = (at_ms.rem_euclid(DAY_MS) / (DAY_MS / DAY_PLACES as i64)) as usize;
        let hour = (at_ms.rem_euclid(WEEK_MS) / HOUR_MS) as usize;
        let seasonal = |profile: &[Place], place: usize| {
            profile
                .get(place)
                .filter(|place| place.count >= KNOWN)
                .map(|place| self.slow_level + f64::from(place.mean))
        };

        let by = [
            Some(self.level),
            seasonal(&self.day, place),
            seasonal(&self.week, hour),
        ];
        let best = self.best(per_day, by.map(|known| known.is_some()));
        let expected = by.get(best).copied().flatten().unwrap_or(self.level);
        let least = self.least(value);
        let size = |which: usize| {
            self.sizes
                .get(which)
                .map_or(0.0, |size| size.mean)
                .max(least)
        };

        let residual = Residual {
            left: value - expected,
            size: size(best),
            raw_size: size(0),
            expected,
            share,
            place,
            least,
        };

        for (size, by) in self.sizes.iter_mut().zip(by) {
            if let Some(by) = by {
                size.learn((value - by).abs(), share);
            }
        }

        self.learn(value, residual.raw_size, share, [place, hour], per_day);
        residual
    }

    /// The least size that means anything: a thousandth of the value, or a fiftieth of a usual
    /// change. The latter keeps a series that mostly stands still, and then leaps, from calling
    /// each leap more monstrous than the last.
    fn least(&mut self, value: f64) -> f64 {
        let least = (0.02 * self.change.mean).max(1e-3 * value.abs().min(self.slow_level.abs()));
        let change = (value - self.last).abs();
        self.last = value;
        if change > 0.0 {
            self.change.learn(change, 0.005);
        }
        least + 1e-9
    }

    /// Learns the usual step between points, which single gaps do not move far.
    fn pace(&mut self, at_ms: i64) {
        let passed = at_ms.saturating_sub(self.last_ms) as f64;
        if passed > 0.0 {
            let off = (passed - self.step_ms).clamp(-0.2 * self.step_ms, 0.2 * self.step_ms);
            self.step_ms = if self.step_ms == 0.0 {
                passed
            } else {
                self.step_ms + 0.05 * off
            };
        }

        self.last_ms = at_ms;
    }

    /// The value that the hour of the week lets expect, where the week explains the series best.
    pub(crate) fn of_week(&self, at_ms: i64) -> Option<f64> {
        let hour = (at_ms.rem_euclid(WEEK_MS) / HOUR_MS) as usize;
        let known = self.week.get(hour).filter(|place| place.count >= KNOWN)?;
        (self.best(self.per_day(), [true; 3]) == 2).then(|| self.slow_level + f64::from(known.mean))
    }

    /// The level moved to this, and what is usual around it stayed.
    pub(crate) fn move_to(&mut self, level: f64) {
        (self.level, self.slow_level) = (level, level);
    }

    /// Points a day, from the usual step between them; that of five-minute points before a step is
    /// known.
    pub(crate) fn per_day(&self) -> f64 {
        if self.step_ms > 0.0 {
            (DAY_MS as f64 / self.step_ms).clamp(24.0, 1440.0)
        } else {
            288.0
        }
    }

    /// Returns the predictor that has explained the most: 0 for the level, 1 for the day, 2 for the
    /// week. A longer one wins only if it is clearly better and knows this hour: the level measured
    /// by the week's size would make the first point of an unknown hour an extreme outlier.
    fn best(&self, per_day: f64, [_, day_known, week_known]: [bool; 3]) -> usize {
        let [level, day, week] = self.sizes;
        let daily = day_known && day.points > per_day && day.mean < 0.8 * level.mean;
        let shorter = if daily { day.mean } else { level.mean };
        let weekly = week_known && week.points > 2.0 * per_day && week.mean < 0.9 * shorter;
        if weekly { 2 } else { usize::from(daily) }
    }

    fn learn(
        &mut self,
        value: f64,
        size: f64,
        share: f64,
        [place, hour]: [usize; 2],
        per_day: f64,
    ) {
        let early = self.points < 30.0;
        let cut = |off: f64, most: f64| off.clamp(-most * size, most * size);
        let off = value - self.level;
        self.level += if early {
            off / self.points
        } else {
            (1.0 / self.points).max(share) * cut(off, 4.0)
        };
        let off = value - self.slow_level;
        self.slow_level +=
            (1.0 / self.points).max(share / 3.0) * if early { off } else { cut(off, 4.0) };
        let off = cut(value - self.slow_level, 8.0);
        let per_place = (per_day / DAY_PLACES as f64).max(1.0);
        if let Some(place) = self.day.get_mut(place) {
            place.learn(off, per_place, 0.25);
        }

        if let Some(hour) = self.week.get_mut(hour) {
            hour.learn(off, (per_day / 24.0).max(1.0), 0.3);
        }
    }
}

impl Place {
    /// Learns a point, of which so many fall into the place each time it comes round.
    fn learn(&mut self, off: f64, per_round: f64, share: f64) {
        self.count += (1.0 / per_round) as f32;
        let points = f64::from(self.count) * per_round;
        self.mean +=
            ((1.0 / points).max(share / per_round).min(1.0) * (off - f64::from(self.mean))) as f32;
    }
}
