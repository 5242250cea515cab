//! Costs of the hot paths without HTTP: reading entries, hashing, the ledger on a real disk.

use std::io::Write as _;
use std::path::Path;

mod append;
mod door;
mod hashing;
mod measure;
mod sample;
mod table;

/// Prints the table; the ledger's files go below `dir`.
pub(crate) fn run(dir: &Path) -> anyhow::Result<()> {
    let entries = sample::entries(2_000);
    let mut rows = door::rows(&entries)?;
    rows.extend(hashing::rows(&entries)?);
    rows.extend(append::rows(dir)?);
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", table::head(&entries))?;
    for row in &rows {
        writeln!(out, "{}", table::line(row))?;
    }

    Ok(())
}
