//! One alarm for one event: the alarm that opens it, what is news within it, and the calm that ends
//! it.
//!
//! An event ends once the evidence has been usual for some hours. A rest of a fixed third of a day,
//! which this replaces, hid two thirds of the events that were missed: a second outage an hour
//! after the first was never told.

/// Share of an alarm's evidence under which a row is normal.
const NORMAL: f64 = 0.6;
/// Part of a day that must be normal before an event is over, and its bounds in rows.
const CALM_DAYS: f64 = 0.2;
const CALM: (f64, f64) = (3.0, 200.0);
/// Factor by which an event that goes on must become worse to be told again.
const WORSE: f64 = 3.0;
/// Usual distances on the other side from which a deviation is an event of its own, and its share
/// of the first one's distance.
const OTHER_SIDE: (f64, f64) = (15.0, 0.1);
/// Days in which the height that the next alarm must reach falls by a factor of e. It is the height
/// of the last event.
const GUARD_DAYS: f64 = 1.0;
/// Evidence that each alarm adds to what the next one takes, as a share,
const RESTLESS: f64 = 0.2;
/// and the days in which that fades by a factor of e: a series that alarms daily comes to alarm
/// weekly.
const RESTLESS_DAYS: f64 = 14.0;
/// Additional evidence for each factor of e by which rows come faster than hourly: more rows have
/// more extremes.
const PACE: f64 = 0.2;
/// Rows a day without that addition.
const SLOW: f64 = 24.0;

/// State of the events of one series.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Events {
    /// Highest evidence at an alarm of the event under way; 0 when there is none.
    told: f64,
    /// Deviation at that alarm, in usual distances with its sign.
    deviation: f64,
    /// Normal rows in succession.
    calm: f64,
    guard: f64,
    restless: f64,
}

/// Meaning of a row for the events of its series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventRow {
    /// Too little evidence for an alarm.
    Usual,
    /// Evidence as for an alarm, in an event that was told.
    Covered,
    /// A new event, or news within one.
    News,
}

impl Events {
    /// Reads the evidence of the next row of a series with so many rows a day; an alarm takes
    /// `nats` of it in a calm series by the hour. Returns the row's meaning and the evidence that
    /// an alarm took.
    pub(super) fn read(
        &mut self,
        evidence: f64,
        deviation: f64,
        nats: f64,
        per_day: f64,
    ) -> (EventRow, f64) {
        let pace = 1.0 + PACE * (per_day / SLOW).ln().max(0.0);
        let needed = nats * (1.0 + self.restless) * pace;
        self.calm = if evidence < NORMAL * needed {
            self.calm + 1.0
        } else {
            0.0
        };

        if self.calm >= (per_day * CALM_DAYS).clamp(CALM.0, CALM.1) {
            self.told = 0.0;
        }

        self.restless *= 1.0 - 1.0 / (per_day * RESTLESS_DAYS);
        self.guard *= 1.0 - 1.0 / (per_day * GUARD_DAYS);
        if evidence < needed {
            self.guard = self.guard.max(evidence);
            return (EventRow::Usual, needed);
        }

        // A spike's height does not hide the dip that follows it.
        let news = self.turned(deviation)
            || if self.told > 0.0 {
                evidence > WORSE * self.told
            } else {
                evidence >= self.guard
            };

        (
            if news {
                EventRow::News
            } else {
                EventRow::Covered
            },
            needed,
        )
    }

    /// Takes note of a row with enough evidence: `alarm` is `true` if an alarm was given.
    pub(super) fn note(&mut self, evidence: f64, deviation: f64, alarm: bool) {
        self.guard = self.guard.max(evidence);
        if alarm {
            (self.told, self.deviation) = (evidence, deviation);
            self.restless += RESTLESS;
        } else if self.told == 0.0 {
            // Held back by the guard or a habit: the event is open all the same, so that its later
            // rows are no news.
            self.told = evidence;
        }
    }

    /// Returns `true` if the deviation lies far on the other side of the last alarm's.
    fn turned(&self, deviation: f64) -> bool {
        let far = OTHER_SIDE.0.max(OTHER_SIDE.1 * self.deviation.abs());
        deviation * self.deviation < 0.0 && deviation.abs() >= far
    }
}
