//! Entry of the log for a sync of a source of bills or metrics.

use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, Json, ResourceRef, Severity, events};

/// Source that was synced, with the person or task that asked.
pub(crate) struct Synced<'a> {
    pub(crate) kind: &'static str,
    /// Identifier of the source.
    pub(crate) id: &'a str,
    /// Name of the source.
    pub(crate) name: &'a str,
    /// Person or task that asked.
    pub(crate) by: &'a str,
}

/// Returns the entry of a sync. One with problems failed.
pub(crate) fn sync_entry(
    synced: &Synced<'_>,
    report: serde_json::Value,
    problems: &[String],
) -> Entry {
    let status = if problems.is_empty() {
        ActionStatus::Success
    } else {
        ActionStatus::Failed
    };

    let entry = Entry::for_event(&events::INTEGRATION_SYNC)
        .by(Actor::system())
        .on(ResourceRef::new(synced.kind, synced.id))
        .with_action("sync", status, ActionMethod::Scheduled)
        .with_metadata("source", Json::from(synced.name.to_owned()))
        .with_metadata("asked_by", Json::from(synced.by.to_owned()))
        .with_metadata("report", Json::from(report));

    if problems.is_empty() {
        entry
    } else {
        entry.with_severity(Severity::Medium)
    }
}
