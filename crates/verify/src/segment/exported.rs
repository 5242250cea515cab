//! Rows of an exported Parquet file, which has the columns of a segment and no manifest of
//! segments.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};

use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use reeve_tlog::{Hash, commitment};

use super::BATCH_ROWS;
use super::batch::{Batch, Values};
use super::cut::Mender;
use crate::claim::{Claim, Fields};

/// Calls `row` with sequence, leaf hash and, if a column says something else than the payload or
/// the payload is not an entry, with that.
pub(crate) fn each_row(
    file: File,
    row: impl FnMut(u64, Hash, Option<String>) -> Result<(), String>,
) -> Result<(), String> {
    // A file that was made to mislead must not end the program.
    catch_unwind(AssertUnwindSafe(|| rows(file, row)))
        .unwrap_or_else(|_| Err("its bytes cannot be decoded".to_owned()))
}

fn rows(
    file: File,
    mut row: impl FnMut(u64, Hash, Option<String>) -> Result<(), String>,
) -> Result<(), String> {
    let text = |error: parquet::errors::ParquetError| error.to_string();
    let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let metadata = ArrowReaderMetadata::load(&file, plain).map_err(text)?;
    Batch::check_schema(metadata.schema(), super::version(&metadata))?;
    let views = ArrowReaderOptions::new().with_schema(Batch::views(metadata.schema()));
    let metadata =
        ArrowReaderMetadata::try_new(metadata.metadata().clone(), views).map_err(text)?;
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata)
        .with_batch_size(BATCH_ROWS);
    let (mut mender, mut scratch) = (Mender::new(), Vec::new());

    for batch in reader.build().map_err(text)? {
        let batch = batch.map_err(|error| error.to_string())?;
        let batch = Batch::new(&batch)?;
        for at in 0..batch.rows {
            let canonical = batch.canonical(at, &mut mender)?;
            let leaf = commitment(&batch.salt(at), canonical).leaf_hash();
            let wrong = match Claim::read(canonical, &mut scratch) {
                Ok(claim) => misleading(&batch, at, &claim.fields()),
                Err(message) => Some(message),
            };
            row(batch.sequence(at), leaf, wrong)?;
        }
    }

    Ok(())
}

/// The first column that differs from the payload.
fn misleading(batch: &Batch<'_>, row: usize, fields: &Fields<'_>) -> Option<String> {
    let wrong = batch.columns.iter().find(|(column, values)| match values {
        Values::Text(_) => fields.text(*column) != values.text(row),
        Values::Time(_) => fields.millis(*column) != values.millis(row),
    });
    wrong.map(|(column, _)| {
        format!(
            "the column {} differs from the payload",
            column.segment_name()
        )
    })
}
