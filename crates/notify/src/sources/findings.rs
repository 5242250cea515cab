//! Security findings as webhooks of format `ocsf` get them: at their creation, and again at each
//! change of their status until their end, with the same identifier.
//!
//! The status follows from the operation of the entry: entries are recorded before the record is
//! written, which may therefore be behind.

use reeve_alerts::FiringId;
use reeve_anomalies::AnomalyId;
use reeve_audit::{ActionStatus, Entry};
use reeve_estate::StoreError;
use reeve_recommend::recommendation::RecommendationId;
use reeve_siem::ocsf::{self, FindingStatus, OcsfFinding};
use serde_json::Value;

use super::pages::{PagePlace, SourcePage};
use super::{Sources, message, metadata, place, store_error};
use crate::delivery::{Happening, Topic};
use crate::notification::Gravity;
use crate::webhook::{Facts, WebhookEvent};

/// Operations at which the status of a finding changes.
const CHANGES: [(&str, FindingStatus); 9] = [
    ("anomaly.acknowledge", FindingStatus::InProgress),
    ("anomaly.reopen", FindingStatus::New),
    ("anomaly.resolve", FindingStatus::Resolved),
    ("recommendation.dismiss", FindingStatus::Suppressed),
    ("recommendation.expire", FindingStatus::Resolved),
    ("recommendation.supersede", FindingStatus::Resolved),
    ("action.succeed", FindingStatus::Resolved),
    ("alert.acknowledge", FindingStatus::InProgress),
    ("alert.resolve", FindingStatus::Resolved),
];

/// Returns the status that a finding has from an entry on; `None` for an entry that changes none.
fn status(entry: &Entry) -> Option<FindingStatus> {
    let operation = entry.action.operation.as_deref()?;
    if operation == "anomaly.learn" {
        // Feedback ends an anomaly unless it was real.
        return metadata(entry, "feedback")
            .filter(|kind| *kind != "real")
            .map(|_| FindingStatus::Suppressed);
    }
    let change = CHANGES.iter().find(|(name, _)| *name == operation);
    change.map(|(_, status)| *status)
}

/// Returns the change of a finding that an entry is about.
pub(super) async fn change(
    sources: &Sources,
    entry: &Entry,
) -> Result<Option<Happening>, StoreError> {
    let Some(status) = status(entry) else {
        return Ok(None);
    };
    // Changes that people make are recorded twice: as intended, and as made.
    if entry.action.status != Some(ActionStatus::Success) {
        return Ok(None);
    }
    let Some(found) = finding(sources, entry).await? else {
        return Ok(None);
    };

    let FoundFinding {
        finding,
        event,
        topic,
        facts,
        place,
    } = found;
    let finding = finding.with_status(status);
    let operation = entry.action.operation.as_deref().unwrap_or_default();
    let subject = format!("{operation}:{}", entry.event_id.as_str());
    let written = finding.write(place.link());
    Ok(Some(Happening {
        topic,
        event: None,
        name: event.as_str(),
        at: entry.timestamp,
        agents: Vec::new(),
        facts,
        data: Value::Null,
        finding: Some((event, written)),
        message: message(finding.title, Gravity::Info, Vec::new(), place, &subject),
        // Programs alone are told.
        channels: Some(Vec::new()),
        subject,
    }))
}

struct FoundFinding {
    finding: OcsfFinding,
    event: WebhookEvent,
    topic: Topic,
    facts: Facts,
    place: PagePlace,
}

async fn finding(sources: &Sources, entry: &Entry) -> Result<Option<FoundFinding>, StoreError> {
    if let Some(id) = metadata(entry, "recommendation_id") {
        let id = RecommendationId(id.to_owned());
        let recommendation = sources.agents.recommendation_get(&id).await?;
        let Some(finding) = ocsf::recommendation(&recommendation, false) else {
            return Ok(None);
        };
        return Ok(Some(FoundFinding {
            finding,
            event: WebhookEvent::RecommendationReady,
            topic: Topic::Recommendations,
            facts: super::intelligence::filter_facts(&recommendation),
            place: super::intelligence::recommendation_page(sources, &recommendation).await?,
        }));
    }

    if let Some(id) = metadata(entry, "anomaly_id") {
        let id = AnomalyId(id.to_owned());
        let anomaly = sources.anomalies.anomaly_get(&id).await?;
        let Some(finding) = ocsf::anomaly(&anomaly, false) else {
            return Ok(None);
        };
        let place = place(sources, &SourcePage::Anomaly(&id.0), &anomaly.title).await?;
        return Ok(Some(FoundFinding {
            finding,
            event: WebhookEvent::AnomalyDetected,
            topic: Topic::Anomalies,
            facts: super::anomalies::filter_facts(&anomaly),
            place,
        }));
    }

    let Some(id) = entry.resource.id.clone() else {
        return Ok(None);
    };
    let alerts = &sources.alerts;
    let id = FiringId(id);
    let firing = alerts.firing_get(&id).await.map_err(store_error)?;
    let rule = alerts
        .alert_rule_get(&firing.rule)
        .await
        .map_err(store_error)?;
    let place = place(sources, &SourcePage::Firing(&id.0), &firing.rule_name).await?;
    Ok(Some(FoundFinding {
        finding: ocsf::firing(&firing, &rule, false),
        event: WebhookEvent::AlertFired,
        topic: Topic::Alerts,
        facts: super::alerts::filter_facts(&firing, &rule),
        place,
    }))
}
