//! A report over some 100,000 entries of evidence: from the request until PDF, CSV and JSON are
//! there, then its offline proof.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::append::gib;
use crate::bodies::Bodies;
use crate::generate::START_MS;
use crate::process::{self, Watch};
use crate::results::{Results, System};
use crate::service::{Service, TOKEN};
use crate::wire::{self, Connection};

/// Entries that the report is to cite.
const CITED: u64 = 100_000;
/// Longest time of a run.
const PATIENCE: Duration = Duration::from_secs(600);
const REPORTS: &str = "/api/v1/audit-logs/reports";

/// Runs a report over the last entries of a log that ends at `end_ms`, and verifies its file.
pub(crate) fn run(
    service: &Service,
    programs: &Path,
    data: &Path,
    bodies: &Bodies,
    results: &mut Results,
) -> Result<()> {
    let (entries, end_ms) = (bodies.entries, bodies.end_ms);
    let share = (CITED as f64 / entries as f64).min(1.0);
    let start_ms = end_ms - ((end_ms - START_MS) as f64 * share) as i64;
    let at = |ms: i64| -> Result<String> { Ok(jiff::Timestamp::from_millisecond(ms)?.to_string()) };
    let report = json!({ "name": format!("Benchmark {}", jiff::Timestamp::now()), "start_time": at(start_ms)?,
        "end_time": at(end_ms + 1)?, "group_by": ["user"] });
    let report = post(service, REPORTS, &report)?;
    let watch = Watch::start(service.pid(), Duration::from_millis(50));
    let begun = Instant::now();
    let id = report["id"]
        .as_str()
        .context("a report without an identifier")?;
    let mut run = post(service, &format!("{REPORTS}/{id}/run"), &json!({}))?;
    let path = format!("{REPORTS}/runs/{}", run["id"].as_str().unwrap_or_default());

    while matches!(run["state"].as_str(), Some("queued" | "running")) {
        if begun.elapsed() > PATIENCE {
            bail!("the report was not ready within {PATIENCE:?}");
        }
        process::pause(Duration::from_millis(100));
        run = serde_json::from_slice(&service.get(&path)?)?;
    }

    let took = begun.elapsed().as_secs_f64();
    let seen = watch.seen();
    if run["state"] != "succeeded" {
        bail!("the report failed: {}", run["error"]);
    }

    let found = run["progress"]["entries"].as_u64().unwrap_or_default() as f64;
    let grown = seen
        .iter()
        .map(|(_, memory)| memory.resident)
        .max()
        .unwrap_or_default()
        - seen
            .first()
            .map(|(_, memory)| memory.resident)
            .unwrap_or_default();

    let how = format!("{found} cited entries of {entries}, PDF, CSV and JSON with proof");
    let mut add = |key: &str, what: &str, value: f64, unit| {
        results.add(System::Reeve, key, what, value, unit, &how)
    };
    add("reports.run", "a report, request to files", took, "s");

    add(
        "reports.rate",
        "a report, entries cited",
        found / took,
        "entries/s",
    );

    add(
        "reports.memory",
        "a report, growth of resident memory",
        gib(grown),
        "GiB",
    );

    let file = data
        .join("reports")
        .join(run["id"].as_str().unwrap_or_default())
        .join("report.json");
    let begun = Instant::now();
    let mut verify = Command::new(programs.join("reeve-verify"));
    let output = verify
        .arg(&file)
        .arg("--public-key")
        .arg(data.join("ledger").join("log.vkey"))
        .output()?;

    if !output.status.success() {
        bail!(
            "reeve-verify refuses the report: {}",
            String::from_utf8_lossy(&output.stdout)
        );
    }

    add(
        "reports.verify",
        "`reeve-verify report.json`",
        found / begun.elapsed().as_secs_f64(),
        "entries/s",
    );

    Ok(())
}

/// Sends a body and returns the answer's.
pub(super) fn post(service: &Service, path: &str, body: &Value) -> Result<Value> {
    let request = wire::request(
        "POST",
        path,
        TOKEN,
        "application/json",
        body.to_string().as_bytes(),
    );

    let mut connection = Connection::open(service.address)?;
    let (head, answer) = connection.send(&request)?;

    if !(200..300).contains(&head.status) {
        bail!(
            "{path}: {} {}",
            head.status,
            String::from_utf8_lossy(answer)
        );
    }

    Ok(serde_json::from_slice(answer)?)
}
