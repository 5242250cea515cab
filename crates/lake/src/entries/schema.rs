//! The columns of a segment.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use arrow::array::{ArrayRef, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};
use arrow::error::ArrowError;
use parquet::arrow::PARQUET_FIELD_ID_META_KEY;
use reeve_audit::query::QueryColumn;

/// Version of the format, in each segment's key-value metadata.
pub(super) const FORMAT: &str = "reeve/segment/v4";

/// Position of the sequence.
pub(super) const SEQUENCE: usize = 0;
/// Position of the salt.
pub(super) const SALT: usize = QueryColumn::ALL.len() + 1;
/// Position of the canonical bytes.
pub(super) const CANONICAL: usize = QueryColumn::ALL.len() + 2;

/// Position of what was cut out of the canonical bytes.
pub(super) const CUT: usize = QueryColumn::ALL.len() + 3;

/// Field id of the sequence, the first column.
pub(crate) const SEQUENCE_ID: i32 = 1;
/// Field id of `timestamp`.
pub(crate) const TIMESTAMP_ID: i32 = 3;

/// Name of the sequence column.
pub(super) const SEQUENCE_NAME: &str = "sequence";
/// Name of the salt column.
pub(super) const SALT_NAME: &str = "salt";
/// Name of the column of canonical bytes.
pub(super) const CANONICAL_NAME: &str = "canonical";
/// Name of the column that says what was cut out of them.
pub(super) const CUT_NAME: &str = "cut";

/// The schema of every segment that is written. Integers are signed, and times are microseconds:
/// Trino refuses milliseconds, and Iceberg has neither them nor unsigned integers. Rows of earlier
/// versions are cast to it when they are read.
pub(super) static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let mut fields = vec![Field::new(SEQUENCE_NAME, DataType::Int64, false)];
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
    fields.push(Field::new(CUT_NAME, DataType::Int32, true));

    // Iceberg knows columns by number: the position in the file, from 1.
    let numbered = fields
        .into_iter()
        .zip(SEQUENCE_ID..)
        .map(|(field, number)| {
            let key = PARQUET_FIELD_ID_META_KEY.to_owned();
            field.with_metadata(HashMap::from([(key, number.to_string())]))
        });
    Arc::new(Schema::new(numbered.collect::<Vec<_>>()))
});

/// Returns the columns with their field ids.
pub(crate) fn numbered_columns() -> impl Iterator<Item = (i32, &'static Field)> {
    (SEQUENCE_ID..).zip(SCHEMA.fields().iter().map(AsRef::as_ref))
}

/// Position of a typed column.
pub(super) fn position(column: QueryColumn) -> usize {
    1 + QueryColumn::ALL
        .iter()
        .position(|&other| other == column)
        .unwrap_or_default()
}

/// Casts the columns of a batch, which stand at these positions of a segment, from the types of an
/// earlier version.
pub(super) fn as_written_now(
    batch: RecordBatch,
    positions: &[usize],
) -> Result<RecordBatch, ArrowError> {
    let is_current = |(column, &position): (&ArrayRef, &usize)| {
        column.data_type() == SCHEMA.field(position).data_type()
    };
    if batch.columns().iter().zip(positions).all(is_current) {
        return Ok(batch);
    }

    let columns = batch
        .columns()
        .iter()
        .zip(positions)
        .map(|(column, &position)| cast(column, SCHEMA.field(position).data_type()));
    let schema = SCHEMA.project(positions)?;
    RecordBatch::try_new(Arc::new(schema), columns.collect::<Result<_, _>>()?)
}

/// Returns the milliseconds of a time as segments store it.
pub(super) fn millis(microseconds: i64) -> i64 {
    microseconds.div_euclid(1_000)
}

fn data_type(column: QueryColumn) -> DataType {
    match column {
        time if time.is_time() => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        // Nearly every value is another: a dictionary would only cost. Arrow's C++ library, which
        // PyIceberg and pandas read with, cannot make one of lengths and bytes.
        QueryColumn::EventId | QueryColumn::RequestId => DataType::Utf8,
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
        for (number, name) in [(SEQUENCE_ID, SEQUENCE_NAME), (TIMESTAMP_ID, "timestamp")] {
            let field = SCHEMA.field_with_name(name).unwrap();
            assert_eq!(
                field.metadata()[PARQUET_FIELD_ID_META_KEY],
                number.to_string()
            );
        }
    }
}
