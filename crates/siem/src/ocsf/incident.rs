//! Incidents as the class Incident Finding, which names its findings instead of being one.

use reeve_incidents::{Incident, IncidentStatus};
use reeve_recommend::log_entry::severity;
use reeve_recommend::recommendation::Priority;
use serde_json::{Value, json};

use super::{Activity, Members, OcsfEventClass, VERSION, attack, milliseconds, product};

/// Identifiers of states in the class: `New`, `In Progress`, `Resolved`, `Closed`.
const fn status(status: IncidentStatus) -> (u64, &'static str) {
    match status {
        IncidentStatus::Open => (1, "New"),
        IncidentStatus::Investigating | IncidentStatus::Contained => (2, "In Progress"),
        IncidentStatus::Resolved => (4, "Resolved"),
        IncidentStatus::Closed => (5, "Closed"),
    }
}

const fn priority(priority: Priority) -> (u64, &'static str) {
    match priority {
        Priority::Low => (1, "Low"),
        Priority::Medium => (2, "Medium"),
        Priority::High => (3, "High"),
        Priority::Critical => (4, "Critical"),
    }
}

/// Writes an incident. `is_first` is `true` for its opening; `page` is its address in Reeve.
#[must_use]
pub fn incident(incident: &Incident, is_first: bool, page: Option<&str>) -> Value {
    let activity = if !incident.status.is_active() {
        Activity::Close
    } else if is_first {
        Activity::Create
    } else {
        Activity::Update
    };
    let (status_id, status) = status(incident.status);
    let (priority_id, priority) = priority(incident.severity);

    let signs = incident.members.iter().filter(|one| one.is_evidence());
    let findings: Vec<Value> = signs
        .map(|member| {
            let mut info = json!({
                "uid": member.id,
                "title": member.title,
                "types": [member.kind.as_str()],
                "first_seen_time": milliseconds(member.started_at),
                "last_seen_time": milliseconds(member.last_at),
            });
            if !member.techniques.is_empty() {
                info["attacks"] = member.techniques.iter().map(|id| attack(id)).collect();
            }
            info
        })
        .collect();

    let mut members = Members::of(
        OcsfEventClass::Incident,
        activity,
        severity(incident.severity),
    );
    members.extend(json!({
        "priority_id": priority_id,
        "priority": priority,
        "status_id": status_id,
        "status": status,
        "time": milliseconds(incident.opened_at),
        "start_time": milliseconds(incident.started_at),
        "end_time": milliseconds(incident.last_at),
        "message": incident.title,
        "desc": incident.title,
        "metadata": {
            "version": VERSION,
            "product": product(),
            "profiles": ["incident"],
            "correlation_uid": incident.id.0,
            "uid": format!("{}-{}", incident.id.0, incident.version),
        },
        "finding_info_list": findings,
    }));

    // The class requires one of both.
    match &incident.owner {
        Some(owner) => members.add(
            "assignee",
            Some(json!({ "email_addr": owner, "name": owner })),
        ),
        None => members.add("assignee_group", Some(json!({ "name": "unassigned" }))),
    }
    members.add("src_url", page.map(Value::from));
    Value::Object(members.0)
}
