//! Streaming anomaly detection: one pass, each score from the past alone, memory of some kilobytes
//! a series.
//!
//! `Deviation` tells the distance of a point from robust medians of the level and the hour, and how
//! long it has stayed. `Rhythm` tells what the hour of the day and of the week, the level and the
//! last few points let expect; `Signs` puts what is left into thirteen numbers, each of which grows
//! with one kind of trouble, and `Alarm` holds every sign against the maxima it has had in this
//! very series and adds up what is surprising. `Evidence` weighs distance and surprise together
//! against how often this series lies far from its usual: the score is its size, and an alarm is
//! given where it is large enough, once for one event (`Events`) and not for what `Habits` knows.
//! What was tried and how it was measured is in `docs/learning/anomalies.md`.

mod alarm;
mod counter;
mod deviation;
mod event;
mod evidence;
mod habit;
mod incident;
mod patterns;
mod peaks;
mod rhythm;
mod sample;
mod sensitivity;
mod signs;

use alarm::Alarm;
use counter::{Counter, CounterReading};
use deviation::{AnomalyDeviation, Move};
use habit::Habits;
pub use incident::{Incident, Incidents};
use rhythm::AnomalyRhythm;
use sample::AnomalySample;
pub use sensitivity::Sensitivity;
pub use signs::Sign;
use signs::Signs;

/// A score from which a point is strange, in every series; that of an alarm is never lower. What is
/// usual stays under 0.3.
pub const THRESHOLD: f64 = 0.5;
/// Points before which nothing is judged: a usual size is a guess.
pub const JUDGED_FROM: u32 = 16;
/// Points that are a series' beginning. What stood out in them is cut and they are learnt from once
/// more, so that a first spike does not hide the next.
const BEGINNING: u32 = 100;
/// Usual distances from the beginning's median at which a point is cut.
const CUT: f64 = 15.0;
/// Score of what would be strange at another time of day, at the most.
const HABITUAL: f64 = 0.25;
/// Factor by which usual distances must differ between two levels for nothing of the old one to
/// hold at the new.
const OTHER_SIZE: f64 = 4.0;
/// Steps of silence after which the last few points say nothing about the next.
const LONG_GAP: f64 = 12.0;
/// Values are cut here, so that their squares stay finite.
const LARGEST: f64 = 1e100;
/// Surprise, in nats, of a block of 48 points that has a value outside the band: one block in three
/// has one.
const BAND_NATS: f64 = 1.0;
/// The band's half width at the least and at the most, in usual errors of the forecast.
const BAND: (f64, f64) = (2.0, 50.0);

/// Judgement of one point, from the points before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnomalyJudgement {
    /// Anomaly score of the point, 0 (usual) to 1; anomalous from [`THRESHOLD`]. 0 where it is not
    /// judged.
    pub score: f64,
    /// `true` if the point was judged. Missing values and the first [`JUDGED_FROM`] points are not.
    pub judged: bool,
    /// `true` if an alarm is raised here; an event raises one alarm.
    pub alarm: bool,
    /// The value that was expected.
    pub expected: f64,
    /// Lower edge of the band that values usually keep to.
    pub low: f64,
    /// Upper edge of the band.
    pub high: f64,
    /// Sign that raised the alarm; `None` without an alarm.
    pub sign: Option<Sign>,
    /// `true` if the point is as anomalous as an alarm, even if an earlier alarm already covers it.
    pub strange: bool,
}

/// A detector of one series.
#[derive(Debug, Clone, Default)]
pub struct Detector {
    sensitivity: Sensitivity,
    bias: f64,
    state: Option<Box<State>>,
}

#[derive(Debug, Clone)]
struct State {
    counter: Counter,
    rhythm: AnomalyRhythm,
    signs: Signs,
    deviation: AnomalyDeviation,
    alarm: Alarm,
    habits: Habits,
    points: u32,
    last: f64,
    expected: f64,
    margin: f64,
}

