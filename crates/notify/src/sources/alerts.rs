//! Firings of alert rules, to the channels that the rule names now, and thresholds of budgets, to
//! webhooks that subscribe to budgets and to the channels that the budget names.

use reeve_alerts::{AlertRule, AttackId, FIRE, FIRED_EVENT, Firing, FiringId, RuleSettings};
use reeve_anomalies::budget::Basis;
use reeve_audit::{Entry, Json, events};
use reeve_estate::StoreError;
use reeve_recommend::words::minute;
use reeve_siem::ocsf;
use serde_json::{Map, Value, json};

use super::pages::SourcePage;
use super::{Sources, fact, item, message, place, shown, store_error};
use crate::delivery::{Happening, Topic};
use crate::notification::{Gravity, Item};
use crate::webhook::{Facts, WebhookEvent};

/// Entries of a firing that a message shows.
const SAMPLES: usize = 3;
/// Longest text of a sample, characters.
const LONGEST: usize = 200;

pub(super) async fn firing(
    sources: &Sources,
    entry: &Entry,
) -> Result<Option<Happening>, StoreError> {
    if entry.event_type != FIRE {
        return Ok(None);
    }

    let id = FiringId(identifier(entry, "firing_id").to_owned());
    let firing = sources.alerts.firing_get(&id).await.map_err(store_error)?;
    let rule = sources
        .alerts
        .alert_rule_get(&firing.rule)
        .await
        .map_err(store_error)?;
    let notification = &rule.settings.notification;
    let channels = notification.receiving_channels();
    if firing.silenced || channels.is_empty() {
        return Ok(None);
    }

    let severity = firing.severity.as_str();
    let group = firing.group_by.iter().zip(firing.group.values());
    let mut facts: Vec<_> = group
        .map(|(name, value)| fact(name, value.unwrap_or_default()))
        .collect();
    facts.extend([
        fact("Severity", shown(severity)),
        fact("Matching entries", firing.count.to_string()),
        fact("First match", minute(firing.first_at)),
        fact("Last match", minute(firing.last_at)),
        fact("Condition", rule.settings.condition.clone()),
    ]);

    facts.extend(guidance(&rule.settings));
    let place = place(sources, &SourcePage::Firing(&id.0), &firing.rule_name).await?;
    let finding = ocsf::firing(&firing, &rule, true).write(place.link());
    let subject = format!("{FIRED_EVENT}:{}", id.0);
    let mut message = message(
        format!("Alert: {}", firing.rule_name),
        Gravity::from(severity),
        facts,
        place,
        &subject,
    );
    message.to.clone_from(&notification.recipients);

    let samples = samples(sources, &firing).await?;
    let mut data = sources.forms.firing(&firing);
    add_guidance(&mut data, &rule.settings, &samples);
    message
        .items
        .extend(samples.into_iter().map(|(_, item)| item));
    let is_sent = channels.iter().any(|name| name == "webhook");

    Ok(Some(Happening {
        topic: Topic::Alerts,
        event: is_sent.then_some(WebhookEvent::AlertFired),
        name: FIRED_EVENT,
        at: entry.timestamp,
        agents: Vec::new(),
        facts: filter_facts(&firing, &rule),
        data,
        // A rule sends to webhooks where one of its channels says so, whatever their format is.
        finding: is_sent.then_some((WebhookEvent::AlertFired, finding)),
        message,
        channels: Some(channels),
        subject,
    }))
}

pub(super) fn filter_facts(firing: &Firing, rule: &AlertRule) -> Facts {
    let class = rule.settings.class.map(|class| class.as_str().to_owned());
    Facts {
        priority: Some(firing.severity.as_str().to_owned()),
        types: class.into_iter().collect(),
        impact: None,
    }
}

/// Returns what helps whoever is notified: instructions, and what the attack is called.
fn guidance(settings: &RuleSettings) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    facts.extend(
        settings
            .runbook
            .as_ref()
            .map(|address| fact("Runbook", address.clone())),
    );

    if !settings.attack.is_empty() {
        let ids: Vec<_> = settings.attack.iter().map(AttackId::as_str).collect();
        facts.push(fact("MITRE ATT&CK", ids.join(", ")));
    }

    facts
}

