//! Entries of the log about sources.

use jiff::Timestamp;
use reeve_audit::{
    ActionMethod, ActionStatus, Actor, Entry, EventId, EventKind, Json, ResourceRef, Severity,
    events,
};
use reeve_recommend::ports::RecordError;
use sha2::{Digest as _, Sha256};

use crate::source::LogSource;

/// Builds Reeve's own entry of an event at a source.
#[must_use]
pub fn about(kind: &EventKind, operation: &str, source: &LogSource, now: Timestamp) -> Entry {
    Entry::for_event(kind)
        .by(Actor::system())
        .with_action(operation, ActionStatus::Success, ActionMethod::System)
        .on(ResourceRef::new("log_source", source.id.0.clone()))
        .with_severity(kind.severity)
        .with_metadata("source", source.name.clone())
        .with_metadata("kind", source.kind.as_str())
        .at(now)
}

/// Entry about a file that its digest does not prove: one for a file and a reason.
pub(crate) fn unproven(
    source: &LogSource,
    file: &str,
    reason: &str,
    now: Timestamp,
) -> Result<Entry, RecordError> {
    let subject = Sha256::digest(format!("{}\n{file}\n{reason}", source.id));
    let id = EventId::derived(&format!("unproven-{}", hex::encode(subject)))
        .map_err(|error| RecordError(error.to_string()))?;
    let entry = about(&events::SOURCE_UNPROVEN, "prove_file", source, now).with_id(id);
    Ok(entry
        .with_metadata("file", file.to_owned())
        .with_metadata("reason", reason.to_owned()))
}

/// Entry about events that were rejected since the last such entry.
pub(crate) fn rejections(source: &LogSource, count: u64, reason: &str, now: Timestamp) -> Entry {
    let entry = about(&events::SOURCE_QUARANTINE, "quarantine_events", source, now);
    entry
        .with_severity(Severity::Low)
        .with_metadata("rejected", Json::from(count))
        .with_metadata("reason", reason.to_owned())
}
