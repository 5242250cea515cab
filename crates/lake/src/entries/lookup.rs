//! One entry: by its position, or by its identifier.

use std::sync::Arc;

use reeve_audit::query::{Column, Expr, Match, Query};
use reeve_ledger::{Order, StoredEntry, TrailError};

use super::parts::{Found, Job, failed, on_worker};
use super::predicate::Predicate;
use super::scan::sequences_between;
use super::search::EntrySearch;

impl EntrySearch {
    /// The tail knows its entries by position; of the segments, the one that has it.
    pub(super) async fn find_sequence(&self, sequence: u64) -> Result<Option<Arc<StoredEntry>>, TrailError> {
        let view = self.views.view();
        if let Some(entry) = view.tail.get(sequence) {
            return Ok(Some(Arc::clone(entry)));
        }
        for at in 0..view.segments.len() {
            let segment = &view.segments[at];
            if !(segment.first_sequence..=segment.last_sequence).contains(&sequence) {
                continue;
            }
            // Segments of several classes may span the sequence, and one of them may have it.
            let (segments, listed) = (Arc::clone(&self.segments), Arc::clone(&view.segments));
            let found = on_worker(async move {
                let segment = &listed[at];
                if let Some(index) = segments.index(segment)
                    && let Ok(row) = index.row_at(sequence)
                    && let Ok(held) = index.sequence(row)
                {
                    return Ok((row < index.rows() && held == sequence).then_some(Some(row)));
                }
                let held = segments.sealed(segment, None, &sequences_between(sequence, sequence)).await;
                Ok(held.map_err(failed)?.first().map(|_| None))
            });
            if let Some(row) = found.await? {
                let found = Found::Sealed { sequence, segment: at, row };
                return Ok(self.fetch(vec![found], &view).await?.pop());
            }
        }
        Ok(None)
    }

    /// A search for the one entry, newest first.
    pub(super) async fn find_event_id(&self, event_id: &str) -> Result<Option<Arc<StoredEntry>>, TrailError> {
        let view = self.views.view();
        if let Some(entry) = view.tail.iter().rev().find(|entry| entry.entry.event_id.as_str() == event_id) {
            return Ok(Some(Arc::clone(entry)));
        }
        let query = Query { expr: Expr::field(Column::EventId, Match::Identical(event_id.to_owned())) };
        let job = Job {
            predicate: Arc::new(Predicate::new(&query, jiff::Timestamp::UNIX_EPOCH)),
            order: Order::NewestFirst,
            cursor: Some(view.tail.first_sequence()),
            wanted: 1,
            counted: Vec::new(),
            all: false,
            budget: self.budgets.begin(),
        };
        let found = self.page(&job, &view).await?;
        Ok(self.fetch(found, &view).await?.pop())
    }
}
