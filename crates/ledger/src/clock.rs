//! The ledger's port to time, so that a test can say what time it is. [`SystemClock`] is the real
//! one.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use jiff::Timestamp;

/// Source of time, replaced by a simulated one in tests.
pub trait Clock: std::fmt::Debug + Send + Sync {
    /// The time of day.
    fn now(&self) -> Timestamp;
    /// Time since some moment before the ledger was opened; never goes back.
    fn elapsed(&self) -> Duration;
}

/// The clock of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn elapsed(&self) -> Duration {
        static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
        BEGUN.elapsed()
    }
}
