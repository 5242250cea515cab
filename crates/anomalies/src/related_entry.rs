//! An entry of the audit log that is related to an anomaly.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// An entry of the audit log that may tell the cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelatedEntry {
    /// Position in the log.
    pub sequence: u64,
    pub event_id: String,
    /// Time of the action.
    pub at: Timestamp,
    pub actor_id: Option<String>,
    pub actor_email: Option<String>,
    /// The operation, or the event's type.
    pub operation: String,
}

impl RelatedEntry {
    /// Returns the actor's e-mail address, or identifier.
    #[must_use]
    pub fn who(&self) -> &str {
        let email = self.actor_email.as_deref();
        email.or(self.actor_id.as_deref()).unwrap_or("somebody")
    }
}
