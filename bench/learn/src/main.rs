//! `make bench-learn`: how well what was learnt judges open data, with a negative control beside
//! every figure. A part is named by its argument (`reeve-bench-learn anomalies forecast`); without
//! one, all run. Data is read from `$REEVE_TEST_DATA`, by default `../shared/data` beside the
//! project.
#![allow(
    clippy::print_stdout,
    reason = "a benchmark answers on standard output"
)]

use anyhow::{Result, bail};

use parts::PARTS;

mod anomalies;
mod behavior;
mod causes;
mod chance;
mod confidence;
mod data;
mod forecast;
mod goal;
mod interruption;
mod leak;
mod parts;
mod purchase;
mod saturation;
mod scaling;
mod sizing;
mod workload;

fn main() -> Result<()> {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = asked
        .iter()
        .find(|name| !PARTS.iter().any(|(part, _)| part == name))
    {
        let known: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
        bail!("no part is named {unknown}; there are {}", known.join(", "));
    }

    let data = data::Data::from_environment();
    for (name, part) in PARTS
        .iter()
        .filter(|(name, _)| asked.is_empty() || asked.iter().any(|one| one == name))
    {
        println!("\n## {name}\n");
        part(&data)?;
    }

    Ok(())
}
