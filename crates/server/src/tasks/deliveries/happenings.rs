//! From an entry of the log to what others are told of it. The log says that it happened; the record says what.

use anyhow::Result;
use reeve_access::AccessError;
use reeve_alerts::{FIRE, FIRED_EVENT, FiringId, Notification};
use reeve_anomalies::AnomalyId;
use reeve_anomalies::budget::Basis;
use reeve_audit::{ActionStatus, Entry, Json, events};
use reeve_estate::StoreError;
use reeve_http::{App, action_record, anomaly_record, budget_alert_record, firing_record, recommendation_record};
use reeve_notify::delivery::{Happening, Topic};
use reeve_notify::notification::{Gravity, Item, Message};
use reeve_notify::webhook::{Facts, WebhookEvent};
use reeve_recommend::{Action, ActionId, ApprovalId, Recommendation, RecommendationId};
use reeve_reports::RunId;
use serde_json::Value;

use crate::adapters::attachments;

/// What an entry stands for; `None` when its record is gone, or somebody from outside has written an entry that looks so.
pub(super) async fn of(app: &App, entry: &Entry) -> Result<Option<Happening>> {
    let found = match entry.action.operation.as_deref() {
        Some("recommendation.create") => recommendation(app, entry).await,
        // A simulation that went back is no action that anybody has to hear of.
        Some("action.rolled_back") if metadata(entry, "purpose") == Some("simulate") => Ok(None),
        Some("action.succeed" | "action.rolled_back" | "action.fail") => action(app, entry).await,
        Some("anomaly.detect") => anomaly(app, entry).await,
        Some("alert.fire") => firing(app, entry).await,
        Some(operation) if operation == events::BUDGET_ALERT.name => budget_alert(app, entry).await,
        Some("report.run") => report(app, entry).await,
        Some("approval.request") => approval(app, entry, "approval_requested", "An approval is asked for").await,
        Some("approval.remind") => approval(app, entry, "approval_reminded", "An approval still waits").await,
        _ => Ok(None),
    };
    match found {
        Err(StoreError::NotFound { what, id }) => {
            tracing::debug!(what, id, "an entry of the log has no record; nobody is told");
            Ok(None)
        }
        other => Ok(other?),
    }
}

fn metadata<'e>(entry: &'e Entry, name: &str) -> Option<&'e str> {
    entry.metadata.extra.get(name).and_then(Json::as_str)
}

async fn recommendation_of(app: &App, entry: &Entry) -> Result<Option<Recommendation>, StoreError> {
    match metadata(entry, "recommendation_id") {
        Some(id) => app.agents.recommendation_get(&RecommendationId(id.to_owned())).await.map(Some),
        None => Ok(None),
    }
}

fn facts(of: &Recommendation) -> Facts {
    Facts {
        priority: Some(of.priority.as_str().to_owned()),
        types: vec![of.kind.as_str().to_owned(), of.kind.category().to_owned()],
        impact: Some(of.impact_level.as_str().to_owned()),
    }
}

fn about(of: &Recommendation) -> Vec<(String, String)> {
    let fact = |name: &str, value: String| (name.to_owned(), value);
    vec![
        fact("resource", format!("{} ({})", of.subject.name, of.subject.id.0)),
        fact("account", of.subject.account.clone()),
        fact("priority", of.priority.as_str().to_owned()),
        fact("confidence", format!("{:.1} %", of.confidence)),
        fact("impact", of.impact_level.as_str().to_owned()),
        fact(
            "savings a month",
            of.savings_monthly
                .map_or("not known: no price".to_owned(), |money| format!("{:.2} USD", money.usd_cents())),
        ),
    ]
}

fn message(title: String, gravity: Gravity, facts: Vec<(String, String)>, about: &str) -> Message {
    Message {
        items: vec![Item { title: title.clone(), facts }],
        title,
        gravity,
        about: about.to_owned(),
        to: Vec::new(),
        attachment: None,
    }
}

async fn recommendation(app: &App, entry: &Entry) -> Result<Option<Happening>, StoreError> {
    let Some(of) = recommendation_of(app, entry).await? else { return Ok(None) };
    let subject = format!("recommendation_ready:{}", of.id.0);
    let gravity = Gravity::from(of.priority.as_str());
    Ok(Some(Happening {
        topic: Topic::Recommendations,
        event: Some(WebhookEvent::RecommendationReady),
        name: WebhookEvent::RecommendationReady.as_str(),
        at: entry.timestamp,
        agent: of.agent_id.clone(),
        facts: facts(&of),
        data: recommendation_record(&of),
        message: message(format!("Recommendation: {}", of.title), gravity, about(&of), &subject),
        channels: None,
        subject,
    }))
}

