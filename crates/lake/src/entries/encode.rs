//! Entries to the bytes of a segment.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, DictionaryArray, FixedSizeBinaryBuilder, Int32Array, Int64Array,
    RecordBatch, StringArray, StringBuilder, TimestampMicrosecondArray,
};
use arrow::buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::Int32Type;
use arrow::error::ArrowError;
use jiff::Timestamp;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::schema::types::ColumnPath;
use reeve_audit::instant::write_instant;
use reeve_audit::query::{QueryColumn, column_text};
use reeve_ledger::StoredEntry;

use super::columns::{ABSENT, Texts};
use super::cut::{COLUMNS, shorten};
use super::schema::{CANONICAL_NAME, FORMAT, SALT_NAME, SCHEMA, SEQUENCE, SEQUENCE_NAME};

/// Rows of a row group.
const ROW_GROUP: usize = 65_536;
/// Rows of a page: what a search for the newest entries reads at least.
const PAGE: usize = 4_096;
/// Bytes of a page of canonical bytes, and of one of identifiers: what showing one entry unpacks.
const CANONICAL_PAGE: usize = 64 * 1024;
const ID_PAGE: usize = 16 * 1024;
/// Rows after which a page's size is looked at.
const LOOK: usize = 128;
/// Rows turned into columns at a time, and canonical bytes of them: entries may have a mebibyte
/// each.
const BATCH: usize = 16_384;
const BATCH_BYTES: usize = 16 << 20;
/// The most distinct values of a row group, in bytes, that are worth a dictionary.
const DICTIONARY_BYTES: usize = 2 << 20;

/// A whole segment with this first and last sequence. Entries are of one class, ordered by
/// sequence.
pub(super) fn encode(
    class: &str,
    (first, last): (u64, u64),
    entries: &[Arc<StoredEntry>],
    texts: &[(QueryColumn, Texts)],
) -> Result<Vec<u8>, ParquetError> {
    let metadata = file_metadata(class, first, last);
    let properties = properties().set_key_value_metadata(Some(metadata)).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), Arc::clone(&SCHEMA), Some(properties))?;
    let dictionaries = texts
        .iter()
        .map(|(column, texts)| Ok((*column, dictionary(texts)?)));
    let dictionaries = dictionaries.collect::<Result<Vec<_>, ArrowError>>()?;
    let mut first = 0;
    for chunk in chunks(entries) {
        writer.write(&columns(chunk, first, &dictionaries, texts, Payload::Cut)?)?;
        first += chunk.len();
    }

    writer.into_inner()
}

/// Entries in pieces of at most [`BATCH`] rows and about [`BATCH_BYTES`].
fn chunks(mut entries: &[Arc<StoredEntry>]) -> impl Iterator<Item = &[Arc<StoredEntry>]> {
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = |entry: &&Arc<StoredEntry>| {
            let begun = bytes < BATCH_BYTES;
            bytes += entry.canonical.len();
            begun
        };
        let rows = entries.iter().take(BATCH).take_while(fits).count();
        let (chunk, rest) = entries
            .split_at_checked(rows)
            .filter(|(chunk, _)| !chunk.is_empty())?;
        entries = rest;
        Some(chunk)
    })
}

/// Returns the key-value metadata of a file.
pub(super) fn file_metadata(class: &str, first: u64, last: u64) -> Vec<KeyValue> {
    let pairs = [
        ("reeve.format", FORMAT.to_owned()),
        ("reeve.class", class.to_owned()),
        ("reeve.first_sequence", first.to_string()),
        ("reeve.last_sequence", last.to_string()),
    ];
    pairs
        .map(|(key, value)| KeyValue::new(key.to_owned(), value))
        .to_vec()
}

/// Layout of a file.
pub(super) fn properties() -> WriterPropertiesBuilder {
    // Level 3 takes no longer than level 1 for what is left of payloads; for random identifiers it
    // is slower and worse.
    let harder = ZstdLevel::try_new(3).unwrap_or_default();
    let mut builder = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(ROW_GROUP))
        .set_data_page_row_count_limit(PAGE)
        .set_dictionary_page_size_limit(DICTIONARY_BYTES)
        // Least and greatest text prune nothing, and comparing costs more than writing.
        .set_statistics_enabled(EnabledStatistics::None)
        .set_sorting_columns(Some(vec![SortingColumn {
            column_idx: SEQUENCE as i32,
            descending: false,
            nulls_first: false,
        }]));

    for name in [
        SEQUENCE_NAME,
        QueryColumn::Timestamp.segment_name(),
        QueryColumn::RecordedAt.segment_name(),
    ] {
        let path = ColumnPath::from(name);
        builder = builder
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_statistics_enabled(path.clone(), EnabledStatistics::Page)
            .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
    }

    builder = builder.set_column_dictionary_enabled(ColumnPath::from(SALT_NAME), false);
    for name in [
        QueryColumn::EventId.segment_name(),
        QueryColumn::RequestId.segment_name(),
        CANONICAL_NAME,
    ] {
        // Lengths between the texts would cost a byte and a half a row, and most of the time of
        // compressing.
        let path = ColumnPath::from(name);
        builder = builder
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, Encoding::DELTA_LENGTH_BYTE_ARRAY);
    }

    for name in [
        QueryColumn::EventId.segment_name(),
        QueryColumn::RequestId.segment_name(),
    ] {
        builder = builder.set_column_data_page_size_limit(ColumnPath::from(name), ID_PAGE);
    }

    builder
        .set_write_batch_size(LOOK)
        .set_column_compression(ColumnPath::from(SALT_NAME), Compression::UNCOMPRESSED)
        .set_column_compression(ColumnPath::from(CANONICAL_NAME), Compression::ZSTD(harder))
        .set_column_data_page_size_limit(ColumnPath::from(CANONICAL_NAME), CANONICAL_PAGE)
}

