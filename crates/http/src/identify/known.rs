//! Cached principals of tokens, so that a client that sends a thousand requests a second does not
//! ask the database as often. A change made through this process counts at once; one that another
//! process made in the same database counts after [`FRESH`]. Only tokens that were right are kept,
//! by their hash, and never beyond their end.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use reeve_access::{Principal, TokenHash};

use crate::identify::watched::WatchedChanges;

/// Time for which the store's answer is valid.
const FRESH: Duration = Duration::from_secs(2);

/// Tokens remembered at most.
const MOST: usize = 10_000;

struct Known {
    principal: Arc<Principal>,
    ends_at_ms: Option<i64>,
    changes: u64,
    asked: Instant,
}

/// Principals by the hashes of their tokens.
pub(crate) struct KnownTokens {
    known: Mutex<HashMap<TokenHash, Known>>,
    changes: WatchedChanges,
}

/// The moment before the store was asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asking {
    changes: u64,
    asked: Instant,
}

impl KnownTokens {
    pub(crate) fn new(changes: WatchedChanges) -> Self {
        KnownTokens {
            known: Mutex::default(),
            changes,
        }
    }

    /// To be called before the store is asked.
    pub(super) fn asking(&self) -> Asking {
        Asking {
            changes: self.changes.now(),
            asked: Instant::now(),
        }
    }

    /// The principal, when the store told it lately and nothing has changed since.
    pub(super) fn get(&self, hash: &TokenHash, now_ms: i64) -> Option<Arc<Principal>> {
        let mut all = self.known.lock();
        let known = all.get(hash)?;
        let good = known.changes == self.changes.now()
            && known.asked.elapsed() < FRESH
            && known.ends_at_ms.is_none_or(|end| now_ms < end);
        if good {
            return Some(known.principal.clone());
        }

        all.remove(hash);
        None
    }

    /// Remembers what the store told.
    pub(super) fn put(
        &self,
        hash: TokenHash,
        principal: Arc<Principal>,
        ends_at_ms: Option<i64>,
        asking: Asking,
    ) {
        let mut all = self.known.lock();
        if all.len() >= MOST {
            all.retain(|_, known| known.asked.elapsed() < FRESH);
        }

        if all.len() < MOST {
            let Asking { changes, asked } = asking;
            all.insert(
                hash,
                Known {
                    principal,
                    ends_at_ms,
                    changes,
                    asked,
                },
            );
        }
    }
}
