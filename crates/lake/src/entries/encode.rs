//! Entries to the bytes of a segment.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryBuilder, FixedSizeBinaryBuilder, RecordBatch, StringBuilder, StringDictionaryBuilder,
    TimestampMillisecondArray, UInt64Array,
};
use arrow::datatypes::{DataType, Int32Type};
use arrow::error::ArrowError;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use reeve_audit::query::{Column, column_text};
use reeve_ledger::StoredEntry;

use super::schema::{CANONICAL_NAME, FORMAT, SALT_NAME, SCHEMA, SEQUENCE, SEQUENCE_NAME, position};

/// Rows of a row group.
const ROW_GROUP: usize = 65_536;
/// Rows of a page: what a search for the newest entries reads at least.
const PAGE: usize = 4_096;
/// Bytes of a page of canonical bytes: what showing one entry unpacks.
const CANONICAL_PAGE: usize = 256 * 1024;
/// Rows turned into columns at a time.
const BATCH: usize = 8_192;

/// A whole segment. Entries are of one class, ordered by sequence.
pub(super) fn encode(class: &str, entries: &[Arc<StoredEntry>]) -> Result<Vec<u8>, ParquetError> {
    let mut writer = ArrowWriter::try_new(Vec::new(), Arc::clone(&SCHEMA), Some(properties(class, entries)))?;
    for chunk in entries.chunks(BATCH) {
        writer.write(&columns(chunk)?)?;
    }
    writer.into_inner()
}

fn properties(class: &str, entries: &[Arc<StoredEntry>]) -> WriterProperties {
    let sequence = |entry: Option<&Arc<StoredEntry>>| entry.map_or(0, |entry| entry.sequence).to_string();
    let told = [
        ("reeve.format", FORMAT.to_owned()),
        ("reeve.class", class.to_owned()),
        ("reeve.first_sequence", sequence(entries.first())),
        ("reeve.last_sequence", sequence(entries.last())),
    ];
    let mut builder = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(ROW_GROUP))
        .set_data_page_row_count_limit(PAGE)
        .set_sorting_columns(Some(vec![SortingColumn {
            column_idx: SEQUENCE as i32,
            descending: false,
            nulls_first: false,
        }]))
        .set_key_value_metadata(Some(told.map(|(key, value)| KeyValue::new(key.to_owned(), value)).to_vec()));
    for name in [SEQUENCE_NAME, Column::Timestamp.segment_name(), Column::RecordedAt.segment_name()] {
        let path = ColumnPath::from(name);
        builder = builder
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
    }
    for name in [Column::EventId.segment_name(), SALT_NAME, CANONICAL_NAME] {
        builder = builder.set_column_dictionary_enabled(ColumnPath::from(name), false);
    }
    for name in [SALT_NAME, CANONICAL_NAME] {
        builder = builder.set_column_statistics_enabled(ColumnPath::from(name), EnabledStatistics::None);
    }
    for column in [Column::EventId, Column::ActorId, Column::ResourceId] {
        let path = ColumnPath::from(column.segment_name());
        builder = builder.set_column_bloom_filter_enabled(path.clone(), true).set_column_bloom_filter_fpp(path, 0.01);
    }
    builder
        .set_column_compression(ColumnPath::from(SALT_NAME), Compression::UNCOMPRESSED)
        .set_column_data_page_size_limit(ColumnPath::from(CANONICAL_NAME), CANONICAL_PAGE)
        .build()
}

/// Some entries as columns.
fn columns(entries: &[Arc<StoredEntry>]) -> Result<RecordBatch, ArrowError> {
    let mut arrays: Vec<ArrayRef> =
        vec![Arc::new(UInt64Array::from_iter_values(entries.iter().map(|entry| entry.sequence)))];
    for column in Column::ALL {
        arrays.push(match (column, SCHEMA.field(position(column)).data_type()) {
            (Column::Timestamp, _) => times(entries.iter().map(|entry| entry.entry.timestamp.as_millisecond())),
            (Column::RecordedAt, _) => times(entries.iter().map(|entry| entry.recorded_at.as_millisecond())),
            (_, DataType::Utf8) => plain(entries, column),
            _ => dictionary(entries, column)?,
        });
    }
    let mut salts = FixedSizeBinaryBuilder::with_capacity(entries.len(), 16);
    let mut bytes = BinaryBuilder::new();
    for entry in entries {
        salts.append_value(entry.salt)?;
        bytes.append_value(&entry.canonical);
    }
    arrays.push(Arc::new(salts.finish()));
    arrays.push(Arc::new(bytes.finish()));
    RecordBatch::try_new(Arc::clone(&SCHEMA), arrays)
}

fn times(values: impl Iterator<Item = i64>) -> ArrayRef {
    Arc::new(TimestampMillisecondArray::from_iter_values(values).with_timezone("UTC"))
}

fn plain(entries: &[Arc<StoredEntry>], column: Column) -> ArrayRef {
    let mut builder = StringBuilder::new();
    for entry in entries {
        builder.append_option(column_text(&entry.entry, column));
    }
    Arc::new(builder.finish())
}

fn dictionary(entries: &[Arc<StoredEntry>], column: Column) -> Result<ArrayRef, ArrowError> {
    let mut builder = StringDictionaryBuilder::<Int32Type>::new();
    for entry in entries {
        match column_text(&entry.entry, column) {
            Some(value) => {
                builder.append(value)?;
            }
            None => builder.append_null(),
        }
    }
    Ok(Arc::new(builder.finish()))
}
