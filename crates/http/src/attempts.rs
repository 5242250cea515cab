//! A limit on attempts to sign in, per address: a bucket of ten that refills one every six seconds.

use std::collections::HashMap;

use jiff::Timestamp;
use parking_lot::Mutex;

/// An attempt costs this much of an address's credit, which grows by a millisecond a millisecond. Whole numbers: a sixth of an
/// attempt a second, added up, never is a whole one.
const COST_MS: i64 = 6_000;
/// The most credit an address has.
const BURST_MS: i64 = 10 * COST_MS;
/// Addresses remembered at most; full buckets are forgotten first, then whoever tried longest ago.
const REMEMBERED: usize = 10_000;

/// Attempts by address.
#[derive(Debug, Default)]
pub struct Attempts {
    /// Credit, and when it was counted.
    buckets: Mutex<HashMap<String, (i64, i64)>>,
}

impl Attempts {
    /// Whether one more attempt is admitted now.
    pub fn admit(&self, address: &str, now: Timestamp) -> bool {
        let now_ms = now.as_millisecond();
        let mut buckets = self.buckets.lock();
        if buckets.len() >= REMEMBERED {
            buckets.retain(|_, (credit, at)| refilled(*credit, *at, now_ms) < BURST_MS);
            while buckets.len() >= REMEMBERED {
                let Some(oldest) = buckets.iter().min_by_key(|(_, (_, at))| *at).map(|(name, _)| name.clone()) else {
                    break;
                };
                buckets.remove(&oldest);
            }
        }
        let (credit, at) = buckets.entry(address.to_owned()).or_insert((BURST_MS, now_ms));
        *credit = refilled(*credit, *at, now_ms);
        *at = now_ms;
        if *credit < COST_MS {
            return false;
        }
        *credit -= COST_MS;
        true
    }
}

fn refilled(credit_ms: i64, at_ms: i64, now_ms: i64) -> i64 {
    credit_ms.saturating_add((now_ms - at_ms).max(0)).min(BURST_MS)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn memory_is_bounded_whoever_asks() {
        let attempts = Attempts::default();
        let at = |ms: i64| Timestamp::from_millisecond(1_800_000_000_000 + ms).unwrap();
        for n in 0..REMEMBERED as i64 + 20 {
            assert!(attempts.admit(&n.to_string(), at(n / 1000)));
        }
        assert_eq!(attempts.buckets.lock().len(), REMEMBERED);
    }

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
