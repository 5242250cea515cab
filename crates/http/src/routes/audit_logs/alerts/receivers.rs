//! Receivers of a rule: the channels and subscriptions that its names stand for, and a test of
//! them.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use reeve_alerts::{AlertRule, RuleId, RuleSettings};
use reeve_audit::{FieldCode, events};
use reeve_notify::delivery::{DeliveryStatus, DeliveryTarget, NotificationDelivery, Topic};
use reeve_notify::notification::{Channel, ChannelKind};
use reeve_notify::webhook::{Webhook, WebhookEvent};

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::Caller;
use crate::routes::intelligence::deliveries;
use crate::wire::alert::{AlertTestBody, AlertTestedTargetBody};

/// Channels and recipients that a rule's names stand for at this moment.
pub(super) struct Receivers {
    pub(super) channels: Vec<Channel>,
    pub(super) webhooks: Vec<Webhook>,
    /// Names that reach nobody, each with the reason.
    pub(super) missing: Vec<(String, String)>,
}

/// Finds a rule's receivers.
pub(super) async fn find(app: &App, rule: &AlertRule) -> Result<Receivers, Problem> {
    let names = &rule.settings.notification.receiving_channels();
    let all = app.dispatcher.channels.channel_list().await?;
    let webhooks = app.dispatcher.webhooks.webhook_list().await?;
    let subscribed = webhooks
        .into_iter()
        .filter(|webhook| webhook.enabled && webhook.event == WebhookEvent::AlertFired);
    let webhooks: Vec<_> = subscribed
        .filter(|_| names.iter().any(|name| name == "webhook"))
        .collect();
    let mut missing = Vec::new();

    for name in names {
        let reached = match name.as_str() {
            "webhook" => !webhooks.is_empty(),
            _ => all
                .iter()
                .any(|channel| channel.is_named(std::slice::from_ref(name), Topic::Alerts)),
        };
        if !reached {
            missing.push((name.clone(), reason(name, &all)));
        }
    }

    let channels = all
        .into_iter()
        .filter(|channel| channel.is_named(names, Topic::Alerts))
        .collect();
    Ok(Receivers {
        channels,
        webhooks,
        missing,
    })
}

/// Refuses a rule with recipients and no channel where there is no e-mail channel either: it would
/// tell nobody.
pub(super) async fn check(app: &App, settings: &RuleSettings) -> Result<(), Problem> {
    let notification = &settings.notification;
    if !notification.channels.is_empty() || notification.recipients.is_empty() {
        return Ok(());
    }

    let names = notification.receiving_channels();
    let all = app.dispatcher.channels.channel_list().await?;
    if all
        .iter()
        .any(|channel| channel.is_named(&names, Topic::Alerts))
    {
        return Ok(());
    }

    let message = "are reached through e-mail channels, and no enabled one takes alerts; add one under Notifications, or name another channel";
    Err(Problem::field(
        "notification.recipients",
        FieldCode::NoChannel,
        message,
    ))
}

fn reason(name: &str, all: &[Channel]) -> String {
    if name == "webhook" {
        return "no enabled webhook subscribes to alert_fired; add one under Webhooks".to_owned();
    }

    if ChannelKind::parse(name).is_some() {
        return format!(
            "no enabled channel of the type {name} takes alerts; add one under Notifications"
        );
    }

    let named = all
        .iter()
        .any(|channel| channel.id.0 == name || channel.name == name);
    if named {
        "the channel is disabled".to_owned()
    } else {
        "no channel has this name".to_owned()
    }
}

/// Send a test message to every receiver of a rule, once, and answer with what came of it.
#[utoipa::path(post, path = "/api/v1/audit-logs/alerts/{id}/test", tag = "audit-logs", params(("id" = String, Path)),
    responses((status = 200, body = AlertTestBody), (status = 404, body = ProblemBody)))]
pub(super) async fn test(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<AlertTestBody>, Problem> {
    let rule = app.alerts.alert_rule_get(&RuleId(id)).await?;
    let entry =
        crate::routes::audit_logs::alerts::entry(&caller, &events::ALERT_TEST, "alert.test", &rule);
    app.change(entry, sent(&app, &rule)).await.map(Json)
}

async fn sent(app: &App, rule: &AlertRule) -> Result<AlertTestBody, Problem> {
    let receivers = find(app, rule).await?;
    let mut targets = Vec::new();

    for channel in &receivers.channels {
        let delivery = app
            .dispatcher
            .test(DeliveryTarget::Channel(channel.id.clone()))
            .await
            .map_err(deliveries::problem)?;
        targets.push(tested(channel.name.clone(), &delivery));
    }

    for webhook in &receivers.webhooks {
        let delivery = app
            .dispatcher
            .test(DeliveryTarget::Webhook(webhook.id.clone()))
            .await
            .map_err(deliveries::problem)?;
        let name = if webhook.name.is_empty() {
            webhook.url.clone()
        } else {
            webhook.name.clone()
        };
        targets.push(tested(name, &delivery));
    }

    let missing = receivers.missing.into_iter();
    targets.extend(missing.map(|(name, reason)| AlertTestedTargetBody {
        name,
        delivered: false,
        error: Some(reason),
    }));

    Ok(AlertTestBody {
        ok: !targets.is_empty() && targets.iter().all(|target| target.delivered),
        targets,
    })
}

fn tested(name: String, delivery: &NotificationDelivery) -> AlertTestedTargetBody {
    let delivered = delivery.status == DeliveryStatus::Delivered;
    AlertTestedTargetBody {
        name,
        delivered,
        error: (!delivered).then(|| failure(delivery)),
    }
}

/// Reason why the last attempt of a delivery failed.
pub(super) fn failure(delivery: &NotificationDelivery) -> String {
    let attempt = delivery.attempts.last();
    let failure = attempt.and_then(|attempt| match (&attempt.error, attempt.status) {
        (Some(error), _) => Some(error.clone()),
        (None, Some(status)) => Some(format!("answered {status}")),
        (None, None) => None,
    });
    failure.unwrap_or_else(|| "not delivered".to_owned())
}
