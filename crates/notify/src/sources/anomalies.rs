//! Anomalies that were detected.

use jiff::Timestamp;
use reeve_anomalies::{Anomaly, AnomalyClass, AnomalyFilter, AnomalyId, Stage};
use reeve_audit::Entry;
use reeve_estate::StoreError;
use reeve_recommend::agent::{AgentId, AgentType};
use reeve_recommend::guardrail::change_control::ChangeControlPlace;
use reeve_siem::ocsf;

use super::pages::SourcePage;
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

    let place = place(sources, &SourcePage::Anomaly(id), &anomaly.title).await?;
    let gravity = Gravity::from(anomaly.severity.as_str());
    Ok(Some(Happening {
        topic: Topic::Anomalies,
        event: Some(WebhookEvent::AnomalyDetected),
        name: WebhookEvent::AnomalyDetected.as_str(),
        at: entry.timestamp,
        agents: owners(sources, &anomaly).await?,
        facts: filter_facts(&anomaly),
        data: sources.forms.anomaly(&anomaly),
        finding: ocsf::anomaly(&anomaly, true).map(|finding| {
            let written = finding.write(place.link());
            (WebhookEvent::AnomalyDetected, written)
        }),
        message: message(
            format!("Anomaly: {}", anomaly.title),
            gravity,
            facts,
            place,
            &subject,
        ),
        channels: is_told(sources, entry, &anomaly).await?.then(Vec::new),
        subject,
    }))
}

pub(super) fn filter_facts(anomaly: &Anomaly) -> Facts {
    Facts {
        priority: Some(anomaly.severity.as_str().to_owned()),
        types: vec![anomaly.class.as_str().to_owned()],
        impact: None,
    }
}

/// Returns `true` if people were told of the anomaly's incident already, at the same severity or a
/// worse one: one attack is one notification. Webhooks get each of its anomalies, with its
/// `incident_id`.
async fn is_told(sources: &Sources, entry: &Entry, anomaly: &Anomaly) -> Result<bool, StoreError> {
    if anomaly.class != AnomalyClass::Security {
        return Ok(false);
    }

    let filter = AnomalyFilter {
        incidents: vec![anomaly.incident.clone()],
        ..AnomalyFilter::default()
    };
    let (members, _) = sources.anomalies.anomaly_list(&filter).await?;

    Ok(was_told_before(anomaly, entry.timestamp, &members))
}

/// Returns `true` if another member of the incident was told before an alert of this one, at the
/// same severity or a worse one.
fn was_told_before(anomaly: &Anomaly, alert_at: Timestamp, members: &[Anomaly]) -> bool {
    let told_before = |other: &Anomaly| {
        // The last alert of an anomaly told its present severity.
        let mut newest_first = other.responses.iter().rev();
        let last = newest_first.find(|response| response.stage == Stage::Alert);
        last.is_some_and(|last| (last.at, &other.id) < (alert_at, &anomaly.id))
    };

    members.iter().any(|other| {
        other.id != anomaly.id && other.severity <= anomaly.severity && told_before(other)
    })
}

/// Returns the notification about a predicted attack chain. The entry holds what is told, so that a
/// chain that grew since is told as it was.
pub(super) async fn attack_chain(
    sources: &Sources,
    entry: &Entry,
) -> Result<Option<Happening>, StoreError> {
    let (Some(id), Some(title)) = (metadata(entry, "chain_id"), metadata(entry, "title")) else {
        return Ok(None);
    };

    let account = metadata(entry, "account").unwrap_or_default();
    let mut facts = vec![fact(
        "Principal",
        entry.resource.id.clone().unwrap_or_default(),
    )];
    if !account.is_empty() {
        facts.push(fact("Account", account));
    }

    let subject = format!("attack_chain_predicted:{id}");
    let page = place(sources, &SourcePage::AttackChain(id), title).await?;
    Ok(Some(Happening {
        topic: Topic::Anomalies,
        event: None,
        name: "attack_chain_predicted",
        at: entry.timestamp,
        agents: agents_of(sources, AnomalyClass::Security, account, "").await?,
        facts: Facts {
            priority: Some("high".to_owned()),
            types: vec![AnomalyClass::Security.as_str().to_owned()],
            impact: None,
        },
        data: serde_json::Value::Null,
        finding: None,
        message: message(title.to_owned(), Gravity::Error, facts, page, &subject),
        channels: None,
        subject,
    }))
}

