//! Bills in Parquet: FOCUS files as clouds export them, row group by row group.
//!
//! Each cell is turned into the text that a CSV export would have, and [`focus::FocusReader`] reads both.
//! Columns that no charge is made of are not decoded. Refused: files that are no Parquet or have no
//! FOCUS columns, and more rows than asked for.

use std::fs::File;
use std::path::Path;

use arrow::error::ArrowError;
use parquet::errors::ParquetError;
use reeve_estate::charge::{Charge, focus};

use crate::text_table::TextTable;

/// Largest file that is read, in bytes.
const MOST_BYTES: u64 = 1 << 30;

/// Reason why a bill was not read.
#[derive(Debug, thiserror::Error)]
pub enum BillError {
    /// The file cannot be opened.
    #[error("it could not be opened: {0}")]
    File(#[from] std::io::Error),
    /// The file is too large.
    #[error("it has {0} bytes; divide it by month")]
    TooLarge(u64),
    /// The file is no Parquet, or is damaged.
    #[error("it is not readable as Parquet: {0}")]
    Parquet(#[from] ParquetError),
    /// A column cannot be decoded.
    #[error("it is not readable as Parquet: {0}")]
    Arrow(#[from] ArrowError),
    /// The columns are not those of FOCUS.
    #[error(transparent)]
    Header(#[from] focus::HeaderError),
    /// A row is no charge.
    #[error("row {row}: {fault}")]
    Row {
        /// Position of the row, from 1.
        row: usize,
        /// Fault of the row.
        #[source]
        fault: focus::LineError,
    },
    /// The file has more charges than are read.
    #[error("it has more than {0} charges; divide it by month")]
    TooMany(usize),
}

/// Returns the charges of a FOCUS file in Parquet, at most so many.
///
/// # Errors
/// The file is not a FOCUS bill, or has more charges.
pub fn read_bill(path: &Path, most: usize) -> Result<Vec<Charge>, BillError> {
    let file = File::open(path)?;
    let bytes = file.metadata()?.len();
    if bytes > MOST_BYTES {
        return Err(BillError::TooLarge(bytes));
    }

    let table = TextTable::open(file)?;
    let mut reader = focus::FocusReader::from_header(table.names())?;

    let (batches, places) = table.read(|place| reader.reads(place))?;
    let mut charges = Vec::new();
    for batch in batches {
        let batch = batch?;
        if charges.len() + batch.num_rows() > most {
            return Err(BillError::TooMany(most));
        }
        let cells = places.cells(&batch)?;
        for row in 0..batch.num_rows() {
            let charge = reader.charge(|place| cells.at(place, row));
            charges.push(charge.map_err(|fault| BillError::Row {
                row: charges.len() + 1,
                fault,
            })?);
        }
    }

    Ok(charges)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use arrow::array::{
        ArrayRef, Decimal128Array, Float64Array, MapBuilder, RecordBatch, StringArray,
        StringBuilder, TimestampMicrosecondArray, TimestampMillisecondArray,
    };
    use parquet::arrow::ArrowWriter;
    use parquet::basic::Compression;
    use parquet::file::properties::WriterProperties;

    use super::*;

    /// 2026-11-01T00:00:00Z.
    const NOVEMBER_MS: i64 = 1_793_491_200_000;

    fn written(folder: &Path, columns: Vec<(&str, ArrayRef)>) -> std::path::PathBuf {
        let path = folder.join("bill.parquet");
        let batch = RecordBatch::try_from_iter_with_nullable(
            columns
                .into_iter()
                .map(|(name, column)| (name, column, true)),
        );
        let batch = batch.unwrap();
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .build();
        let file = File::create(&path).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();

        path
    }

    fn tags() -> ArrayRef {
        let mut builder = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
        builder.keys().append_value("env");
        builder.values().append_value("prod \"eu\"");
        builder.append(true).unwrap();
        builder.append(false).unwrap();
        Arc::new(builder.finish())
    }

    #[test]
    fn a_bill_is_read_in_the_types_that_clouds_write() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(
            folder.path(),
            vec![
                (
                    "BilledCost",
                    Arc::new(Float64Array::from(vec![0.000_001_5, 12.25])),
                ),
                ("x_ServiceCode", Arc::new(StringArray::from(vec!["a", "b"]))),
                (
                    "EffectiveCost",
                    Arc::new(
                        Decimal128Array::from(vec![Some(1_250_000), None])
                            .with_precision_and_scale(38, 6)
                            .unwrap(),
                    ),
                ),
                (
                    "BillingCurrency",
                    Arc::new(StringArray::from(vec!["USD", "USD"])),
                ),
                (
                    "ChargePeriodStart",
                    Arc::new(
                        TimestampMillisecondArray::from(vec![NOVEMBER_MS, NOVEMBER_MS])
                            .with_timezone("UTC"),
                    ),
                ),
                (
                    "ChargePeriodEnd",
                    Arc::new(TimestampMicrosecondArray::from(vec![
                        1000 * NOVEMBER_MS + 3_600_000_000,
                        1000 * NOVEMBER_MS,
                    ])),
                ),
                (
                    "ChargeCategory",
                    Arc::new(StringArray::from(vec!["Usage", "Tax"])),
                ),
                (
                    "ResourceId",
                    Arc::new(StringArray::from(vec![Some("i-1"), None])),
                ),
                ("Tags", tags()),
            ],
        );
        let charges = read_bill(&path, 10).unwrap();

        assert_eq!(
            charges
                .iter()
                .map(|one| one.billed.to_string())
                .collect::<Vec<_>>(),
            ["0.0000015", "12.25"]
        );

        assert_eq!(charges[0].effective.unwrap().to_string(), "1.25");
        assert_eq!(
            (charges[0].start_ms, charges[0].end_ms),
            (NOVEMBER_MS, NOVEMBER_MS + 3_600_000)
        );
        assert_eq!(
            (
                charges[0].resource.as_deref(),
                charges[1].resource.as_deref()
            ),
            (Some("i-1"), None)
        );

        assert_eq!(
            charges[0].tags.as_deref().unwrap(),
            [("env".to_owned(), "prod \"eu\"".to_owned())]
        );
        assert!(charges[1].tags.as_deref().is_some_and(<[_]>::is_empty));
        assert!(matches!(read_bill(&path, 1), Err(BillError::TooMany(1))));
    }

    #[test]
    fn faults_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("text.parquet");
        std::fs::write(&text, "BilledCost,ChargePeriodStart\n1,2026-11-01\n").unwrap();
        assert!(matches!(read_bill(&text, 10), Err(BillError::Parquet(_))));

        let path = written(
            folder.path(),
            vec![("BilledCost", Arc::new(Float64Array::from(vec![1.0])))],
        );
        assert!(
            read_bill(&path, 10)
                .unwrap_err()
                .to_string()
                .contains("ChargePeriodStart")
        );

        let path = written(
            folder.path(),
            vec![
                (
                    "BilledCost",
                    Arc::new(Float64Array::from(vec![1.0, f64::NAN])),
                ),
                (
                    "ChargePeriodStart",
                    Arc::new(StringArray::from(vec!["2026-11-01", "2026-11-01"])),
                ),
            ],
        );
        let fault = read_bill(&path, 10).unwrap_err().to_string();

        assert!(fault.starts_with("row 2: BilledCost: \"NaN\""), "{fault}");
    }
}
