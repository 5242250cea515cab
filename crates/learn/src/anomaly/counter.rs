//! Counters: series that only rise, but for resets, are judged by how fast they rise.

/// Points after which a series can be recognised as a counter.
const ENOUGH: f64 = 48.0;
/// Points over which its habit is averaged.
const HABIT: f64 = 200.0;

/// Interpretation of a value: a gauge, or the rise or reset of a counter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum CounterReading {
    /// Value of a gauge.
    Gauge(f64),
    /// The rise since the last point, per usual step.
    Rise(f64),
    /// Value at which the series turned out to be of the other kind, which invalidates the learnt
    /// state.
    Turn(f64),
}

/// Detector of counters: decides from a series' past whether its values only rise between resets.
#[derive(Debug, Clone)]
pub(crate) struct Counter {
    last: f64,
    points: f64,
    rises: f64,
    falls: f64,
    counting: bool,
}

impl Counter {
    /// Before the second point.
    pub(crate) fn new(value: f64) -> Self {
        Self {
            last: value,
            points: 1.0,
            rises: 0.0,
            falls: 0.0,
            counting: false,
        }
    }

    /// Reads a value so many steps after the last.
    pub(crate) fn read(&mut self, value: f64, steps: f64) -> CounterReading {
        let change = value - self.last;
        self.last = value;
        self.points += 1.0;
        let share = (1.0 / self.points).max(1.0 / HABIT);
        self.rises += share * (f64::from(u8::from(change > 0.0)) - self.rises);
        self.falls += share * (f64::from(u8::from(change < 0.0)) - self.falls);

        // After a reset the counter starts from nothing, so what it shows is what it has counted
        // since.
        let rise = if change < 0.0 { value.max(0.0) } else { change } / steps.max(1.0);
        let was = self.counting;

        if self.points >= ENOUGH {
            self.counting = if was {
                self.falls < 0.05
            } else {
                self.falls < 0.01 && self.rises > 0.9
            };
        }

        match (was, self.counting) {
            (false, false) => CounterReading::Gauge(value),
            (true, true) => CounterReading::Rise(rise),
            (false, true) => CounterReading::Turn(rise),
            (true, false) => CounterReading::Turn(value),
        }
    }

    /// The value that a rise from the last point would lead to, or the value itself where nothing
    /// is counted.
    pub(crate) fn value_of(&self, reading: f64, last: f64) -> f64 {
        if self.counting {
            last + reading
        } else {
            reading
        }
    }
}