async fn owners(sources: &Sources, anomaly: &Anomaly) -> Result<Vec<AgentId>, StoreError> {
    let account = anomaly.place.account.as_deref().unwrap_or_default();
    let service = anomaly.place.service.as_deref().unwrap_or_default();
    agents_of(sources, anomaly.class, account, service).await
}

/// Agents whose findings anomalies of the class are, and whose scope has the place of one.
/// Anomalies are watched for over the whole estate: an agent's timings say when its own may be
/// told, and nothing about those of others.
async fn agents_of(
    sources: &Sources,
    class: AnomalyClass,
    account: &str,
    service: &str,
) -> Result<Vec<AgentId>, StoreError> {
    let agent_type = match class {
        AnomalyClass::Cost => AgentType::COST_OPTIMIZER,
        AnomalyClass::Performance => AgentType::PERFORMANCE_OPTIMIZER,
        AnomalyClass::Security => AgentType::SECURITY_INTELLIGENCE,
        AnomalyClass::Operational => AgentType::OPS_INTELLIGENCE,
    };

    let connections = sources.estate.connection_list().await?;
    let known = connections
        .iter()
        .find(|connection| connection.account == account);
    let place = ChangeControlPlace {
        account,
        connection: known.map_or("", |connection| connection.id.0.as_str()),
        connection_name: known.map_or("", |connection| connection.name.as_str()),
        service,
        direction: None,
    };

    let agents = sources.agents.agent_list(None).await?;
    let own = agents
        .into_iter()
        .filter(|agent| agent.agent_type == agent_type && agent.scope.covers(&place));
    Ok(own.map(|agent| agent.id).collect())
}

#[cfg(test)]
mod tests {
    use reeve_anomalies::Response;
    use reeve_recommend::recommendation::Priority;
    use reeve_testkit::contract::anomalies::anomaly;

    use super::*;

    fn told(id: &str, severity: Priority, alerts: &[i64]) -> Anomaly {
        let mut member = anomaly(id, id, 0).unwrap();
        let alert = |second: &i64| Response {
            stage: Stage::Alert,
            at: at(*second),
            detail: String::new(),
        };
        member.responses = alerts.iter().map(alert).collect();
        member.severity = severity;
        member
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn an_incident_is_told_once_and_again_when_it_becomes_more_severe() {
        let spray = told("a", Priority::Medium, &[10]);
        let key = told("b", Priority::High, &[20]);
        let also = told("c", Priority::High, &[30]);
        let members = [spray.clone(), key.clone(), also.clone()];

        assert!(!was_told_before(&spray, at(10), &members), "the first");
        assert!(!was_told_before(&key, at(20), &members), "more severe");
        assert!(was_told_before(&also, at(30), &members));
        assert!(!was_told_before(
            &spray,
            at(10),
            std::slice::from_ref(&spray)
        ));

        // Two at one moment: one of them is told.
        let twins = [
            told("a", Priority::High, &[5]),
            told("b", Priority::High, &[5]),
        ];
        assert_eq!(
            twins
                .each_ref()
                .map(|one| was_told_before(one, at(5), &twins)),
            [false, true]
        );

        // A first alert of medium severity was no notification of a high one.
        let risen = told("a", Priority::High, &[10, 40]);
        let members = [risen.clone(), key.clone()];
        assert!(!was_told_before(&key, at(20), &members));
        assert!(was_told_before(&risen, at(40), &members));
    }
}
