//! Messages of playbooks about incidents: to people by the channels that a step names, and to
//! webhooks, such as those of a ticket system.

use reeve_audit::{Entry, Json};
use reeve_estate::StoreError;
use reeve_incidents::IncidentId;

use super::pages::Page;
use super::{Sources, fact, message, metadata, place, shown};
use crate::delivery::{Happening, Topic};
use crate::notification::Gravity;
use crate::webhook::{Facts, WebhookEvent};

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
    let place = place(sources, &Page::Incident(id), &incident.title).await?;
    let gravity = Gravity::from(incident.severity.as_str());
    let mut data = sources.forms.incident(&incident);
    if let Some(members) = data.as_object_mut() {
        members.insert("message".to_owned(), words.into());
        members.insert("playbook".to_owned(), playbook.into());
    }
    Ok(Some(Happening {
        topic: Topic::Anomalies,
        event: is_ticket.then_some(WebhookEvent::IncidentResponse),
        name: WebhookEvent::IncidentResponse.as_str(),
        at: entry.timestamp,
        agents: Vec::new(),
        facts: Facts {
            priority: Some(incident.severity.as_str().to_owned()),
            types: Vec::new(),
            impact: None,
        },
        data,
        message: message(
            format!("Incident: {}", incident.title),
            gravity,
            facts,
            place,
            &subject,
        ),
        channels,
        subject,
    }))
}
