//! Manifest and manifest list of a snapshot: Iceberg table specification, version 2, "Manifests" and
//! "Manifest Lists". The numbers in the schemas are the field ids of the specification.

use serde_json::{Value, json};

use super::avro::{AvroBytes, file};
use super::metadata::table_schema;
use crate::entries::{SEQUENCE_ID, TIMESTAMP_ID};

/// Number of the data sequence of every file: a table has one snapshot at a time.
pub(super) const SEQUENCE_NUMBER: i64 = 1;
/// Status of a file that the snapshot added.
const ADDED: i64 = 1;

/// A segment, as a manifest lists it.
#[derive(Debug, Clone)]
pub(super) struct DataFile {
    /// Address that engines read it from.
    pub(super) uri: String,
    pub(super) rows: u64,
    pub(super) bytes: u64,
    /// Least and greatest sequence.
    pub(super) sequences: (u64, u64),
    /// Earliest and latest `timestamp`, ms since the epoch.
    pub(super) timestamps_ms: (i64, i64),
    /// Latest `recorded_at`; 0 where the manifest of the log does not say it.
    pub(super) recorded_ms: i64,
}

impl DataFile {
    /// Returns the least (0) or greatest (1) values of columns, by field id, as the specification
    /// serialises single values.
    fn bounds(&self, side: usize) -> [(i32, Vec<u8>); 2] {
        let sequence = [self.sequences.0, self.sequences.1][side].cast_signed();
        let timestamp = [self.timestamps_ms.0, self.timestamps_ms.1][side].saturating_mul(1_000);
        [
            (SEQUENCE_ID, sequence.to_le_bytes().to_vec()),
            (TIMESTAMP_ID, timestamp.to_le_bytes().to_vec()),
        ]
    }
}

/// Returns the manifest of the files of a snapshot.
pub(super) fn manifest(snapshot: i64, files: &[DataFile]) -> Vec<u8> {
    let mut records = AvroBytes::default();
    for data in files {
        records.long(ADDED).some().long(snapshot);
        // Both sequence numbers are inherited from the manifest list.
        records.none().none();
        records.long(0).bytes(data.uri.as_bytes()).bytes(b"PARQUET");
        records
            .long(data.rows.cast_signed())
            .long(data.bytes.cast_signed());
        records.some().pairs(&data.bounds(0));
        records.some().pairs(&data.bounds(1));
    }

    let metadata = [
        ("schema", table_schema().to_string()),
        ("schema-id", "0".to_owned()),
        ("partition-spec", "[]".to_owned()),
        ("partition-spec-id", "0".to_owned()),
        ("format-version", "2".to_owned()),
        ("content", "data".to_owned()),
    ];
    file(&manifest_schema(), &metadata, files.len(), &records)
}

/// Returns the manifest list of a snapshot with one manifest at this address, of so many bytes.
pub(super) fn manifest_list(
    snapshot: i64,
    (uri, bytes): (&str, usize),
    files: &[DataFile],
) -> Vec<u8> {
    let mut records = AvroBytes::default();
    let rows: u64 = files.iter().map(|data| data.rows).sum();
    records.bytes(uri.as_bytes()).long(bytes as i64);
    // Partition spec, content (data), sequence numbers.
    records.long(0).long(0);
    records.long(SEQUENCE_NUMBER).long(SEQUENCE_NUMBER);
    records.long(snapshot);
    // Files, then rows, that were added, that existed, that were deleted.
    records.long(files.len() as i64).long(0).long(0);
    records.long(rows.cast_signed()).long(0).long(0);
    records.none();

    let metadata = [
        ("snapshot-id", snapshot.to_string()),
        ("parent-snapshot-id", "null".to_owned()),
        ("sequence-number", SEQUENCE_NUMBER.to_string()),
        ("format-version", "2".to_owned()),
    ];
    // A manifest without entries is invalid to some readers: an empty table lists none.
    let count = usize::from(!files.is_empty());
    file(&list_schema(), &metadata, count, &records)
}

fn field(name: &str, id: i32, kind: impl Into<Value>) -> Value {
    json!({ "name": name, "type": kind.into(), "field-id": id })
}

fn optional(name: &str, id: i32, kind: impl Into<Value>) -> Value {
    json!({ "name": name, "type": ["null", kind.into()], "default": null, "field-id": id })
}

/// Map from field ids to bytes.
fn bounds_schema(key: i32, value: i32) -> Value {
    json!({
        "type": "array",
        "logicalType": "map",
        "items": {
            "type": "record",
            "name": format!("k{key}_v{value}"),
            "fields": [field("key", key, "int"), field("value", value, "bytes")],
        },
    })
}

fn manifest_schema() -> Value {
    let partition = json!({ "type": "record", "name": "r102", "fields": [] });
    let data_file = json!({
        "type": "record",
        "name": "r2",
        "fields": [
            field("content", 134, "int"),
            field("file_path", 100, "string"),
            field("file_format", 101, "string"),
            field("partition", 102, partition),
            field("record_count", 103, "long"),
            field("file_size_in_bytes", 104, "long"),
            optional("lower_bounds", 125, bounds_schema(126, 127)),
            optional("upper_bounds", 128, bounds_schema(129, 130)),
        ],
    });
    json!({
        "type": "record",
        "name": "manifest_entry",
        "fields": [
            field("status", 0, "int"),
            optional("snapshot_id", 1, "long"),
            optional("sequence_number", 3, "long"),
            optional("file_sequence_number", 4, "long"),
            field("data_file", 2, data_file),
        ],
    })
}

fn list_schema() -> Value {
    let summary = json!({
        "type": "record",
        "name": "r508",
        "fields": [
            field("contains_null", 509, "boolean"),
            optional("contains_nan", 518, "boolean"),
            optional("lower_bound", 510, "bytes"),
            optional("upper_bound", 511, "bytes"),
        ],
    });
    let partitions = json!({ "type": "array", "items": summary, "element-id": 508 });
    json!({
        "type": "record",
        "name": "manifest_file",
        "fields": [
            field("manifest_path", 500, "string"),
            field("manifest_length", 501, "long"),
            field("partition_spec_id", 502, "int"),
            field("content", 517, "int"),
            field("sequence_number", 515, "long"),
            field("min_sequence_number", 516, "long"),
            field("added_snapshot_id", 503, "long"),
            field("added_files_count", 504, "int"),
            field("existing_files_count", 505, "int"),
            field("deleted_files_count", 506, "int"),
            field("added_rows_count", 512, "long"),
            field("existing_rows_count", 513, "long"),
            field("deleted_rows_count", 514, "long"),
            optional("partitions", 507, partitions),
        ],
    })
}
