//! `reeve-bench`: what the log's hot paths cost on this machine, one table, each number with its durability.
//!
//! Numbers without a disk say so: they are what the processor does. Run it with `make bench`, on a quiet machine.

use std::io::Write as _;

mod door;
mod hashing;
mod measure;
mod sample;
mod table;

fn main() -> anyhow::Result<()> {
    let entries = sample::entries(2_000);
    let mut rows = door::rows(&entries)?;
    rows.extend(hashing::rows(&entries)?);
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", table::head(&entries))?;
    for row in &rows {
        writeln!(out, "{}", table::line(row))?;
    }
    Ok(())
}
