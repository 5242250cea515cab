//! Audit entries of incidents and playbooks. All about an incident carry `metadata.incident_id`, so
//! that one search reads out what was done about it.

use reeve_audit::{ActionStatus, Entry, EventType, Json, ResourceRef, Severity, events};
use reeve_recommend::caller::Caller;
use reeve_recommend::log_entry::{POLICY, entry, severity};

use crate::incident::Incident;
use crate::member::MemberKind;
use crate::playbook::Playbook;
use crate::run::PlaybookRun;

const INCIDENT: EventType = events::INCIDENT.event_type();
const RUN: EventType = events::PLAYBOOK_RUN.event_type();

/// An operation on an incident.
pub(crate) fn about(operation: &str, incident: &Incident, caller: &Caller) -> Entry {
    entry(INCIDENT, operation, ActionStatus::Success, caller)
        .on(ResourceRef::new("incident", incident.id.0.clone()))
        .with_severity(severity(incident.severity))
        .with_metadata("incident_id", incident.id.0.clone())
        .with_metadata("title", incident.title.clone())
        .with_metadata("incident_status", incident.status.as_str())
}

/// A finding that joins an incident, or leaves it.
pub(crate) fn member(
    operation: &str,
    incident: &Incident,
    kind: MemberKind,
    id: &str,
    caller: &Caller,
) -> Entry {
    about(operation, incident, caller)
        .with_metadata("member_kind", kind.as_str())
        .with_metadata("member_id", id)
}

/// Fields of an incident that people may change, for the two sides of a change.
pub(crate) fn described(incident: &Incident) -> Json {
    Json::object([
        ("title", Json::from(incident.title.clone())),
        ("description", Json::from(incident.description.clone())),
        ("severity", Json::from(incident.severity.as_str())),
        ("status", Json::from(incident.status.as_str())),
        ("owner", Json::from(incident.owner.clone())),
    ])
}

/// An operation on a run of a playbook.
pub(crate) fn run(operation: &str, run: &PlaybookRun, caller: &Caller) -> Entry {
    entry(RUN, operation, ActionStatus::Success, caller)
        .on(ResourceRef::new("incident", run.incident.0.clone()))
        .with_metadata("incident_id", run.incident.0.clone())
        .with_metadata("run_id", run.id.0.clone())
        .with_metadata("playbook", run.playbook.0.clone())
        .with_metadata("title", run.title.clone())
}

/// A change of a playbook of people.
pub(crate) fn playbook(
    operation: &str,
    before: Option<&Playbook>,
    after: Option<&Playbook>,
    caller: &Caller,
) -> Entry {
    let name = after.or(before).map(|playbook| playbook.name.0.clone());
    let mut entry = entry(POLICY, operation, ActionStatus::Success, caller)
        .on(ResourceRef::new("playbook", name.unwrap_or_default()))
        .with_severity(Severity::Medium);
    if let Some(before) = before {
        entry = entry.before(in_words(before));
    }
    if let Some(after) = after {
        entry = entry.after(in_words(after));
    }
    entry
}

fn in_words(playbook: &Playbook) -> Json {
    let steps = playbook.steps.iter();
    let steps: Vec<Json> = steps.map(|step| Json::from(step.action.as_str())).collect();
    Json::object([
        ("title", Json::from(playbook.title.clone())),
        ("automatic", Json::from(playbook.trigger.automatic)),
        ("severity", Json::from(playbook.trigger.severity.as_str())),
        ("steps", Json::from(steps)),
    ])
}
