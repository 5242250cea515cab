//! The table as text: fixed columns, so that two runs can be compared line by line.

use super::measure::Row;

/// The heading, with what the rows are about.
pub(crate) fn head(entries: &[Vec<u8>]) -> String {
    let bytes: usize = entries.iter().map(Vec::len).sum();
    let mean = bytes / entries.len().max(1);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);

    format!(
        "{} entries of {mean} bytes, {cores} cores, median of nine rounds\n\n{:<48} {:>10} {:>14} {:>7}  durability",
        entries.len(),
        "what",
        "us/entry",
        "entries/s",
        "spread"
    )
}

/// Formats one row of the table.
pub(crate) fn line(row: &Row) -> String {
    format!(
        "{:<48} {:>10.2} {:>14.0} {:>6.0}%  {}",
        row.what,
        row.micros(),
        row.rate(),
        row.spread() * 100.0,
        row.durability
    )
}
