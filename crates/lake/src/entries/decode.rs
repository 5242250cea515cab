//! Rows of a segment back to entries.

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::UInt64Type;
use reeve_ledger::SealedEntry;

use super::schema::{CANONICAL, SALT, SEQUENCE};

/// The columns that make a [`SealedEntry`], in the order [`sealed`] expects them.
pub(super) const SEALED: [usize; 3] = [SEQUENCE, SALT, CANONICAL];

/// Appends a batch of [`SEALED`] columns.
pub(super) fn sealed(batch: &RecordBatch, into: &mut Vec<SealedEntry>) {
    let sequences = batch.column(0).as_primitive::<UInt64Type>();
    let salts = batch.column(1).as_fixed_size_binary();
    let canonical = batch.column(2).as_binary::<i32>();
    into.extend((0..batch.num_rows()).map(|row| {
        let mut salt = [0; 16];
        salt.copy_from_slice(salts.value(row));
        SealedEntry { sequence: sequences.value(row), salt, canonical: canonical.value(row).to_vec() }
    }));
}
