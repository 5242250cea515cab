//! Rows of an exported Parquet file, which has the columns of a segment and no manifest of
//! segments.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};

use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use reeve_tlog::{Hash, commitment};

use super::BATCH_ROWS;
use super::batch::{BatchValues, SegmentBatch};
use super::cut::Mender;
use super::fault::SegmentFault;
use crate::claim::{Claim, ClaimFields};
use crate::error::with_causes;

/// Calls `row` with sequence, leaf hash and, if a column says something else than the payload or
/// the payload is not an entry, with that.
pub(crate) fn each_row<E: From<SegmentFault>>(
    file: File,
    row: impl FnMut(u64, Hash, Option<String>) -> Result<(), E>,
) -> Result<(), E> {
    // A file that was made to mislead must not end the program.
    catch_unwind(AssertUnwindSafe(|| rows(file, row)))
        .unwrap_or_else(|_| Err(SegmentFault::Undecodable.into()))
}

fn rows<E: From<SegmentFault>>(
    file: File,
    mut row: impl FnMut(u64, Hash, Option<String>) -> Result<(), E>,
) -> Result<(), E> {
    let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let metadata = ArrowReaderMetadata::load(&file, plain).map_err(SegmentFault::Parquet)?;
    SegmentBatch::check_schema(metadata.schema(), super::version(&metadata))?;
    let views = ArrowReaderOptions::new().with_schema(SegmentBatch::views(metadata.schema()));
    let metadata = ArrowReaderMetadata::try_new(metadata.metadata().clone(), views)
        .map_err(SegmentFault::Parquet)?;
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata)
        .with_batch_size(BATCH_ROWS);
    let (mut mender, mut scratch) = (Mender::new(), Vec::new());

    for batch in reader.build().map_err(SegmentFault::Parquet)? {
        let batch = batch.map_err(SegmentFault::Arrow)?;
        let batch = SegmentBatch::new(&batch)?;
        for at in 0..batch.rows {
            let canonical = batch
                .canonical(at, &mut mender)
                .map_err(SegmentFault::Row)?;
            let leaf = commitment(&batch.salt(at), canonical).leaf_hash();
            let wrong = match Claim::read(canonical, &mut scratch) {
                Ok(claim) => misleading(&batch, at, &claim.fields()),
                Err(fault) => Some(with_causes(&fault)),
            };
            row(batch.sequence(at), leaf, wrong)?;
        }
    }

    Ok(())
}

/// The first column that differs from the payload.
fn misleading(batch: &SegmentBatch<'_>, row: usize, fields: &ClaimFields<'_>) -> Option<String> {
    let wrong = batch.columns.iter().find(|(column, values)| match values {
        BatchValues::Text(_) => fields.text(*column) != values.text(row),
        BatchValues::Time(_) => fields.millis(*column) != values.millis(row),
    });
    wrong.map(|(column, _)| {
        format!(
            "the column {} differs from the payload",
            column.segment_name()
        )
    })
}
