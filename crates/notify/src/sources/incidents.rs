//! Messages of playbooks about incidents: to people by the channels that a step names, and to
//! webhooks, such as those of a ticket system. Webhooks also get what was opened, changed or closed.

use reeve_audit::{ActionStatus, Entry, Json};
use reeve_estate::StoreError;
use reeve_incidents::{Incident, IncidentId};
use reeve_siem::ocsf;
use serde_json::Value;

use super::pages::{PagePlace, SourcePage};
use super::{Sources, fact, message, metadata, place, shown};
use crate::delivery::{Happening, Topic};
use crate::notification::Gravity;
use crate::webhook::{Facts, WebhookEvent};

/// Operation of the entry about an incident that is new.
const OPENED: &str = "incident.open";

/// Returns the message of a step. `is_ticket` is one for webhooks; the others are for people.
pub(super) async fn told(
    sources: &Sources,
    entry: &Entry,
    is_ticket: bool,
) -> Result<Option<Happening>, StoreError> {
    let Some(id) = metadata(entry, "incident_id") else {
        return Ok(None);
    };
    let incident = IncidentId(id.to_owned());
    let incident = sources.incidents.incident_get(&incident).await?;
    let words = metadata(entry, "message").unwrap_or_default();
    let playbook = metadata(entry, "title").unwrap_or_default();

    let mut facts = vec![
        fact("Severity", shown(incident.severity.as_str())),
        fact("Status", shown(incident.status.as_str())),
        fact("Playbook", playbook),
    ];
    if !words.is_empty() {
        facts.insert(0, fact("Message", words));
    }
    facts.extend(
        incident
            .owner
            .iter()
            .map(|owner| fact("Owner", owner.clone())),
    );

    let named = entry
        .metadata
        .extra
        .get("channels")
        .and_then(Json::as_array);
    let named: Vec<String> = named
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect();
    // Nobody is told twice: a ticket is for programs alone.
    let channels = match is_ticket {
        true => Some(Vec::new()),
        false => (!named.is_empty()).then_some(named),
    };

    // Each step is a message of its own.
    let subject = format!("incident_response:{id}:{}", entry.event_id.as_str());
    let place = place(sources, &SourcePage::Incident(id), &incident.title).await?;
    let mut data = sources.forms.incident(&incident);
    if let Some(members) = data.as_object_mut() {
        members.insert("message".to_owned(), words.into());
        members.insert("playbook".to_owned(), playbook.into());
    }
    let event = WebhookEvent::IncidentResponse;
    Ok(Some(Happening {
        event: is_ticket.then_some(event),
        channels,
        ..happening(entry, &incident, event, data, facts, place, subject)
    }))
}

/// Returns the change of an incident, for webhooks alone.
pub(super) async fn changed(
    sources: &Sources,
    entry: &Entry,
) -> Result<Option<Happening>, StoreError> {
    let Some(id) = metadata(entry, "incident_id") else {
        return Ok(None);
    };
    // A change is recorded twice: as intended, and as made.
    if entry.action.status != Some(ActionStatus::Success) {
        return Ok(None);
    }

    let incident = sources
        .incidents
        .incident_get(&IncidentId(id.to_owned()))
        .await?;
    let operation = entry.action.operation.as_deref().unwrap_or_default();
    let place = place(sources, &SourcePage::Incident(id), &incident.title).await?;
    let finding = ocsf::incident(&incident, operation == OPENED, place.link());
    let subject = format!("{operation}:{}", entry.event_id.as_str());
    let data = sources.forms.incident(&incident);

    let event = WebhookEvent::IncidentChanged;
    Ok(Some(Happening {
        finding: Some((event, finding)),
        ..happening(entry, &incident, event, data, Vec::new(), place, subject)
    }))
}

/// Returns the event of an incident for webhooks alone, without an OCSF finding.
fn happening(
    entry: &Entry,
    incident: &Incident,
    event: WebhookEvent,
    data: Value,
    facts: Vec<(String, String)>,
    place: PagePlace,
    subject: String,
) -> Happening {
    let severity = incident.severity.as_str();
    let title = format!("Incident: {}", incident.title);
    Happening {
        topic: Topic::Anomalies,
        event: Some(event),
        name: event.as_str(),
        at: entry.timestamp,
        agents: Vec::new(),
        facts: Facts {
            priority: Some(severity.to_owned()),
            types: Vec::new(),
            impact: None,
        },
        data,
        finding: None,
        message: message(title, Gravity::from(severity), facts, place, &subject),
        channels: Some(Vec::new()),
        subject,
    }
}
