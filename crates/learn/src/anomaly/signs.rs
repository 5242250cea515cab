//! The signs of something unusual in one point: each is a number that grows with strangeness, in
//! units of what is usual for the series, and each catches another kind of trouble.

use super::patterns::{Patterns, WIDTH};
use super::rhythm::{Residual, Size};

/// Kind of anomaly that a sign indicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// A point far from where the last few were heading.
    Spike,
    /// A step from one point to the next.
    Jump,
    /// Movement dies: a signal that froze.
    Flatline,
    /// A short course not seen before.
    Pattern,
    /// Points scatter more than they used to.
    Variance,
    /// A value outside everything seen.
    Range,
    /// The level moved within hours.
    Shift,
    /// Large residuals come thick.
    Density,
    /// The level in the logarithm: a fall towards nothing, a rise by a factor.
    Factor,
    /// A value unusual at this time of day.
    Season,
    /// Small residuals of one direction add up.
    Drift,
    /// A deviation from what is usual at this time that stays.
    Staying,
    /// Several signs are somewhat high for a while.
    Unrest,
}

/// Number of variants of [`Sign`].
pub(crate) const SIGNS: usize = 13;

impl Sign {
    /// All of them, in the order in which they are kept.
    pub(crate) const ALL: [Sign; SIGNS] = [
        Sign::Spike,
        Sign::Jump,
        Sign::Flatline,
        Sign::Pattern,
        Sign::Variance,
        Sign::Range,
        Sign::Shift,
        Sign::Density,
        Sign::Factor,
        Sign::Season,
        Sign::Drift,
        Sign::Staying,
        Sign::Unrest,
    ];
}

/// Places of the envelope: a quarter of an hour each, as in the day's profile.
const DAY_PLACES: usize = 96;

/// Running memories the signs are made of.
#[derive(Debug, Clone)]
pub(crate) struct Signs {
    points: f64,
    last: f64,
    lowest: f64,
    highest: f64,
    /// Residual carried over from the last few points: half of the forecast's short memory.
    pub(crate) carried: f64,
    innovation: Size,
    step: Size,
    scatter: f64,
    recent_step: f64,
    hours: f64,
    day: f64,
    usual_high: f64,
    share_high: f64,
    factor: f64,
    factor_level: f64,
    factor_size: Size,
    envelope: Vec<(f32, f32)>,
    drift: f64,
    residual_mean: f64,
    course: [f64; 8],
    patterns: Patterns,
}

/// Signs of one point, with the usual size of its forecast error.
pub(crate) struct Read {
    /// The signs, all but the last.
    pub(crate) signs: [f64; SIGNS],
    /// Usual size of what the forecast leaves.
    pub(crate) size: f64,
}

impl Signs {
    /// Before the second point.
    pub(crate) fn new(value: f64) -> Self {
        Self {
            points: 1.0,
            last: value,
            lowest: value,
            highest: value,
            carried: 0.0,
            innovation: Size::default(),
            step: Size::default(),
            scatter: 0.0,
            recent_step: 0.0,
            hours: value,
            day: value,
            usual_high: 1.0,
            share_high: 0.0,
            factor: 0.0,
            factor_level: 0.0,
            factor_size: Size::default(),
            envelope: vec![(0.0, 0.0); DAY_PLACES],
            drift: 0.0,
            residual_mean: 0.0,
            course: [0.0; 8],
            patterns: Patterns::default(),
        }
    }

    /// Forgets the last few points: there was a long gap since.
    pub(crate) fn resume(&mut self, value: f64) {
        self.last = value;
        self.carried = 0.0;
        self.drift = 0.0;
        self.residual_mean = 0.0;
    }

