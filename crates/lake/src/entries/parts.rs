//! What one part of the log has to say to a search: the tail, or a segment with its index or without.

use std::ops::Range;
use std::sync::Arc;

use parquet::arrow::arrow_reader::RowSelection;
use reeve_ledger::{GroupBy, Order, SealedEntry, SegmentError, SegmentMeta, StoredEntry, TrailError};

use super::budget::Budget;
use super::index::{Answer, Bits, Counted, Index};
use super::predicate::Predicate;
use super::scan::{sequence_in, sequences_between};
use super::schema::SEQUENCE;
use super::segments::{EntrySegments, damaged};
use super::tally::{Tally, columns_of};
use super::uuids;
use super::windows;

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
    /// Whether every match is needed, for a total or for counts, and not only those of the page.
    pub(super) all: bool,
    /// Time that is left.
    pub(super) budget: Arc<Budget>,
}

impl Job {
    pub(super) fn on_page(&self, sequence: u64) -> bool {
        self.cursor.is_none_or(|cursor| self.order.is_beyond(sequence, cursor))
    }

    /// Sequences that can be on the page.
    pub(super) fn reach(&self) -> Range<u64> {
        match (self.order, self.cursor) {
            (_, None) => 0..u64::MAX,
            (Order::NewestFirst, Some(cursor)) => 0..cursor,
            (Order::OldestFirst, Some(cursor)) => cursor.saturating_add(1)..u64::MAX,
        }
    }
}

/// A match.
#[derive(Debug, Clone)]
pub(super) enum Found {
    Tail(Arc<StoredEntry>),
    /// In a segment, and in which row of it, where that is known.
    Sealed {
        sequence: u64,
        segment: usize,
        row: Option<usize>,
    },
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
    /// What indexes counted, by the tally it belongs to.
    counted: Vec<(usize, Counted)>,
}

impl Part {
    pub(super) fn new(job: &Job) -> Self {
        Part {
            found: Vec::new(),
            total: 0,
            tallies: job.counted.iter().cloned().map(Tally::new).collect(),
            counted: Vec::new(),
        }
    }

    /// Takes over what an index counted for a tally.
    pub(super) fn count(&mut self, at: usize, counted: Counted) {
        self.counted.push((at, counted));
    }

    /// Takes what another part had over; the page keeps its order and length.
    pub(super) fn merge(&mut self, other: Part, job: &Job) {
        self.total += other.total;
        for (tally, more) in self.tallies.iter_mut().zip(other.tallies) {
            tally.merge(more);
        }
        other.counted.iter().for_each(|(at, counted)| counted.add_to(&mut self.tallies[*at]));
        self.found.extend(other.found);
        in_order(&mut self.found, job);
    }
}

/// What a segment has: everything, or what the page can use.
pub(super) async fn segment(
    segments: &EntrySegments,
    job: &Job,
    listed: &[SegmentMeta],
    at: usize,
) -> Result<Part, TrailError> {
    let segment = &listed[at];
    segments.present(segment).map_err(failed)?;
    if let Some(index) = segments.index(segment) {
        match indexed(segments, job, segment, at, &index).await? {
            Some(part) => return Ok(part),
            None => segments.distrust(segment),
        }
    }
    windows::without_index(segments, job, segment, at).await
}

/// What a segment has, by its index; `None` when the index cannot be read.
async fn indexed(
    segments: &EntrySegments,
    job: &Job,
    segment: &SegmentMeta,
    at: usize,
    index: &Index,
) -> Result<Option<Part>, TrailError> {
    let Some(answer) = uuids::answer(segments, job, segment, index).await? else { return Ok(None) };
    let reach = job.reach();
    let (Ok(from), Ok(to)) = (index.row_at(reach.start), index.row_at(reach.end)) else { return Ok(None) };
    let mut part = Part::new(job);
    let rows = if job.all {
        let Some(rows) = settle(segments, job, segment, index, answer).await? else { return Ok(None) };
        part.total = rows.count();
        if !count(segments, job, segment, index, &rows, &mut part).await? {
            return Ok(None);
        }
        rows
    } else {
        let Some(rows) = nearest(segments, job, segment, index, answer, from..to).await? else { return Ok(None) };
        rows
    };
    let ordered: Box<dyn Iterator<Item = usize> + Send> = match job.order {
        Order::NewestFirst => Box::new(rows.iter_down()),
        Order::OldestFirst => Box::new(rows.iter()),
    };
    for row in ordered.filter(|row| (from..to).contains(row)).take(job.wanted) {
        let Ok(sequence) = index.sequence(row) else { return Ok(None) };
        part.found.push(Found::Sealed { sequence, segment: at, row: Some(row) });
    }
    Ok(Some(part))
}

/// The rows that match, those read that the index is not sure of.
async fn settle(
    segments: &EntrySegments,
    job: &Job,
    segment: &SegmentMeta,
    index: &Index,
    answer: Answer,
) -> Result<Option<Bits>, TrailError> {
    let unsure = answer.unsure();
    let mut rows = answer.sure;
    if let Some(unsure) = unsure
        && !read(segments, job, segment, index, &unsure, &mut rows).await?
    {
        return Ok(None);
    }
    Ok(Some(rows))
}

