//! Course of a stream: its cursor, what it has sent, and its last failure.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// Width of the window that throughput is measured in.
const WINDOW: SignedDuration = SignedDuration::from_secs(60);

/// A failure to send, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamFailure {
    pub at: Timestamp,
    /// Answer of the receiver, or the reason why there was none.
    pub message: String,
    /// `true` if only a person can end it: a wrong token, an unknown index.
    pub needs_person: bool,
}

/// Entries of the present minute and of the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Throughput {
    window_begins: Timestamp,
    entries: u64,
    previous: u64,
}

impl Throughput {
    /// Counts entries that were confirmed.
    pub fn add(&mut self, entries: u64, now: Timestamp) {
        let passed = now.duration_since(self.window_begins);
        if passed >= WINDOW {
            self.previous = if passed < WINDOW * 2 { self.entries } else { 0 };
            self.entries = 0;
            self.window_begins = now;
        }
        self.entries += entries;
    }

    /// Returns the entries of the last minute, per second: those of the present window, and the part
    /// of the one before that lies within a minute.
    #[must_use]
    pub fn per_second(&self, now: Timestamp) -> f64 {
        let passed = now.duration_since(self.window_begins).as_secs_f64();
        let window = WINDOW.as_secs_f64();
        let (present, before) = if passed < window {
            (self.entries as f64, self.previous as f64)
        } else if passed < window * 2.0 {
            (0.0, self.entries as f64)
        } else {
            (0.0, 0.0)
        };
        let share = (window - passed % window) / window;
        (present + before * share) / window
    }
}

/// Course of a stream, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamState {
    /// The next sequence that the receiver has not confirmed.
    pub cursor: u64,
    /// Entries that the receiver confirmed, repeated ones included.
    pub sent_entries: u64,
    /// Batches that the receiver confirmed.
    pub sent_batches: u64,
    /// Bytes of the confirmed records.
    pub sent_bytes: u64,
    pub throughput: Throughput,
    /// Time of the last confirmation.
    pub last_sent_at: Option<Timestamp>,
    /// Failures since the last success.
    pub failures: u32,
    /// Time of the first of them.
    pub failing_since: Option<Timestamp>,
    /// The last failure, also one that is over.
    pub last_failure: Option<StreamFailure>,
    /// Time before which nothing is tried again.
    pub retry_at: Option<Timestamp>,
    /// `true` once the log has an entry about the present failures.
    pub failure_is_recorded: bool,
    /// Time of the last entry in the log about a dead letter.
    pub dead_letter_recorded_at: Option<Timestamp>,
}

impl StreamState {
    /// Returns the state of a stream that begins at a sequence.
    #[must_use]
    pub fn beginning_at(cursor: u64) -> StreamState {
        StreamState {
            cursor,
            sent_entries: 0,
            sent_batches: 0,
            sent_bytes: 0,
            throughput: Throughput::default(),
            last_sent_at: None,
            failures: 0,
            failing_since: None,
            last_failure: None,
            retry_at: None,
            failure_is_recorded: false,
            dead_letter_recorded_at: None,
        }
    }

    /// Forgets the wait, so that the next attempt is made at once.
    pub fn retry_now(&mut self) {
        self.retry_at = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap_or_default()
    }

    #[test]
    fn throughput_is_of_the_last_minute() {
        let mut throughput = Throughput::default();
        throughput.add(600, at(0));
        assert!((throughput.per_second(at(30)) - 10.0).abs() < 1e-9);
        // Half of the window before still counts.
        assert!((throughput.per_second(at(90)) - 5.0).abs() < 1e-9);
        assert!(throughput.per_second(at(200)).abs() < 1e-9);

        throughput.add(60, at(61));
        assert!((throughput.per_second(at(61)) - 11.0).abs() < 1e-9);
    }
}
