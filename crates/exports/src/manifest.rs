//! The manifest of an export: its files with their hashes, what was requested, and what proves it
//! (docs/formats/export.md).
//!
//! The manifest is believed because of the log alone: the proof of the finishing `audit.export`
//! entry is in it, and that entry names the hashes of the files.

use reeve_audit::format_instant;
use serde_json::{Value, json};

use crate::job::{Export, ExportFile, FileRole};

/// Name and version of the format.
pub const FORMAT: &str = "reeve/export-manifest/v1";

/// Proofs from the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportEvidence {
    /// Signed checkpoint that the multi-proof leads to.
    pub checkpoint: String,
    /// `.tlog-proof` of the finishing `audit.export` entry at the same or a later checkpoint.
    pub entry_proof: String,
    /// Verifier key of the log, for information: a verifier is given its key from elsewhere.
    pub log_key: String,
}

/// Returns the manifest as it is written.
#[must_use]
pub fn text(export: &Export, evidence: &ExportEvidence) -> String {
    let progress = &export.progress;
    let manifest = json!({
        "format": FORMAT,
        "export": metadata(export),
        "requested_by": { "id": export.requester.user.0, "email": export.requester.email },
        "created_at": format_instant(export.created_at),
        "finished_at": export.finished_at.map(format_instant),
        "first_sequence": progress.span.map(|(first, _)| first),
        "last_sequence": progress.span.map(|(_, last)| last),
        "proof": files(&export.files, FileRole::Proof).into_iter().next(),
        "checkpoint": evidence.checkpoint,
        "entry_proof": evidence.entry_proof,
        "log_key": evidence.log_key,
    });

    format!("{manifest:#}\n")
}

/// Returns what the `audit.export` entry and the manifest both say: a verifier holds one against
/// the other.
#[must_use]
pub fn metadata(export: &Export) -> Value {
    let (selection, progress) = (&export.selection, &export.progress);
    json!({
        "id": export.id.0,
        "format": selection.format.as_str(),
        "query": selection.query,
        "start_time": selection.start.map(format_instant),
        "end_time": selection.end.map(format_instant),
        "log_size": progress.end,
        "entries": progress.entries,
        "bytes": progress.bytes,
        "reduced": progress.reduced,
        "skipped": progress.skipped,
        "files": files(&export.files, FileRole::Entries),
    })
}

fn files(files: &[ExportFile], role: FileRole) -> Vec<Value> {
    let chosen = files.iter().filter(|file| file.role == role);
    chosen
        .map(|file| match role {
            FileRole::Entries => {
                json!({ "name": file.name, "bytes": file.bytes, "sha256": file.sha256, "entries": file.entries })
            }
            _ => json!({ "name": file.name, "bytes": file.bytes, "sha256": file.sha256 }),
        })
        .collect()
}