/// The matching rows of a range that are nearest to its end or begin, at least as many as the page can use.
async fn nearest(
    segments: &EntrySegments,
    job: &Job,
    segment: &SegmentMeta,
    index: &Index,
    answer: Answer,
    range: Range<usize>,
) -> Result<Option<Bits>, TrailError> {
    let unsure = answer.unsure().map(|mut unsure| {
        unsure.keep_range(range.clone());
        unsure
    });
    let mut rows = answer.sure;
    rows.keep_range(range.clone());
    let Some(unsure) = unsure else { return Ok(Some(rows)) };
    let (mut left, mut size) = (range, windows::FIRST as usize);
    while !left.is_empty() {
        let window = match job.order {
            Order::NewestFirst => left.end.saturating_sub(size).max(left.start)..left.end,
            Order::OldestFirst => left.start..left.end.min(left.start + size),
        };
        match job.order {
            Order::NewestFirst => left.end = window.start,
            Order::OldestFirst => left.start = window.end,
        }
        let mut asked = unsure.clone();
        asked.keep_range(window);
        if !asked.is_empty() && !read(segments, job, segment, index, &asked, &mut rows).await? {
            return Ok(None);
        }
        let mut seen = rows.clone();
        let mut unseen = Bits::none(rows.len());
        unseen.set_range(left.clone());
        seen.and_not(&unseen);
        if seen.count() >= job.wanted as u64 {
            return Ok(Some(seen));
        }
        size = size.saturating_mul(windows::GROWTH as usize);
    }
    Ok(Some(rows))
}

/// Reads rows and adds those that match; false when the index does not fit the segment.
async fn read(
    segments: &EntrySegments,
    job: &Job,
    segment: &SegmentMeta,
    index: &Index,
    unsure: &Bits,
    into: &mut Bits,
) -> Result<bool, TrailError> {
    let sequences =
        windows::matching(segments, job, segment, Some(selection(unsure)), job.predicate.conditions()).await?;
    for sequence in sequences {
        match index.row_at(sequence) {
            Ok(row) if index.sequence(row).is_ok_and(|held| held == sequence) => into.set(row),
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// Counts the values of rows, out of the index or out of the rows; false when the index cannot be read.
async fn count(
    segments: &EntrySegments,
    job: &Job,
    segment: &SegmentMeta,
    index: &Index,
    rows: &Bits,
    part: &mut Part,
) -> Result<bool, TrailError> {
    if rows.is_empty() {
        return Ok(true);
    }
    let mut to_read = Vec::new();
    for (at, by) in job.counted.iter().enumerate() {
        match index.count(by, rows) {
            Ok(Some(counted)) => part.count(at, counted),
            Ok(None) => to_read.push(at),
            Err(_) => return Ok(false),
        }
    }
    if to_read.is_empty() {
        return Ok(true);
    }
    let mut columns = vec![SEQUENCE];
    for &at in &to_read {
        columns.extend(columns_of(&job.counted[at]));
    }
    columns.sort_unstable();
    columns.dedup();
    let mut batches = segments.scan(segment, Some(selection(rows)), &[], &columns).await.map_err(failed)?;
    while let Some(batch) = windows::next(&mut batches, job, segment).await? {
        for &at in &to_read {
            part.tallies[at].batch(&batch, &columns).map_err(|error| failed(damaged(&segment.path, error)))?;
        }
    }
    Ok(true)
}

/// Rows as the reader of segments takes them.
fn selection(rows: &Bits) -> RowSelection {
    RowSelection::from_consecutive_ranges(rows.ranges().into_iter(), rows.len())
}

/// The entries of a segment that were found in it.
pub(super) async fn entries_of(
    segments: &EntrySegments,
    segment: &SegmentMeta,
    found: &[(u64, Option<usize>)],
) -> Result<Vec<SealedEntry>, TrailError> {
    let mut found = found.to_vec();
    found.sort_unstable();
    let sequences: Vec<u64> = found.iter().map(|(sequence, _)| *sequence).collect();
    let (Some(&first), Some(&last)) = (sequences.first(), sequences.last()) else { return Ok(Vec::new()) };
    let rows: Option<Vec<usize>> = found.iter().map(|(_, row)| *row).collect();
    let entries = match rows {
        // Ascending sequences stand in ascending rows, or the index is of another segment.
        Some(rows)
            if rows.is_sorted_by(|a, b| a < b) && rows.last().is_some_and(|&row| row < segment.count as usize) =>
        {
            segments.rows(segment, &rows).await
        }
        _ => {
            let mut conditions = sequences_between(first, last).to_vec();
            if first < last {
                conditions.push(sequence_in(&sequences));
            }
            segments.sealed(segment, None, &conditions).await
        }
    };
    let entries = entries.map_err(failed)?;
    if !entries.iter().map(|entry| entry.sequence).eq(sequences) {
        return Err(failed(damaged(&segment.path, "it does not give the entries that were found in it")));
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
    match error {
        SegmentError::Damaged { .. } => TrailError::Damaged(error.to_string()),
        SegmentError::Io { .. } => TrailError::Backend(error.to_string()),
    }
}
