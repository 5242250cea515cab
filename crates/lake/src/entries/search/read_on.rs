//! Reading onwards: a stretch of matches in the order of the log, bounded in entries and in bytes.
//!
//! A search fetches its whole page before it answers, which for large entries is a gibibyte a
//! thousand. Here the rows that were found are fetched in steps, each sized by the largest entry so
//! far, until the stretch is full.
//!
//! A stretch also ends when half of a search's time is gone, after the last segment that was wholly
//! searched, possibly without any entry: a rare query over a large log would otherwise be given up
//! at the same position each time that it is asked.

use std::sync::Arc;

use reeve_ledger::{LogView, Order, ReadOn, StoredEntry, Stretch, TrailError};

use super::job::{Found, Job};
use super::log_parts::LogParts;
use crate::entries::budget::EntryBudget;
use crate::entries::predicate::Predicate;

/// Rows of the first step. An entry has a mebibyte at most.
const FIRST_STEP: usize = 16;
/// Rows of any other step at most: some hundred pages of a segment are unpacked for as many.
const LARGEST_STEP: usize = 1024;

/// Returns the next matches of a request.
pub(super) async fn stretch(
    log: &LogParts,
    request: &ReadOn,
    budget: Arc<EntryBudget>,
) -> Result<Stretch, TrailError> {
    let most = request.entries.max(1);
    let _attended = budget.attended();
    let view = log.view();
    let predicate = Predicate::new(&request.query, request.now);
    let cursor = request.from.checked_sub(1);
    let job = Job::page(
        predicate,
        Order::OldestFirst,
        cursor,
        most.saturating_add(1),
        budget,
    );
    let (mut matches, searched) = log.onwards(&job, &view).await?;

    matches.trim(&job);
    let mut found = matches.found;

    // The view may have entries that were acknowledged since the end was asked for.
    let end = request.to.min(searched);
    found.retain(|found| found.sequence() < end);
    let more = found.len() > most;
    found.truncate(most);
    let count = found.len();
    let entries = fetch_within(log, found, request.bytes, &view).await?;
    let is_whole = !more && entries.len() == count;
    let to = entries
        .last()
        .filter(|_| !is_whole)
        .map_or(end, |last| last.sequence + 1);

    Ok(Stretch { entries, to })
}

/// Reads the first of these entries, as many as fit, at least one.
async fn fetch_within(
    log: &LogParts,
    found: Vec<Found>,
    bytes: usize,
    view: &LogView,
) -> Result<Vec<Arc<StoredEntry>>, TrailError> {
    let mut entries: Vec<Arc<StoredEntry>> = Vec::with_capacity(found.len());
    let (mut left, mut largest, mut step) = (bytes, 1, FIRST_STEP);
    let mut rest = found.into_iter();

    loop {
        let next: Vec<Found> = rest.by_ref().take(step).collect();
        if next.is_empty() {
            return Ok(entries);
        }
        for stored in log.fetch(next, view).await? {
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
