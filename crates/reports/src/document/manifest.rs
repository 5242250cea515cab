//! The manifest of a report: its three files with their hashes, and the proof of the entry that
//! names the same hashes (`docs/formats/report.md`).

use serde_json::json;

use crate::run::ReportRun;
use crate::story::run_metadata;

/// Name and version of the format.
const FORMAT: &str = "reeve/report-manifest/v1";

/// Proof from the log.
#[derive(Debug, Clone, Copy)]
pub struct LogEvidence<'a> {
    /// Signed checkpoint that the entry is proven under.
    pub checkpoint: &'a str,
    /// `.tlog-proof` of the run's `audit.report` entry.
    pub entry_proof: &'a str,
    /// Verifier key of the log, for information: a verifier is given its key from elsewhere.
    pub log_key: &'a str,
}

/// Returns the manifest of a run as it is written.
#[must_use]
pub fn manifest(run: &ReportRun, evidence: LogEvidence<'_>) -> String {
    let manifest = json!({
        "format": FORMAT,
        "report": run_metadata(run),
        "generated_by": { "id": run.user, "email": run.user_email },
        "checkpoint": evidence.checkpoint,
        "entry_proof": evidence.entry_proof,
        "log_key": evidence.log_key,
    });
    format!("{manifest:#}\n")
}