async fn action(app: &App, entry: &Entry) -> Result<Option<Happening>, StoreError> {
    let Some(id) = metadata(entry, "action_id") else { return Ok(None) };
    let action = app.agents.action_get(&ActionId(id.to_owned())).await?;
    let of = app.agents.recommendation_get(&action.recommendation).await?;
    let operation = entry.action.operation.as_deref().unwrap_or_default();
    let subject = format!("{operation}:{id}");
    let (went, gravity) = match operation {
        "action.succeed" => ("Done", Gravity::Info),
        "action.rolled_back" => ("Rolled back", Gravity::Warning),
        _ => ("Failed", Gravity::Error),
    };
    Ok(Some(Happening {
        topic: Topic::Actions,
        event: Some(WebhookEvent::ActionCompleted),
        name: WebhookEvent::ActionCompleted.as_str(),
        at: entry.timestamp,
        agent: action.agent_id.clone(),
        facts: facts(&of),
        data: action_record(&action, &of),
        message: message(format!("{went}: {}", of.title), gravity, about_action(&action, &of), &subject),
        channels: None,
        subject,
    }))
}

fn about_action(action: &Action, of: &Recommendation) -> Vec<(String, String)> {
    let mut facts = about(of);
    facts.push(("asked by".to_owned(), action.by.clone()));
    facts.extend(action.reason.clone().map(|reason| ("reason".to_owned(), reason)));
    facts
}

async fn anomaly(app: &App, entry: &Entry) -> Result<Option<Happening>, StoreError> {
    let Some(id) = metadata(entry, "anomaly_id") else { return Ok(None) };
    let of = app.anomalies.anomaly_get(&AnomalyId(id.to_owned())).await?;
    let subject = format!("anomaly_detected:{id}");
    let fact = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let mut facts =
        vec![fact("class", of.class.as_str()), fact("severity", of.severity.as_str()), fact("where", &of.place.id)];
    facts.extend(of.place.account.iter().map(|account| fact("account", account)));
    facts.extend(of.deviation_percent.map(|percent| fact("deviation", &format!("{percent:.1} %"))));
    let gravity = Gravity::from(of.severity.as_str());
    Ok(Some(Happening {
        topic: Topic::Anomalies,
        event: Some(WebhookEvent::AnomalyDetected),
        name: WebhookEvent::AnomalyDetected.as_str(),
        at: entry.timestamp,
        // Anomalies are watched for over the whole estate, by no agent.
        agent: None,
        facts: Facts {
            priority: Some(of.severity.as_str().to_owned()),
            types: vec![of.class.as_str().to_owned()],
            impact: None,
        },
        data: anomaly_record(&of),
        message: message(format!("Anomaly: {}", of.title), gravity, facts, &subject),
        channels: None,
        subject,
    }))
}

/// A firing, to the channels that its rule names now.
async fn firing(app: &App, entry: &Entry) -> Result<Option<Happening>, StoreError> {
    let id = FiringId(entry.event_id.as_str().to_owned());
    if entry.event_type != FIRE {
        return Ok(None);
    }
    let firing = app.alerts.firing_get(&id).await.map_err(store_error)?;
    let rule = app.alerts.alert_rule_get(&firing.rule).await.map_err(store_error)?;
    let Notification { channels, recipients } = &rule.settings.notification;
    if firing.silenced || channels.is_empty() {
        return Ok(None);
    }
    let severity = firing.severity.as_str();
    let values = firing.group.values();
    let named = firing.group_by.iter().zip(values).map(|(name, value)| (name.clone(), value.unwrap_or_default()));
    let mut facts: Vec<(String, String)> = named.collect();
    let fact = |name: &str, value: String| (name.to_owned(), value);
    facts.extend([
        fact("severity", severity.to_owned()),
        fact("entries", firing.count.to_string()),
        fact("first entry", reeve_audit::format_instant(firing.first_at)),
        fact("last entry", reeve_audit::format_instant(firing.last_at)),
        fact("condition", rule.settings.condition.clone()),
    ]);
    let subject = format!("{FIRED_EVENT}:{}", id.0);
    let mut message = message(format!("Alert: {}", firing.rule_name), Gravity::from(severity), facts, &subject);
    message.to.clone_from(recipients);
    let class = rule.settings.class.map(|class| class.as_str().to_owned());
    Ok(Some(Happening {
        topic: Topic::Alerts,
        event: channels.iter().any(|name| name == "webhook").then_some(WebhookEvent::AlertFired),
        name: FIRED_EVENT,
        at: entry.timestamp,
        agent: None,
        facts: Facts { priority: Some(severity.to_owned()), types: class.into_iter().collect(), impact: None },
        data: firing_record(&firing),
        message,
        channels: Some(channels.clone()),
        subject,
    }))
}

