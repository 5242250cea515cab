//! Limits on attempts to sign in, per network and per account.
//!
//! Each is a bucket of ten attempts that refills with time. A network's refills by one every six seconds. An account's refills by one
//! every minute and is given back what a successful attempt took, so that guesses from many networks are slow and its owner's
//! sign-ins are free.
//!
//! An account's bucket must not lock out its owner while somebody else empties it. So networks from which the account has
//! signed in lately have a bucket of their own each: whoever guesses from elsewhere cannot reach it. An owner on a new network
//! waits until the guessing stops, at most a minute longer, or signs in with an API token; nothing is locked for good.

use std::collections::HashMap;

use jiff::Timestamp;
use parking_lot::Mutex;

/// Attempts in a full bucket.
const BURST: i64 = 10;
/// Buckets remembered at most; full buckets are forgotten first, then whoever tried longest ago.
const REMEMBERED: usize = 10_000;
/// Time for which a network is known to an account after a sign-in from there, ms.
const KNOWN_MS: i64 = 30 * 86_400_000;

/// Buckets by name.
#[derive(Debug)]
struct Buckets {
    /// An attempt costs this much of a bucket's credit, which grows by a millisecond a millisecond. Whole numbers: a sixth of an
    /// attempt a second, added up, never is a whole one.
    cost_ms: i64,
    /// Credit, and when it was counted.
    buckets: Mutex<HashMap<String, (i64, i64)>>,
}

impl Buckets {
    fn new(cost_ms: i64) -> Self {
        Buckets { cost_ms, buckets: Mutex::default() }
    }

    /// Takes one attempt; seconds until there is one when there is none.
    fn take(&self, name: &str, now: Timestamp) -> Result<(), u64> {
        let now_ms = now.as_millisecond();
        let full = self.cost_ms * BURST;
        let refilled = |credit: i64, at: i64| credit.saturating_add((now_ms - at).max(0)).min(full);
        let mut buckets = self.buckets.lock();
        if buckets.len() >= REMEMBERED && !buckets.contains_key(name) {
            buckets.retain(|_, (credit, at)| refilled(*credit, *at) < full);
            forget_oldest(&mut buckets, |(_, at)| *at);
        }
        let (credit, at) = buckets.entry(name.to_owned()).or_insert((full, now_ms));
        *credit = refilled(*credit, *at);
        *at = now_ms;
        if *credit < self.cost_ms {
            return Err(u64::try_from(self.cost_ms - *credit).unwrap_or_default().div_ceil(1000));
        }
        *credit -= self.cost_ms;
        Ok(())
    }

    /// Gives one attempt back.
    fn give_back(&self, name: &str) {
        if let Some((credit, _)) = self.buckets.lock().get_mut(name) {
            *credit = (*credit + self.cost_ms).min(self.cost_ms * BURST);
        }
    }
}

fn forget_oldest<T>(kept: &mut HashMap<String, T>, at: impl Fn(&T) -> i64) {
    while kept.len() >= REMEMBERED {
        let Some(oldest) = kept.iter().min_by_key(|(_, value)| at(value)).map(|(name, _)| name.clone()) else { return };
        kept.remove(&oldest);
    }
}

/// Attempts to sign in by network and by account.
#[derive(Debug)]
pub struct Attempts {
    networks: Buckets,
    accounts: Buckets,
    /// Account and network, and when the account last signed in from there.
    known: Mutex<HashMap<String, i64>>,
}

impl Default for Attempts {
    fn default() -> Self {
        Attempts { networks: Buckets::new(6_000), accounts: Buckets::new(60_000), known: Mutex::default() }
    }
}

impl Attempts {
    /// Admits an attempt from a network.
    ///
    /// # Errors
    /// Seconds after which there is room for one again.
    pub fn on_network(&self, network: &str, now: Timestamp) -> Result<(), u64> {
        self.networks.take(network, now)
    }

    /// Admits an attempt to sign in to an account, whether or not the account exists.
    ///
    /// # Errors
    /// As [`Attempts::on_network`].
    pub fn on_account(&self, account: &str, network: &str, now: Timestamp) -> Result<(), u64> {
        self.accounts.take(&self.bucket(account, network, now), now)
    }

    /// Notes that an attempt succeeded: it costs the account nothing, and the network is known to it from now on.
    pub fn succeeded(&self, account: &str, network: &str, now: Timestamp) {
        self.accounts.give_back(&self.bucket(account, network, now));
        let mut known = self.known.lock();
        let name = pair(account, network);
        if !known.contains_key(&name) {
            forget_oldest(&mut known, |at| *at);
        }
        known.insert(name, now.as_millisecond());
    }

    /// The bucket of an attempt: the account's, or the known network's own.
    fn bucket(&self, account: &str, network: &str, now: Timestamp) -> String {
        let name = pair(account, network);
        let since = now.as_millisecond() - KNOWN_MS;
        if self.known.lock().get(&name).is_some_and(|at| *at >= since) { name } else { account.to_owned() }
    }
}

fn pair(account: &str, network: &str) -> String {
    format!("{account}\n{network}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn at(s: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + s).unwrap()
    }

    #[test]
    fn memory_is_bounded_whoever_asks() {
        let attempts = Attempts::default();
        for n in 0..REMEMBERED as i64 + 20 {
            assert_eq!(attempts.on_network(&n.to_string(), at(n / 1_000_000)), Ok(()));
            attempts.succeeded("ann", &n.to_string(), at(n));
        }
        assert_eq!(attempts.networks.buckets.lock().len(), REMEMBERED);
        assert_eq!(attempts.known.lock().len(), REMEMBERED);
    }

    #[test]
    fn ten_at_once_then_one_every_six_seconds() {
        let attempts = Attempts::default();
        assert_eq!((0..12).filter(|_| attempts.on_network("a", at(0)).is_ok()).count(), 10);
        assert_eq!(attempts.on_network("b", at(0)), Ok(()));
        assert_eq!(attempts.on_network("a", at(5)), Err(1));
        assert_eq!(attempts.on_network("a", at(6)), Ok(()));
        assert_eq!(attempts.on_network("a", at(6)), Err(6));
    }

    #[test]
    fn guesses_from_anywhere_are_slow_and_do_not_lock_out_the_owner() {
        let attempts = Attempts::default();
        assert_eq!(attempts.on_account("ann", "home", at(0)), Ok(()));
        attempts.succeeded("ann", "home", at(0));
        // Every guess from another network.
        let guessed = (0..600).filter(|n| attempts.on_account("ann", &n.to_string(), at(*n)).is_ok()).count();
        assert_eq!(guessed, 10 + 9, "ten, then one a minute");
        assert_eq!(attempts.on_account("ann", "home", at(600)), Ok(()), "where she signs in she still can");
        assert!(attempts.on_account("ann", "office", at(599)).unwrap_err() <= 60, "elsewhere she waits a minute");
        assert_eq!(attempts.on_account("bob", "0", at(600)), Ok(()), "nobody else is concerned");
        // What succeeds is free, so that a script that signs in often is not stopped.
        for n in 0..100 {
            assert_eq!(attempts.on_account("ann", "home", at(600 + n)), Ok(()));
            attempts.succeeded("ann", "home", at(600 + n));
        }
    }
}
