//! From surprises to alarms: what all signs together amount to, held against how they usually rise, and one alarm for one event.

use super::THRESHOLD;
use super::peaks::{Peaks, Prior};
use super::sensitivity::Sensitivity;
use super::signs::{SIGNS, Sign};

/// Prior of a single sign, before its series has shown any.
pub(crate) const SIGN: Prior =
    Prior { block: 48, mean: (0.0, 0.0), deviation: (0.5, 12.0), cut: 3.0, share: 0.005, least: 0.12, log: true };
/// Prior of all signs together, fitted on series of many kinds. A series' own past comes to weigh as much after 20,000
/// points: enough to quieten one that is always restless, too little to learn a week's trouble as usual.
pub(crate) const TOGETHER: Prior =
    Prior { block: 200, mean: (4.25, 100.0), deviation: (2.75, 100.0), cut: 4.0, share: 0.01, least: 0.5, log: false };
/// Extra surprise that an alarm needs for each factor of e of the past. A full 1 would hold the number of false alarms
/// constant over all time; this lets it grow with the root of time.
const PAST: f64 = 0.4;
/// The length of the past, in points, at which that starts and ends.
const PAST_POINTS: (f64, f64) = (1_000.0, 20_000.0);
/// Points over which unrest is averaged.
const UNREST: f64 = 8.0;
/// One sign's part in unrest, in nats, at most.
const MOST_UNREST: f64 = 10.0;
/// Points before which the signs' own maxima say little, and the deviation alone may give an alarm.
const BEGINNING: f64 = 150.0;
/// Usual distances that are as strong as a medium alarm then, once the usual distance itself is known,
const BEGINNING_DISTANCE: f64 = 10.0;
/// and the points after which twice of it would be enough.
const BEGINNING_DOUBT: f64 = 8.0;
/// Part of a day that an alarm covers, and its bounds in points.
const REST_DAYS: f64 = 1.0 / 3.0;
const REST: (f64, f64) = (8.0, 480.0);
/// A new alarm within that time must be stronger by this factor,
const WORSE: f64 = 2.0;
/// or lie so many usual distances on the other side, and so much of the first one's distance.
const OTHER_SIDE: (f64, f64) = (15.0, 0.1);
/// Usual distances on the alarm's own side from which its event continues.
const GOES_ON: f64 = 20.0;
/// Decay of the height that a new alarm must reach: by a factor of e in this many rests.
const FORGET_RESTS: f64 = 3.5;
/// Nats that an alarm takes at the least, whatever the bias.
const LEAST_NATS: f64 = 0.3;
/// Nats over the threshold in which an alarm's score goes two thirds of its way to 1.
const CERTAIN: f64 = 3.0;

/// State that decides on an alarm.
#[derive(Debug, Clone)]
pub(crate) struct Alarm {
    sensitivity: Sensitivity,
    /// Nats beyond those of the sensitivity.
    bias: f64,
    peaks: [Peaks; SIGNS],
    unrest: f64,
    together: Peaks,
    points: f64,
    /// Strength that a new alarm must reach.
    guard: f64,
    /// Points since the last alarm; an event that continues holds it back.
    since: f64,
    /// Strength of that alarm; infinite where no further one may be given until it has rested.
    alarm_strength: f64,
    /// Deviation at that alarm, in usual distances with its sign.
    deviation: f64,
}

/// Verdict on a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Verdict {
    /// Score and strongest sign of an alarm.
    pub(crate) alarm: Option<(f64, Sign)>,
    /// `true` if the point is as anomalous as an alarm, even if an earlier alarm already covers it.
    pub(crate) strange: bool,
    /// `true` if the point would be anomalous, but recurs at this time of the day or week.
    pub(crate) habitual: bool,
}

impl Alarm {
    /// Before the second point.
    pub(crate) fn new(sensitivity: Sensitivity) -> Self {
        Self {
            sensitivity,
            bias: 0.0,
            peaks: std::array::from_fn(|_| Peaks::new(&SIGN)),
            unrest: 0.0,
            together: Peaks::new(&TOGETHER),
            points: 0.0,
            guard: 0.0,
            since: f64::INFINITY,
            alarm_strength: f64::INFINITY,
            deviation: 0.0,
        }
    }

    /// Takes another sensitivity.
    pub(crate) fn set_sensitivity(&mut self, sensitivity: Sensitivity) {
        self.sensitivity = sensitivity;
    }

    /// Takes other nats beyond those of the sensitivity.
    pub(crate) fn set_bias(&mut self, nats: f64) {
        self.bias = nats;
    }

    /// Returns the sensitivity of the alarm.
    pub(crate) fn sensitivity(&self) -> Sensitivity {
        self.sensitivity
    }

    /// Forgets the height of signs, and keeps the period that the last alarm covers.
    pub(crate) fn forget(&mut self) {
        let fresh = Alarm::new(self.sensitivity);
        *self = Alarm {
            bias: self.bias,
            guard: self.guard,
            since: self.since,
            alarm_strength: self.alarm_strength,
            deviation: self.deviation,
            ..fresh
        };
    }

