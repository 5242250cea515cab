//! "Alert not firing", by name: state, silence, condition, threshold, channel, watermark.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use reeve_alerts::{AlertRule, DegradedBy, RuleId, RuleState};
use reeve_audit::events;
use reeve_notify::delivery::{DeliveryStatus, DeliveryTarget};
use serde_json::json;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::Caller;
use crate::routes::audit_logs::alerts::preview::{Past, past};
use crate::routes::audit_logs::alerts::receivers;
use crate::routes::audit_logs::alerts::receivers::failure;
use crate::wire::alert::{AlertCheckBody, AlertDiagnosisBody};
use crate::{log_entry, time};

/// Entries that may wait for evaluation without remark: some seconds of a busy log.
const BEHIND: u64 = 100_000;

/// Diagnosis of an alert that does not fire or whose notifications do not arrive: each link of the
/// chain, with what to do.
#[utoipa::path(get, path = "/api/v1/audit-logs/alerts/{id}/diagnosis", tag = "audit-logs", params(("id" = String, Path)),
    responses((status = 200, body = AlertDiagnosisBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<AlertDiagnosisBody>, Problem> {
    let rule = app.alerts.alert_rule_get(&RuleId(id)).await?;
    let past = past(&app, &caller, rule.settings.clone()).await?;
    let (asked, found) = (
        json!({ "alert": rule.id.0, "days": 30 }),
        past.matched.len() as u64,
    );
    app.record_reading(log_entry::read_log(
        &caller,
        &events::AUDIT_SEARCH,
        "diagnose_alert",
        asked,
        Some(found),
    ))
    .await?;

    let checks = vec![
        state(&rule),
        silence(&app, &rule),
        condition(&past),
        threshold(&rule, &past),
        channel(&app, &rule).await?,
        watermark(&app, &rule).await?,
        bounds(&app, &rule).await?,
    ];

    Ok(Json(AlertDiagnosisBody {
        ok: checks.iter().all(|check| check.ok),
        checks,
    }))
}

fn check(check: &str, ok: bool, detail: impl Into<String>) -> AlertCheckBody {
    AlertCheckBody {
        check: check.to_owned(),
        ok,
        detail: detail.into(),
    }
}

fn state(rule: &AlertRule) -> AlertCheckBody {
    match rule.state {
        RuleState::Enabled => check("state", true, "The rule is enabled."),
        RuleState::Draft => check("state", false, "The rule is a draft. Enable it."),
        RuleState::Disabled => check("state", false, "The rule is disabled. Enable it."),
    }
}

fn silence(app: &App, rule: &AlertRule) -> AlertCheckBody {
    match rule.silenced_until {
        Some(until) if rule.is_silenced(app.now()) => {
            let detail = format!(
                "The rule is silenced until {}: firings are listed without a notification.",
                time::text(until)
            );
            check("silence", false, detail)
        }
        _ => check("silence", true, "The rule is not silenced."),
    }
}

fn condition(past: &Past) -> AlertCheckBody {
    let days = "in the last 30 days";
    match past.matched.len() {
        0 => check(
            "condition",
            false,
            format!("No entry matched the condition {days}. Try it in a search."),
        ),
        count if past.truncated => check(
            "condition",
            true,
            format!("More than {count} entries matched {days}."),
        ),
        count => check(
            "condition",
            true,
            format!("{count} entries matched {days}."),
        ),
    }
}

fn threshold(rule: &AlertRule, past: &Past) -> AlertCheckBody {
    let threshold = rule.settings.threshold;
    let window = threshold.window();

    if !past.fired.is_empty() {
        let times = past.fired.len();
        return check(
            "threshold",
            true,
            format!("The threshold was reached {times} times in the last 30 days."),
        );
    }

    let fields: Vec<&str> = rule.settings.group_by.names().collect();
    let each = if fields.is_empty() {
        String::new()
    } else {
        format!(" with the same {}", fields.join(", "))
    };

    let counted = match rule.settings.draft().distinct {
        Some(field) => format!("values of {field}"),
        None => "entries".to_owned(),
    };
    let detail = format!(
        "The threshold of {} {counted} within {window}{each} was not reached in the last 30 days. \
         Lower the count, widen the window, or group by fewer fields.",
        threshold.count
    );
    check("threshold", false, detail)
}

async fn channel(app: &App, rule: &AlertRule) -> Result<AlertCheckBody, Problem> {
    if rule.settings.notification.receiving_channels().is_empty() {
        return Ok(check(
            "channel",
            false,
            "The rule names no channel: firings are listed without a notification.",
        ));
    }

    let receivers = receivers::find(app, rule).await?;
    if let Some((name, reason)) = receivers.missing.first() {
        return Ok(check("channel", false, format!("{name}: {reason}.")));
    }

    let channels = receivers
        .channels
        .iter()
        .map(|one| (one.name.clone(), DeliveryTarget::Channel(one.id.clone())));
    let webhooks = receivers
        .webhooks
        .iter()
        .map(|one| (one.url.clone(), DeliveryTarget::Webhook(one.id.clone())));

    for (name, target) in channels.chain(webhooks) {
        let (last, _) = app
            .dispatcher
            .deliveries
            .delivery_list(&target, 1, 0)
            .await?;
        let failed = last.first().filter(|delivery| {
            let waiting =
                delivery.status == DeliveryStatus::Pending && !delivery.attempts.is_empty();
            delivery.status == DeliveryStatus::DeadLetter || waiting
        });
        if let Some(delivery) = failed {
            let detail = format!(
                "The last message to {name} was not delivered: {}.",
                failure(delivery)
            );
            return Ok(check("channel", false, detail));
        }
    }

    Ok(check(
        "channel",
        true,
        "Every channel that the rule names exists and takes alerts.",
    ))
}

/// Says whether the rule counts only in part.
async fn bounds(app: &App, rule: &AlertRule) -> Result<AlertCheckBody, Problem> {
    let degraded = crate::routes::audit_logs::alerts::degraded(app).await?;
    let Some(met) = degraded.iter().find(|degraded| degraded.rule == rule.id) else {
        return Ok(check(
            "bounds",
            true,
            "The rule is within the bounds of its memory.",
        ));
    };

    let (since, at) = (time::text(met.since), time::text(met.at));
    let detail = match met.by {
        DegradedBy::Groups => format!(
            "Since {since}, last at {at}, the rule has more groups than are counted apart. Entries of further groups are \
             counted together. Narrow the condition, or group by fields that a source cannot choose freely."
        ),
        DegradedBy::Entries => format!(
            "Since {since}, last at {at}, more entries wait for the threshold than are kept. Only the latest of each group \
             are counted. Narrow the condition, or shorten the window."
        ),
    };

    Ok(check("bounds", false, detail))
}

async fn watermark(app: &App, rule: &AlertRule) -> Result<AlertCheckBody, Problem> {
    let end = app.ledger.size();
    let progress = app.alerts.alert_progress().await?.unwrap_or_default();
    let behind = end.saturating_sub(progress.position);
    if behind > BEHIND {
        let detail = format!("{behind} entries wait to be evaluated. The rule fires after that.");
        return Ok(check("watermark", false, detail));
    }

    let tally = app
        .alerts
        .alert_tally(&rule.id, rule.revision)
        .await?
        .unwrap_or_default();

    if tally.late > 0 {
        let detail = format!(
            "{} of {} matching entries arrived more than a day after the latest of their group and were not counted. \
             Preview the rule to see what it missed.",
            tally.late, tally.matched
        );
        return Ok(check("watermark", false, detail));
    }

    let detail = format!(
        "Evaluated up to entry {}; no matching entry arrived too late to count.",
        progress.position
    );
    Ok(check("watermark", true, detail))
}
