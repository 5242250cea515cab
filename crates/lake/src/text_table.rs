//! Tables in Parquet read as text: the cells that a CSV export would have, row group by row group.
//!
//! Providers write one column in different types (costs as doubles or decimals, times with and
//! without zones, tags as maps or JSON), and the readers of text read them all. Columns that a
//! reader does not ask for are not decoded.

use std::fs::File;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::datatypes::{ArrowPrimitiveType, DataType, Float32Type, Float64Type};
use arrow::error::ArrowError;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::errors::ParquetError;

/// Rows decoded at once.
const ROWS: usize = 8192;

/// Table in a file, of which the columns are known.
pub(crate) struct TextTable {
    builder: ParquetRecordBatchReaderBuilder<File>,
    names: Vec<String>,
}

impl TextTable {
    /// Reads the columns of a file.
    pub(crate) fn open(file: File) -> Result<Self, ParquetError> {
        let builder = ParquetRecordBatchReaderBuilder::try_new(file)?;
        let fields = builder.schema().fields().iter();
        let names = fields.map(|field| field.name().clone()).collect();
        Ok(TextTable { builder, names })
    }

    /// Returns the names of the columns, in the order of the file.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Returns the rows with the columns whose places are asked for.
    pub(crate) fn read(
        self,
        reads: impl Fn(usize) -> bool,
    ) -> Result<(ParquetRecordBatchReader, ColumnPlaces), ParquetError> {
        let read: Vec<usize> = (0..self.names.len())
            .filter(|place| reads(*place))
            .collect();
        let mask = ProjectionMask::roots(self.builder.parquet_schema(), read.iter().copied());

        // Columns come in the order of the file.
        let mut column_of = vec![None; self.names.len()];
        for (column, place) in read.into_iter().enumerate() {
            column_of[place] = Some(column);
        }

        let batches = self
            .builder
            .with_projection(mask)
            .with_batch_size(ROWS)
            .build()?;
        Ok((batches, ColumnPlaces(column_of)))
    }
}

/// Columns of a batch by their places in the file.
pub(crate) struct ColumnPlaces(Vec<Option<usize>>);

impl ColumnPlaces {
    /// Decodes the columns of a batch.
    pub(crate) fn cells(&self, batch: &RecordBatch) -> Result<TextCells<'_>, ArrowError> {
        let columns = batch.columns().iter().map(texts);
        Ok(TextCells {
            places: self,
            columns: columns.collect::<Result<_, _>>()?,
        })
    }
}

/// Cells of a batch.
pub(crate) struct TextCells<'p> {
    places: &'p ColumnPlaces,
    columns: Vec<Vec<Option<String>>>,
}

impl TextCells<'_> {
    /// Returns the cell of a row in the column at a place of the file; `None` for a missing value.
    pub(crate) fn at(&self, place: usize, row: usize) -> Option<&str> {
        let column = self.places.0.get(place).copied().flatten()?;
        self.columns.get(column)?.get(row)?.as_deref()
    }
}

/// The cells of a column as text; `None` for missing values.
fn texts(column: &ArrayRef) -> Result<Vec<Option<String>>, ArrowError> {
    if let DataType::Map(..) = column.data_type() {
        return (0..column.len()).map(|row| map(column, row)).collect();
    }

    let rows = 0..column.len();
    let present = |row: &usize| column.is_valid(*row);

    match column.data_type() {
        // Rust writes doubles with the fewest digits that read back the same.
        DataType::Float64 => Ok(floats::<Float64Type>(column)),
        DataType::Float32 => Ok(floats::<Float32Type>(column)),
        _ => {
            let options = FormatOptions::default();
            let formatter = ArrayFormatter::try_new(column.as_ref(), &options)?;
            rows.map(|row| {
                Some(row)
                    .filter(present)
                    .map(|row| formatter.value(row).try_to_string())
                    .transpose()
            })
            .collect()
        }
    }
}

fn floats<T: ArrowPrimitiveType<Native: ToString>>(column: &ArrayRef) -> Vec<Option<String>> {
    let values = column.as_primitive::<T>().iter();
    values
        .map(|value| value.map(|value| value.to_string()))
        .collect()
}

/// Tags of a map as a JSON object.
fn map(column: &ArrayRef, row: usize) -> Result<Option<String>, ArrowError> {
    if column.is_null(row) {
        return Ok(None);
    }

    let entries = column.as_map().value(row);
    let (keys, values) = (texts(entries.column(0))?, texts(entries.column(1))?);
    let members = keys
        .into_iter()
        .zip(values)
        .filter_map(|(key, value)| Some((key?, serde_json::Value::from(value?))));
    let object: serde_json::Map<String, serde_json::Value> = members.collect();

    Ok(Some(serde_json::Value::Object(object).to_string()))
}
