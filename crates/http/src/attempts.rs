//! Limits on attempts to sign in, per network and per account.
//!
//! Each is a bucket of ten attempts that refills with time. A network's refills by one every six
//! seconds. The /48 of IPv6 networks, which one customer of a provider may have as a whole, has a
//! bucket of fifty that refills five times as fast. An account's refills by one every minute and is
//! given back what a successful attempt took, so that guesses from many networks are slow and its
//! owner's sign-ins are free.
//!
//! An account's bucket must not lock out its owner while somebody else empties it. So networks from
//! which the account has signed in lately have a bucket of their own each: whoever guesses from
//! elsewhere cannot reach it. An owner on a new network waits until the guessing stops, at most a
//! minute longer, or signs in with an API token; nothing is locked for good.
//!
//! Buckets are kept under hashes of their names: anybody may try any text as an account, and the
//! memory of an attempt must not depend on it.

use std::collections::HashMap;

use jiff::Timestamp;
use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};

/// Attempts in a full bucket of a network or an account.
const BURST: i64 = 10;
/// Attempts in a full bucket of an IPv6 site.
const SITE_BURST: i64 = 50;
/// Buckets remembered at most; full buckets are forgotten first, then whoever tried longest ago.
const REMEMBERED: usize = 10_000;
/// Time for which a network is known to an account after a sign-in from there, ms.
const KNOWN_MS: i64 = 30 * 86_400_000;

/// SHA-256 of the name of a bucket.
type Key = [u8; 32];

fn key(name: &str) -> Key {
    Sha256::digest(name.as_bytes()).into()
}

/// Buckets by the hash of their names.
#[derive(Debug)]
struct Buckets {
    /// An attempt costs this much of a bucket's credit, which grows by a millisecond a millisecond.
    /// Whole numbers: a sixth of an attempt a second, added up, never is a whole one.
    cost_ms: i64,
    /// Attempts in a full bucket.
    burst: i64,
    /// Credit, and when it was counted.
    buckets: Mutex<HashMap<Key, (i64, i64)>>,
}

impl Buckets {
    fn new(cost_ms: i64, burst: i64) -> Self {
        Buckets {
            cost_ms,
            burst,
            buckets: Mutex::default(),
        }
    }

    /// Takes one attempt; seconds until there is one when there is none.
    fn take(&self, name: Key, now: Timestamp) -> Result<(), u64> {
        let now_ms = now.as_millisecond();
        let full = self.cost_ms * self.burst;
        let refilled = |credit: i64, at: i64| credit.saturating_add((now_ms - at).max(0)).min(full);
        let mut buckets = self.buckets.lock();
        if buckets.len() >= REMEMBERED && !buckets.contains_key(&name) {
            buckets.retain(|_, (credit, at)| refilled(*credit, *at) < full);
            forget_oldest(&mut buckets, |(_, at)| *at);
        }

        let (credit, at) = buckets.entry(name).or_insert((full, now_ms));
        *credit = refilled(*credit, *at);
        *at = now_ms;
        if *credit < self.cost_ms {
            return Err(u64::try_from(self.cost_ms - *credit)
                .unwrap_or_default()
                .div_ceil(1000));
        }
        *credit -= self.cost_ms;

        Ok(())
    }

    /// Gives one attempt back.
    fn give_back(&self, name: Key) {
        if let Some((credit, _)) = self.buckets.lock().get_mut(&name) {
            *credit = (*credit + self.cost_ms).min(self.cost_ms * self.burst);
        }
    }
}

fn forget_oldest<T>(kept: &mut HashMap<Key, T>, at: impl Fn(&T) -> i64) {
    while kept.len() >= REMEMBERED {
        let Some(oldest) = kept
            .iter()
            .min_by_key(|(_, value)| at(value))
            .map(|(name, _)| *name)
        else {
            return;
        };
        kept.remove(&oldest);
    }
}

/// Attempts to sign in by network and by account.
#[derive(Debug)]
pub struct Attempts {
    networks: Buckets,
    sites: Buckets,
    accounts: Buckets,
    /// Account and network, and when the account last signed in from there.
    known: Mutex<HashMap<Key, i64>>,
}

impl Default for Attempts {
    fn default() -> Self {
        Attempts {
            networks: Buckets::new(6_000, BURST),
            sites: Buckets::new(1_200, SITE_BURST),
            accounts: Buckets::new(60_000, BURST),
            known: Mutex::default(),
        }
    }
}

