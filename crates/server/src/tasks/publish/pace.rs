//! Waits after failures: from a second up to five minutes, doubling, with some chance in it.

use std::time::Duration;

const LEAST: Duration = Duration::from_secs(1);
const MOST: Duration = Duration::from_secs(300);

/// Number of failures in a row.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    failures: u32,
}

impl Backoff {
    /// It worked; whether it had failed before.
    pub(super) fn succeeded(&mut self) -> bool {
        std::mem::take(&mut self.failures) > 0
    }

    /// It failed: how long to wait, and whether that is news.
    pub(super) fn failed(&mut self) -> (Duration, bool) {
        let wait = LEAST.saturating_mul(1 << self.failures.min(9)).min(MOST);
        self.failures = self.failures.saturating_add(1);
        (
            wait.mul_f64(rand::random_range(0.75..=1.0)),
            self.failures == 1,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_five_minutes() {
        let mut backoff = Backoff::default();
        let waits: Vec<_> = (0..40).map(|_| backoff.failed()).collect();
        assert!(waits[0].1 && !waits[1].1);
        assert!(
            waits[0].0 <= LEAST
                && waits[4].0 > Duration::from_secs(11)
                && waits[4].0 <= Duration::from_secs(16)
        );

        assert!(
            waits.iter().all(|(wait, _)| *wait <= MOST) && waits[39].0 > Duration::from_secs(200)
        );
        assert!(backoff.succeeded() && !backoff.succeeded() && backoff.failed().1);
    }
}
