//! Exports of up to 1,000,000 entries: from the request until files, proof and manifest are there,
//! then their offline proof.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::append::gib;
use super::reports::post;
use crate::bodies::Bodies;
use crate::generate::START_MS;
use crate::process::{self, Watch};
use crate::results::{Results, System};
use crate::service::Service;

/// Entries of one export.
const EXPORTED: u64 = 1_000_000;
/// Longest wait for one export.
const PATIENCE: Duration = Duration::from_secs(600);
const EXPORT: &str = "/api/v1/audit-logs/export";

/// Exports the last entries of a log that ends at `end_ms` in three formats, and verifies each
/// export.
pub(crate) fn run(
    service: &Service,
    programs: &Path,
    data: &Path,
    bodies: &Bodies,
    results: &mut Results,
) -> Result<()> {
    let share = (EXPORTED as f64 / bodies.entries as f64).min(1.0);
    let start_ms = bodies.end_ms - ((bodies.end_ms - START_MS) as f64 * share) as i64;

    for format in ["json", "csv", "parquet"] {
        let watch = Watch::start(service.pid(), Duration::from_millis(50));
        let begun = Instant::now();
        let export = exported(service, format, start_ms, bodies.end_ms + 1)?;
        let took = begun.elapsed().as_secs_f64();
        let seen = watch.seen();
        let entries = export["entries"].as_f64().unwrap_or_default();
        let bytes = export["bytes"].as_f64().unwrap_or_default();
        let how = format!(
            "{entries} entries of {}, {:.2} GB of files synced to disk, with proof and manifest",
            bodies.entries,
            bytes / 1e9
        );
        let mut add = |key: &str, what: String, value: f64, unit| {
            results.add(
                System::Reeve,
                &format!("exports.{format}.{key}"),
                &what,
                value,
                unit,
                &how,
            );
        };
        add(
            "rate",
            format!("export as {format}, a minute"),
            entries / took * 60.0,
            "entries",
        );
        let grown = seen
            .iter()
            .map(|(_, memory)| memory.resident)
            .max()
            .unwrap_or_default()
            - seen
                .first()
                .map(|(_, memory)| memory.resident)
                .unwrap_or_default();
        add(
            "memory",
            format!("export as {format}, growth of resident memory"),
            gib(grown),
            "GiB",
        );
        let begun = Instant::now();
        verify(programs, data, &export)?;
        let verified = entries / begun.elapsed().as_secs_f64();
        add(
            "verify",
            format!("`reeve-verify` of the {format} export"),
            verified,
            "entries/s",
        );
    }

    Ok(())
}

/// Asks for an export and waits until it has succeeded.
fn exported(service: &Service, format: &str, start_ms: i64, end_ms: i64) -> Result<Value> {
    let at = |ms: i64| -> Result<String> { Ok(jiff::Timestamp::from_millisecond(ms)?.to_string()) };
    let request = json!({ "format": format, "start_time": at(start_ms)?, "end_time": at(end_ms)? });
    let begun = Instant::now();
    let mut export = post(service, EXPORT, &request)?;
    let path = format!(
        "{EXPORT}/{}",
        export["id"]
            .as_str()
            .context("an export without an identifier")?
    );

    while matches!(export["status"].as_str(), Some("queued" | "running")) {
        if begun.elapsed() > PATIENCE {
            bail!("the {format} export was not ready within {PATIENCE:?}");
        }
        process::pause(Duration::from_millis(100));
        export = serde_json::from_slice(&service.get(&path)?)?;
    }

    if export["status"] != "succeeded" {
        bail!("the {format} export failed: {}", export["error"]);
    }

    Ok(export)
}

/// Verifies the files of an export where the service keeps them.
fn verify(programs: &Path, data: &Path, export: &Value) -> Result<()> {
    let files = export["files"]
        .as_array()
        .context("an export without files")?;
    let manifest = files
        .iter()
        .find(|file| file["role"] == "manifest")
        .context("an export without a manifest")?;
    let folder = data
        .join("exports")
        .join(export["id"].as_str().unwrap_or_default());
    let mut verify = Command::new(programs.join("reeve-verify"));
    verify
        .arg("--public-key")
        .arg(data.join("ledger").join("log.vkey"));
    let output = verify
        .arg(folder.join(manifest["name"].as_str().unwrap_or_default()))
        .output()?;

    if !output.status.success() {
        bail!(
            "reeve-verify refuses the export: {}",
            String::from_utf8_lossy(&output.stdout)
        );
    }

    Ok(())
}