    /// Returns the distance from the forecast, in usual sizes, at which this sign alone reaches a surprise of `nats`.
    pub(crate) fn reach(&self, sign: Sign, nats: f64) -> f64 {
        self.peaks.get(sign as usize).map_or(f64::INFINITY, |peaks| peaks.level(nats))
    }

    /// Judges a point of a series with so many points a day by its signs and its deviation, and learns from the signs. What is
    /// known to come at this time gives no alarm, and stands for none.
    pub(crate) fn judge(
        &mut self,
        signs: &[f64; SIGNS],
        deviation: f64,
        per_day: f64,
        known: impl FnOnce() -> bool,
    ) -> Verdict {
        let (strength, sign) = self.learn(signs);
        let strength = strength.max(self.beginning(deviation.abs()));
        self.decide(strength, sign, deviation, (per_day * REST_DAYS).clamp(REST.0, REST.1), known)
    }

    /// Learns from the signs of a point. Returns their strength together, in nats, and the strongest.
    pub(crate) fn learn(&mut self, signs: &[f64; SIGNS]) -> (f64, Sign) {
        let surprises = self.surprises(signs);
        let height = surprises.iter().map(|surprise| surprise * surprise).sum::<f64>().sqrt();
        self.points += 1.0;
        let past = (self.points.clamp(PAST_POINTS.0, PAST_POINTS.1) / PAST_POINTS.0).ln();
        let strength = (self.together.surprise(height, &TOGETHER) - PAST * past).max(0.0);
        // Where no sign is surprising, the deviation alone decides.
        let strongest = surprises.iter().zip(Sign::ALL).filter(|(surprise, _)| **surprise > 0.0);
        (strength, strongest.max_by(|a, b| a.0.total_cmp(b.0)).map_or(Sign::Staying, |(_, sign)| sign))
    }

    fn surprises(&mut self, signs: &[f64; SIGNS]) -> [f64; SIGNS] {
        let mut surprises = [0.0; SIGNS];
        let mut sum = 0.0;
        for ((peaks, sign), surprise) in self.peaks.iter_mut().zip(signs).zip(&mut surprises).take(SIGNS - 1) {
            *surprise = peaks.surprise(*sign, &SIGN);
            sum += surprise.min(MOST_UNREST);
        }
        self.unrest += (sum - self.unrest) / UNREST;
        // Before the other signs are known they surprise nobody, and unrest would learn from that.
        if self.points >= f64::from(3 * SIGN.block)
            && let (Some(peaks), Some(surprise)) = (self.peaks.last_mut(), surprises.last_mut())
        {
            *surprise = peaks.surprise(self.unrest, &SIGN);
        }
        surprises
    }

    /// Strength of a deviation alone while too little is known of the signs, in nats.
    fn beginning(&self, distance: f64) -> f64 {
        if self.points >= BEGINNING {
            return 0.0;
        }
        let needed = BEGINNING_DISTANCE * (1.0 + BEGINNING_DOUBT / self.points);
        Sensitivity::Medium.alarm_nats() * (distance.ln_1p() / needed.ln_1p()).powi(2)
    }

    fn decide(
        &mut self,
        strength: f64,
        sign: Sign,
        deviation: f64,
        rest: f64,
        known: impl FnOnce() -> bool,
    ) -> Verdict {
        let nats = (self.sensitivity.alarm_nats() + self.bias).max(LEAST_NATS);
        self.guard *= 1.0 - 1.0 / (FORGET_RESTS * rest);
        self.since += 1.0;
        let same_side = deviation * self.deviation > 0.0;
        if same_side && self.since < rest && deviation.abs() >= GOES_ON {
            self.since = self.since.min(rest / 2.0);
        }
        let rested = self.since >= rest;
        let other_side = !same_side && !rested && self.alarm_strength.is_finite() && self.is_far(deviation);
        let strength = if other_side { strength.max(nats) } else { strength };
        let strange = strength >= nats;
        if strange && known() {
            return Verdict { alarm: None, strange: false, habitual: true };
        }
        let new = other_side || strength >= self.guard && (rested || strength > WORSE * self.alarm_strength);
        self.guard = self.guard.max(strength);
        if !(strange && new) {
            return Verdict { alarm: None, strange, habitual: false };
        }
        self.alarm_strength = if rested { strength } else { f64::INFINITY };
        (self.since, self.deviation) = (0.0, deviation);
        let certainty = 1.0 - (-(strength - nats) / CERTAIN).exp();
        let score = THRESHOLD + (1.0 - THRESHOLD) * certainty;
        Verdict { alarm: Some((score, sign)), strange, habitual: false }
    }

    /// Returns `true` if a deviation on the other side of an alarm's is an event of its own.
    fn is_far(&self, deviation: f64) -> bool {
        deviation.abs() >= OTHER_SIDE.0.max(OTHER_SIDE.1 * self.deviation.abs())
    }
}
