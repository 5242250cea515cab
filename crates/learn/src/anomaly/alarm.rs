//! From surprises to a score: what all signs together amount to, held against how they usually rise, and one alarm for
//! one event.

use super::THRESHOLD;
use super::peaks::{Peaks, Prior};
use super::signs::{SIGNS, Sign};

/// What is believed of a single sign before its series has shown any.
pub(crate) const SIGN: Prior =
    Prior { block: 48, mean: (0.0, 0.0), deviation: (0.5, 12.0), cut: 3.0, share: 0.005, least: 0.12, log: true };
/// What is believed of all signs together, as series of many kinds have them. A series' own past has come to weigh as much
/// after 20,000 points: enough to quieten one that is always restless, too little to learn a week's trouble as usual.
pub(crate) const TOGETHER: Prior =
    Prior { block: 200, mean: (4.25, 100.0), deviation: (2.75, 100.0), cut: 4.0, share: 0.01, least: 0.5, log: false };
/// Strength in nats, beyond what the length of the past asks for, that is an alarm.
const ALARM: f64 = 1.3;
/// How much more an alarm needs with each factor of e of the past. A full 1 would hold the number of false alarms constant
/// over all time; this lets it grow with the root of time.
const PAST: f64 = 0.4;
/// The length of the past, in points, at which that starts and ends.
const PAST_POINTS: (f64, f64) = (1_000.0, 20_000.0);
/// Points over which unrest is averaged.
const UNREST: f64 = 8.0;
/// One sign's part in unrest, in nats, at most.
const MOST_UNREST: f64 = 10.0;
/// Points for which an alarm stands for whatever follows,
const REST: u32 = 100;
/// unless that is stronger by this factor.
const WORSE: f64 = 2.0;
/// How the height a new alarm must reach falls with each point: by a factor of e in 350.
const FORGET: f64 = 1.0 - 1.0 / 350.0;
/// The score of what would be an alarm at another time of day.
const HABITUAL: f64 = 0.25;
/// Nats over the threshold in which a score goes two thirds of its way to 1.
const CERTAIN: f64 = 3.0;

/// Everything an alarm is decided from.
#[derive(Debug, Clone)]
pub(crate) struct Alarm {
    peaks: [Peaks; SIGNS],
    unrest: f64,
    together: Peaks,
    points: f64,
    /// Strength that a new alarm must reach.
    guard: f64,
    /// Points since the last alarm.
    since: u32,
    /// How strong that was.
    told: f64,
}

/// What is said of a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Verdict {
    /// 0 to 1.
    pub(crate) score: f64,
    /// The strongest sign of an alarm.
    pub(crate) sign: Option<Sign>,
    /// Whether the point is as strange as an alarm, even if one stands for it already.
    pub(crate) strange: bool,
    /// Whether it would be, were it not known.
    pub(crate) habitual: bool,
}

impl Alarm {
    /// Before the second point.
    pub(crate) fn new() -> Self {
        Self {
            peaks: std::array::from_fn(|_| Peaks::new(&SIGN)),
            unrest: 0.0,
            together: Peaks::new(&TOGETHER),
            points: 0.0,
            guard: 0.0,
            since: REST,
            told: f64::INFINITY,
        }
    }

    /// How far from its forecast a value is, in usual sizes, that this sign alone finds rare in so many nats.
    pub(crate) fn reach(&self, sign: Sign, nats: f64) -> f64 {
        self.peaks.get(sign as usize).map_or(f64::INFINITY, |peaks| peaks.level(nats))
    }

    /// Judges a point by its signs and learns from them. What is known to come at this time gives no alarm, and stands for none.
    pub(crate) fn judge(&mut self, signs: &[f64; SIGNS], known: impl FnOnce() -> bool) -> Verdict {
        let surprises = self.surprises(signs);
        let height = surprises.iter().map(|surprise| surprise * surprise).sum::<f64>().sqrt();
        self.points += 1.0;
        let past = (self.points.clamp(PAST_POINTS.0, PAST_POINTS.1) / PAST_POINTS.0).ln();
        let strength = (self.together.surprise(height, &TOGETHER) - PAST * past).max(0.0);
        let strongest = surprises.iter().zip(Sign::ALL).max_by(|a, b| a.0.total_cmp(b.0)).map(|(_, sign)| sign);
        self.score(strength, strongest, known)
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

    fn score(&mut self, strength: f64, strongest: Option<Sign>, known: impl FnOnce() -> bool) -> Verdict {
        self.guard *= FORGET;
        self.since = self.since.saturating_add(1);
        let strange = strength >= ALARM;
        if strange && known() {
            return Verdict { score: HABITUAL, sign: None, strange: false, habitual: true };
        }
        let new = strength >= self.guard && (self.since >= REST || strength > WORSE * self.told);
        self.guard = self.guard.max(strength);
        if strange && new {
            self.told = if self.since >= REST { strength } else { f64::INFINITY };
            self.since = 0;
            let certainty = 1.0 - (-(strength - ALARM) / CERTAIN).exp();
            return Verdict {
                score: THRESHOLD + (1.0 - THRESHOLD) * certainty,
                sign: strongest,
                strange,
                habitual: false,
            };
        }
        // Below an alarm scores fall off fast, so that what is usual stays near 0; what an alarm stands for, lower still.
        let ratio = (strength / ALARM).min(0.97);
        let score = THRESHOLD * ratio * ratio * if new { 1.0 } else { 0.5 };
        Verdict { score, sign: None, strange, habitual: false }
    }
}
