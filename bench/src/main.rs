//! `reeve-bench`: what the log's hot paths cost on this machine, one table, each number with its durability.
//!
//! `reeve-bench [DIR]`: the ledger's files go below DIR, `target/bench` by default; put it on the disk that is meant. Numbers
//! without a disk say so: they are what the processor does. Run it with `make bench`, on a quiet machine.

use std::io::Write as _;
use std::path::PathBuf;

mod append;
mod door;
mod hashing;
mod measure;
mod sample;
mod table;

fn main() -> anyhow::Result<()> {
    let dir = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("target/bench"), PathBuf::from);
    let entries = sample::entries(2_000);
    let mut rows = door::rows(&entries)?;
    rows.extend(hashing::rows(&entries)?);
    rows.extend(append::rows(&dir)?);
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", table::head(&entries))?;
    for row in &rows {
        writeln!(out, "{}", table::line(row))?;
    }
    Ok(())
}
