//! Reading onwards: a stretch of matches in the order of the log, bounded in entries and in bytes.
//!
//! A search fetches its whole page before it answers, which for large entries is a gibibyte a thousand. Here the rows that were found
//! are fetched in steps, each sized by the largest entry so far, until the stretch is full.

use std::sync::Arc;

use reeve_ledger::{Order, ReadOn, StoredEntry, Stretch, TrailError, View};

use super::parts::{Found, Job, in_order};
use super::predicate::Predicate;
use super::search::EntrySearch;

/// Rows of the first step. An entry has a mebibyte at most.
const FIRST_STEP: usize = 16;
/// Rows of any other step at most: some hundred pages of a segment are unpacked for as many.
const LARGEST_STEP: usize = 1024;

impl EntrySearch {
    pub(super) async fn stretch(&self, request: &ReadOn) -> Result<Stretch, TrailError> {
        let most = request.entries.max(1);
        let view = self.views.view();
        let job = Job {
            predicate: Arc::new(Predicate::new(&request.query, request.now)),
            order: Order::OldestFirst,
            cursor: request.from.checked_sub(1),
            wanted: most.saturating_add(1),
            counted: Vec::new(),
            all: false,
            budget: self.budgets.begin(),
        };
        let mut found = self.page(&job, &view).await?;
        in_order(&mut found, &job);
        // The view may have entries that were acknowledged since the end was asked for.
        found.retain(|found| found.sequence() < request.to);
        let more = found.len() > most;
        found.truncate(most);
        let matches = found.len();
        let entries = self.fetch_within(found, request.bytes, &view).await?;
        let whole = !more && entries.len() == matches;
        let to = entries.last().filter(|_| !whole).map_or(request.to, |last| last.sequence + 1);
        Ok(Stretch { entries, to })
    }

    /// Reads the first of these entries, as many as fit, at least one.
    async fn fetch_within(
        &self,
        found: Vec<Found>,
        bytes: usize,
        view: &View,
    ) -> Result<Vec<Arc<StoredEntry>>, TrailError> {
        let mut entries: Vec<Arc<StoredEntry>> = Vec::with_capacity(found.len());
        let (mut left, mut largest, mut step) = (bytes, 1, FIRST_STEP);
        let mut rest = found.into_iter();
        loop {
            let next: Vec<Found> = rest.by_ref().take(step).collect();
            if next.is_empty() {
                return Ok(entries);
            }
            for stored in self.fetch(next, view).await? {
                let size = stored.canonical.len();
                if size > left && !entries.is_empty() {
                    return Ok(entries);
                }
                left = left.saturating_sub(size);
                largest = largest.max(size);
                entries.push(stored);
            }
            if left == 0 {
                return Ok(entries);
            }
            step = (left / largest).clamp(1, LARGEST_STEP);
        }
    }
}
