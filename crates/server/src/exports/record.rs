//! Entries that the service writes about exports. Each has an identifier that follows from the
//! export, so that writing it again after a crash is writing it once.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use reeve_audit::events::{self, EventKind};
use reeve_audit::{
    ActionMethod, ActionStatus, Actor, ActorType, Entry, EventId, Json, ResourceRef,
};
use reeve_exports::{Export, manifest};
use reeve_ledger::StoredEntry;
use reeve_trail::{Journal, Trail};

/// The log as the service itself writes it.
#[derive(Clone, Copy)]
pub(crate) struct ExportLog<'a> {
    pub(crate) journal: &'a Journal,
    pub(crate) trail: &'a Trail,
}

/// Records that an export is complete, and returns the entry as the log has it.
pub(super) async fn succeeded(log: ExportLog<'_>, export: &Export) -> Result<Arc<StoredEntry>> {
    let id = format!("export-{}", export.id.0);
    let entry = entry(
        export,
        &events::AUDIT_EXPORT,
        &id,
        "export_entries",
        ActionStatus::Success,
    )?
    .with_metadata("export", Json::from(manifest::metadata(export)));
    let id = append(log, entry).await?;

    log.trail
        .by_event_id(id.as_str())
        .await?
        .context("the entry of an export is not in the log that took it")
}

/// Records that an export failed.
pub(super) async fn failed(log: ExportLog<'_>, export: &Export) -> Result<()> {
    let failure = export
        .failure
        .as_ref()
        .context("a failed export has a failure")?;
    let id = format!("export-{}-failed", export.id.0);
    let entry = entry(
        export,
        &events::AUDIT_EXPORT,
        &id,
        "export_entries",
        ActionStatus::Failed,
    )?
    .with_metadata("export", Json::from(manifest::metadata(export)))
    .with_metadata("reason", failure.code.as_str())
    .with_metadata("message", failure.message.clone());

    append(log, entry).await.map(drop)
}

/// Records the delivery of the files, or why they were not delivered.
pub(super) async fn delivery(
    log: ExportLog<'_>,
    export: &Export,
    destination: &str,
    error: Option<&str>,
) -> Result<()> {
    let status = if error.is_some() {
        ActionStatus::Failed
    } else {
        ActionStatus::Success
    };
    let id = format!("export-{}-delivery-{}", export.id.0, status.as_str());

    let mut entry = entry(
        export,
        &events::EXPORT_DELIVER,
        &id,
        "export.deliver",
        status,
    )?
    .with_metadata(
        "destination_id",
        export.destination.as_ref().map_or("", |id| &id.0),
    )
    .with_metadata("destination", destination)
    .with_metadata("files", export.files.len() as u64);

    if let Some(error) = error {
        entry = entry.with_metadata("message", error);
    }

    append(log, entry).await.map(drop)
}

/// An entry by the requester, at the end of the export.
fn entry(
    export: &Export,
    kind: &EventKind,
    id: &str,
    operation: &str,
    status: ActionStatus,
) -> Result<Entry> {
    let requester = &export.requester;
    let mut actor =
        Actor::new(ActorType::User, requester.user.0.clone()).with_email(requester.email.clone());
    if let Some(address) = requester
        .ip_address
        .as_deref()
        .and_then(|text| text.parse().ok())
    {
        actor = actor.with_ip_address(address);
    }

    if let Some(agent) = &requester.user_agent {
        actor = actor.with_user_agent(agent.clone());
    }

    let entry = Entry::for_event(kind)
        .with_id(EventId::derived(id)?)
        .at(export.finished_at.unwrap_or(export.created_at))
        .by(actor)
        .on(ResourceRef::new("audit_export", export.id.0.clone()))
        .with_action(operation, status, ActionMethod::System)
        .with_request_id(export.request_id.clone());

    Ok(match &export.schedule {
        Some(schedule) => entry.with_metadata("schedule_id", schedule.0.clone()),
        None => entry,
    })
}

/// Appends an entry unless it is in the log already. Returns the identifier that it has there.
pub(crate) async fn append(log: ExportLog<'_>, entry: Entry) -> Result<EventId> {
    let id = entry.event_id.clone();
    log.journal
        .record_once(entry)
        .await
        .with_context(|| format!("the log did not take the entry {id}"))
}
