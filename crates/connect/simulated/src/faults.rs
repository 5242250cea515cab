//! Injected faults of the clouds, as shares of calls. The seed decides which calls they hit.

use jiff::Timestamp;
use reeve_estate::ResourceId;

use crate::noise::{key, unit};

/// Shares of calls (0 to 1) that go wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Faults {
    /// Calls refused for the rate, beside those that really come too fast.
    pub throttle: f64,
    /// Changes that are made while their answer is lost.
    pub lost_response: f64,
    /// Starts refused for want of capacity.
    pub no_capacity: f64,
    /// Resizes that are accepted and do not happen.
    pub does_not_stick: f64,
    /// Rate limit of calls: 40 at once, 10 a second after that.
    pub rate_limit: bool,
}

impl Faults {
    /// Returns settings without any faults or rate limit.
    #[must_use]
    pub const fn none() -> Self {
        Faults {
            throttle: 0.0,
            lost_response: 0.0,
            no_capacity: 0.0,
            does_not_stick: 0.0,
            rate_limit: false,
        }
    }

    /// A cloud on an ordinary day.
    #[must_use]
    pub const fn mild() -> Self {
        Faults {
            throttle: 0.01,
            lost_response: 0.005,
            no_capacity: 0.01,
            does_not_stick: 0.005,
            rate_limit: true,
        }
    }
}

impl Default for Faults {
    fn default() -> Self {
        Faults::mild()
    }
}

/// Returns `true` if the n-th draw under a key falls into a share.
pub(crate) fn strikes(share: f64, key: u64, n: u64) -> bool {
    share > 0.0 && unit(key, n.cast_signed()) < share
}

/// The chance of one call: what strikes it is drawn from the seed, the resource and how often it
/// was called.
pub(crate) struct Chance {
    seed: u64,
    id: String,
    call: u64,
}

impl Chance {
    /// Chance of the n-th call about a resource.
    pub(crate) fn new(seed: u64, id: &ResourceId, call: u64) -> Self {
        Chance {
            seed,
            id: id.0.clone(),
            call,
        }
    }

    pub(crate) fn strikes(&self, share: f64, fault: &str) -> bool {
        strikes(
            share,
            key(self.seed, &format!("{fault}/{}", self.id)),
            self.call,
        )
    }
}

const BURST: f64 = 40.0;
const PER_SECOND: f64 = 10.0;

/// The token bucket of one account.
#[derive(Debug)]
pub(crate) struct Bucket {
    tokens: f64,
    filled_at: Timestamp,
}

impl Bucket {
    pub(crate) fn full(now: Timestamp) -> Self {
        Bucket {
            tokens: BURST,
            filled_at: now,
        }
    }

    /// Takes a token; `false` when there is none.
    pub(crate) fn take(&mut self, now: Timestamp) -> bool {
        let passed = now.duration_since(self.filled_at).as_secs_f64().max(0.0);
        self.tokens = (self.tokens + passed * PER_SECOND).min(BURST);
        self.filled_at = now;
        let granted = self.tokens >= 1.0;
        if granted {
            self.tokens -= 1.0;
        }
        granted
    }
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;

    use super::*;

    #[test]
    fn the_bucket_empties_and_fills() {
        let start = Timestamp::UNIX_EPOCH;
        let mut bucket = Bucket::full(start);
        assert_eq!((0..50).filter(|_| bucket.take(start)).count(), 40);
        let later = start.saturating_add(1.second()).unwrap_or(start);
        assert_eq!((0..50).filter(|_| bucket.take(later)).count(), 10);
    }

    #[test]
    fn a_share_of_calls_is_struck() {
        let struck = (0..10_000).filter(|n| strikes(0.1, 5, *n)).count();
        assert!((900..1100).contains(&struck), "{struck}");
        assert!(!(0..10_000).any(|n| strikes(Faults::none().throttle, 5, n)));
    }
}
