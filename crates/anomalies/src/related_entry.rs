//! An entry of the audit log that is related to an anomaly.

use jiff::Timestamp;

/// An entry of the audit log that may tell the cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelatedEntry {
    /// Position in the log.
    pub sequence: u64,
    pub event_id: String,
    /// Time of the action.
    pub at: Timestamp,
    /// Actor: identifier and e-mail address.
    pub actor: (Option<String>, Option<String>),
    /// The operation, or the event's type.
    pub operation: String,
}

impl RelatedEntry {
    /// Returns the actor's e-mail address, or identifier.
    #[must_use]
    pub fn who(&self) -> &str {
        let (id, email) = &self.actor;
        email.as_deref().or(id.as_deref()).unwrap_or("somebody")
    }
}
