//! Results of the service's checks of itself, for its metrics: faults that a verification of the
//! log found, and rows of the state that changed without an entry.

use std::sync::atomic::{AtomicI64, Ordering};

use reeve_audit::Obstacle;

use crate::verification::Verified;

/// Value before the first check.
const UNKNOWN: i64 = -1;

/// Results of the newest checks.
#[derive(Debug)]
pub struct SelfChecks {
    faults: AtomicI64,
    unexplained: AtomicI64,
}

impl Default for SelfChecks {
    fn default() -> Self {
        SelfChecks {
            faults: AtomicI64::new(UNKNOWN),
            unexplained: AtomicI64::new(UNKNOWN),
        }
    }
}

impl SelfChecks {
    /// Notes the result of a verification. One that could not be finished says nothing about the
    /// log.
    pub fn verified(&self, outcome: &Result<Verified, Obstacle>) {
        if let Ok(found) = outcome {
            self.faults.store(
                i64::try_from(found.findings_total).unwrap_or(i64::MAX),
                Ordering::Relaxed,
            );
        }
    }

    /// Notes the number of rows that changed without an entry. It stays until a restart: the next
    /// digest has them as they are.
    pub fn digested(&self, unexplained: usize) {
        let before = self.unexplained.load(Ordering::Relaxed).max(0);
        let sum = before.saturating_add(i64::try_from(unexplained).unwrap_or(i64::MAX));
        self.unexplained.store(sum, Ordering::Relaxed);
    }

    /// Faults that the newest verification found; `None` before one ended.
    #[must_use]
    pub fn faults(&self) -> Option<i64> {
        Some(self.faults.load(Ordering::Relaxed)).filter(|faults| *faults != UNKNOWN)
    }

    /// Rows that changed without an entry, since the start; `None` before the first digest.
    #[must_use]
    pub fn unexplained(&self) -> Option<i64> {
        Some(self.unexplained.load(Ordering::Relaxed)).filter(|rows| *rows != UNKNOWN)
    }
}
