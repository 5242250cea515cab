//! A segment by its index: rows that surely match are taken, and only rows that may match are read.

use std::io;
use std::ops::Range;

use parquet::arrow::arrow_reader::RowSelection;
use reeve_audit::query::{QueryColumn, SortKey};
use reeve_ledger::{GroupBy, TrailError};

use super::rows::SegmentRows;
use super::uuid_words;
use super::windows::Windows;
use crate::entries::index::{Bits, EntryIndex, IndexAnswer};
use crate::entries::search::job::{Matches, SortedPage};

/// Cause for which an index gave no matches.
#[derive(Debug)]
pub(super) enum IndexFailure {
    /// The index cannot be read or does not fit its segment.
    Index,
    Search(TrailError),
}

impl From<TrailError> for IndexFailure {
    fn from(error: TrailError) -> Self {
        IndexFailure::Search(error)
    }
}

impl From<io::Error> for IndexFailure {
    fn from(_: io::Error) -> Self {
        IndexFailure::Index
    }
}

/// Returns the matches of a segment, by its index.
pub(super) async fn matches(
    rows: &SegmentRows<'_>,
    index: &EntryIndex,
) -> Result<Matches, IndexFailure> {
    let job = rows.job;
    let answer = answer(rows, index).await?;
    let reach = job.reach();
    let on_page = index.row_at(reach.start)?..index.row_at(reach.end)?;
    let mut matches = Matches::new(job);
    let matching = if job.needs_every_match() {
        let matching = every_match(rows, index, answer).await?;
        matches.total = matching.count();
        count_values(rows, index, &matching, &mut matches).await?;
        if let Some(page) = &job.sort {
            add_sorted(rows, index, page, &matching, &mut matches).await?;
            return Ok(matches);
        }
        matching
    } else {
        nearest(rows, index, answer, on_page.clone()).await?
    };

    for row in matching
        .iter_in(job.order)
        .filter(|row| on_page.contains(row))
        .take(job.wanted)
    {
        matches
            .found
            .push(rows.found(index.sequence(row)?, Some(row)));
    }

    Ok(matches)
}

/// Adds matching rows to a sorted page: by the index where it knows the keys, else by reading the
/// column of these rows.
async fn add_sorted(
    rows: &SegmentRows<'_>,
    index: &EntryIndex,
    page: &SortedPage,
    matching: &Bits,
    matches: &mut Matches,
) -> Result<(), IndexFailure> {
    let column = page.sort.column;
    if column.is_time() {
        for (row, ms) in index.times_of(column == QueryColumn::RecordedAt, matching)? {
            let found = rows.found(index.sequence(row)?, Some(row));
            matches.add_sorted(page, rows.job, Some(SortKey::Time(ms)), found);
        }
        return Ok(());
    }

    if matching.is_empty() {
        return Ok(());
    }

    let mut scan = rows
        .open(
            Some(selection(matching)),
            &[],
            [&GroupBy::Column(column)].into_iter(),
        )
        .await?;

    while let Some(batch) = scan.next().await? {
        for (sequence, key) in scan.keys(&batch, column) {
            let row = index.row_at(sequence)?;
            matches.add_sorted(page, rows.job, key, rows.found(sequence, Some(row)));
        }
    }

    Ok(())
}

/// Returns the answer of the index to the query. Columns of UUIDs are read beforehand where that
/// spares reading many whole rows.
async fn answer(rows: &SegmentRows<'_>, index: &EntryIndex) -> Result<IndexAnswer, IndexFailure> {
    let job = rows.job;
    let ask = async |known: &[_]| -> Result<IndexAnswer, IndexFailure> {
        let _turn = job.budget.turn().await?;
        match index.answer(job.predicate.asked(), known, &job.budget) {
            Ok(answer) => Ok(answer),
            Err(error) => Err(job
                .budget
                .is_over(&error)
                .map_or_else(IndexFailure::Search, |()| IndexFailure::Index)),
        }
    };
    let answer = ask(&[]).await?;

    match uuid_words::conditions(job, index, &answer) {
        None => Ok(answer),
        Some(conditions) => {
            let mut known = Vec::with_capacity(conditions.len());
            for condition in conditions {
                let sequences = rows.sequences(None, &condition.on_columns).await?;
                known.push(condition.known(index, &sequences)?);
            }
            ask(&known).await
        }
    }
}