impl Detector {
    /// A detector of medium sensitivity that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A detector of a sensitivity that has seen nothing.
    #[must_use]
    pub fn with_sensitivity(sensitivity: Sensitivity) -> Self {
        Self {
            sensitivity,
            bias: 0.0,
            state: None,
        }
    }

    /// Takes another sensitivity from the next point on. What was learnt stays.
    pub fn set_sensitivity(&mut self, sensitivity: Sensitivity) {
        self.sensitivity = sensitivity;
        if let Some(state) = &mut self.state {
            state.alarm.set_sensitivity(sensitivity);
        }
    }

    /// Asks for so many nats more (or fewer) of evidence for an alarm than the sensitivity does,
    /// from the next point on.
    pub fn set_bias(&mut self, nats: f64) {
        self.bias = nats;
        if let Some(state) = &mut self.state {
            state.alarm.set_bias(nats);
        }
    }

    /// Forgets everything but its sensitivity: what follows is another series.
    pub fn restart(&mut self) {
        self.state = None;
    }

    /// Judges the next point and learns from it. Times are milliseconds since the epoch and should
    /// not fall; one that does is read as one of the last point's time. A value that is not finite
    /// is a gap: it is not judged and nothing is learnt from it.
    pub fn observe(&mut self, at_ms: i64, value: f64) -> AnomalyJudgement {
        let value = if value.is_finite() {
            value.clamp(-LARGEST, LARGEST)
        } else {
            f64::NAN
        };
        match &mut self.state {
            Some(state) if value.is_nan() => state.unjudged(),
            Some(state) => state.observe(at_ms, value),
            None if value.is_nan() => unjudged(value, 0.0),
            None => {
                let mut state = State::new(at_ms, value, value, self.sensitivity);
                state.alarm.set_bias(self.bias);
                self.state = Some(Box::new(state));
                unjudged(value, 0.0)
            }
        }
    }
}

fn unjudged(expected: f64, margin: f64) -> AnomalyJudgement {
    let (low, high) = (expected - margin, expected + margin);
    AnomalyJudgement {
        score: 0.0,
        judged: false,
        alarm: false,
        expected,
        low,
        high,
        sign: None,
        strange: false,
    }
}

impl State {
    /// After one point, which is read as `reading`.
    fn new(at_ms: i64, value: f64, reading: f64, sensitivity: Sensitivity) -> Self {
        let mut deviation = AnomalyDeviation::new();
        deviation.read(at_ms, reading, None, 0.0);
        Self {
            counter: Counter::new(value),
            rhythm: AnomalyRhythm::new(at_ms, reading),
            signs: Signs::new(reading),
            deviation,
            alarm: Alarm::new(sensitivity),
            habits: Habits::default(),
            points: 1,
            last: value,
            expected: value,
            margin: 0.0,
        }
    }

    fn unjudged(&self) -> AnomalyJudgement {
        unjudged(self.expected, self.margin)
    }

    fn observe(&mut self, at_ms: i64, value: f64) -> AnomalyJudgement {
        let steps = self.rhythm.steps_since(at_ms);
        let last = std::mem::replace(&mut self.last, value);
        let reading = match self.counter.read(value, steps) {
            CounterReading::Gauge(reading) | CounterReading::Rise(reading) => reading,
            CounterReading::Turn(reading) => {
                let fresh = State::new(at_ms, value, reading, self.alarm.sensitivity());
                let counter = std::mem::replace(&mut self.counter, fresh.counter.clone());
                *self = State {
                    counter,
                    expected: self.expected,
                    ..fresh
                };
                return self.unjudged();
            }
        };

        if steps > LONG_GAP {
            self.signs.resume(reading);
            self.deviation.resume();
        }

        self.points = self.points.saturating_add(1);
        if self.points == BEGINNING {
            self.judge_beginning_again();
        }

        let of_week = self.rhythm.of_week(at_ms);
        if let Some(moved) = self
            .deviation
            .read(at_ms, reading, of_week, self.rhythm.per_day())
        {
            self.move_to(&moved);
        }

        self.judge(at_ms, reading, last)
    }

