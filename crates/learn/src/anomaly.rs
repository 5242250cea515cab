//! Streaming anomaly detection: one pass, each score from the past alone, memory of a few kilobytes a series.
//!
//! A point is read in three steps. `Rhythm` says what the hour of the day and of the week, the level and the last
//! few points let expect. `Signs` puts what is left into twelve numbers, each of which grows with one kind of
//! trouble. `Alarm` holds every sign against the maxima it has had in this very series, adds up what is surprising,
//! holds the sum against its own maxima, and lets one event give one alarm, and one that `Habits` knows none. There is one threshold, [`THRESHOLD`], for
//! every series; what was tried and how it was measured stands in `docs/learning/anomalies.md`.

mod alarm;
mod counter;
mod habit;
mod incident;
mod patterns;
mod peaks;
mod rhythm;
mod signs;

use alarm::Alarm;
use counter::{Counter, Reading};
use habit::Habits;
pub use incident::{Incident, Incidents};
use rhythm::Rhythm;
pub use signs::Sign;
use signs::Signs;

/// A score from which a point is an alarm, in every series. What is usual stays under 0.3; the points after an alarm, which it
/// stands for, under this again.
pub const THRESHOLD: f64 = 0.5;
/// Points before which nothing is an alarm: a series has shown too little of itself.
pub const WARM_UP: u32 = 100;
/// Steps of silence after which the last few points say nothing about the next.
const LONG_GAP: f64 = 12.0;
/// Values are cut here, so that their squares stay finite.
const LARGEST: f64 = 1e100;
/// How rare, in nats, a block of 48 points is that has a value outside the band: one in three.
const BAND_NATS: f64 = 1.0;
/// The band's half width at the least and at the most, in usual errors of the forecast.
const BAND: (f64, f64) = (2.0, 50.0);
/// Points before which a usual size is a guess and a sign says nothing.
const SIZED: u32 = 16;

/// What is said of one point, from the points before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judgement {
    /// 0 (usual) to 1; an alarm from [`THRESHOLD`].
    pub score: f64,
    /// The value that was expected.
    pub expected: f64,
    /// Lower edge of the band that values usually keep to.
    pub low: f64,
    /// Its upper edge.
    pub high: f64,
    /// What gave an alarm away; nothing where there is none.
    pub sign: Option<Sign>,
    /// Whether the point is as strange as an alarm, even where one stands for it already.
    pub strange: bool,
}

/// A detector of one series.
#[derive(Debug, Clone, Default)]
pub struct Detector {
    state: Option<Box<State>>,
}

#[derive(Debug, Clone)]
struct State {
    counter: Counter,
    rhythm: Rhythm,
    signs: Signs,
    alarm: Alarm,
    habits: Habits,
    points: u32,
    last: f64,
    expected: f64,
    margin: f64,
}

impl Detector {
    /// A detector that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Judges the next point and learns from it. Times are milliseconds since the epoch and should not fall; one that does is
    /// read as one of the last point's time. A value that is not finite is a gap: it scores 0 and nothing is learnt from it.
    pub fn observe(&mut self, at_ms: i64, value: f64) -> Judgement {
        let value = if value.is_finite() { value.clamp(-LARGEST, LARGEST) } else { f64::NAN };
        match &mut self.state {
            Some(state) if value.is_nan() => state.unmeasured(),
            Some(state) => state.observe(at_ms, value),
            None => {
                if !value.is_nan() {
                    self.state = Some(Box::new(State::new(at_ms, value)));
                }
                Judgement { score: 0.0, expected: value, low: value, high: value, sign: None, strange: false }
            }
        }
    }
}

impl State {
    fn new(at_ms: i64, value: f64) -> Self {
        Self {
            counter: Counter::new(value),
            rhythm: Rhythm::new(at_ms, value),
            signs: Signs::new(value),
            alarm: Alarm::new(),
            habits: Habits::default(),
            points: 1,
            last: value,
            expected: value,
            margin: 0.0,
        }
    }

    fn unmeasured(&self) -> Judgement {
        let (low, high) = (self.expected - self.margin, self.expected + self.margin);
        Judgement { score: 0.0, expected: self.expected, low, high, sign: None, strange: false }
    }

    fn observe(&mut self, at_ms: i64, value: f64) -> Judgement {
        let steps = self.rhythm.steps_since(at_ms);
        let last = std::mem::replace(&mut self.last, value);
        let reading = match self.counter.read(value, steps) {
            Reading::Gauge(reading) | Reading::Rise(reading) => reading,
            Reading::Turn(reading) => {
                self.rhythm = Rhythm::new(at_ms, reading);
                self.signs = Signs::new(reading);
                self.alarm = Alarm::new();
                self.habits = Habits::default();
                self.points = 1;
                return self.unmeasured();
            }
        };
        if steps > LONG_GAP {
            self.signs.resume(reading);
        }
        self.points = self.points.saturating_add(1);
        let residual = self.rhythm.residual(at_ms, reading);
        let expected = residual.expected + self.signs.carried;
        let read = self.signs.read(reading, &residual);
        self.margin = self.alarm.reach(Sign::Spike, BAND_NATS).clamp(BAND.0, BAND.1) * read.size;
        self.expected = self.counter.value_of(expected, last);
        if self.points < SIZED {
            return self.unmeasured();
        }
        let distance = reading - expected;
        let verdict = self.alarm.judge(&read.signs, || self.habits.know(at_ms, distance));
        let leaps = distance.abs() > self.margin;
        if verdict.strange || verdict.habitual || leaps && self.habits.recall(at_ms, distance) {
            self.habits.remember(at_ms, distance);
        }
        let alarm = self.points >= WARM_UP;
        Judgement {
            score: if alarm { verdict.score } else { 0.0 },
            sign: verdict.sign.filter(|_| alarm),
            strange: alarm && verdict.strange,
            ..self.unmeasured()
        }
    }
}

/// Judges a whole series in one pass.
pub fn judge(points: &[crate::Point]) -> Vec<Judgement> {
    let mut detector = Detector::new();
    points.iter().map(|(at_ms, value)| detector.observe(*at_ms, *value)).collect()
}

#[cfg(test)]
mod tests;
