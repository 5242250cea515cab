//! Rhythm of a source, learned from the times at which it spoke, so that its silence is noticed.
//!
//! A gap between two arrivals is compared with the longest gap that the source had before: a source
//! that rests every night has had that gap. The longest gap fades over weeks, so that one outage does
//! not deafen the watch for ever.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// Arrivals before which a source is not judged.
const FEWEST: u64 = 20;
/// Shortest silence that is reported.
const SHORTEST: SignedDuration = SignedDuration::from_mins(15);
/// Silence is reported past this many times the longest gap.
const FACTOR: f64 = 2.0;
/// Time in which the longest gap fades to half, ms: two weeks.
const HALF_LIFE_MS: f64 = 14.0 * 86_400_000.0;
/// Arrivals within this time are one, ms: a burst of requests tells nothing about gaps.
const BURST_MS: i64 = 1_000;

/// Rhythm of a source.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct IntakeRhythm {
    /// Arrivals that were counted.
    pub arrivals: u64,
    pub first_at: Option<Timestamp>,
    pub last_at: Option<Timestamp>,
    /// Longest gap, faded to the time of the last arrival, ms.
    pub longest_gap_ms: f64,
}

impl IntakeRhythm {
    /// Notes an arrival.
    pub fn note(&mut self, now: Timestamp) {
        let Some(last) = self.last_at else {
            *self = IntakeRhythm {
                arrivals: 1,
                first_at: Some(now),
                last_at: Some(now),
                longest_gap_ms: 0.0,
            };
            return;
        };
        let gap = now.as_millisecond() - last.as_millisecond();
        if gap < BURST_MS {
            return;
        }
        let faded = self.longest_gap_ms * 0.5_f64.powf(gap as f64 / HALF_LIFE_MS);
        self.longest_gap_ms = faded.max(gap as f64);
        self.arrivals += 1;
        self.last_at = Some(now);
    }

    /// Returns the time from which silence is reported: after `most` if a person set it, else once it
    /// is longer than the rhythm explains; `None` while too little is known.
    #[must_use]
    pub fn silent_after(&self, most: Option<SignedDuration>) -> Option<Timestamp> {
        if let Some(most) = most {
            return self.last_at?.checked_add(most).ok();
        }
        let last = self.last_at.filter(|_| self.arrivals >= FEWEST)?;
        let wait = SignedDuration::from_millis((self.longest_gap_ms * FACTOR) as i64);
        last.checked_add(wait.max(SHORTEST)).ok()
    }

    /// Forgets the gap that ends now: a reported silence must not make the next one normal.
    pub fn end_silence(&mut self, now: Timestamp) {
        self.last_at = Some(now);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_second(minutes * 60).unwrap()
    }

    #[test]
    fn nights_are_learned_and_an_outage_is_not() {
        let mut rhythm = IntakeRhythm::default();
        // Three days with an arrival every ten minutes from 8 to 18 o'clock.
        for day in 0..3 {
            for step in 0..60 {
                rhythm.note(at(day * 1_440 + 480 + step * 10));
            }
        }
        let last = 2 * 1_440 + 480 + 590;
        let silent_after = rhythm.silent_after(None).unwrap();
        assert!(silent_after > at(last + 850), "a night is normal");
        assert!(silent_after < at(last + 1_710), "two nights are not");

        let before = rhythm.longest_gap_ms;
        rhythm.end_silence(at(last + 5_000));
        rhythm.note(at(last + 5_010));
        assert!(rhythm.longest_gap_ms <= before);
    }

    #[test]
    fn a_few_arrivals_tell_nothing() {
        let mut rhythm = IntakeRhythm::default();
        (0..19).for_each(|minute| rhythm.note(at(minute)));
        assert_eq!(rhythm.silent_after(None), None);
        let most = SignedDuration::from_mins(5);
        assert_eq!(rhythm.silent_after(Some(most)), Some(at(23)));
        rhythm.note(at(19));
        assert_eq!(rhythm.silent_after(None), Some(at(34)));
    }
}
