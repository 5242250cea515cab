//! Firings of alert rules, to the channels that the rule names now, and thresholds of budgets, to webhooks that subscribe to budgets and
//! to the channels that the budget names.

use reeve_alerts::{FIRE, FIRED_EVENT, FiringId, Notification};
use reeve_anomalies::budget::Basis;
use reeve_audit::{Entry, events};
use reeve_estate::StoreError;
use reeve_recommend::words::minute;

use super::pages::Page;
use super::{Sources, fact, message, place, shown, store_error};
use crate::delivery::{Happening, Topic};
use crate::notification::Gravity;
use crate::webhook::{Facts, WebhookEvent};

pub(super) async fn firing(sources: &Sources, entry: &Entry) -> Result<Option<Happening>, StoreError> {
    if entry.event_type != FIRE {
        return Ok(None);
    }
    let id = FiringId(entry.event_id.as_str().to_owned());
    let firing = sources.alerts.firing_get(&id).await.map_err(store_error)?;
    let rule = sources.alerts.alert_rule_get(&firing.rule).await.map_err(store_error)?;
    let Notification { channels, recipients } = &rule.settings.notification;
    if firing.silenced || channels.is_empty() {
        return Ok(None);
    }
    let severity = firing.severity.as_str();
    let group = firing.group_by.iter().zip(firing.group.values());
    let mut facts: Vec<_> = group.map(|(name, value)| fact(name, value.unwrap_or_default())).collect();
    facts.extend([
        fact("Severity", shown(severity)),
        fact("Matching entries", firing.count.to_string()),
        fact("First match", minute(firing.first_at)),
        fact("Last match", minute(firing.last_at)),
        fact("Condition", rule.settings.condition.clone()),
    ]);
    let place = place(sources, &Page::Firing(&id.0), &firing.rule_name).await?;
    let subject = format!("{FIRED_EVENT}:{}", id.0);
    let mut message = message(format!("Alert: {}", firing.rule_name), Gravity::from(severity), facts, place, &subject);
    message.to.clone_from(recipients);
    let class = rule.settings.class.map(|class| class.as_str().to_owned());
    Ok(Some(Happening {
        topic: Topic::Alerts,
        event: channels.iter().any(|name| name == "webhook").then_some(WebhookEvent::AlertFired),
        name: FIRED_EVENT,
        at: entry.timestamp,
        agent: None,
        facts: Facts { priority: Some(severity.to_owned()), types: class.into_iter().collect(), impact: None },
        data: sources.forms.firing(&firing),
        message,
        channels: Some(channels.clone()),
        subject,
    }))
}

pub(super) async fn budget_alert(sources: &Sources, entry: &Entry) -> Result<Option<Happening>, StoreError> {
    if entry.event_type != events::BUDGET_ALERT.event_type() {
        return Ok(None);
    }
    let alert = sources.budgets.budget_alert_get(entry.event_id.as_str()).await?;
    let budget = sources.budgets.budget_get(&alert.budget).await?;
    let (percent, currency) = (alert.threshold.percent, &alert.currency);
    let (value_name, verb) = match alert.threshold.basis {
        Basis::Actual => ("Spent so far", "has reached"),
        Basis::Forecast => ("Forecast for the period", "is expected to reach"),
    };
    let facts = vec![
        fact(value_name, format!("{} {currency}", alert.value.rounded(2))),
        fact("Budget", format!("{} {currency} per {}", alert.amount, budget.period.as_str())),
        fact("Period starts", alert.period_start.to_string()),
    ];
    let place = place(sources, &Page::Budget(&budget.id.0), &alert.budget_name).await?;
    let event = WebhookEvent::BudgetAlert;
    let subject = format!("{}:{}", event.as_str(), alert.id);
    let title = format!("Budget {} {verb} {percent} %", alert.budget_name);
    let (gravity, priority) = if percent >= 100 { (Gravity::Error, "high") } else { (Gravity::Warning, "medium") };
    let mut message = message(title, gravity, facts, place, &subject);
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
        data: sources.forms.budget_alert(&alert),
        message,
        channels: Some(budget.channels),
        subject,
    }))
}
