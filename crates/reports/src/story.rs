//! The entry that tells the log of a run.

use reeve_audit::{ActionMethod, ActionStatus, Actor, ActorType, Entry, Json, ResourceRef, events};
use serde_json::{Value, json};

use crate::definition::ReportKind;
use crate::run::{ReportRun, RunFile, RunState};

/// Returns the entry of a run that has ended: its query, period, number of findings, the hashes of
/// its files, and outcome.
#[must_use]
pub fn run_entry(run: &ReportRun) -> Entry {
    let (operation, status) = match run.state {
        RunState::Succeeded => ("report.run", ActionStatus::Success),
        RunState::Cancelled => ("report.cancel", ActionStatus::Failed),
        _ => ("report.run", ActionStatus::Failed),
    };
    Entry::for_event(&events::REPORT)
        .by(Actor::new(ActorType::User, run.user.clone()).with_email(run.user_email.clone()))
        .on(ResourceRef::new("report_run", run.id.0.clone()))
        .with_action(operation, status, ActionMethod::System)
        .with_metadata("report", Json::from(run_metadata(run)))
}

/// Returns what the `audit.report` entry and the manifest of a run both say: a verifier holds one
/// against the other.
#[must_use]
pub fn run_metadata(run: &ReportRun) -> Value {
    let period = run.request.period.resolve(run.created_at);
    let filters = &run.request.filters;
    let file = |(format, file): (&str, &RunFile)| json!({ "name": run.file_name(format), "bytes": file.bytes, "sha256": file.sha256 });
    let succeeded = run.state == RunState::Succeeded;
    let files: Vec<_> = run
        .files
        .each()
        .into_iter()
        .filter(|_| succeeded)
        .map(file)
        .collect();

    let mut metadata = json!({
        "run_id": run.id.0,
        "report_id": run.report.0,
        "name": run.report_name,
        "kind": run.request.kind.as_str(),
        "framework": framework(run),
        "query": query(run),
        "period": { "start": reeve_audit::format_instant(period.start), "end": reeve_audit::format_instant(period.end) },
        "filters": { "accounts": filters.accounts, "users": filters.users, "resources": filters.resources },
        "formats": ["pdf", "csv", "json"],
        "files": files,
        "found": run.progress.entries,
        "scheduled": run.scheduled,
        "error": run.error,
    });
    if let Some(scope) = &run.scope {
        metadata["scope"] = json!(scope);
    }
    metadata
}

fn framework(run: &ReportRun) -> Option<&str> {
    match &run.request.kind {
        ReportKind::Compliance { framework } => Some(framework),
        ReportKind::Custom { .. } => None,
    }
}

fn query(run: &ReportRun) -> Option<&str> {
    match &run.request.kind {
        ReportKind::Compliance { .. } => None,
        ReportKind::Custom { query, .. } => Some(query),
    }
}
