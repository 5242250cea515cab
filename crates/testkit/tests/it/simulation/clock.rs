//! Manual clock.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use reeve_ledger::clock::Clock;

/// Start of every life: 2026-11-20T10:00:00Z.
const BEGIN_MS: i64 = 1_795_168_800_000;

#[derive(Debug, Default)]
pub(crate) struct SimulatedClock(AtomicU64);

impl SimulatedClock {
    pub(crate) fn advance(&self, ms: u64) {
        self.0.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Clock for SimulatedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millisecond(BEGIN_MS + self.0.load(Ordering::SeqCst) as i64).unwrap()
    }

    fn elapsed(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::SeqCst))
    }
}