    /// Reads a point and learns from it. `staying` is the running mean of its deviations
    /// (`Deviation`).
    pub(crate) fn read(&mut self, value: f64, residual: &Residual, staying: f64) -> Read {
        self.points += 1.0;
        let size = residual.size;
        let innovation = (residual.left - self.carried).abs();
        let step = (value - self.last).abs();
        let half = 0.5 * residual.least;
        let off = self.innovation.mean.max(half).max(0.05 * size);
        let usual_step = self.step.mean.max(half).max(0.05 * size);
        let signs = [
            innovation / off,
            step / usual_step,
            self.flatline(step, usual_step),
            self.pattern(residual.left / size),
            self.variance(innovation.min(8.0 * off), off),
            self.range(value, residual.least),
            self.shift(value, residual.raw_size),
            self.density(residual.left.abs() / size),
            self.factor(value, residual),
            self.season(residual),
            self.drift(residual.left / size),
            staying,
            0.0,
        ];

        self.innovation.learn(innovation, residual.share);
        self.step.learn(step, residual.share);
        self.carried += (residual.left.clamp(-6.0 * size, 6.0 * size) - self.carried) / 4.0;
        self.last = value;

        Read { signs, size: off }
    }

    fn flatline(&mut self, step: f64, usual: f64) -> f64 {
        self.recent_step += (step.min(8.0 * usual) - self.recent_step) / 32.0;
        (usual / (self.recent_step + 0.02 * usual)).min(50.0)
    }

    fn variance(&mut self, innovation: f64, usual: f64) -> f64 {
        self.scatter += (innovation - self.scatter) / 48.0;
        2.0 * self.scatter / usual
    }

    fn range(&mut self, value: f64, least: f64) -> f64 {
        let span = (self.highest - self.lowest).max(least);
        let beyond = (value - self.highest).max(self.lowest - value).max(0.0);
        self.highest = self.highest.max(value);
        self.lowest = self.lowest.min(value);
        10.0 * beyond / span
    }

    fn shift(&mut self, value: f64, size: f64) -> f64 {
        let first = 1.0 / self.points;
        self.hours += first.max(1.0 / 12.0) * (value - self.hours);
        self.day += first.max(1.0 / 108.0) * (value - self.day);
        2.0 * (self.hours - self.day).abs() / size
    }

    fn density(&mut self, ratio: f64) -> f64 {
        let high = ratio > self.usual_high;
        self.usual_high = (self.usual_high * if high { 1.018 } else { 0.998 }).max(0.05);
        self.share_high += (f64::from(u8::from(high)) - self.share_high) / 24.0;
        10.0 * self.share_high
    }

    fn factor(&mut self, value: f64, residual: &Residual) -> f64 {
        let image = (value / (0.1 * residual.raw_size + residual.least)).asinh();
        if self.points < 3.0 {
            self.factor = image;
            self.factor_level = image;
        }

        self.factor += (image - self.factor) / 4.0;
        let size = self.factor_size.mean.max(0.01);
        let sign = (self.factor - self.factor_level).abs() / size;
        let off = image - self.factor_level;
        self.factor_size.learn(off.abs(), residual.share);
        self.factor_level +=
            residual.share.max(1.0 / self.points) * off.clamp(-4.0 * size, 4.0 * size);

        sign
    }

    fn season(&mut self, residual: &Residual) -> f64 {
        let left = residual.left.abs();
        let Some((usual, count)) = self.envelope.get_mut(residual.place) else {
            return 0.0;
        };

        let sign = 2.0 * left / (0.5 * residual.size + f64::from(*usual));
        *count += 1.0;
        *usual += (1.0 / *count).max(0.06) * (left.min(8.0 * residual.size) as f32 - *usual);
        sign
    }

    fn drift(&mut self, ratio: f64) -> f64 {
        self.drift = 0.97 * (self.drift + ratio.clamp(-3.0, 3.0));
        self.drift.abs()
    }

    fn pattern(&mut self, ratio: f64) -> f64 {
        self.residual_mean += (ratio.clamp(-8.0, 8.0) - self.residual_mean) / 16.0;
        self.course.rotate_left(1);
        self.course[7] = ratio;
        let [c0, c1, c2, c3, c4, c5, c6, c7] = self.course;
        let pressed = |x: f64| (1.0 + x.abs() as f32).ln().copysign(x as f32);
        let course: [f32; WIDTH] = [
            pressed(c7),
            pressed(c6),
            pressed((c5 + c4) / 2.0),
            pressed((c3 + c2) / 2.0),
            pressed((c1 + c0) / 2.0),
            1.5 * pressed(self.residual_mean),
        ];

        2.0 * self.patterns.distance(&course)
    }
}
