//! Rows of a segment back to entries.

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::datatypes::{Int32Type, UInt8Type, UInt64Type};
use reeve_audit::query::Column;
use reeve_ledger::SealedEntry;

use super::cut::whole;
use super::schema::{CANONICAL, CUT, SALT, SEQUENCE, position};

/// The columns that make canonical bytes, in the order [`Canonical`] expects them.
pub(super) fn canonical_columns() -> [usize; 4] {
    [CANONICAL, CUT, position(Column::EventId), position(Column::RequestId)]
}

/// The columns that make a [`SealedEntry`], in the order [`sealed`] expects them.
pub(super) fn sealed_columns() -> [usize; 6] {
    let [canonical, cut, event_id, request_id] = canonical_columns();
    [SEQUENCE, SALT, canonical, cut, event_id, request_id]
}

/// The canonical bytes of some rows.
pub(super) struct Canonical<'a> {
    columns: [&'a ArrayRef; 4],
    scratch: Vec<u8>,
}

impl<'a> Canonical<'a> {
    /// Of the columns [`canonical_columns`].
    pub(super) fn of(columns: [&'a ArrayRef; 4]) -> Canonical<'a> {
        Canonical { columns, scratch: Vec::new() }
    }

    /// The canonical bytes of a row.
    pub(super) fn row(&mut self, row: usize) -> &[u8] {
        let [stored, cut, event_id, request_id] = self.columns;
        let stored = stored.as_binary::<i32>().value(row);
        let cut = if cut.is_valid(row) { cut.as_primitive::<UInt8Type>().value(row) } else { 0 };
        whole(stored, cut, text(event_id, row), text(request_id, row), &mut self.scratch)
    }
}

/// The text of a row, whether the column is a dictionary or not.
fn text(column: &ArrayRef, row: usize) -> Option<&str> {
    if let Some(plain) = column.as_string_opt::<i32>() {
        return plain.is_valid(row).then(|| plain.value(row));
    }
    let dictionary = column.as_dictionary_opt::<Int32Type>()?;
    let key = dictionary.keys().is_valid(row).then(|| dictionary.keys().value(row) as usize)?;
    Some(dictionary.values().as_string_opt::<i32>()?.value(key))
}

/// Appends a batch of [`sealed_columns`].
pub(super) fn sealed(batch: &RecordBatch, into: &mut Vec<SealedEntry>) {
    let sequences = batch.column(0).as_primitive::<UInt64Type>();
    let salts = batch.column(1).as_fixed_size_binary();
    let mut canonical = Canonical::of([batch.column(2), batch.column(3), batch.column(4), batch.column(5)]);
    into.extend((0..batch.num_rows()).map(|row| {
        let mut salt = [0; 16];
        salt.copy_from_slice(salts.value(row));
        SealedEntry { sequence: sequences.value(row), salt, canonical: canonical.row(row).to_vec() }
    }));
}
