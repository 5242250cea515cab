//! Parquet files of OCSF events, as Amazon Security Lake takes them from custom sources: one class
//! a file, zstd, rows by time, data pages of a megabyte and row groups of 256 MB at most, lists of
//! three levels.
//!
//! Columns are the attributes that entries have as events (<https://schema.ocsf.io/1.3.0>); `unmapped`
//! is JSON in a text. A reader finds the same columns in every file of a class.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, Int64Array, ListArray, StringArray, StructArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, Fields, Schema};
use arrow::record_batch::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use serde_json::Value;

/// Bytes of a data page before it is compressed.
const PAGE_BYTES: usize = 1_000_000;
/// Rows of a row group: far below 256 MB.
const ROW_GROUP: usize = 65_536;

/// Shape of a column.
enum Shape {
    Text,
    Number,
    /// JSON in a text.
    Document,
    Texts,
    Object(&'static [(&'static str, Shape)]),
    Objects(&'static [(&'static str, Shape)]),
}

use Shape::{Document, Number, Object, Objects, Text, Texts};

/// Columns of every class.
const COLUMNS: &[(&str, Shape)] = &[
    ("time", Number),
    ("class_uid", Number),
    ("class_name", Text),
    ("category_uid", Number),
    ("category_name", Text),
    ("activity_id", Number),
    ("activity_name", Text),
    ("type_uid", Number),
    ("type_name", Text),
    ("severity_id", Number),
    ("severity", Text),
    ("status_id", Number),
    ("status", Text),
    ("message", Text),
    (
        "metadata",
        Object(&[
            ("version", Text),
            (
                "product",
                Object(&[("name", Text), ("vendor_name", Text), ("version", Text)]),
            ),
            ("uid", Text),
            ("sequence", Number),
            ("logged_time", Number),
            ("event_code", Text),
            ("log_name", Text),
            ("correlation_uid", Text),
            ("profiles", Texts),
        ]),
    ),
    (
        "cloud",
        Object(&[
            ("provider", Text),
            ("account", Object(&[("uid", Text)])),
            ("region", Text),
        ]),
    ),
    ("http_request", Object(&[("user_agent", Text)])),
    ("src_endpoint", Object(&[("ip", Text), ("name", Text)])),
    ("unmapped", Document),
];

/// The user of an event, and of its actor.
const USER: &[(&str, Shape)] = &[
    ("uid", Text),
    ("type_id", Number),
    ("type", Text),
    ("email_addr", Text),
];

/// Columns that not every class has.
const FURTHER: &[(u64, &[(&str, Shape)])] = &[
    (3001, &[("user", Object(USER)), ("actor", ACTOR)]),
    (
        3002,
        &[
            ("user", Object(USER)),
            ("service", Object(&[("name", Text)])),
        ],
    ),
    (
        6003,
        &[
            ("actor", ACTOR),
            ("api", Object(&[("operation", Text)])),
            (
                "resources",
                Objects(&[("uid", Text), ("type", Text), ("region", Text)]),
            ),
        ],
    ),
];

const ACTOR: Shape = Object(&[
    ("user", Object(USER)),
    ("session", Object(&[("uid", Text)])),
]);

/// Reason why a file of events was not written.
#[derive(Debug, thiserror::Error)]
#[error("the events cannot be written as Parquet: {0}")]
pub struct OcsfFileError(#[from] ParquetError);

/// Writes events of one class as a Parquet file, by time.
///
/// # Errors
/// The encoder failed.
pub fn write_ocsf_file(class_uid: u64, events: &[Value]) -> Result<Vec<u8>, OcsfFileError> {
    let mut rows: Vec<&Value> = events.iter().collect();
    rows.sort_by_key(|event| event["time"].as_i64());

    let further = FURTHER
        .iter()
        .find(|(uid, _)| *uid == class_uid)
        .map_or(&[][..], |(_, columns)| columns);
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = COLUMNS
        .iter()
        .chain(further)
        .map(|(name, shape)| column(name, shape, &rows))
        .unzip();
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays).map_err(ParquetError::from)?;

    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_data_page_size_limit(PAGE_BYTES)
        .set_max_row_group_row_count(Some(ROW_GROUP))
        .build();
    let mut writer = ArrowWriter::try_new(Vec::new(), schema, Some(properties))?;
    writer.write(&batch)?;
    Ok(writer.into_inner()?)
}

/// Builds the column of a member of each row.
fn column(name: &str, shape: &Shape, rows: &[&Value]) -> (Field, ArrayRef) {
    let members: Vec<&Value> = rows.iter().map(|row| &row[name]).collect();
    let array: ArrayRef = match shape {
        Text => Arc::new(StringArray::from_iter(
            members.iter().map(|member| member.as_str()),
        )),
        Number => Arc::new(Int64Array::from_iter(
            members.iter().map(|member| member.as_i64()),
        )),
        Document => Arc::new(StringArray::from_iter(
            members
                .iter()
                .map(|member| (!member.is_null()).then(|| member.to_string())),
        )),
        Object(inner) => Arc::new(object(inner, &members)),
        Texts => list(&members, |elements| {
            Arc::new(StringArray::from_iter(
                elements.iter().map(|element| element.as_str()),
            ))
        }),
        Objects(inner) => list(&members, |elements| Arc::new(object(inner, elements))),
    };
    (Field::new(name, array.data_type().clone(), true), array)
}

fn object(inner: &[(&str, Shape)], rows: &[&Value]) -> StructArray {
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = inner
        .iter()
        .map(|(name, shape)| column(name, shape, rows))
        .unzip();
    StructArray::new(Fields::from(fields), arrays, None)
}

fn list(members: &[&Value], elements: impl Fn(&[&Value]) -> ArrayRef) -> ArrayRef {
    let lengths = members
        .iter()
        .map(|member| member.as_array().map_or(0, Vec::len));
    let offsets = OffsetBuffer::from_lengths(lengths);
    let all: Vec<&Value> = members
        .iter()
        .filter_map(|member| member.as_array())
        .flatten()
        .collect();
    let values = elements(&all);
    let element: DataType = values.data_type().clone();
    let field = Arc::new(Field::new("element", element, true));
    Arc::new(ListArray::new(field, offsets, values, None))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use bytes::Bytes;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_file_has_the_rows_by_time_and_the_columns_of_its_class() {
        let event = |time: i64, resources: Value| {
            json!({ "time": time, "class_uid": 6003, "actor": { "user": { "uid": "ann" } },
                "metadata": { "uid": format!("e-{time}"), "profiles": ["cloud"] },
                "resources": resources, "unmapped": { "a": 1 } })
        };
        let events = [
            event(30, json!([{ "uid": "r-1" }, { "uid": "r-2" }])),
            event(10, Value::Null),
        ];
        let file = write_ocsf_file(6003, &events).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(file)).unwrap();
        let types = format!("{:?}", reader.parquet_schema());
        assert!(
            types.contains("element"),
            "lists have three levels: {types}"
        );
        let compression = reader.metadata().row_group(0).column(0).compression();
        assert!(matches!(compression, Compression::ZSTD(_)));
        let batch = reader.build().unwrap().next().unwrap().unwrap();
        let times = batch.column_by_name("time").unwrap();
        let times: &Int64Array = times.as_any().downcast_ref().unwrap();
        assert_eq!(times.values().to_vec(), [10, 30]);
        let resources = batch.column_by_name("resources").unwrap();
        let resources: &ListArray = resources.as_any().downcast_ref().unwrap();
        assert_eq!(
            (resources.value_length(0), resources.value_length(1)),
            (0, 2)
        );
        assert!(batch.column_by_name("user").is_none());
    }
}
