//! Follows the log by sequence, from a cursor that whoever follows keeps durably.
//!
//! A follower reads the entries from a position to the end of what is acknowledged, in order, a stretch at a time. It keeps
//! nothing itself: the host keeps what follows from a stretch, and moves its cursor to the stretch's end, in one transaction that
//! compares the cursor with where the stretch began. So state in the store is moved exactly once, whatever stops in between and
//! however many processes follow; what goes outward is derived from that state, at least once.

use std::sync::Arc;

use jiff::Timestamp;
use reeve_audit::query::Query;
use reeve_ledger::{Ledger, SearchRequest, StoredEntry, Trail, TrailError};

/// Reads the log on.
pub(crate) struct Follower<'a> {
    /// The log, for its end.
    pub(crate) ledger: &'a Ledger,
    /// The log, for its entries.
    pub(crate) trail: &'a dyn Trail,
    /// The entries of interest.
    pub(crate) query: Query,
    /// Entries of a stretch at most.
    pub(crate) page: usize,
}

/// The entries of interest between two positions.
pub(crate) struct Stretch {
    /// In order of their sequence.
    pub(crate) entries: Vec<Arc<StoredEntry>>,
    /// The next sequence to look at after them.
    pub(crate) to: u64,
}

impl Follower<'_> {
    /// The position after the last acknowledged entry. A follower without a cursor begins there.
    pub(crate) fn end(&self) -> u64 {
        self.ledger.tail().end_sequence()
    }

    /// Reads the next stretch from a position; `None` at the end. The end is asked for by the host before it reads what it judges
    /// entries by, so that an entry that was written after a change is never judged by what was before it.
    pub(crate) async fn next(&self, from: u64, end: u64, now: Timestamp) -> Result<Option<Stretch>, TrailError> {
        if from >= end {
            return Ok(None);
        }
        let request = SearchRequest::onwards(self.query.resolve(now), from, self.page, now);
        let mut page = self.trail.search(&request).await?;
        let found = page.entries.len();
        // The search may see entries that were acknowledged since.
        page.entries.retain(|entry| entry.sequence < end);
        let more = page.next_cursor.is_some() && page.entries.len() == found;
        let to = page.entries.last().filter(|_| more).map_or(end, |last| last.sequence + 1);
        Ok(Some(Stretch { entries: page.entries, to }))
    }
}
