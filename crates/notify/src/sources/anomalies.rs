//! Anomalies that were detected.

use reeve_anomalies::AnomalyId;
use reeve_audit::Entry;
use reeve_estate::StoreError;

use super::pages::Page;
use super::{Sources, fact, message, metadata, place, shown};
use crate::delivery::{Happening, Topic};
use crate::notification::Gravity;
use crate::webhook::{Facts, WebhookEvent};

pub(super) async fn anomaly(sources: &Sources, entry: &Entry) -> Result<Option<Happening>, StoreError> {
    let Some(id) = metadata(entry, "anomaly_id") else { return Ok(None) };
    let anomaly = sources.anomalies.anomaly_get(&AnomalyId(id.to_owned())).await?;
    let subject = format!("anomaly_detected:{id}");
    let mut facts = vec![
        fact("Type", shown(anomaly.class.as_str())),
        fact("Severity", shown(anomaly.severity.as_str())),
        fact("Affected", anomaly.place.id.clone()),
    ];
    facts.extend(anomaly.place.account.iter().map(|account| fact("Account", account.clone())));
    facts.extend(
        anomaly.deviation_percent.map(|percent| fact("Deviation", format!("{percent:+.1} % from the expected value"))),
    );
    let place = place(sources, &Page::Anomaly(id), &anomaly.title).await?;
    let gravity = Gravity::from(anomaly.severity.as_str());
    Ok(Some(Happening {
        topic: Topic::Anomalies,
        event: Some(WebhookEvent::AnomalyDetected),
        name: WebhookEvent::AnomalyDetected.as_str(),
        at: entry.timestamp,
        // Anomalies are watched for over the whole estate, by no agent.
        agent: None,
        facts: Facts {
            priority: Some(anomaly.severity.as_str().to_owned()),
            types: vec![anomaly.class.as_str().to_owned()],
            impact: None,
        },
        data: sources.forms.anomaly(&anomaly),
        message: message(format!("Anomaly: {}", anomaly.title), gravity, facts, place, &subject),
        channels: None,
        subject,
    }))
}
