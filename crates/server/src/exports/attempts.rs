//! Attempts at exports that could not continue: each waits longer than the time before, and
//! meanwhile the others run.
//!
//! One export whose destination record or proof cannot be read blocked every export behind it, for
//! good.

use std::collections::HashMap;
use std::sync::Mutex;

use jiff::{SignedDuration, Timestamp};
use reeve_exports::ExportId;

/// Wait after the first attempt, doubled with each further one.
const FIRST: SignedDuration = SignedDuration::from_secs(1);
/// Longest wait between two attempts.
const LONGEST: SignedDuration = SignedDuration::from_mins(10);

/// Attempts by export. They are kept in memory: a restart tries every export at once.
#[derive(Default)]
pub(super) struct ExportAttempts(Mutex<HashMap<ExportId, Attempt>>);

#[derive(Debug, Clone, Copy)]
struct Attempt {
    count: u32,
    next_at: Timestamp,
}

impl ExportAttempts {
    /// Notes an attempt that could not continue. Returns their number.
    pub(super) fn note(&self, id: &ExportId, now: Timestamp) -> u32 {
        let mut attempts = self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let count = attempts.get(id).map_or(0, |attempt| attempt.count) + 1;
        let wait = (FIRST * 2_i32.pow((count - 1).min(20))).min(LONGEST);
        let next_at = now.saturating_add(wait).unwrap_or(now);
        attempts.insert(id.clone(), Attempt { count, next_at });
        count
    }

    /// Forgets an export that has ended.
    pub(super) fn forget(&self, id: &ExportId) {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .remove(id);
    }

    /// Returns the exports whose next attempt lies ahead.
    pub(super) fn waiting(&self, now: Timestamp) -> Vec<ExportId> {
        let attempts = self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let ahead = attempts.iter().filter(|(_, attempt)| attempt.next_at > now);
        ahead.map(|(id, _)| id.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_attempt_waits_longer_and_the_others_do_not() {
        let (attempts, poison) = (ExportAttempts::default(), ExportId("poison".to_owned()));
        let at = |seconds| Timestamp::UNIX_EPOCH + SignedDuration::from_secs(seconds);
        assert_eq!(attempts.note(&poison, at(0)), 1);
        assert_eq!(attempts.waiting(at(0)), std::slice::from_ref(&poison));
        assert!(attempts.waiting(at(1)).is_empty(), "its time has come");
        assert_eq!(attempts.note(&poison, at(1)), 2);
        assert_eq!(
            (attempts.waiting(at(2)).len(), attempts.waiting(at(3)).len()),
            (1, 0)
        );
        for _ in 0..60 {
            attempts.note(&poison, at(10));
        }

        assert_eq!(
            (
                attempts.waiting(at(609)).len(),
                attempts.waiting(at(610)).len()
            ),
            (1, 0),
            "ten minutes at most"
        );

        attempts.note(&poison, at(700));
        attempts.forget(&poison);
        assert!(attempts.waiting(at(700)).is_empty());
    }
}
