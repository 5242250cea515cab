//! `make bench-learn`: how well what was learnt judges open data, with a negative control beside
//! every figure. A part is named by its argument (`reeve-bench-learn anomalies forecast`); without
//! one, all run. Data is read from `$REEVE_TEST_DATA`, by default `../shared/data` beside the
//! project.
#![allow(
    clippy::print_stdout,
    reason = "a benchmark answers on standard output"
)]

use anyhow::{Result, bail};

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
mod purchase;
mod saturation;
mod scaling;
mod sizing;
mod workload;

/// A part of the benchmark: prints its rows and says whether each goal was reached.
type Part = fn(&data::Data) -> Result<()>;

/// Every part, by the name it is asked for.
const PARTS: &[(&str, Part)] = &[
    ("anomalies", anomalies::run),
    ("behavior", behavior::run),
    ("causes", causes::run),
    ("confidence", confidence::run),
    ("interruption", interruption::run),
    ("forecast", forecast::run),
    ("leak", leak::run),
    ("purchase", purchase::run),
    ("saturation", saturation::run),
    ("scaling", scaling::run),
    ("sizing", sizing::run),
    ("workload", workload::run),
];

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
