//! The columns of a file of samples, and rows written as Parquet.

use std::sync::{Arc, LazyLock};

use arrow::array::{
    ArrayRef, DictionaryArray, Float64Array, Int32Array, RecordBatch, StringArray,
    TimestampMillisecondArray, UInt32Array,
};
use arrow::datatypes::{DataType, Field, Int32Type, Schema, SchemaRef, TimeUnit};
use arrow::error::ArrowError;
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;
use reeve_estate::{ConnectionId, Metric, StoreError};

/// Rows of a row group: small, because a series is a narrow strip of a file sorted by resource.
pub(super) const ROW_GROUP: usize = 8_192;

/// Version of the format, in each file's key-value metadata.
pub(super) const FORMAT: &str = "reeve/samples/v1";

/// The schema of every file.
pub(super) static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let name = || DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    Arc::new(Schema::new(vec![
        Field::new("connection", name(), false),
        Field::new("resource", name(), false),
        Field::new("metric", name(), false),
        Field::new(
            "timestamp",
            DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
            false,
        ),
        Field::new("value", DataType::Float64, false),
        Field::new("period_s", DataType::UInt32, false),
    ]))
});

/// A point with its place in the order of resource and metric.
#[derive(Debug, Clone, Copy)]
pub(super) struct SampleRow {
    /// Position in the names given along.
    pub(super) resource: u32,
    pub(super) metric: Metric,
    pub(super) period_s: u32,
    pub(super) timestamp_ms: i64,
    pub(super) value: f64,
}

/// Rows in their final order as columns. Only the resources that occur are named.
pub(super) fn record_batch(
    connection: &ConnectionId,
    rows: &[SampleRow],
    resources: &[&str],
) -> Result<RecordBatch, ArrowError> {
    let mut names: Vec<&str> = Vec::new();
    let mut keys: Vec<i32> = Vec::with_capacity(rows.len());
    let mut last = None;

    for row in rows {
        if last != Some(row.resource) {
            names.push(resources[row.resource as usize]);
            last = Some(row.resource);
        }
        keys.push(names.len() as i32 - 1);
    }

    let metrics = DictionaryArray::<Int32Type>::try_new(
        Int32Array::from_iter_values(rows.iter().map(|row| row.metric.place() as i32)),
        Arc::new(StringArray::from_iter_values(
            Metric::all().into_iter().map(Metric::as_str),
        )),
    )?;

    let dictionary = |keys: Int32Array, values: Vec<&str>| -> Result<ArrayRef, ArrowError> {
        Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(
            keys,
            Arc::new(StringArray::from(values)),
        )?))
    };

    RecordBatch::try_new(
        Arc::clone(&SCHEMA),
        vec![
            dictionary(
                Int32Array::from_iter_values(rows.iter().map(|_| 0)),
                vec![connection.0.as_str()],
            )?,
            dictionary(Int32Array::from(keys), names)?,
            Arc::new(metrics),
            Arc::new(
                TimestampMillisecondArray::from_iter_values(
                    rows.iter().map(|row| row.timestamp_ms),
                )
                .with_timezone("UTC"),
            ),
            Arc::new(Float64Array::from_iter_values(
                rows.iter().map(|row| row.value),
            )),
            Arc::new(UInt32Array::from_iter_values(
                rows.iter().map(|row| row.period_s),
            )),
        ],
    )
}

/// Encodes the rows of one file as Parquet.
pub(super) fn encode(rows: &RecordBatch) -> Result<Bytes, StoreError> {
    let write = || -> parquet::errors::Result<Vec<u8>> {
        let mut writer = ArrowWriter::try_new(Vec::new(), Arc::clone(&SCHEMA), Some(properties()))?;
        writer.write(rows)?;
        writer.into_inner()
    };
    write()
        .map(Bytes::from)
        .map_err(|error| StoreError::Backend(format!("samples: {error}")))
}

fn properties() -> WriterProperties {
    let sorting = [1, 2, 3].map(|column_idx| SortingColumn {
        column_idx,
        descending: false,
        nulls_first: false,
    });
    WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(ROW_GROUP))
        .set_column_dictionary_enabled(ColumnPath::from("timestamp"), false)
        .set_column_encoding(ColumnPath::from("timestamp"), Encoding::DELTA_BINARY_PACKED)
        .set_column_dictionary_enabled(ColumnPath::from("value"), false)
        .set_column_encoding(ColumnPath::from("value"), Encoding::BYTE_STREAM_SPLIT)
        .set_sorting_columns(Some(sorting.to_vec()))
        .set_key_value_metadata(Some(vec![KeyValue::new(
            "reeve.format".to_owned(),
            FORMAT.to_owned(),
        )]))
        .build()
}
