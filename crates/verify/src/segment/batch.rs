//! Some rows of a segment, by column. Refuses other columns, types and nulls than the format has.

use std::cell::Cell;
use std::sync::Arc;

use arrow::array::{
    Array as _, BinaryViewArray, FixedSizeBinaryArray, Int32Array, Int64Array, RecordBatch,
    StringViewArray, TimestampMicrosecondArray, TimestampMillisecondArray, UInt8Array, UInt64Array,
};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};
use jiff::Timestamp;
use reeve_audit::instant::write_instant;
use reeve_audit::query::QueryColumn;
use reeve_tlog::SALT_LEN;

use super::cut::{Mender, is_placed};
use super::fault::{RowFault, SegmentFault};

/// Columns before and after those of [`QueryColumn::ALL`].
const SEQUENCE: usize = 0;
const SALT: usize = 1 + QueryColumn::ALL.len();
const CANONICAL: usize = 2 + QueryColumn::ALL.len();
const CUT: usize = 3 + QueryColumn::ALL.len();

/// Returns `true` if versions from 3 on may cut a column's values out of payloads.
const fn may_be_cut(column: QueryColumn) -> bool {
    matches!(
        column,
        QueryColumn::EventId
            | QueryColumn::Timestamp
            | QueryColumn::RecordedAt
            | QueryColumn::ActorIpAddress
            | QueryColumn::ActorUserAgent
            | QueryColumn::ActorSessionId
            | QueryColumn::ResourceAccountId
            | QueryColumn::ActionOperation
            | QueryColumn::RequestId
    )
}

