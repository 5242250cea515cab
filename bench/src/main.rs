//! `reeve-bench`: measures the log on this machine, each number with its durability.
//!
//! `reeve-bench generate N [--seed S]` writes N entries as NDJSON; `reeve-bench micro [DIR]` prints what the hot paths cost without
//! HTTP, the ledger's files below DIR (`target/bench` by default).

use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

use anyhow::{Context as _, bail};

mod append;
mod door;
mod generate;
mod hashing;
mod measure;
mod sample;
mod table;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["generate", count] => generate(number(count)?, generate::SEED),
        ["generate", count, "--seed", seed] => generate(number(count)?, number(seed)?),
        [] | ["micro"] => micro(PathBuf::from("target/bench")),
        ["micro", dir] => micro(PathBuf::from(dir)),
        _ => bail!("usage: reeve-bench generate N [--seed S] | micro [DIR]"),
    }
}

fn number(text: &str) -> anyhow::Result<u64> {
    text.replace('_', "").parse().with_context(|| format!("{text} is not a number"))
}

/// Writes `count` entries, one a line, to stdout.
fn generate(count: u64, seed: u64) -> anyhow::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, std::io::stdout().lock());
    let (mut generator, mut line) = (generate::Generator::new(seed), Vec::with_capacity(2_048));
    for _ in 0..count {
        line.clear();
        generator.push(&mut line);
        line.push(b'\n');
        out.write_all(&line)?;
    }
    Ok(out.flush()?)
}

fn micro(dir: PathBuf) -> anyhow::Result<()> {
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
