//! Flow logs in Parquet, as AWS delivers them to buckets, row group by row group.

use std::fs::File;
use std::path::Path;

use arrow::error::ArrowError;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::errors::ParquetError;
use reeve_flows::{FlowLine, Format, FormatError, LineError};

use crate::bills::texts;

/// Rows decoded at once.
const ROWS: usize = 8192;

/// Reason why a file of flow records was not read.
#[derive(Debug, thiserror::Error)]
pub enum FlowFileError {
    /// The file cannot be opened.
    #[error("it could not be opened: {0}")]
    File(#[from] std::io::Error),
    /// The file is no Parquet, or is damaged.
    #[error("it is not readable as Parquet: {0}")]
    Parquet(#[from] ParquetError),
    /// A column cannot be decoded.
    #[error("it is not readable as Parquet: {0}")]
    Arrow(#[from] ArrowError),
    /// The columns are not those of flow records.
    #[error(transparent)]
    Format(#[from] FormatError),
}

/// Passes on the records of a file in Parquet, one by one.
///
/// # Errors
/// The file has no flow records.
pub fn read_flow_records(
    path: &Path,
    mut take: impl FnMut(Result<FlowLine, LineError>),
) -> Result<(), FlowFileError> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path)?)?;
    let names: Vec<String> = builder
        .schema()
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect();
    let format = Format::from_names(names.iter().map(String::as_str))?;

    let read: Vec<usize> = (0..names.len())
        .filter(|place| format.reads(*place))
        .collect();
    let mask = ProjectionMask::roots(builder.parquet_schema(), read.iter().copied());
    // Columns come in the order of the file.
    let mut column_of = vec![None; names.len()];
    for (column, place) in read.iter().enumerate() {
        column_of[*place] = Some(column);
    }

    for batch in builder
        .with_projection(mask)
        .with_batch_size(ROWS)
        .build()?
    {
        let batch = batch?;
        let columns: Vec<Vec<Option<String>>> = batch
            .columns()
            .iter()
            .map(texts)
            .collect::<Result<_, _>>()?;
        for row in 0..batch.num_rows() {
            take(format.record(|place| {
                let column = column_of.get(place).copied().flatten()?;
                columns.get(column)?.get(row)?.as_deref()
            }));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};
    use parquet::arrow::ArrowWriter;

    use super::*;

    #[test]
    fn the_columns_of_a_delivery_are_read() {
        let text = |values: [&str; 2]| Arc::new(StringArray::from(values.to_vec())) as ArrayRef;
        let port =
            |values: [Option<i32>; 2]| Arc::new(Int32Array::from(values.to_vec())) as ArrayRef;
        let long =
            |values: [Option<i64>; 2]| Arc::new(Int64Array::from(values.to_vec())) as ArrayRef;
        let columns = [
            ("version", port([Some(2), Some(2)])),
            ("interface_id", text(["eni-1", "eni-1"])),
            ("srcaddr", text(["10.0.9.9", "-"])),
            ("dstaddr", text(["10.0.0.4", "-"])),
            ("srcport", port([Some(51_515), None])),
            ("dstport", port([Some(443), None])),
            ("protocol", port([Some(6), None])),
            ("packets", long([Some(9), None])),
            ("bytes", long([Some(900), None])),
            ("start", long([Some(1_418_530_010), Some(1_418_530_010)])),
            ("end", long([Some(1_418_530_070), Some(1_418_530_070)])),
            ("action", text(["ACCEPT", "-"])),
            ("log_status", text(["OK", "NODATA"])),
        ];
        let batch = RecordBatch::try_from_iter_with_nullable(
            columns
                .into_iter()
                .map(|(name, column)| (name, column, true)),
        )
        .unwrap();

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("flows.log.parquet");
        let mut writer =
            ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();

        let mut lines = Vec::new();
        read_flow_records(&path, |line| lines.push(line.unwrap())).unwrap();
        let [FlowLine::Flow(record), FlowLine::Empty { is_skipped, .. }] = lines.as_slice() else {
            panic!("{lines:?}");
        };
        assert_eq!((record.destination_port, record.packets), (443, 9));
        assert!(!is_skipped);
    }
}
