//! `reeve-bench-scale`: an estate of ten thousand resources learnt from, out of the lake.
//!
//! `reeve-bench-scale write DIR [RESOURCES]` generates two weeks of CPU and memory, a point every
//! five minutes, and writes them into the lake in DIR as a service would, day by day, merged.
//! `reeve-bench-scale learn DIR` reads them all again, learns from each series what the agents
//! learn (figures, week, a day's forecast, anomalies) and prints the rows of the benchmark. They
//! are two programs' runs so that the second one's memory is its own.
#![allow(
    clippy::print_stdout,
    reason = "a benchmark answers on standard output"
)]

use std::path::Path;

use anyhow::{Context as _, bail};

mod estate;
mod learn;
mod write;

/// Resources of the benchmark.
const RESOURCES: u32 = 10_000;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();

    match arguments.as_slice() {
        ["write", dir] => write::run(Path::new(dir), RESOURCES).await,
        ["write", dir, resources] => {
            let resources = resources
                .replace('_', "")
                .parse()
                .with_context(|| format!("{resources} is no number"))?;
            write::run(Path::new(dir), resources).await
        }
        ["learn", dir] => learn::run(Path::new(dir)).await,
        _ => bail!("usage: reeve-bench-scale write DIR [RESOURCES] | learn DIR"),
    }
}
