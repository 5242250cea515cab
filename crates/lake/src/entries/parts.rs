//! What one part of the log has to say to a search: the tail, a segment, or a window of one.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::AsArray;
use arrow::datatypes::UInt64Type;
use futures::TryStreamExt;
use reeve_ledger::{GroupBy, Order, SealedEntry, SegmentError, SegmentMeta, StoredEntry, Tail, TrailError};

use super::predicate::Predicate;
use super::scan::{message, sequence_in, sequences_between};
use super::schema::SEQUENCE;
use super::segments::{EntrySegments, damaged};
use super::tally::{Tally, columns_of};

/// What one search looks for.
#[derive(Debug, Clone)]
pub(super) struct Job {
    pub(super) predicate: Arc<Predicate>,
    /// Which end comes first on the page.
    pub(super) order: Order,
    /// Matches beyond this sequence go on the page.
    pub(super) cursor: Option<u64>,
    /// Matches the page can use: what is skipped, what is shown, and one more that says whether there is more.
    pub(super) wanted: usize,
    pub(super) counted: Vec<GroupBy>,
}

impl Job {
    fn on_page(&self, sequence: u64) -> bool {
        self.cursor.is_none_or(|cursor| self.order.is_beyond(sequence, cursor))
    }
}

/// A match.
#[derive(Debug, Clone)]
pub(super) enum Found {
    Tail(Arc<StoredEntry>),
    Sealed { sequence: u64, segment: usize },
}

impl Found {
    pub(super) fn sequence(&self) -> u64 {
        match self {
            Found::Tail(entry) => entry.sequence,
            Found::Sealed { sequence, .. } => *sequence,
        }
    }
}

/// What a part of the log had.
#[derive(Debug)]
pub(super) struct Part {
    /// The first matches that the page can use, in the order asked for.
    pub(super) found: Vec<Found>,
    pub(super) total: u64,
    pub(super) tallies: Vec<Tally>,
}

impl Part {
    fn new(job: &Job) -> Self {
        Part { found: Vec::new(), total: 0, tallies: job.counted.iter().cloned().map(Tally::new).collect() }
    }
}

/// What the tail has; without `all` it stops when the page is full.
pub(super) async fn tail(tail: Tail, job: Job, all: bool) -> Result<Part, TrailError> {
    if tail.is_empty() {
        return Ok(Part::new(&job));
    }
    on_worker(async move {
        let mut part = Part::new(&job);
        let entries: Box<dyn Iterator<Item = &Arc<StoredEntry>> + Send> = match job.order {
            Order::NewestFirst => Box::new(tail.iter().rev()),
            Order::OldestFirst => Box::new(tail.iter()),
        };
        for entry in entries {
            let full = part.found.len() >= job.wanted;
            let on_page = !full && job.on_page(entry.sequence);
            if full && !all {
                break;
            }
            if !(all || on_page) || !job.predicate.matches(entry) {
                continue;
            }
            part.total += 1;
            part.tallies.iter_mut().for_each(|tally| tally.entry(entry));
            if on_page {
                part.found.push(Found::Tail(Arc::clone(entry)));
            }
        }
        Ok(part)
    })
    .await
}

/// What a segment has, in a window of sequences or in all.
pub(super) async fn scan(
    segments: Arc<EntrySegments>,
    job: Job,
    listed: Arc<Vec<SegmentMeta>>,
    index: usize,
    window: Option<Range<u64>>,
) -> Result<Part, TrailError> {
    let segment = &listed[index];
    let mut conditions = Vec::new();
    if let Some(window) = window
        && (segment.first_sequence < window.start || window.end <= segment.last_sequence)
    {
        conditions.extend(sequences_between(window.start, window.end - 1));
    }
    conditions.extend_from_slice(job.predicate.conditions());
    let mut columns = vec![SEQUENCE];
    for column in job.counted.iter().flat_map(columns_of) {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    let mut part = Part::new(&job);
    let mut found = VecDeque::new();
    let mut rows = segments.scan(segment, &conditions, &columns).await.map_err(failed)?;
    while let Some(batch) = rows.try_next().await.map_err(|error| failed(damaged(&segment.path, message(&error))))? {
        part.total += batch.num_rows() as u64;
        for tally in &mut part.tallies {
            tally.batch(&batch, &columns).map_err(|error| failed(damaged(&segment.path, error)))?;
        }
        for &sequence in batch.column(0).as_primitive::<UInt64Type>().values() {
            if job.wanted == 0 || !job.on_page(sequence) {
                continue;
            }
            match (job.order, found.len() == job.wanted) {
                (Order::OldestFirst, true) => continue,
                (Order::NewestFirst, true) => drop(found.pop_front()),
                _ => {}
            }
            found.push_back(Found::Sealed { sequence, segment: index });
        }
    }
    part.found = found.into();
    if job.order == Order::NewestFirst {
        part.found.reverse();
    }
    Ok(part)
}

/// The entries of a segment with these sequences, all of which it has.
pub(super) async fn entries_of(
    segments: &EntrySegments,
    segment: &SegmentMeta,
    sequences: &[u64],
) -> Result<Vec<SealedEntry>, TrailError> {
    let (Some(&first), Some(&last)) = (sequences.iter().min(), sequences.iter().max()) else { return Ok(Vec::new()) };
    let mut conditions = sequences_between(first, last).to_vec();
    if first < last {
        conditions.push(sequence_in(sequences));
    }
    let entries = segments.sealed(segment, &conditions).await.map_err(failed)?;
    if entries.len() != sequences.len() {
        let message = format!("it gave {} of {} entries", entries.len(), sequences.len());
        return Err(failed(damaged(&segment.path, message)));
    }
    Ok(entries)
}

/// Orders matches and leaves those that the page can use.
pub(super) fn in_order(found: &mut Vec<Found>, job: &Job) {
    found.sort_unstable_by_key(Found::sequence);
    if job.order == Order::NewestFirst {
        found.reverse();
    }
    found.truncate(job.wanted);
}

/// Runs work that decodes and compares on a thread of its own, so that requests are answered meanwhile.
pub(super) async fn on_worker<T: Send + 'static>(
    work: impl Future<Output = Result<T, TrailError>> + Send + 'static,
) -> Result<T, TrailError> {
    let runtime = tokio::runtime::Handle::current();
    tokio::task::spawn_blocking(move || runtime.block_on(work))
        .await
        .map_err(|error| TrailError::Backend(format!("the search was broken off: {error}")))?
}

pub(super) fn failed(error: SegmentError) -> TrailError {
    TrailError::Backend(error.to_string())
}
