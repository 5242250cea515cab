//! Flow logs in Parquet, as AWS delivers them to buckets, row group by row group.

use std::fs::File;
use std::path::Path;

use arrow::error::ArrowError;
use parquet::errors::ParquetError;
use reeve_flows::{FlowFormat, FlowLine, FormatError, LineError};

use crate::text_table::TextTable;

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
/// The file is no Parquet, is damaged, or has other columns than flow records.
pub fn read_flow_records(
    path: &Path,
    mut take: impl FnMut(Result<FlowLine, LineError>),
) -> Result<(), FlowFileError> {
    let table = TextTable::open(File::open(path)?)?;
    let format = FlowFormat::from_names(table.names())?;

    let (batches, places) = table.read(|place| format.reads(place))?;
    for batch in batches {
        let batch = batch?;
        let cells = places.cells(&batch)?;
        for row in 0..batch.num_rows() {
            take(format.record(|place| cells.at(place, row)));
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
