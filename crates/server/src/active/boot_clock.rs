//! Time since the machine started, sleep included (`CLOCK_BOOTTIME`).
//!
//! A deadline in the clock of `Instant` (`CLOCK_MONOTONIC`) does not pass while a machine is
//! suspended, and the wall clock can be set. `/proc/uptime` gives the right clock, in hundredths of
//! a second, without a system call that needs `unsafe`.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::time::{Duration, Instant};

/// The clock. Reading it costs about a microsecond.
#[derive(Debug)]
pub(super) struct BootClock {
    /// `None` on systems without it: there `Instant` has to do, which is no deadline for a machine
    /// that sleeps.
    uptime: Option<File>,
    begun: Instant,
}

impl BootClock {
    /// Opens the clock that counts from the boot.
    pub(super) fn open() -> BootClock {
        let clock = BootClock {
            uptime: File::open("/proc/uptime").ok(),
            begun: Instant::now(),
        };
        if clock.uptime().is_none() {
            tracing::warn!(
                "/proc/uptime cannot be read: a deadline does not pass while the machine sleeps"
            );
        }

        clock
    }

    /// Returns the time since a point in the past that stays the same.
    pub(super) fn now(&self) -> Duration {
        self.uptime().unwrap_or_else(|| self.begun.elapsed())
    }

    fn uptime(&self) -> Option<Duration> {
        let mut bytes = [0; 64];
        let read = self.uptime.as_ref()?.read_at(&mut bytes, 0).ok()?;
        let text = std::str::from_utf8(&bytes[..read]).ok()?;
        let (seconds, rest) = text.split_once('.')?;
        let hundredths: u64 = rest.get(..2)?.parse().ok()?;
        Some(Duration::from_secs(seconds.parse().ok()?) + Duration::from_millis(hundredths * 10))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_advances_with_time() {
        let clock = BootClock::open();
        let begin = clock.now();
        assert!(clock.uptime().is_some(), "Linux has it");
        while clock.now() == begin {
            std::thread::yield_now();
        }
        assert!(clock.now() > begin && clock.now() - begin < Duration::from_secs(30));
    }
}