/// A threshold of a budget, to webhooks that subscribe to budgets and to the channels that the budget names now.
async fn budget_alert(app: &App, entry: &Entry) -> Result<Option<Happening>, StoreError> {
    if entry.event_type != events::BUDGET_ALERT.event_type() {
        return Ok(None);
    }
    let alert = app.budgets.budget_alert_get(entry.event_id.as_str()).await?;
    let budget = app.budgets.budget_get(&alert.budget).await?;
    let (percent, currency) = (alert.threshold.percent, &alert.currency);
    let (reached, words) = match alert.threshold.basis {
        Basis::Actual => ("charges so far", "has reached"),
        Basis::Forecast => ("forecast for the period", "is expected to reach"),
    };
    let fact = |name: &str, value: String| (name.to_owned(), value);
    let facts = vec![
        fact(reached, format!("{} {currency}", alert.value.rounded(2))),
        fact("budget", format!("{} {currency} a {}", alert.amount, budget.period.as_str())),
        fact("period from", alert.period_start.to_string()),
    ];
    let event = WebhookEvent::BudgetAlert;
    let subject = format!("{}:{}", event.as_str(), alert.id);
    let title = format!("Budget {} {words} {percent} %", alert.budget_name);
    let (gravity, priority) = if percent >= 100 { (Gravity::Error, "high") } else { (Gravity::Warning, "medium") };
    let mut message = message(title, gravity, facts, &subject);
    message.to.clone_from(&budget.recipients);
    Ok(Some(Happening {
        topic: Topic::Alerts,
        event: Some(event),
        name: event.as_str(),
        at: entry.timestamp,
        agent: None,
        facts: Facts {
            priority: Some(priority.to_owned()),
            types: vec![alert.threshold.basis.as_str().to_owned()],
            impact: None,
        },
        data: budget_alert_record(&alert),
        message,
        channels: Some(budget.channels),
        subject,
    }))
}

/// A run that has ended, to the channels that its report names.
async fn report(app: &App, entry: &Entry) -> Result<Option<Happening>, StoreError> {
    let Some(id) = entry.resource.id.clone().filter(|_| entry.event_type == events::REPORT.event_type()) else {
        return Ok(None);
    };
    let run = app.reports.run_get(&RunId(id.clone())).await.map_err(store_error)?;
    let channels = run.receiving_channels();
    if channels.is_empty() {
        return Ok(None);
    }
    let succeeded = entry.action.status == Some(ActionStatus::Success);
    // The entry has what the run came to; the run itself is moved to its end after it.
    let told = |name: &str| entry.metadata.extra.get("report").and_then(|told| told.get(name));
    let period = run.request.period.resolve(run.created_at);
    let fact = |name: &str, value: String| (name.to_owned(), value);
    let mut facts = vec![
        fact(
            "period",
            format!("{} to {}", reeve_audit::format_instant(period.start), reeve_audit::format_instant(period.end)),
        ),
        fact("entries", told("found").and_then(Json::as_f64).unwrap_or_default().to_string()),
    ];
    if succeeded {
        let path = format!("/api/v1/audit-logs/reports/runs/{id}/download?format=pdf");
        facts.push(fact("download", app.settings.address_of(&path)));
    }
    facts.extend(told("error").and_then(Json::as_str).map(|error| fact("reason", error.to_owned())));
    let (went, gravity) = if succeeded { ("Report ready", Gravity::Info) } else { ("Report failed", Gravity::Warning) };
    let subject = run.delivery_subject();
    let mut message = message(format!("{went}: {}", run.report_name), gravity, facts, &subject);
    message.to.clone_from(&run.recipients);
    message.attachment = succeeded.then(|| attachments::report(&run));
    Ok(Some(Happening {
        topic: Topic::Reports,
        event: None,
        name: "report",
        at: entry.timestamp,
        agent: None,
        facts: Facts::default(),
        data: Value::Null,
        message,
        channels: Some(channels),
        subject,
    }))
}

fn store_error(error: AccessError) -> StoreError {
    match error {
        AccessError::NotFound { what, id } => StoreError::NotFound { what, id },
        AccessError::Conflict(message) => StoreError::Conflict(message),
        AccessError::Full(message) => StoreError::Full(message),
        AccessError::Backend(message) => StoreError::Backend(message),
    }
}

async fn approval(app: &App, entry: &Entry, name: &'static str, words: &str) -> Result<Option<Happening>, StoreError> {
    let Some(id) = metadata(entry, "approval_id") else { return Ok(None) };
    let approval = app.agents.approval_get(&ApprovalId(id.to_owned())).await?;
    let of = app.agents.recommendation_get(&approval.recommendation).await?;
    // A reminder is a new thing to tell; a request is told once.
    let subject = match name {
        "approval_requested" => format!("{name}:{id}"),
        _ => format!("{name}:{id}:{}", entry.event_id.as_str()),
    };
    let needed: Vec<_> = approval.needed.iter().map(|signature| signature.as_str()).collect();
    let mut facts = about(&of);
    facts.push(("signatures".to_owned(), needed.join(", ")));
    facts.push(("requested by".to_owned(), approval.requested_by.clone()));
    facts.push(("expires".to_owned(), reeve_audit::format_instant(approval.expires_at)));
    let message = message(format!("{words}: {}", of.title), Gravity::Warning, facts, &format!("approval:{id}"));
    Ok(Some(Happening {
        topic: Topic::Approvals,
        event: None,
        name,
        at: entry.timestamp,
        agent: of.agent_id.clone(),
        facts: Facts::default(),
        data: Value::Null,
        message,
        channels: None,
        subject,
    }))
}
