//! `reeve-bench`: measures the log on this machine, each number with its durability.
//!
//! `reeve-bench run [STAGE]...` is `make bench`: the real service over HTTP, and PostgreSQL on the
//! same entries (see `plan.rs` for the stages and what can be set). `reeve-bench generate N [--seed
//! S]` writes N entries as NDJSON; `reeve-bench questions Q N` writes the questions of a run over N
//! entries, Q of each kind; `reeve-bench micro [DIR]` prints what the hot paths cost without HTTP,
//! the ledger's files below DIR.

use std::path::Path;

use anyhow::{Context as _, bail};

mod account;
mod bodies;
mod estate;
mod generate;
mod goals;
mod latency;
mod machine;
mod micro;
mod peer;
mod plan;
mod process;
mod questions;
mod results;
mod service;
mod stage;
mod wire;
mod yardstick;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();

    match arguments.as_slice() {
        ["generate", count] => bodies::print(number(count)?, generate::SEED),
        ["generate", count, "--seed", seed] => bodies::print(number(count)?, number(seed)?),
        ["questions", queries, entries] => stage::ask::print(number(queries)?, number(entries)?),
        ["micro"] => micro::run(Path::new("target/bench")),
        ["micro", dir] => micro::run(Path::new(dir)),
        ["run", stages @ ..] => plan::run(stages),
        _ => bail!(
            "usage: reeve-bench run [STAGE]... | generate N [--seed S] | questions Q N | micro [DIR]\n{}",
            plan::USAGE
        ),
    }
}

fn number(text: &str) -> anyhow::Result<u64> {
    text.replace('_', "")
        .parse()
        .with_context(|| format!("{text} is not a number"))
}
