//! Rows of one segment, read in turns with other searches.

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::{Int64Type, TimestampMicrosecondType};
use datafusion_execution::SendableRecordBatchStream;
use datafusion_expr::Expr;
use futures::TryStreamExt;
use parquet::arrow::arrow_reader::RowSelection;
use reeve_audit::query::{QueryColumn, SortKey};
use reeve_ledger::{GroupBy, SegmentMeta, TrailError};

use crate::entries::faults::damaged;
use crate::entries::scan::message;
use crate::entries::schema::{SEQUENCE, millis, position};
use crate::entries::search::job::{Found, Job, Matches};
use crate::entries::segments::EntrySegments;
use crate::entries::tally::{columns_of, text_at};

/// A segment as one search reads it.
#[derive(Debug, Clone, Copy)]
pub(super) struct SegmentRows<'a> {
    pub(super) segments: &'a EntrySegments,
    pub(super) job: &'a Job,
    pub(super) segment: &'a SegmentMeta,
    /// Position of the segment in the list of the view.
    pub(super) position: usize,
}

impl SegmentRows<'_> {
    /// Returns a match in this segment.
    pub(super) fn found(&self, sequence: u64, row: Option<usize>) -> Found {
        Found::Sealed {
            sequence,
            segment: self.position,
            row,
        }
    }

    /// Opens a scan of these rows, or of all, that meet all conditions. The first column of its
    /// batches is the sequence.
    pub(super) async fn open<'s>(
        &'s self,
        rows: Option<RowSelection>,
        conditions: &[Expr],
        counted: impl Iterator<Item = &GroupBy>,
    ) -> Result<RowScan<'s>, TrailError> {
        let mut columns = vec![SEQUENCE];
        columns.extend(counted.flat_map(columns_of));
        columns.sort_unstable();
        columns.dedup();
        let batches = self
            .segments
            .scan(self.segment, rows, conditions, &columns)
            .await?;

        Ok(RowScan {
            batches,
            columns,
            job: self.job,
            segment: self.segment,
        })
    }

    /// Returns the sequences of these rows, or of all, that meet all conditions, ascending.
    pub(super) async fn sequences(
        &self,
        rows: Option<RowSelection>,
        conditions: &[Expr],
    ) -> Result<Vec<u64>, TrailError> {
        let mut scan = self.open(rows, conditions, std::iter::empty()).await?;
        let mut found = Vec::new();
        while let Some(batch) = scan.next().await? {
            found.extend(sequences_of(&batch));
        }
        Ok(found)
    }
}

/// A scan of a segment that goes on.
pub(super) struct RowScan<'a> {
    batches: SendableRecordBatchStream,
    columns: Vec<usize>,
    job: &'a Job,
    segment: &'a SegmentMeta,
}

impl RowScan<'_> {
    /// Returns the next rows, when it is this search's turn.
    pub(super) async fn next(&mut self) -> Result<Option<RecordBatch>, TrailError> {
        let _turn = self.job.budget.turn().await?;
        let batch = self.batches.try_next().await;
        Ok(batch.map_err(|error| damaged(&self.segment.path, message(&error)))?)
    }

    /// Returns the sequences of a batch with their values in a column, which is among those read.
    pub(super) fn keys(
        &self,
        batch: &RecordBatch,
        column: QueryColumn,
    ) -> Vec<(u64, Option<SortKey>)> {
        let place = self
            .columns
            .iter()
            .position(|&read| read == position(column))
            .unwrap_or_default();
        let values = batch.column(place);
        let times = values.as_primitive_opt::<TimestampMicrosecondType>();
        let key = |row: usize| match times {
            Some(times) => Some(SortKey::Time(millis(times.value(row)))),
            None => text_at(values, row).map(|text| SortKey::of_text(text, column)),
        };

        sequences_of(batch)
            .enumerate()
            .map(|(row, sequence)| (sequence, key(row)))
            .collect()
    }

    /// Counts the values of a batch in the tally at a position.
    pub(super) fn count(
        &self,
        batch: &RecordBatch,
        matches: &mut Matches,
        tally: usize,
    ) -> Result<(), TrailError> {
        let counted = matches.tallies[tally].batch(batch, &self.columns);
        Ok(counted.map_err(|error| damaged(&self.segment.path, error))?)
    }
}

/// Returns the sequences of a batch.
pub(super) fn sequences_of(batch: &RecordBatch) -> impl Iterator<Item = u64> {
    let sequences = batch.column(0).as_primitive::<Int64Type>().values();
    sequences.iter().map(|sequence| sequence.cast_unsigned())
}