/// Returns all rows that match; those that the index is not sure of are read.
async fn every_match(
    rows: &SegmentRows<'_>,
    index: &EntryIndex,
    answer: IndexAnswer,
) -> Result<Bits, IndexFailure> {
    let unsure = answer.unsure();
    let mut matching = answer.sure;
    if let Some(unsure) = unsure {
        read_unsure(rows, index, &unsure, &mut matching).await?;
    }
    Ok(matching)
}

/// Returns the matching rows of a range that are nearest to the page, at least as many as it can
/// use.
async fn nearest(
    rows: &SegmentRows<'_>,
    index: &EntryIndex,
    answer: IndexAnswer,
    range: Range<usize>,
) -> Result<Bits, IndexFailure> {
    let unsure = answer.unsure();
    let mut matching = answer.sure;
    matching.keep_range(range.clone());
    let Some(mut unsure) = unsure else {
        return Ok(matching);
    };

    unsure.keep_range(range.clone());
    let mut windows = Windows::new(range.start as u64..range.end as u64, rows.job.order);

    while let Some(window) = windows.next() {
        let mut in_window = unsure.clone();
        in_window.keep_range(row_range(window));
        if !in_window.is_empty() {
            read_unsure(rows, index, &in_window, &mut matching).await?;
        }
        let mut not_read = Bits::none(matching.len());
        not_read.set_range(row_range(windows.left()));
        let mut settled = matching.clone();
        settled.and_not(&not_read);
        if settled.count() >= rows.job.wanted as u64 {
            return Ok(settled);
        }
    }

    Ok(matching)
}

/// Reads rows and adds those that match.
async fn read_unsure(
    rows: &SegmentRows<'_>,
    index: &EntryIndex,
    unsure: &Bits,
    matching: &mut Bits,
) -> Result<(), IndexFailure> {
    let conditions = rows.job.predicate.conditions();
    for sequence in rows.sequences(Some(selection(unsure)), conditions).await? {
        let row = index.row_at(sequence)?;
        if index.sequence(row)? != sequence {
            return Err(IndexFailure::Index);
        }
        matching.set(row);
    }
    Ok(())
}

/// Counts the values of matching rows: by the index, and by reading the rows for fields whose
/// values it does not hold.
async fn count_values(
    rows: &SegmentRows<'_>,
    index: &EntryIndex,
    matching: &Bits,
    matches: &mut Matches,
) -> Result<(), IndexFailure> {
    if matching.is_empty() {
        return Ok(());
    }

    let mut to_read = Vec::new();
    for (tally, by) in rows.job.counted.iter().enumerate() {
        match index.count(by, matching)? {
            Some(counted) => matches.add_counted(tally, counted),
            None => to_read.push(tally),
        }
    }

    if to_read.is_empty() {
        return Ok(());
    }

    let fields = to_read.iter().map(|&tally| &rows.job.counted[tally]);
    let mut scan = rows.open(Some(selection(matching)), &[], fields).await?;

    while let Some(batch) = scan.next().await? {
        for &tally in &to_read {
            scan.count(&batch, matches, tally)?;
        }
    }

    Ok(())
}

/// Returns rows as the reader of segments takes them.
fn selection(rows: &Bits) -> RowSelection {
    RowSelection::from_consecutive_ranges(rows.ranges().into_iter(), rows.len())
}

fn row_range(window: Range<u64>) -> Range<usize> {
    window.start as usize..window.end as usize
}
