//! Rows of a segment back to entries.

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, StringArray, TimestampMicrosecondArray};
use arrow::datatypes::{Int32Type, Int64Type, TimestampMicrosecondType};
use jiff::Timestamp;
use reeve_audit::instant::write_instant;
use reeve_audit::query::QueryColumn;
use reeve_ledger::SealedEntry;

use super::cut::{COLUMNS, whole};
use super::schema::{CANONICAL, CUT, SALT, SEQUENCE, position};

/// Number of columns that make canonical bytes: the bytes, the flags of the values that were cut
/// out, and the columns with those values.
pub(super) const CANONICAL_COLUMNS: usize = 2 + COLUMNS.len();

/// The columns that make canonical bytes, in the order [`Canonical`] expects them.
pub(super) fn canonical_columns() -> [usize; CANONICAL_COLUMNS] {
    let mut columns = [CANONICAL; CANONICAL_COLUMNS];
    columns[1] = CUT;
    columns
        .iter_mut()
        .skip(2)
        .zip(COLUMNS)
        .for_each(|(place, column)| *place = position(column));
    columns
}

/// The columns that make a [`SealedEntry`], in the order [`sealed`] expects them.
pub(super) fn sealed_columns() -> [usize; 2 + CANONICAL_COLUMNS] {
    let mut columns = [SEQUENCE; 2 + CANONICAL_COLUMNS];
    columns[1] = SALT;
    columns[2..].copy_from_slice(&canonical_columns());
    columns
}

/// The canonical bytes of some rows.
pub(super) struct Canonical<'a> {
    stored: &'a ArrayRef,
    cut: &'a ArrayRef,
    values: Vec<Values<'a>>,
    scratch: Vec<u8>,
}

/// A column whose values may have been cut out.
enum Values<'a> {
    Plain(&'a StringArray),
    Dictionary(&'a ArrayRef, &'a StringArray),
    Times(&'a TimestampMicrosecondArray),
    None,
}

impl<'a> Canonical<'a> {
    /// Of the columns [`canonical_columns`].
    pub(super) fn new(columns: &[&'a ArrayRef; CANONICAL_COLUMNS]) -> Canonical<'a> {
        let [stored, cut, ..] = *columns;
        Canonical {
            stored,
            cut,
            values: columns[2..]
                .iter()
                .map(|column| Values::new(column))
                .collect(),
            scratch: Vec::new(),
        }
    }

    /// The canonical bytes of a row.
    pub(super) fn row(&mut self, row: usize) -> &[u8] {
        let stored = self.stored.as_binary::<i32>().value(row);
        let cut = if self.cut.is_valid(row) {
            self.cut.as_primitive::<Int32Type>().value(row) as u8
        } else {
            0
        };

        let put = |column: QueryColumn, out: &mut Vec<u8>| {
            if let Some(values) = COLUMNS
                .iter()
                .position(|&of| of == column)
                .and_then(|at| self.values.get(at))
            {
                values.put(row, out);
            }
        };

        whole(stored, cut, put, &mut self.scratch)
    }
}

impl<'a> Values<'a> {
    fn new(column: &'a ArrayRef) -> Values<'a> {
        if let Some(plain) = column.as_string_opt::<i32>() {
            return Values::Plain(plain);
        }
        if let Some(times) = column.as_primitive_opt::<TimestampMicrosecondType>() {
            return Values::Times(times);
        }

        let values = column
            .as_dictionary_opt::<Int32Type>()
            .and_then(|column| column.values().as_string_opt::<i32>());
        values.map_or(Values::None, |values| Values::Dictionary(column, values))
    }

    /// Appends the value of a row; nothing for null.
    fn put(&self, row: usize, out: &mut Vec<u8>) {
        match self {
            Values::Plain(texts) if texts.is_valid(row) => {
                out.extend_from_slice(texts.value(row).as_bytes())
            }
            Values::Dictionary(column, values) => {
                let keys = column.as_dictionary::<Int32Type>().keys();
                if keys.is_valid(row) {
                    out.extend_from_slice(values.value(keys.value(row) as usize).as_bytes());
                }
            }
            Values::Times(times) if times.is_valid(row) => {
                if let Ok(at) = Timestamp::from_microsecond(times.value(row)) {
                    write_instant(at, out);
                }
            }
            _ => {}
        }
    }
}

/// Appends a batch of [`sealed_columns`].
pub(super) fn sealed(batch: &RecordBatch, into: &mut Vec<SealedEntry>) {
    let sequences = batch.column(0).as_primitive::<Int64Type>();
    let salts = batch.column(1).as_fixed_size_binary();
    let mut canonical = Canonical::new(&std::array::from_fn(|at| batch.column(2 + at)));
    into.extend((0..batch.num_rows()).map(|row| {
        let mut salt = [0; 16];
        salt.copy_from_slice(salts.value(row));
        SealedEntry {
            sequence: sequences.value(row).cast_unsigned(),
            salt,
            canonical: canonical.row(row).to_vec(),
        }
    }));
}
