//! Anomalies that were detected.

use reeve_anomalies::{Anomaly, AnomalyClass, AnomalyId};
use reeve_audit::Entry;
use reeve_estate::StoreError;
use reeve_recommend::change_control::Place;
use reeve_recommend::{AgentId, AgentType};

use super::pages::Page;
use super::{Sources, fact, message, metadata, place, shown};
use crate::delivery::{Happening, Topic};
use crate::notification::Gravity;
use crate::webhook::{Facts, WebhookEvent};

pub(super) async fn anomaly(
    sources: &Sources,
    entry: &Entry,
) -> Result<Option<Happening>, StoreError> {
    let Some(id) = metadata(entry, "anomaly_id") else {
        return Ok(None);
    };

    let anomaly = sources
        .anomalies
        .anomaly_get(&AnomalyId(id.to_owned()))
        .await?;
    let subject = format!("anomaly_detected:{id}");
    let mut facts = vec![
        fact("Type", shown(anomaly.class.as_str())),
        fact("Severity", shown(anomaly.severity.as_str())),
        fact("Affected", anomaly.place.id.clone()),
    ];

    facts.extend(
        anomaly
            .place
            .account
            .iter()
            .map(|account| fact("Account", account.clone())),
    );

    facts.extend(anomaly.deviation_percent.map(|percent| {
        fact(
            "Deviation",
            format!("{percent:+.1} % from the expected value"),
        )
    }));

    let place = place(sources, &Page::Anomaly(id), &anomaly.title).await?;
    let gravity = Gravity::from(anomaly.severity.as_str());
    Ok(Some(Happening {
        topic: Topic::Anomalies,
        event: Some(WebhookEvent::AnomalyDetected),
        name: WebhookEvent::AnomalyDetected.as_str(),
        at: entry.timestamp,
        agents: owners(sources, &anomaly).await?,
        facts: Facts {
            priority: Some(anomaly.severity.as_str().to_owned()),
            types: vec![anomaly.class.as_str().to_owned()],
            impact: None,
        },
        data: sources.forms.anomaly(&anomaly),
        message: message(
            format!("Anomaly: {}", anomaly.title),
            gravity,
            facts,
            place,
            &subject,
        ),
        channels: None,
        subject,
    }))
}

/// Agents whose findings anomalies of the class are, and whose scope has the anomaly's place.
/// Anomalies are watched for over the whole estate: an agent's timings say when its own may be
/// told, and nothing about those of others.
async fn owners(sources: &Sources, anomaly: &Anomaly) -> Result<Vec<AgentId>, StoreError> {
    let agent_type = match anomaly.class {
        AnomalyClass::Cost => AgentType::COST_OPTIMIZER,
        AnomalyClass::Performance => AgentType::PERFORMANCE_OPTIMIZER,
        AnomalyClass::Security => AgentType::SECURITY_INTELLIGENCE,
        AnomalyClass::Operational => AgentType::OPS_INTELLIGENCE,
    };

    let connections = sources.estate.connection_list().await?;
    let account = anomaly.place.account.as_deref().unwrap_or_default();
    let known = connections
        .iter()
        .find(|connection| connection.account == account);
    let place = Place {
        account,
        connection: known.map_or("", |connection| connection.id.0.as_str()),
        connection_name: known.map_or("", |connection| connection.name.as_str()),
        service: anomaly.place.service.as_deref().unwrap_or_default(),
        direction: None,
    };

    let agents = sources.agents.agent_list(None).await?;
    let own = agents
        .into_iter()
        .filter(|agent| agent.agent_type == agent_type && agent.scope.covers(&place));
    Ok(own.map(|agent| agent.id).collect())
}
