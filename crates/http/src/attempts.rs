//! A limit on attempts to sign in, per address: a bucket of ten that refills one every six seconds.

use std::collections::HashMap;

use jiff::Timestamp;
use parking_lot::Mutex;

const BURST: f64 = 10.0;
const PER_SECOND: f64 = 1.0 / 6.0;
/// Addresses remembered at most; full buckets are forgotten first.
const REMEMBERED: usize = 10_000;

/// Attempts by address.
#[derive(Debug, Default)]
pub struct Attempts {
    buckets: Mutex<HashMap<String, (f64, i64)>>,
}

impl Attempts {
    /// Whether one more attempt is admitted now.
    pub fn admit(&self, address: &str, now: Timestamp) -> bool {
        let now_ms = now.as_millisecond();
        let mut buckets = self.buckets.lock();
        if buckets.len() >= REMEMBERED {
            buckets.retain(|_, (tokens, at)| refilled(*tokens, *at, now_ms) < BURST);
        }
        let (tokens, at) = buckets.entry(address.to_owned()).or_insert((BURST, now_ms));
        *tokens = refilled(*tokens, *at, now_ms);
        *at = now_ms;
        if *tokens < 1.0 {
            return false;
        }
        *tokens -= 1.0;
        true
    }
}

fn refilled(tokens: f64, at_ms: i64, now_ms: i64) -> f64 {
    (tokens + (now_ms - at_ms).max(0) as f64 / 1000.0 * PER_SECOND).min(BURST)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn ten_at_once_then_one_every_six_seconds() {
        let attempts = Attempts::default();
        let at = |s: i64| Timestamp::from_second(1_800_000_000 + s).unwrap();
        assert_eq!((0..12).filter(|_| attempts.admit("a", at(0))).count(), 10);
        assert!(attempts.admit("b", at(0)));
        assert!(!attempts.admit("a", at(5)));
        assert!(attempts.admit("a", at(6)));
        assert!(!attempts.admit("a", at(6)));
    }
}