/// A column that repeats something of the payload.
pub(super) enum BatchValues<'a> {
    Text(&'a StringViewArray),
    Time(TimeValues<'a>),
}

/// Times of a column, which versions before 4 had in milliseconds.
pub(super) enum TimeValues<'a> {
    Milliseconds(&'a TimestampMillisecondArray),
    Microseconds(&'a TimestampMicrosecondArray),
}

/// Sequences, which versions before 4 had without a sign.
enum Sequences<'a> {
    Unsigned(&'a UInt64Array),
    Signed(&'a Int64Array),
}

/// Values of the column `cut`, which versions before 4 had in 8 bits without a sign.
enum Cuts<'a> {
    Unsigned(&'a UInt8Array),
    Signed(&'a Int32Array),
}

/// A batch of rows with typed columns.
pub(super) struct SegmentBatch<'a> {
    pub(super) rows: usize,
    pub(super) columns: Vec<(QueryColumn, BatchValues<'a>)>,
    sequence: Sequences<'a>,
    salt: &'a FixedSizeBinaryArray,
    canonical: &'a BinaryViewArray,
    /// Values cut out of the canonical bytes; files of version 1 have no such column.
    cut: Option<Cuts<'a>>,
    /// The points in time that were put back last into either member, and their spelling.
    instants: [Cell<Option<Spelled>>; 2],
}

/// Milliseconds since the epoch, and how an entry writes them.
type Spelled = (i64, [u8; 24]);

/// Name and type of every column, in order; the last came with version 2.
fn expected(version: u8) -> Vec<(&'static str, DataType)> {
    let is_signed = version > 3;
    let (sequence, unit, cut) = if is_signed {
        (DataType::Int64, TimeUnit::Microsecond, DataType::Int32)
    } else {
        (DataType::UInt64, TimeUnit::Millisecond, DataType::UInt8)
    };
    let mut columns = vec![("sequence", sequence)];
    columns.extend(QueryColumn::ALL.iter().map(|column| {
        let time = DataType::Timestamp(unit, Some("UTC".into()));
        (
            column.segment_name(),
            if column.is_time() {
                time
            } else {
                DataType::Utf8
            },
        )
    }));

    columns.push(("salt", DataType::FixedSizeBinary(SALT_LEN as i32)));
    columns.push(("canonical", DataType::Binary));
    if version > 1 {
        columns.push(("cut", cut));
    }

    columns
}

impl<'a> SegmentBatch<'a> {
    /// Refuses a file whose columns are not those of the format.
    pub(super) fn check_schema(schema: &Schema, version: u8) -> Result<(), SegmentFault> {
        let expected = expected(version);
        let found = schema.fields().len();
        if found != expected.len() {
            let expected = expected.len();
            return Err(SegmentFault::ColumnCount { expected, found });
        }

        for (field, (name, data_type)) in schema.fields().iter().zip(expected) {
            if field.name() != name || *field.data_type() != data_type {
                return Err(SegmentFault::Column {
                    expected: format!("{name} of type {data_type}"),
                    found: format!("{} of type {}", field.name(), field.data_type()),
                });
            }
        }

        Ok(())
    }

    /// Returns the schema for reading without copies: text and bytes as views of the decompressed
    /// pages.
    pub(super) fn views(schema: &Schema) -> SchemaRef {
        let view = |field: &Field| match field.data_type() {
            DataType::Utf8 => field.clone().with_data_type(DataType::Utf8View),
            DataType::Binary => field.clone().with_data_type(DataType::BinaryView),
            _ => field.clone(),
        };
        Arc::new(Schema::new(
            schema
                .fields()
                .iter()
                .map(|field| view(field))
                .collect::<Vec<_>>(),
        ))
    }

    /// The columns of a batch whose schema was checked.
    pub(super) fn new(batch: &'a RecordBatch) -> Result<SegmentBatch<'a>, SegmentFault> {
        fn typed<A: 'static>(batch: &RecordBatch, at: usize) -> Result<&A, SegmentFault> {
            let column = batch
                .columns()
                .get(at)
                .and_then(|column| column.as_any().downcast_ref());
            column.ok_or(SegmentFault::ColumnType(at))
        }

        fn either<'a, A: 'static, B: 'static, T>(
            batch: &'a RecordBatch,
            at: usize,
            current: impl Fn(&'a A) -> T,
            earlier: impl Fn(&'a B) -> T,
        ) -> Result<T, SegmentFault> {
            let found = typed(batch, at).map(current);
            found.or_else(|_| typed(batch, at).map(earlier))
        }

        let columns = QueryColumn::ALL.iter().zip(1..).map(|(&column, at)| {
            let values = if column.is_time() {
                BatchValues::Time(either(
                    batch,
                    at,
                    TimeValues::Microseconds,
                    TimeValues::Milliseconds,
                )?)
            } else {
                BatchValues::Text(typed(batch, at)?)
            };
            Ok((column, values))
        });

        let batch = SegmentBatch {
            rows: batch.num_rows(),
            columns: columns.collect::<Result<_, SegmentFault>>()?,
            sequence: either(batch, SEQUENCE, Sequences::Signed, Sequences::Unsigned)?,
            salt: typed(batch, SALT)?,
            canonical: typed(batch, CANONICAL)?,
            cut: if batch.num_columns() > CUT {
                Some(either(batch, CUT, Cuts::Signed, Cuts::Unsigned)?)
            } else {
                None
            },
            instants: Default::default(),
        };
        let nulls = batch.salt.null_count() + batch.canonical.null_count();
        if batch.sequence.null_count() + nulls > 0 {
            return Err(SegmentFault::Null);
        }

        Ok(batch)
    }

    /// The sequence of a row.
    pub(super) fn sequence(&self, row: usize) -> u64 {
        match &self.sequence {
            Sequences::Unsigned(array) => array.value(row),
            // A negative one is beyond every log.
            Sequences::Signed(array) => array.value(row).cast_unsigned(),
        }
    }

    /// The salt of a row.
    pub(super) fn salt(&self, row: usize) -> [u8; SALT_LEN] {
        let mut salt = [0; SALT_LEN];
        salt.copy_from_slice(self.salt.value(row));
        salt
    }

    /// The canonical bytes of a row; the error says what is wrong with it.
    pub(super) fn canonical<'b>(
        &'b self,
        row: usize,
        mender: &'b mut Mender,
    ) -> Result<&'b [u8], RowFault> {
        let stored = self.canonical.value(row);
        let text = |column: QueryColumn| {
            let (_, values) = self.columns.iter().find(|(name, _)| *name == column)?;
            values.text(row)
        };

        let cut = self.cut.as_ref().map_or(0, |cut| cut.value(row));
        match u8::try_from(cut).map_err(|_| RowFault::UnknownCut(cut))? {
            0 => Ok(stored),
            cut if is_placed(cut) => {
                mender.placed(stored, |number, out| self.put(number, row, out))
            }
            cut => mender.whole(
                stored,
                cut,
                text(QueryColumn::EventId),
                text(QueryColumn::RequestId),
            ),
        }
    }

    /// Appends the value of a row in the column with this number; `None` when the column may not be
    /// cut out or has no value.
    fn put(&self, number: usize, row: usize, out: &mut Vec<u8>) -> Option<()> {
        let (column, values) = self.columns.get(number.checked_sub(1)?)?;
        if !may_be_cut(*column) {
            return None;
        }

        match values {
            BatchValues::Text(_) => out.extend_from_slice(values.text(row)?),
            BatchValues::Time(_) => self.put_instant(*column, values.millis(row)?, out)?,
        }
        Some(())
    }

    /// Entries of one append share their `recorded_at`.
    fn put_instant(&self, column: QueryColumn, millis: i64, out: &mut Vec<u8>) -> Option<()> {
        let last = self.instant(column);
        if let Some((_, text)) = last.get().filter(|(cached, _)| *cached == millis) {
            out.extend_from_slice(&text);
            return Some(());
        }

        let start = out.len();
        write_instant(Timestamp::from_millisecond(millis).ok()?, out);
        last.set(out[start..].try_into().ok().map(|text| (millis, text)));
        Some(())
    }

    /// Returns `true` if the text equals the timestamp that was restored last, so that it need not
    /// be parsed again.
    pub(super) fn spells(
        &self,
        column: QueryColumn,
        millis: Option<i64>,
        text: Option<&[u8]>,
    ) -> bool {
        let last = self.instant(column).get();
        last.is_some_and(|(cached, spelling)| Some(cached) == millis && Some(&spelling[..]) == text)
    }

    fn instant(&self, column: QueryColumn) -> &Cell<Option<Spelled>> {
        &self.instants[usize::from(column == QueryColumn::RecordedAt)]
    }
}

impl Sequences<'_> {
    fn null_count(&self) -> usize {
        match self {
            Sequences::Unsigned(array) => array.null_count(),
            Sequences::Signed(array) => array.null_count(),
        }
    }
}

impl Cuts<'_> {
    /// Returns the value of a row; 0 for null.
    fn value(&self, row: usize) -> i32 {
        match self {
            Cuts::Unsigned(array) if array.is_valid(row) => array.value(row).into(),
            Cuts::Signed(array) if array.is_valid(row) => array.value(row),
            _ => 0,
        }
    }
}

impl TimeValues<'_> {
    /// Returns the milliseconds of a row; `None` for null, and for a time between two
    /// milliseconds, which no entry has.
    fn millis(&self, row: usize) -> Option<i64> {
        match self {
            TimeValues::Milliseconds(array) => array.is_valid(row).then(|| array.value(row)),
            TimeValues::Microseconds(array) => {
                let value = array.is_valid(row).then(|| array.value(row))?;
                (value % 1_000 == 0).then_some(value / 1_000)
            }
        }
    }
}

impl BatchValues<'_> {
    /// The text of a row; `None` for null, and for columns of time.
    #[inline]
    pub(super) fn text(&self, row: usize) -> Option<&[u8]> {
        match self {
            BatchValues::Text(array) => array.is_valid(row).then(|| array.value(row).as_bytes()),
            BatchValues::Time(_) => None,
        }
    }

    /// The milliseconds of a row; `None` for null, and for columns of text.
    pub(super) fn millis(&self, row: usize) -> Option<i64> {
        match self {
            BatchValues::Time(times) => times.millis(row),
            BatchValues::Text(_) => None,
        }
    }
}
