//! Incidents that were opened, changed or closed, for webhooks. Playbooks tell people.

use reeve_audit::{ActionStatus, Entry};
use reeve_estate::StoreError;
use reeve_incidents::IncidentId;
use reeve_siem::ocsf;

use super::pages::Page;
use super::{Sources, message, metadata, place};
use crate::delivery::{Happening, Topic};
use crate::notification::Gravity;
use crate::webhook::{Facts, WebhookEvent};

/// Operation of the entry about an incident that is new.
const OPENED: &str = "incident.open";

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
    let place = place(sources, &Page::Incident(id), &incident.title).await?;
    let finding = ocsf::incident(&incident, operation == OPENED, place.link());
    let subject = format!("{operation}:{}", entry.event_id.as_str());
    let severity = incident.severity.as_str();

    Ok(Some(Happening {
        topic: Topic::Anomalies,
        event: Some(WebhookEvent::IncidentChanged),
        name: WebhookEvent::IncidentChanged.as_str(),
        at: entry.timestamp,
        agents: Vec::new(),
        facts: Facts {
            priority: Some(severity.to_owned()),
            types: Vec::new(),
            impact: None,
        },
        data: sources.forms.incident(&incident),
        finding: Some((WebhookEvent::IncidentChanged, finding)),
        message: message(
            format!("Incident: {}", incident.title),
            Gravity::from(severity),
            Vec::new(),
            place,
            &subject,
        ),
        channels: Some(Vec::new()),
        subject,
    }))
}
