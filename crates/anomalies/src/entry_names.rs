//! Names of an entry's actor and operation, as titles and evidence have them.

use reeve_audit::Entry;

/// Returns the operation of the entry, or the event's type.
pub(super) fn operation(entry: &Entry) -> String {
    entry
        .action
        .operation
        .clone()
        .unwrap_or_else(|| entry.event_type.as_str().to_owned())
}

/// Returns the actor's e-mail address, or identifier.
pub(super) fn who(entry: &Entry) -> String {
    entry
        .actor
        .email
        .clone()
        .or_else(|| entry.actor.id.clone())
        .unwrap_or_else(|| "unknown".to_owned())
}