impl Attempts {
    /// Admits an attempt from a network.
    ///
    /// # Errors
    /// Seconds after which there is room for one again.
    pub fn on_network(&self, network: &str, now: Timestamp) -> Result<(), u64> {
        self.networks.take(key(network), now)
    }

    /// Admits an attempt from an IPv6 site, which may have 65,536 networks.
    ///
    /// # Errors
    /// As [`Attempts::on_network`].
    pub fn on_site(&self, site: &str, now: Timestamp) -> Result<(), u64> {
        self.sites.take(key(site), now)
    }

    /// Admits an attempt to sign in to an account, whether or not the account exists.
    ///
    /// # Errors
    /// As [`Attempts::on_network`].
    pub fn on_account(&self, account: &str, network: &str, now: Timestamp) -> Result<(), u64> {
        self.accounts.take(self.bucket(account, network, now), now)
    }

    /// Notes that an attempt succeeded: it costs the account nothing, and the network is known to
    /// it from now on.
    pub fn succeeded(&self, account: &str, network: &str, now: Timestamp) {
        self.accounts.give_back(self.bucket(account, network, now));
        let mut known = self.known.lock();
        let name = pair(account, network);
        if !known.contains_key(&name) {
            forget_oldest(&mut known, |at| *at);
        }
        known.insert(name, now.as_millisecond());
    }

    /// The bucket of an attempt: the account's, or the known network's own.
    fn bucket(&self, account: &str, network: &str, now: Timestamp) -> Key {
        let name = pair(account, network);
        let since = now.as_millisecond() - KNOWN_MS;
        if self.known.lock().get(&name).is_some_and(|at| *at >= since) {
            name
        } else {
            key(account)
        }
    }
}

fn pair(account: &str, network: &str) -> Key {
    key(&format!("{account}\n{network}"))
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
            assert_eq!(
                attempts.on_network(&n.to_string(), at(n / 1_000_000)),
                Ok(())
            );
            attempts.succeeded("ann", &n.to_string(), at(n));
        }

        assert_eq!(attempts.networks.buckets.lock().len(), REMEMBERED);
        assert_eq!(attempts.known.lock().len(), REMEMBERED);
    }

    #[test]
    fn ten_at_once_then_one_every_six_seconds() {
        let attempts = Attempts::default();
        assert_eq!(
            (0..12)
                .filter(|_| attempts.on_network("a", at(0)).is_ok())
                .count(),
            10
        );

        assert_eq!(attempts.on_network("b", at(0)), Ok(()));
        assert_eq!(attempts.on_network("a", at(5)), Err(1));
        assert_eq!(attempts.on_network("a", at(6)), Ok(()));
        assert_eq!(attempts.on_network("a", at(6)), Err(6));
    }

    #[test]
    fn a_site_has_fifty_whichever_networks_it_has() {
        let attempts = Attempts::default();
        assert_eq!(
            (0..60)
                .filter(|_| attempts.on_site("2001:db8:1::/48", at(0)).is_ok())
                .count(),
            50
        );

        assert_eq!(attempts.on_site("2001:db8:2::/48", at(0)), Ok(()));
        assert_eq!(attempts.on_site("2001:db8:1::/48", at(2)), Ok(()));
    }

    #[test]
    fn guesses_from_anywhere_are_slow_and_do_not_lock_out_the_owner() {
        let attempts = Attempts::default();
        assert_eq!(attempts.on_account("ann", "home", at(0)), Ok(()));
        attempts.succeeded("ann", "home", at(0));

        // Every guess from another network.
        let guessed = (0..600)
            .filter(|n| attempts.on_account("ann", &n.to_string(), at(*n)).is_ok())
            .count();
        assert_eq!(guessed, 10 + 9, "ten, then one a minute");
        assert_eq!(
            attempts.on_account("ann", "home", at(600)),
            Ok(()),
            "where she signs in she still can"
        );

        assert!(
            attempts.on_account("ann", "office", at(599)).unwrap_err() <= 60,
            "elsewhere she waits a minute"
        );
        assert_eq!(
            attempts.on_account("bob", "0", at(600)),
            Ok(()),
            "nobody else is concerned"
        );

        // What succeeds is free, so that a script that signs in often is not stopped.
        for n in 0..100 {
            assert_eq!(attempts.on_account("ann", "home", at(600 + n)), Ok(()));
            attempts.succeeded("ann", "home", at(600 + n));
        }
    }
}