/// Adds to the record what its page shows beside it.
fn add_guidance(data: &mut Value, settings: &RuleSettings, samples: &[(String, Item)]) {
    let Some(record) = data.as_object_mut() else {
        return;
    };

    if let Some(runbook) = &settings.runbook {
        record.insert("runbook".to_owned(), json!(runbook));
    }

    if !settings.attack.is_empty() {
        let ids: Vec<_> = settings
            .attack
            .iter()
            .map(|id| json!({ "id": id.as_str(), "url": id.url() }))
            .collect();
        record.insert("attack".to_owned(), json!(ids));
    }

    let samples = samples.iter().map(|(id, item)| {
        let facts: Map<String, Value> = item
            .facts
            .iter()
            .map(|(name, value)| (name.clone(), json!(value)))
            .collect();
        json!({ "event_id": id, "title": item.title, "facts": facts, "link": item.link })
    });

    record.insert("samples".to_owned(), Value::Array(samples.collect()));
}

/// Returns the first entries of a firing, each with a link to its page.
async fn samples(sources: &Sources, firing: &Firing) -> Result<Vec<(String, Item)>, StoreError> {
    let mut samples = Vec::new();
    for counted in firing.entries.iter().take(SAMPLES) {
        let Some(entry) = sources.entries.sample(&counted.event_id).await? else {
            continue;
        };
        let operation = entry
            .action
            .operation
            .as_deref()
            .unwrap_or(entry.event_type.as_str());
        let status = entry
            .action
            .status
            .map(|status| format!(": {}", status.as_str()))
            .unwrap_or_default();
        let title = format!(
            "{} {}{status}",
            minute(entry.timestamp),
            shortened(operation)
        );
        let user = entry.actor.email.as_deref().or(entry.actor.id.as_deref());
        let address = entry.actor.ip_address.map(|address| address.to_string());
        let texts = [
            ("User", user),
            ("Address", address.as_deref()),
            ("Resource", entry.resource.id.as_deref()),
        ];
        let facts = texts
            .iter()
            .filter_map(|(name, text)| Some(fact(name, shortened((*text)?))))
            .collect();
        let id = escaped(&counted.event_id);
        let place = place(sources, &SourcePage::Entry(&id), &counted.event_id).await?;
        samples.push((counted.event_id.clone(), item(title, facts, place)));
    }

    Ok(samples)
}

/// Returns the begin of a text that a source chose, so that it does not fill the message.
fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    short
}

/// Returns an identifier as a part of an address: a source may have chosen it.
fn escaped(id: &str) -> String {
    let letter = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
            char::from(byte).to_string()
        }
        other => format!("%{other:02X}"),
    };
    id.bytes().map(letter).collect()
}

/// Returns the identifier of the record that an entry is about. The identifier of the entry itself
/// may be another one, if somebody had taken it; entries of earlier releases have no other.
fn identifier<'a>(entry: &'a Entry, member: &str) -> &'a str {
    entry
        .metadata
        .extra
        .get(member)
        .and_then(Json::as_str)
        .unwrap_or_else(|| entry.event_id.as_str())
}

pub(super) async fn budget_alert(
    sources: &Sources,
    entry: &Entry,
) -> Result<Option<Happening>, StoreError> {
    if entry.event_type != events::BUDGET_ALERT.event_type() {
        return Ok(None);
    }

    let alert = sources
        .budgets
        .budget_alert_get(identifier(entry, "alert_id"))
        .await?;
    let budget = sources.budgets.budget_get(&alert.budget).await?;
    let (percent, currency) = (alert.threshold.percent, &alert.currency);
    let (value_name, verb) = match alert.threshold.basis {
        Basis::Actual => ("Spent so far", "has reached"),
        Basis::Forecast => ("Forecast for the period", "is expected to reach"),
    };
    let facts = vec![
        fact(value_name, format!("{} {currency}", alert.value.rounded(2))),
        fact(
            "Budget",
            format!("{} {currency} per {}", alert.amount, budget.period.as_str()),
        ),
        fact("Period starts", alert.period_start.to_string()),
    ];

    let place = place(
        sources,
        &SourcePage::Budget(&budget.id.0),
        &alert.budget_name,
    )
    .await?;
    let event = WebhookEvent::BudgetAlert;
    let subject = format!("{}:{}", event.as_str(), alert.id);
    let title = format!("Budget {} {verb} {percent} %", alert.budget_name);
    let (gravity, priority) = if percent >= 100 {
        (Gravity::Error, "high")
    } else {
        (Gravity::Warning, "medium")
    };

    let mut message = message(title, gravity, facts, place, &subject);
    message.to.clone_from(&budget.recipients);
    Ok(Some(Happening {
        topic: Topic::Alerts,
        event: Some(event),
        name: event.as_str(),
        at: entry.timestamp,
        agents: Vec::new(),
        facts: Facts {
            priority: Some(priority.to_owned()),
            types: vec![alert.threshold.basis.as_str().to_owned()],
            impact: None,
        },
        data: sources.forms.budget_alert(&alert),
        finding: None,
        message,
        channels: Some(budget.channels),
        subject,
    }))
}
