//! Audit entries of intelligence: the form that all of them share.

use reeve_audit::{ActionStatus, Entry, EventType, Severity, events};

use crate::caller::Caller;
use crate::recommendation::Priority;

/// Configuration: agents, guardrails, the kill switch, rules, settings.
pub const POLICY: EventType = events::POLICY_MODIFY.event_type();

/// An entry by a caller.
#[must_use]
pub fn entry(event: EventType, operation: &str, status: ActionStatus, caller: &Caller) -> Entry {
    let entry = Entry::new(event)
        .by(caller.actor.clone())
        .with_action(operation, status, caller.method)
        .with_tag("intelligence");
    match &caller.request_id {
        Some(id) => entry.with_request_id(id.clone()),
        None => entry,
    }
}

/// Returns the severity of an entry about a finding.
#[must_use]
pub const fn severity(finding: Priority) -> Severity {
    match finding {
        Priority::Critical => Severity::Critical,
        Priority::High => Severity::High,
        Priority::Medium => Severity::Medium,
        Priority::Low => Severity::Low,
    }
}
