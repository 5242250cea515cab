//! The audit entry: what happened, who did it, to what, and how it changed.
//!
//! An entry holds exactly the fields of requirements B-063 to B-085. It is a claim of its source;
//! what Reeve adds (`recorded_at`, `submitted_by`, sequence, hashes) cannot be sent.
//! `docs/formats/entry.md` describes the bytes.

mod action;
mod actor;
mod change;
mod fields;
mod intent;
mod kind;
mod names;
mod read;
mod reserved;
mod resource;
mod submitter;
mod tags;
mod walk;
mod write;

use std::sync::Arc;

use jiff::Timestamp;

pub use action::Action;
pub use actor::Actor;
pub use change::{EntryChanges, Metadata};
pub use kind::{EventId, EventType, NameError, OWN_ID_PREFIX, SOURCE_ID_PREFIX};
pub use names::{ActionMethod, ActionStatus, ActorType, Severity, SubmitterType, UnknownName};
pub use read::is_email_address;
pub(crate) use read::{EntryClaim, email, read_claim, read_submitter};
pub use reserved::RESERVED_CATEGORIES;
pub use resource::ResourceRef;
pub(crate) use submitter::insert_submitter;
pub use submitter::{Submitter, SubmitterField};
pub use tags::Tags;
pub use walk::Leaf;

use crate::instant;
use crate::json::Json;

/// One audit entry, as its source submitted it.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Unique id, chosen by the source or by Reeve; the key of idempotency.
    pub event_id: EventId,
    /// Time of the event as the source reports it; UTC milliseconds.
    pub timestamp: Timestamp,
    /// Event type, as `category.operation`.
    pub event_type: EventType,
    /// Severity; `info` unless the source says otherwise.
    pub severity: Severity,
    /// User, agent or system that performed the action.
    pub actor: Actor,
    /// Resource that the action changed or read.
    pub resource: ResourceRef,
    /// Operation, its status and the way it was called.
    pub action: Action,
    /// The state before and after.
    pub changes: EntryChanges,
    /// Metadata and all other members.
    pub metadata: Metadata,
    /// The party that handed the entry to Reeve. Not part of the claim: only a
    /// [`Draft`](crate::Draft) sets it, and whatever an entry brings along is dropped there. `None`
    /// in entries that were recorded before Reeve noted it.
    pub submitted_by: Option<Arc<Submitter>>,
}

impl Entry {
    /// An entry of now with a fresh id (UUIDv7), severity `info` and nothing else.
    pub fn new(event_type: EventType) -> Self {
        Self {
            event_id: EventId::fresh(),
            timestamp: instant::now(),
            event_type,
            severity: Severity::Info,
            actor: Actor::default(),
            resource: ResourceRef::default(),
            action: Action::default(),
            changes: EntryChanges::default(),
            metadata: Metadata::default(),
            submitted_by: None,
        }
    }

    /// Replaces the generated identifier.
    pub fn with_id(mut self, event_id: EventId) -> Self {
        self.event_id = event_id;
        self
    }

    /// Sets when it happened; cut to milliseconds.
    pub fn at(mut self, timestamp: Timestamp) -> Self {
        self.timestamp = instant::to_millis(timestamp);
        self
    }

    /// Replaces the default severity, `info`.
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Sets who did it.
    pub fn by(mut self, actor: Actor) -> Self {
        self.actor = actor;
        self
    }

    /// Sets what it was done to.
    pub fn on(mut self, resource: ResourceRef) -> Self {
        self.resource = resource;
        self
    }

    /// Sets what was done.
    pub fn with_action(
        mut self,
        operation: impl Into<String>,
        status: ActionStatus,
        method: ActionMethod,
    ) -> Self {
        self.action = Action {
            operation: Some(operation.into()),
            status: Some(status),
            method: Some(method),
        };
        self
    }

    /// Sets the state before.
    pub fn before(mut self, state: impl Into<Json>) -> Self {
        self.changes.before = Some(state.into());
        self
    }

    /// Sets the state after.
    pub fn after(mut self, state: impl Into<Json>) -> Self {
        self.changes.after = Some(state.into());
        self
    }

    /// Sets the id of the request that led to this entry.
    pub fn with_request_id(mut self, request_id: impl Into<String>) -> Self {
        self.metadata.request_id = Some(request_id.into());
        self
    }

    /// Adds a label to `metadata.tags`.
    pub fn with_tag(mut self, tag: impl Into<String>) -> Self {
        self.metadata.tags.push(tag.into());
        self
    }

    /// Sets an open member of `metadata`. The names `request_id`, `api_version` and `tags` have
    /// setters of their own; [`Draft::from_entry`](crate::Draft::from_entry) refuses them here.
    pub fn with_metadata(mut self, name: impl Into<String>, value: impl Into<Json>) -> Self {
        self.metadata.extra.insert(name, value);
        self
    }

    /// Returns `true` if Reeve itself may have written the entry: it did, or the entry is of a time
    /// when nobody noted that. Entries that others hand in now always say so, which is why this can
    /// be relied on for whatever Reeve does because of an entry.
    pub fn may_be_by_reeve(&self) -> bool {
        self.submitted_by
            .as_ref()
            .is_none_or(|submitter| submitter.kind == SubmitterType::Reeve)
    }

    /// The event type before its first dot.
    pub fn category(&self) -> &str {
        self.event_type.category()
    }
}
