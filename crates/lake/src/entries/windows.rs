//! A segment without an index: scanned by the whole predicate, for everything or, when only a page is wanted, in windows of
//! sequences, nearest first and ever larger.

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::UInt64Type;
use datafusion_execution::SendableRecordBatchStream;
use datafusion_expr::Expr;
use futures::TryStreamExt;
use parquet::arrow::arrow_reader::RowSelection;
use reeve_ledger::{Order, SegmentMeta, TrailError};

use super::parts::{Found, Job, Part, failed, in_order};
use super::scan::{message, sequences_between};
use super::schema::SEQUENCE;
use super::segments::{EntrySegments, damaged};
use super::tally::columns_of;

/// Rows or sequences of the first window: a page of a segment.
pub(super) const FIRST: u64 = 4_096;
/// How much larger each window is than the one before.
pub(super) const GROWTH: u64 = 4;

/// What a segment has, read from its rows.
pub(super) async fn without_index(
    segments: &EntrySegments,
    job: &Job,
    segment: &SegmentMeta,
    at: usize,
) -> Result<Part, TrailError> {
    if job.all {
        return everything(segments, job, segment, at).await;
    }
    let mut part = Part::new(job);
    let reach = job.reach();
    let mut left = reach.start.max(segment.first_sequence)..reach.end.min(segment.last_sequence + 1);
    let mut size = FIRST;
    while part.found.len() < job.wanted && !left.is_empty() {
        let window = match job.order {
            Order::NewestFirst => left.end.saturating_sub(size).max(left.start)..left.end,
            Order::OldestFirst => left.start..left.end.min(left.start.saturating_add(size)),
        };
        let mut conditions = sequences_between(window.start, window.end - 1).to_vec();
        conditions.extend_from_slice(job.predicate.conditions());
        let found = matching(segments, job, segment, None, &conditions).await?;
        part.found.extend(found.into_iter().map(|sequence| Found::Sealed { sequence, segment: at, row: None }));
        match job.order {
            Order::NewestFirst => left.end = window.start,
            Order::OldestFirst => left.start = window.end,
        }
        size = size.saturating_mul(GROWTH);
    }
    in_order(&mut part.found, job);
    Ok(part)
}

/// Page, total and counts.
async fn everything(segments: &EntrySegments, job: &Job, segment: &SegmentMeta, at: usize) -> Result<Part, TrailError> {
    let mut columns = vec![SEQUENCE];
    columns.extend(job.counted.iter().flat_map(columns_of));
    columns.sort_unstable();
    columns.dedup();
    let mut part = Part::new(job);
    let mut batches = segments.scan(segment, None, job.predicate.conditions(), &columns).await.map_err(failed)?;
    while let Some(batch) = next(&mut batches, job, segment).await? {
        part.total += batch.num_rows() as u64;
        for tally in &mut part.tallies {
            tally.batch(&batch, &columns).map_err(|error| failed(damaged(&segment.path, error)))?;
        }
        let sequences = batch.column(0).as_primitive::<UInt64Type>().values();
        let on_page = sequences.iter().filter(|&&sequence| job.wanted > 0 && job.on_page(sequence));
        part.found.extend(on_page.map(|&sequence| Found::Sealed { sequence, segment: at, row: None }));
        in_order(&mut part.found, job);
    }
    Ok(part)
}

/// The next rows of a scan, when it is this search's turn.
pub(super) async fn next(
    batches: &mut SendableRecordBatchStream,
    job: &Job,
    segment: &SegmentMeta,
) -> Result<Option<RecordBatch>, TrailError> {
    let _turn = job.budget.turn().await?;
    batches.try_next().await.map_err(|error| failed(damaged(&segment.path, message(&error))))
}

/// Sequences of the rows that meet all conditions, ascending.
pub(super) async fn matching(
    segments: &EntrySegments,
    job: &Job,
    segment: &SegmentMeta,
    rows: Option<RowSelection>,
    conditions: &[Expr],
) -> Result<Vec<u64>, TrailError> {
    let mut found = Vec::new();
    let mut batches = segments.scan(segment, rows, conditions, &[SEQUENCE]).await.map_err(failed)?;
    while let Some(batch) = next(&mut batches, job, segment).await? {
        found.extend_from_slice(batch.column(0).as_primitive::<UInt64Type>().values());
    }
    Ok(found)
}
