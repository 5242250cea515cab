//! The columns of a segment.

use std::sync::{Arc, LazyLock};

use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};
use reeve_audit::query::QueryColumn;

/// Version of the format, in each segment's key-value metadata.
pub(super) const FORMAT: &str = "reeve/segment/v3";

/// Position of the sequence.
pub(super) const SEQUENCE: usize = 0;
/// Position of the salt.
pub(super) const SALT: usize = QueryColumn::ALL.len() + 1;
/// Position of the canonical bytes.
pub(super) const CANONICAL: usize = QueryColumn::ALL.len() + 2;

/// Position of what was cut out of the canonical bytes.
pub(super) const CUT: usize = QueryColumn::ALL.len() + 3;

/// Name of the sequence column.
pub(super) const SEQUENCE_NAME: &str = "sequence";
/// Name of the salt column.
pub(super) const SALT_NAME: &str = "salt";
/// Name of the column of canonical bytes.
pub(super) const CANONICAL_NAME: &str = "canonical";
/// Name of the column that says what was cut out of them.
pub(super) const CUT_NAME: &str = "cut";

/// The schema of every segment.
pub(super) static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let mut fields = vec![Field::new(SEQUENCE_NAME, DataType::UInt64, false)];
    fields.extend(QueryColumn::ALL.iter().map(|&column| {
        Field::new(
            column.segment_name(),
            data_type(column),
            !always_there(column),
        )
    }));
    fields.push(Field::new(SALT_NAME, DataType::FixedSizeBinary(16), false));
    fields.push(Field::new(CANONICAL_NAME, DataType::Binary, false));
    // Version 1 did not have it: null says that nothing was cut out. Version 2 cut out identifiers
    // alone.
    fields.push(Field::new(CUT_NAME, DataType::UInt8, true));
    Arc::new(Schema::new(fields))
});

/// Position of a typed column.
pub(super) fn position(column: QueryColumn) -> usize {
    1 + QueryColumn::ALL
        .iter()
        .position(|&other| other == column)
        .unwrap_or_default()
}

fn data_type(column: QueryColumn) -> DataType {
    match column {
        time if time.is_time() => DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
        // Nearly every value is another: a dictionary would only cost.
        QueryColumn::EventId => DataType::Utf8,
        _ => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
    }
}

fn always_there(column: QueryColumn) -> bool {
    use QueryColumn::{Category, EventId, EventType, RecordedAt, Severity, Timestamp};
    matches!(
        column,
        EventId | Timestamp | RecordedAt | EventType | Category | Severity
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn positions_agree_with_the_schema() {
        for column in QueryColumn::ALL {
            let (index, _) = SCHEMA.column_with_name(column.segment_name()).unwrap();
            assert_eq!(index, position(column));
        }

        for (name, index) in [
            (SEQUENCE_NAME, SEQUENCE),
            (SALT_NAME, SALT),
            (CANONICAL_NAME, CANONICAL),
            (CUT_NAME, CUT),
        ] {
            assert_eq!(SCHEMA.index_of(name).unwrap(), index);
        }

        assert_eq!(SCHEMA.fields().len(), CUT + 1);
    }
}
