//! One entry: by its position, or by its identifier.

use std::sync::Arc;

use jiff::Timestamp;
use reeve_audit::query::{Expr, Match, Query, QueryColumn};
use reeve_ledger::{Order, SegmentMeta, StoredEntry, TrailError};

use super::job::{Found, Job};
use super::log_parts::LogParts;
use super::workers::on_worker;
use crate::entries::budget::EntryBudget;
use crate::entries::predicate::Predicate;
use crate::entries::scan::sequences_between;
use crate::entries::segments::EntrySegments;
use crate::entries::views::SealedPlace;

/// Returns the entry at a position. The tail knows its entries by position; of the segments the one
/// that has it is read.
pub(super) async fn by_sequence(
    log: &LogParts,
    sequence: u64,
) -> Result<Option<Arc<StoredEntry>>, TrailError> {
    let view = log.view();
    if let Some(entry) = view.tail.get(sequence) {
        return Ok(Some(Arc::clone(entry)));
    }

    for at in 0..view.segments.len() {
        let segment = &view.segments[at];
        if !(segment.first_sequence..=segment.last_sequence).contains(&sequence) {
            continue;
        }
        // Segments of several classes may span the sequence, and one of them may have it.
        let (segments, listed) = (Arc::clone(&log.segments), Arc::clone(&view.segments));
        let found =
            on_worker(async move { find(&segments, &listed[at], at, sequence).await }).await?;
        if let Some(found) = found {
            return Ok(log.fetch(vec![found], &view).await?.pop());
        }
    }

    let may_be_cold = view
        .archived
        .iter()
        .any(|segment| (segment.first_sequence..=segment.last_sequence).contains(&sequence));
    let mut erased = view.segments.iter().chain(view.archived.iter());
    let is_erased = may_be_cold
        && erased.any(|segment| segment.erased.iter().any(|one| one.includes(sequence)));
    if may_be_cold && !is_erased {
        return Err(TrailError::Archived(format!(
            "entry {sequence} may lie in the cold tier: request a restore of its period, and read it then"
        )));
    }
    Ok(None)
}

/// Looks for a sequence in the segment at a position of the list.
async fn find(
    segments: &EntrySegments,
    segment: &SegmentMeta,
    position: usize,
    sequence: u64,
) -> Result<Option<Found>, TrailError> {
    let found = |row| Found::Sealed {
        sequence,
        segment: position,
        row,
    };

    if let Some(index) = segments.index(segment)
        && let Ok(row) = index.row_at(sequence)
        && let Ok(held) = index.sequence(row)
    {
        return Ok((row < index.rows() && held == sequence).then(|| found(Some(row))));
    }

    let held = segments
        .sealed(segment, None, &sequences_between(sequence, sequence))
        .await?;
    Ok((!held.is_empty()).then(|| found(None)))
}

/// Returns the entry with an identifier: from the tail, from the place that the index of
/// identifiers gives, or by a search of the segments for one match, newest first.
pub(super) async fn by_event_id(
    log: &LogParts,
    event_id: &str,
    budget: Arc<EntryBudget>,
) -> Result<Option<Arc<StoredEntry>>, TrailError> {
    let view = log.view();
    if let Some(entry) = view
        .tail
        .iter()
        .rev()
        .find(|entry| entry.entry.event_id.as_str() == event_id)
    {
        return Ok(Some(Arc::clone(entry)));
    }

    // One look instead of one for each segment: a year has thousands.
    match log.sealed_place(event_id).await? {
        SealedPlace::At(sequence) => {
            let found = by_sequence(log, sequence).await?;
            if let Some(entry) = found.filter(|entry| entry.entry.event_id.as_str() == event_id) {
                return Ok(Some(entry));
            }
        }
        SealedPlace::NotBefore(end) if end >= view.tail.first_sequence() => return Ok(None),
        SealedPlace::NotBefore(_) | SealedPlace::Unknown => {}
    }

    let query = Query {
        expr: Expr::field(QueryColumn::EventId, Match::Identical(event_id.to_owned())),
    };
    let predicate = Predicate::new(&query, Timestamp::UNIX_EPOCH);
    let job = Job::page(
        predicate,
        Order::NewestFirst,
        Some(view.tail.first_sequence()),
        1,
        budget,
    );
    let matches = log.page(&job, &view).await?;

    Ok(log.fetch(matches.found, &view).await?.pop())
}
