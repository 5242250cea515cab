//! From surprises to alarms: what all signs together amount to, held against how they usually rise,
//! weighed with the deviation into one evidence, and one alarm for one event.

use super::THRESHOLD;
use super::event::{EventRow, Events};
use super::evidence::AnomalyEvidence;
use super::habit::Recurs;
use super::peaks::{Peaks, Prior};
use super::sensitivity::Sensitivity;
use super::signs::{SIGNS, Sign};

/// Prior of a single sign, before its series has shown any.
pub(crate) const SIGN: Prior = Prior {
    block: 48,
    mean: (0.0, 0.0),
    deviation: (0.5, 12.0),
    cut: 3.0,
    share: 0.005,
    least: 0.12,
    log: true,
};
/// Prior of all signs together, fitted on series of many kinds. A series' own past comes to weigh
/// as much after 20,000 points: enough to quieten one that is always restless, too little to learn
/// a week's trouble as usual.
pub(crate) const TOGETHER: Prior = Prior {
    block: 200,
    mean: (4.25, 100.0),
    deviation: (2.75, 100.0),
    cut: 4.0,
    share: 0.01,
    least: 0.5,
    log: false,
};
/// Extra surprise that an alarm needs for each factor of e of the past. A full 1 would hold the
/// number of false alarms constant over all time; this lets it grow with the root of time.
const PAST: f64 = 0.4;
/// The length of the past, in points, at which that starts and ends.
const PAST_POINTS: (f64, f64) = (1_000.0, 20_000.0);
/// Points over which unrest is averaged.
const UNREST: f64 = 8.0;
/// One sign's part in unrest, in nats, at most.
const MOST_UNREST: f64 = 10.0;
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
    evidence: AnomalyEvidence,
    events: Events,
}

/// Verdict on a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AlarmVerdict {
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
            evidence: AnomalyEvidence::default(),
            events: Events::default(),
        }
    }

    /// Replaces the sensitivity; what was learnt stays.
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

    /// Forgets the height of signs, and keeps the event under way and how far rows of this series
    /// usually lie.
    pub(crate) fn forget(&mut self) {
        self.evidence.resume();
        *self = Alarm {
            bias: self.bias,
            evidence: self.evidence,
            events: self.events,
            ..Alarm::new(self.sensitivity)
        };
    }

    /// Returns the distance from the forecast, in usual sizes, at which this sign alone reaches a
    /// surprise of `nats`.
    pub(crate) fn reach(&self, sign: Sign, nats: f64) -> f64 {
        self.peaks
            .get(sign as usize)
            .map_or(f64::INFINITY, |peaks| peaks.level(nats))
    }

    /// Returns the score of the last point, 0 to 1, without the lift of an alarm.
    pub(crate) fn score(&self) -> f64 {
        self.evidence.score()
    }

    /// Judges a point of a series with so many points a day by its signs and its deviation, and
    /// learns from both. `recurs` is asked for a point with the evidence of an alarm.
    pub(crate) fn judge(
        &mut self,
        signs: &[f64; SIGNS],
        deviation: f64,
        per_day: f64,
        recurs: impl FnOnce() -> Recurs,
    ) -> AlarmVerdict {
        let (strength, sign) = self.learn(signs);
        let evidence = self.evidence.add(deviation.abs(), strength, self.points);
        let nats = (self.sensitivity.alarm_nats() + self.bias).max(LEAST_NATS);
        let (row, needed) = self.events.read(evidence, deviation, nats, per_day);

        if row == EventRow::Usual {
            return AlarmVerdict {
                alarm: None,
                strange: false,
                habitual: false,
            };
        }

        let recurs = recurs();
        if recurs == Recurs::Habit {
            return AlarmVerdict {
                alarm: None,
                strange: false,
                habitual: true,
            };
        }

        let alarm = row == EventRow::News && recurs == Recurs::No;
        self.events.note(evidence, deviation, alarm);
        let certainty = 1.0 - (-(evidence - needed) / CERTAIN).exp();
        let score = THRESHOLD + (1.0 - THRESHOLD) * certainty;

        AlarmVerdict {
            alarm: alarm.then_some((score, sign)),
            strange: true,
            habitual: false,
        }
    }

    /// Learns from the signs of a point. Returns their strength together, in nats, and the
    /// strongest.
    pub(crate) fn learn(&mut self, signs: &[f64; SIGNS]) -> (f64, Sign) {
        let surprises = self.surprises(signs);
        let height = surprises
            .iter()
            .map(|surprise| surprise * surprise)
            .sum::<f64>()
            .sqrt();
        self.points += 1.0;
        let past = (self.points.clamp(PAST_POINTS.0, PAST_POINTS.1) / PAST_POINTS.0).ln();
        let strength = (self.together.surprise(height, &TOGETHER) - PAST * past).max(0.0);

        // Where no sign is surprising, the deviation alone decides.
        let strongest = surprises
            .iter()
            .zip(Sign::ALL)
            .filter(|(surprise, _)| **surprise > 0.0);
        (
            strength,
            strongest
                .max_by(|a, b| a.0.total_cmp(b.0))
                .map_or(Sign::Staying, |(_, sign)| sign),
        )
    }

    fn surprises(&mut self, signs: &[f64; SIGNS]) -> [f64; SIGNS] {
        let mut surprises = [0.0; SIGNS];
        let mut sum = 0.0;

        for ((peaks, sign), surprise) in self
            .peaks
            .iter_mut()
            .zip(signs)
            .zip(&mut surprises)
            .take(SIGNS - 1)
        {
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
}
