//! Measures how many resources a second one thread judges by the checks that come with Reeve.
//!
//! `cargo bench -p reeve-bench --bench controls -- [RESOURCES]` (100,000). The resources are the
//! documents of the samples of AWS, each kind as often as it has samples: realistic in form, small in
//! size. Reading them from a store and keeping the results is not in the figure.
#![allow(
    clippy::print_stdout,
    reason = "a benchmark answers on standard output"
)]

use std::time::Instant;

use jiff::Timestamp;
use reeve_bench::memory;
use reeve_controls::{ControlCatalogue, ControlSubject, PreparedControl};
use reeve_estate::{Provider, ResourceKind};
use reeve_recommend::judgement::evidence::CheckAnswer;
use serde_json::Value;

fn main() -> anyhow::Result<()> {
    let given = std::env::args().find_map(|text| text.replace('_', "").parse::<usize>().ok());
    let resources = given.unwrap_or(100_000);

    let loading = Instant::now();
    let catalogue = ControlCatalogue::builtin();
    let checks = catalogue.checks().count();
    let loaded = loading.elapsed();

    let mut documents: Vec<(ResourceKind, Value)> = Vec::new();
    for check in catalogue.checks() {
        if check.provider == Provider::Aws {
            for sample in &check.samples {
                documents.push((check.kind, serde_json::from_str(&sample.document)?));
            }
        }
    }

    let now = Timestamp::from_second(1_800_000_000)?;
    let (mut results, mut failed) = (0_u64, 0_u64);
    let judging = Instant::now();
    for number in 0..resources {
        let (kind, document) = &documents[number % documents.len()];
        let subject = ControlSubject::alone(Provider::Aws, *kind, "resource", document);
        let prepared = PreparedControl::new(&subject, now);
        for (_, verdict) in catalogue.judge(&prepared, |_| true) {
            results += 1;
            failed += u64::from(verdict.answer == CheckAnswer::Fail);
        }
    }

    let seconds = judging.elapsed().as_secs_f64();
    println!(
        "{checks} checks loaded and compiled in {:.2} s",
        loaded.as_secs_f64()
    );
    println!(
        "{resources} resources: {results} results ({failed} failed) in {seconds:.1} s on one thread, {:.0} resources/s, {:.1} us a result",
        resources as f64 / seconds,
        seconds * 1e6 / results as f64
    );
    let highest = memory(std::process::id())?.peak >> 20;
    println!("highest memory: {highest} MiB");
    Ok(())
}
