//! Reading on among the entries that are in memory already.
//!
//! Whatever follows the log (alerts, anomalies, deliveries) reads its newest entries, each by
//! itself. A search for each of them scanned and ordered the same entries again. Entries of the
//! tail are parsed and shared: a follower that has caught up takes them as they are.

use std::sync::Arc;

use reeve_ledger::{ReadOn, StoredEntry, Stretch, Tail};

/// Entries that are looked at for one stretch. A rare match among more ends the stretch early, so
/// that no follower holds a thread.
const LOOKED_AT: u64 = 4_096;

/// A stretch in the making: the entries that a request finds, up to its bounds.
pub(crate) struct Gathering<'r> {
    request: &'r ReadOn,
    bytes_left: usize,
    entries: Vec<Arc<StoredEntry>>,
}

impl<'r> Gathering<'r> {
    pub(crate) fn new(request: &'r ReadOn) -> Self {
        Gathering {
            request,
            bytes_left: request.bytes,
            entries: Vec::new(),
        }
    }

    /// Takes an entry if the query finds it; `false` if the stretch has no room for it. An entry
    /// that is larger than all bytes comes alone.
    pub(crate) fn take(&mut self, stored: &Arc<StoredEntry>) -> bool {
        let ReadOn { query, now, .. } = self.request;
        if !query.matches(&stored.entry, stored.recorded_at, *now) {
            return true;
        }

        let size = stored.canonical.len();
        let is_full = self.entries.len() == self.request.entries.max(1);
        if is_full || size > self.bytes_left && !self.entries.is_empty() {
            return false;
        }

        self.bytes_left = self.bytes_left.saturating_sub(size);
        self.entries.push(stored.clone());
        true
    }

    /// Returns the stretch; `to` is the next sequence to look at.
    pub(crate) fn ended_before(self, to: u64) -> Stretch {
        Stretch {
            entries: self.entries,
            to,
        }
    }
}

/// Returns the next stretch if the tail has every entry from its beginning on; `None` where a
/// segment has the first of them.
pub(crate) fn stretch(tail: &Tail, request: &ReadOn) -> Option<Stretch> {
    if request.from < tail.first_sequence() {
        return None;
    }

    let end = request
        .to
        .min(tail.end_sequence())
        .min(request.from.saturating_add(LOOKED_AT));
    let mut gathering = Gathering::new(request);

    for sequence in request.from..end {
        if !gathering.take(tail.get(sequence)?) {
            return Some(gathering.ended_before(sequence));
        }
    }

    Some(gathering.ended_before(end))
}
