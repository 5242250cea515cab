//! Reading on among the entries that are in memory already.
//!
//! Whatever follows the log (alerts, anomalies, deliveries) reads its newest entries, each by
//! itself. A search for each of them scanned and ordered the same entries again. Entries of the
//! tail are parsed and shared: a follower that has caught up takes them as they are.

use reeve_ledger::{ReadOn, Stretch, Tail};

/// Entries that are looked at for one stretch. A rare match among more ends the stretch early, so
/// that no follower holds a thread.
const LOOKED_AT: u64 = 4_096;

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
    let (most, mut left) = (request.entries.max(1), request.bytes);
    let mut entries = Vec::new();

    for sequence in request.from..end {
        let stored = tail.get(sequence)?;
        if !request
            .query
            .matches(&stored.entry, stored.recorded_at, request.now)
        {
            continue;
        }
        let size = stored.canonical.len();
        if entries.len() == most || size > left && !entries.is_empty() {
            return Some(Stretch {
                entries,
                to: sequence,
            });
        }
        left = left.saturating_sub(size);
        entries.push(stored.clone());
    }

    Some(Stretch { entries, to: end })
}
