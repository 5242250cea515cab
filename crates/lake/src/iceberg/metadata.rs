//! Metadata of a table: Iceberg table specification, version 2, "Table Metadata".

use arrow::datatypes::{DataType, Field};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::manifest::{DataFile, SEQUENCE_NUMBER};
use crate::entries::numbered_columns;

/// A table without partitions has this number as the last one that was given to a partition field.
const NO_PARTITION_FIELD: i32 = 999;

/// Returns the schema of the tables: the columns of a segment.
pub(super) fn table_schema() -> Value {
    let fields = numbered_columns().map(|(number, field)| {
        json!({
            "id": number,
            "name": field.name(),
            "required": !field.is_nullable(),
            "type": type_name(field),
        })
    });
    json!({ "type": "struct", "schema-id": 0, "fields": fields.collect::<Vec<_>>() })
}

fn type_name(field: &Field) -> String {
    match field.data_type() {
        DataType::Int64 => "long".to_owned(),
        DataType::Int32 => "int".to_owned(),
        DataType::Timestamp(..) => "timestamptz".to_owned(),
        DataType::FixedSizeBinary(length) => format!("fixed[{length}]"),
        DataType::Binary => "binary".to_owned(),
        _ => "string".to_owned(),
    }
}

/// Numbers of the columns of files that state none: segments of earlier versions.
fn name_mapping() -> Value {
    numbered_columns()
        .map(|(number, field)| json!({ "field-id": number, "names": [field.name()] }))
        .collect()
}

/// A snapshot, as the metadata lists it.
#[derive(Debug)]
pub(super) struct Snapshot<'a> {
    pub(super) id: i64,
    /// Address of its manifest list.
    pub(super) manifest_list: &'a str,
    pub(super) files: &'a [DataFile],
}

/// Returns the metadata of a table at a location, whose one snapshot this is.
pub(super) fn table_metadata(table_id: Uuid, location: &str, snapshot: &Snapshot<'_>) -> Value {
    // Not the present time: DuckDB ignores snapshots that are younger than its transaction, and this
    // one is made when the transaction asks for it.
    let recorded = snapshot.files.iter().map(|data| data.recorded_ms);
    let at = recorded.max().unwrap_or_default();
    let rows: u64 = snapshot.files.iter().map(|data| data.rows).sum();
    let bytes: u64 = snapshot.files.iter().map(|data| data.bytes).sum();
    let files = snapshot.files.len();
    let columns = numbered_columns().count();
    json!({
        "format-version": 2,
        "table-uuid": table_id.to_string(),
        "location": location,
        "last-sequence-number": SEQUENCE_NUMBER,
        "last-updated-ms": at,
        "last-column-id": columns,
        "current-schema-id": 0,
        "schemas": [table_schema()],
        "default-spec-id": 0,
        "partition-specs": [{ "spec-id": 0, "fields": [] }],
        "last-partition-id": NO_PARTITION_FIELD,
        "default-sort-order-id": 0,
        "sort-orders": [{ "order-id": 0, "fields": [] }],
        "properties": { "schema.name-mapping.default": name_mapping().to_string() },
        "current-snapshot-id": snapshot.id,
        "refs": { "main": { "snapshot-id": snapshot.id, "type": "branch" } },
        "snapshots": [{
            "snapshot-id": snapshot.id,
            "sequence-number": SEQUENCE_NUMBER,
            "timestamp-ms": at,
            "schema-id": 0,
            "manifest-list": snapshot.manifest_list,
            "summary": {
                "operation": "append",
                "added-data-files": files.to_string(),
                "added-records": rows.to_string(),
                "added-files-size": bytes.to_string(),
                "total-data-files": files.to_string(),
                "total-records": rows.to_string(),
                "total-files-size": bytes.to_string(),
                "total-delete-files": "0",
                "total-position-deletes": "0",
                "total-equality-deletes": "0",
            },
        }],
        "snapshot-log": [{ "snapshot-id": snapshot.id, "timestamp-ms": at }],
        "metadata-log": [],
    })
}

/// Returns an identifier that follows from texts, in the form of a UUID of version 8.
pub(super) fn derived_id(parts: &[&str]) -> Uuid {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest(parts)[..16]);
    uuid::Builder::from_bytes(bytes)
        .with_variant(uuid::Variant::RFC4122)
        .with_version(uuid::Version::Custom)
        .into_uuid()
}

/// Returns the identifier of the snapshot with these parts: equal parts are one snapshot.
pub(super) fn snapshot_id(parts: &[&str]) -> i64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&digest(parts)[..8]);
    // Positive, and not 0.
    (i64::from_be_bytes(bytes) & i64::MAX).max(1)
}

fn digest(parts: &[&str]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}
