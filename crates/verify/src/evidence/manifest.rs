//! The manifest of a report (`NAME.manifest.json`): its PDF, CSV and JSON against the hashes in the
//! log's `audit.report` entry, and the entries that the JSON cites against the tree. Layout:
//! `docs/formats/report.md`.

use std::path::{Path, PathBuf};

use reeve_tlog::Epochs;
use serde_json::Value;

use super::verify_report;
use crate::attested::{
    self, AttestedStatement, Listed, ManifestReport, check_hash, check_statement, listed,
};
use crate::error::{CannotVerify, with_causes};
use crate::kept::{self, Witnesses};

/// Format of the manifest of a report.
pub(crate) const FORMAT: &str = "reeve/report-manifest/v1";

/// Returns the manifest beside a `report.json`, if there is one.
pub(crate) fn manifest_beside(report: &Path) -> Option<PathBuf> {
    let name = report.file_name()?.to_str()?.strip_suffix(".json")?;
    let manifest = report.with_file_name(format!("{name}.manifest.json"));
    manifest.is_file().then_some(manifest)
}

/// Verifies a report by its manifest; the three files lie beside it.
///
/// # Errors
/// No verdict was possible.
pub fn verify_report_files(
    path: &Path,
    keys: &Epochs,
    witnesses: &Witnesses,
) -> Result<ManifestReport, CannotVerify> {
    let manifest = attested::read(path, FORMAT)?;
    let statement = AttestedStatement::parse(&manifest, "report", "audit.report", "run_id");
    let statement = statement.ok_or_else(|| attested::malformed(path))?;
    let files = statement.said.get("files").and_then(Value::as_array);
    let files: Option<Vec<Listed>> = files.and_then(|files| files.iter().map(listed).collect());
    let files = files
        .filter(|files| !files.is_empty())
        .ok_or_else(|| attested::malformed(path))?;

    let mut report = ManifestReport::new("report", &statement.id, "pdf, csv, json");
    let folder = path.parent().unwrap_or(Path::new("."));
    if check_statement(&statement, keys, witnesses, &mut report)?.is_none() {
        return Ok(report);
    }

    for file in &files {
        check_hash(folder, file, &mut report)?;
    }

    if report.is_intact()
        && let Some(json) = files.iter().find(|file| file.name.ends_with(".json"))
    {
        cited(&folder.join(&json.name), keys, witnesses, &mut report)?;
    }

    Ok(report)
}

/// Checks the entries that the JSON file cites.
fn cited(
    path: &Path,
    keys: &Epochs,
    witnesses: &Witnesses,
    report: &mut ManifestReport,
) -> Result<(), CannotVerify> {
    match verify_report(path, keys)? {
        Ok(proven) => {
            report.entries = proven.entries;
            if proven.run_id != report.id {
                report.fault(format!(
                    "the JSON file is of another run, {}",
                    proven.run_id
                ));
            }
            if let Err(fault) = kept::count(&proven.note, witnesses) {
                report.fault(fault.to_string());
            }
        }
        Err(fault) => report.fault(with_causes(&fault)),
    }
    Ok(())
}
