//! `reeve analyze database`: a database read and judged. Nothing of it is changed.

use std::io::Read as _;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use reeve_connect_databases::{DatabaseAddress, DatabaseSession};
use reeve_databases::{DatabaseReport, DatabaseThresholds, candidates, judge};

use super::file::FileSink;
use crate::cli::DatabaseArgs;

/// Longest URL that is read from standard input, bytes.
const MAX_URL: u64 = 8_192;
/// Items of advice in the summary.
const MOST_SHOWN: usize = 20;

/// Reads and judges the database of a URL.
pub(super) async fn run(args: &DatabaseArgs) -> Result<ExitCode> {
    let address = DatabaseAddress::parse(&url(args)?)?;
    let say = |line: &str| {
        if !args.json {
            eprintln!("{line}");
        }
    };

    say(&format!("connecting to {address}"));
    let mut session = DatabaseSession::open(&address).await?;
    let mut progress = |reading: &str| say(&format!("reading {reading}"));
    let mut observation = session.observe(&mut progress).await?;
    observation.server.memory_bytes = args.memory.map(|size| size.bytes() as f64);

    let candidates = candidates(&observation);
    say(&format!(
        "trying {} candidates for indexes",
        candidates.len()
    ));
    let trials = session.try_indexes(&observation, &candidates).await?;
    let thresholds = DatabaseThresholds {
        unused_days: f64::from(args.unused_days),
        index_budget_bytes: args.index_budget.bytes() as f64,
        ..DatabaseThresholds::default()
    };
    let report = judge(&observation, &trials, &thresholds);

    let mut sink = FileSink::create(args.output.output.as_deref())?;
    sink.json_line(&report)?;
    sink.finish()?;
    say(&summary(&report));
    Ok(ExitCode::SUCCESS)
}

fn url(args: &DatabaseArgs) -> Result<String> {
    if args.url != "-" {
        return Ok(args.url.clone());
    }
    let mut text = String::new();
    std::io::stdin()
        .take(MAX_URL)
        .read_to_string(&mut text)
        .context("the URL cannot be read from stdin")?;
    Ok(text.trim().to_owned())
}

/// Writes the report as people read it, the most urgent advice first.
fn summary(report: &DatabaseReport) -> String {
    let mut lines = vec![String::new()];
    lines.push(format!(
        "{} {}, database {}: {} items of advice, {} rules could not judge",
        report.engine,
        report.version,
        report.database,
        report.advice.len(),
        report.unjudged.len()
    ));
    for advice in report.advice.iter().take(MOST_SHOWN) {
        lines.push(String::new());
        let severity = format!("{:?}", advice.severity).to_lowercase();
        lines.push(format!("[{severity}] {}", advice.title));
        lines.extend(advice.reasons.iter().map(|reason| format!("    {reason}")));
        lines.extend(
            advice
                .statements
                .iter()
                .map(|statement| format!("    > {statement}")),
        );
    }
    if let Some(rest) = report
        .advice
        .len()
        .checked_sub(MOST_SHOWN)
        .filter(|rest| *rest > 0)
    {
        lines.push(format!("... and {rest} more in the JSON"));
    }

    lines.extend(report.unjudged.iter().map(|unjudged| {
        let object = match unjudged.object.as_str() {
            "" => String::new(),
            object => format!(" {object}"),
        };
        let remedy = match unjudged.remedy.as_str() {
            "" => String::new(),
            remedy => format!("; {remedy}"),
        };
        format!(
            "[not judged] {}{object}: {}{remedy}",
            unjudged.rule, unjudged.reason
        )
    }));
    lines.join("\n")
}