    fn judge(&mut self, at_ms: i64, reading: f64, last: f64) -> AnomalyJudgement {
        let residual = self.rhythm.residual(at_ms, reading);
        let expected = residual.expected + self.signs.carried;
        let read = self
            .signs
            .read(reading, &residual, self.deviation.staying());
        self.margin = self
            .alarm
            .reach(Sign::Spike, BAND_NATS)
            .clamp(BAND.0, BAND.1)
            * read.size;
        self.expected = self.counter.value_of(expected, last);
        if self.points < JUDGED_FROM {
            return self.unjudged();
        }

        let distance = reading - expected;
        let per_day = self.rhythm.per_day();
        let recurs = || self.habits.recurs(at_ms, distance);
        let verdict = self
            .alarm
            .judge(&read.signs, self.deviation.signed(), per_day, recurs);
        let leaps = distance.abs() > self.margin;
        if verdict.strange || verdict.habitual || leaps && self.habits.recall(at_ms, distance) {
            self.habits.remember(at_ms, distance);
        }

        let at_alarm = verdict.alarm.map_or(0.0, |(score, _)| score);
        let most = if verdict.habitual { HABITUAL } else { 1.0 };
        let score = self.alarm.score().max(at_alarm).min(most);

        AnomalyJudgement {
            score,
            judged: true,
            alarm: verdict.alarm.is_some(),
            sign: verdict.alarm.map(|(_, sign)| sign),
            strange: verdict.strange || score >= THRESHOLD,
            ..self.unjudged()
        }
    }

    /// Learns the beginning once more without its outliers, if there were any. Scores already
    /// returned do not change.
    fn judge_beginning_again(&mut self) {
        let mut rows: Vec<(i64, f64)> = self.deviation.recent().collect();
        let (mut values, mut sizes) = (AnomalySample::default(), AnomalySample::default());
        rows.iter().for_each(|(_, value)| values.add(*value, 1));
        let middle = values.quantile(0.5);
        rows.iter()
            .for_each(|(_, value)| sizes.add((value - middle).abs(), 1));
        let reach = CUT
            * sizes
                .quantile(0.5)
                .max(0.15 * sizes.quantile(0.9))
                .max(1e-3 * middle.abs());
        let mut cut = false;
        for (_, value) in &mut rows {
            cut |= (*value - middle).abs() > reach;
            *value = value.clamp(middle - reach, middle + reach);
        }

        if cut {
            self.learn_again(&rows);
        }
    }

    /// Takes up a new level: what was learnt around the old one holds there, unless distances
    /// differ too much.
    fn move_to(&mut self, moved: &Move) {
        if (1.0 / OTHER_SIZE..=OTHER_SIZE).contains(&moved.factor) {
            self.rhythm.move_to(moved.level);
        } else if let Some((_, before)) = moved.rows.split_last() {
            self.learn_again(before);
        }
    }

    /// Learns expectation, signs and their maxima from these rows alone.
    fn learn_again(&mut self, rows: &[(i64, f64)]) {
        let Some(((at_ms, value), rest)) = rows.split_first() else {
            return;
        };

        (self.rhythm, self.signs) = (AnomalyRhythm::new(*at_ms, *value), Signs::new(*value));
        self.alarm.forget();

        for (at_ms, value) in rest {
            let residual = self.rhythm.residual(*at_ms, *value);
            let read = self.signs.read(*value, &residual, 0.0);
            self.alarm.learn(&read.signs);
        }
    }
}

/// Judges a whole series in one pass.
pub fn judge(points: &[crate::Point]) -> Vec<AnomalyJudgement> {
    let mut detector = Detector::new();
    points
        .iter()
        .map(|(at_ms, value)| detector.observe(*at_ms, *value))
        .collect()
}

#[cfg(test)]
mod tests;