/// Form of the canonical bytes in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Payload {
    /// Without what stands in columns of its own.
    Cut,
    /// As they were hashed: any reader can use them.
    Whole,
}

/// Some entries as rows of a file of their own kind, with their payload as it was hashed.
pub(super) fn whole(entries: &[Arc<StoredEntry>]) -> Result<RecordBatch, ArrowError> {
    let texts = super::columns::texts(entries);
    let dictionaries = texts
        .iter()
        .map(|(column, texts)| Ok((*column, dictionary(texts)?)));
    let dictionaries = dictionaries.collect::<Result<Vec<_>, ArrowError>>()?;
    columns(entries, 0, &dictionaries, &texts, Payload::Whole)
}

/// Some entries as columns. The first of them is this row of the dictionaries.
fn columns(
    entries: &[Arc<StoredEntry>],
    first: usize,
    dictionaries: &[(QueryColumn, DictionaryArray<Int32Type>)],
    texts: &[(QueryColumn, Texts)],
    payload: Payload,
) -> Result<RecordBatch, ArrowError> {
    let mut arrays: Vec<ArrayRef> = vec![Arc::new(Int64Array::from_iter_values(
        entries.iter().map(|entry| entry.sequence.cast_signed()),
    ))];
    for column in QueryColumn::ALL {
        let known = dictionaries.iter().find(|(of, _)| *of == column);
        arrays.push(match (column, known) {
            (QueryColumn::Timestamp, _) => times(
                entries
                    .iter()
                    .map(|entry| entry.entry.timestamp.as_millisecond()),
            ),
            (QueryColumn::RecordedAt, _) => times(
                entries
                    .iter()
                    .map(|entry| entry.recorded_at.as_millisecond()),
            ),
            (QueryColumn::RequestId, _) | (_, None) => plain(entries, column),
            (_, Some((_, dictionary))) => Arc::new(dictionary.slice(first, entries.len())),
        });
    }

    let mut salts = FixedSizeBinaryBuilder::with_capacity(entries.len(), 16);
    let mut bytes = Vec::with_capacity(entries.iter().map(|entry| entry.canonical.len()).sum());
    let (mut lengths, mut cuts) = (
        Vec::with_capacity(entries.len()),
        Vec::with_capacity(entries.len()),
    );
    let known = COLUMNS.map(|column| {
        texts
            .iter()
            .find(|(of, _)| *of == column)
            .map(|(_, texts)| texts)
    });

    for (row, entry) in entries.iter().enumerate() {
        salts.append_value(entry.salt)?;
        let begin = bytes.len();
        if payload == Payload::Whole {
            bytes.extend_from_slice(&entry.canonical);
            cuts.push(0);
            lengths.push(entry.canonical.len());
            continue;
        }
        let times = [entry.entry.timestamp, entry.recorded_at].map(spelled);
        let values = COLUMNS
            .into_iter()
            .zip(known)
            .map(|(column, known)| match column {
                QueryColumn::Timestamp => Some(times[0].as_slice()),
                QueryColumn::RecordedAt => Some(times[1].as_slice()),
                QueryColumn::EventId => Some(entry.entry.event_id.as_str().as_bytes()),
                _ => known
                    .and_then(|texts| texts.of_row(first + row))
                    .map(str::as_bytes),
            });
        cuts.push(i32::from(shorten(&entry.canonical, values, &mut bytes)));
        lengths.push(bytes.len() - begin);
    }

    let canonical = BinaryArray::try_new(
        OffsetBuffer::from_lengths(lengths),
        Buffer::from_vec(bytes),
        None,
    )?;
    arrays.push(Arc::new(salts.finish()));
    arrays.push(Arc::new(canonical));
    arrays.push(Arc::new(Int32Array::from(cuts)));

    RecordBatch::try_new(Arc::clone(&SCHEMA), arrays)
}

fn spelled(at: Timestamp) -> Vec<u8> {
    let mut text = Vec::with_capacity(24);
    write_instant(at, &mut text);
    text
}

/// A column of times, given in milliseconds: entries have no finer ones.
fn times(millis: impl Iterator<Item = i64>) -> ArrayRef {
    let values = millis.map(|millis| millis * 1_000);
    Arc::new(TimestampMicrosecondArray::from_iter_values(values).with_timezone("UTC"))
}

fn plain(entries: &[Arc<StoredEntry>], column: QueryColumn) -> ArrayRef {
    let mut builder = StringBuilder::with_capacity(entries.len(), entries.len() * 36);
    for entry in entries {
        builder.append_option(column_text(&entry.entry, column));
    }
    Arc::new(builder.finish())
}

fn dictionary(texts: &Texts) -> Result<DictionaryArray<Int32Type>, ArrowError> {
    let present = NullBuffer::from_iter(texts.keys.iter().map(|key| *key != ABSENT));
    let keys = texts
        .keys
        .iter()
        .map(|key| (*key).max(0))
        .collect::<Vec<_>>();

    let keys = Int32Array::new(
        ScalarBuffer::from(keys),
        Some(present).filter(|present| present.null_count() > 0),
    );
    let values = StringArray::from_iter_values(texts.values());
    DictionaryArray::try_new(keys, Arc::new(values))
}
