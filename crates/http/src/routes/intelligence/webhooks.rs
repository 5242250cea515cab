//! Webhooks: subscriptions, their secrets, and what became of what was sent.
//!
//! Changes are recorded before and after they are made. A secret is answered once, when it is made.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use rand::TryRng as _;
use reeve_audit::{Entry, FieldCode, Json as AuditJson, ResourceRef, events};
use reeve_notify::delivery::{DeliveryId, DeliveryTarget};
use reeve_notify::webhook::{
    OVERLAP, Secret, Secrets, Webhook, WebhookEvent, WebhookFilter, WebhookFormat, WebhookId,
};
use serde_json::json;

use crate::app::App;
use crate::change::same_version;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::paging::window;
use crate::routes::intelligence::deliveries;
use crate::wire::form::list::{List, Paging};
use crate::wire::notification::webhook::{
    DeliveryBody, WebhookBody, WebhookCreate, WebhookPatch, WebhookSecretBody,
};
use crate::{log_entry, time};

/// Most subscriptions that an installation may have.
const MOST: usize = 200;

/// Lists subscriptions, the oldest first.
#[utoipa::path(get, path = "/api/v1/intelligence/webhooks", tag = "intelligence", operation_id = "webhooks_list", params(Paging),
    responses((status = 200, body = List<WebhookBody>)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(params): Params<Paging>,
) -> Result<Json<List<WebhookBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let all = app.dispatcher.webhooks.webhook_list().await?;
    Ok(Json(window.page(all.iter(), WebhookBody::new)))
}

/// Subscribe. The answer carries the secret, this once.
#[utoipa::path(post, path = "/api/v1/intelligence/webhooks", tag = "intelligence", operation_id = "webhooks_create", request_body = WebhookCreate,
    responses((status = 201, body = WebhookSecretBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<WebhookCreate>,
) -> Result<(StatusCode, Json<WebhookSecretBody>), Problem> {
    let now = app.now();
    let webhook = Webhook {
        id: WebhookId(uuid::Uuid::now_v7().to_string()),
        name: name(body.name)?,
        event: body.event.0,
        format: format(body.format.map(|format| format.0), body.event.0)?,
        url: address(&app, body.url)?,
        filter: filter(&body.filter, body.event.0)?,
        enabled: body.enabled.unwrap_or(true),
        disabled_reason: None,
        created_at: now,
        updated_at: now,
        version: 1,
    };

    if app.dispatcher.webhooks.webhook_list().await?.len() >= MOST {
        return Err(Problem::new(
            Code::Conflict,
            format!("The limit of {MOST} webhooks is reached. Delete one first."),
        ));
    }

    let secret = fresh()?;
    app.change(
        entry(&caller, "webhook.create", &webhook).after(state(&webhook)),
        app.dispatcher
            .webhooks
            .webhook_insert(&webhook, &Secrets::first(secret.clone())),
    )
    .await?;

    let body = WebhookSecretBody {
        webhook: WebhookBody::new(&webhook),
        secret: secret.reveal().to_owned(),
        previous_until: None,
    };
    Ok((StatusCode::CREATED, Json(body)))
}

/// Returns one subscription.
#[utoipa::path(get, path = "/api/v1/intelligence/webhooks/{id}", tag = "intelligence", operation_id = "webhooks_get", params(("id" = String, Path)),
    responses((status = 200, body = WebhookBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<WebhookBody>, Problem> {
    Ok(Json(WebhookBody::new(
        &app.dispatcher.webhooks.webhook_get(&WebhookId(id)).await?,
    )))
}

/// Change a subscription. One that Reeve switched off is switched on with `enabled`.
#[utoipa::path(patch, path = "/api/v1/intelligence/webhooks/{id}", tag = "intelligence", operation_id = "webhooks_patch", params(("id" = String, Path)),
    request_body = WebhookPatch,
    responses((status = 200, body = WebhookBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn patch(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<WebhookPatch>,
) -> Result<Json<WebhookBody>, Problem> {
    let before = app.dispatcher.webhooks.webhook_get(&WebhookId(id)).await?;
    same_version("webhook", before.version, body.version)?;
    let event = body.event.map_or(before.event, |event| event.0);

    // A filter that stays must suit an event that changes.
    let text = body.filter.unwrap_or_else(|| before.filter.to_string());
    let enabled = body.enabled.unwrap_or(before.enabled);
    let after = Webhook {
        name: body.name.map_or_else(|| Ok(before.name.clone()), name)?,
        event,
        format: format(
            Some(body.format.map_or(before.format, |format| format.0)),
            event,
        )?,
        url: body
            .url
            .map_or_else(|| Ok(before.url.clone()), |url| address(&app, url))?,
        filter: filter(&text, event)?,
        enabled,
        disabled_reason: before.disabled_reason.clone().filter(|_| !enabled),
        updated_at: app.now(),
        version: before.version + 1,
        ..before.clone()
    };

    app.change(
        entry(&caller, "webhook.modify", &after)
            .before(state(&before))
            .after(state(&after)),
        app.dispatcher.webhooks.webhook_update(&after, None),
    )
    .await?;

    Ok(Json(WebhookBody::new(&after)))
}

/// Unsubscribe. What waits for it is not sent, and its deliveries are forgotten.
#[utoipa::path(delete, path = "/api/v1/intelligence/webhooks/{id}", tag = "intelligence", operation_id = "webhooks_delete", params(("id" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody)))]
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let webhook = app.dispatcher.webhooks.webhook_get(&WebhookId(id)).await?;
    app.change(
        entry(&caller, "webhook.delete", &webhook).before(state(&webhook)),
        app.dispatcher.webhooks.webhook_delete(&webhook.id),
    )
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Send a message of type `test`, once, and answer with what came of it.
#[utoipa::path(post, path = "/api/v1/intelligence/webhooks/{id}/test", tag = "intelligence", operation_id = "webhooks_test", params(("id" = String, Path)),
    responses((status = 200, body = DeliveryBody), (status = 404, body = ProblemBody)))]
pub(super) async fn test(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<DeliveryBody>, Problem> {
    let webhook = app.dispatcher.webhooks.webhook_get(&WebhookId(id)).await?;
    let test = async {
        app.dispatcher
            .test(DeliveryTarget::Webhook(webhook.id.clone()))
            .await
            .map_err(deliveries::problem)
    };

    let delivery = app
        .change(entry(&caller, "webhook.test", &webhook), test)
        .await?;
    Ok(Json(DeliveryBody::new(&delivery)))
}

/// Make a new secret. For a day the old one signs too, so that receivers can change over.
#[utoipa::path(post, path = "/api/v1/intelligence/webhooks/{id}/rotate-secret", tag = "intelligence", operation_id = "webhooks_rotate",
    params(("id" = String, Path)),
    responses((status = 200, body = WebhookSecretBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn rotate(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<WebhookSecretBody>, Problem> {
    let webhook = app.dispatcher.webhooks.webhook_get(&WebhookId(id)).await?;
    let now = app.now();
    let (secret, old) = (
        fresh()?,
        app.dispatcher.webhooks.webhook_secrets(&webhook.id).await?,
    );
    let after = Webhook {
        updated_at: now,
        version: webhook.version + 1,
        ..webhook
    };

    app.change(
        entry(&caller, "webhook.rotate_secret", &after),
        app.dispatcher
            .webhooks
            .webhook_update(&after, Some(&old.rotated(secret.clone(), now))),
    )
    .await?;

    Ok(Json(WebhookSecretBody {
        webhook: WebhookBody::new(&after),
        secret: secret.reveal().to_owned(),
        previous_until: now.saturating_add(OVERLAP).ok().map(time::text),
    }))
}

/// Deliveries of a subscription, sent or waiting, newest first.
#[utoipa::path(get, path = "/api/v1/intelligence/webhooks/{id}/deliveries", tag = "intelligence", operation_id = "webhooks_deliveries",
    params(("id" = String, Path), Paging),
    responses((status = 200, body = List<DeliveryBody>), (status = 404, body = ProblemBody)))]
pub(super) async fn deliveries(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Params(params): Params<Paging>,
) -> Result<Json<List<DeliveryBody>>, Problem> {
    let webhook = app.dispatcher.webhooks.webhook_get(&WebhookId(id)).await?;
    deliveries::page(&app, &DeliveryTarget::Webhook(webhook.id), &params).await
}

/// Send a delivery again, from the start of its schedule, under the same identifier.
#[utoipa::path(post, path = "/api/v1/intelligence/webhooks/{id}/deliveries/{delivery}/replay", tag = "intelligence",
    operation_id = "webhooks_replay", params(("id" = String, Path), ("delivery" = String, Path)),
    responses((status = 202, body = DeliveryBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn replay(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((id, delivery)): Path<(String, String)>,
) -> Result<(StatusCode, Json<DeliveryBody>), Problem> {
    let webhook = app.dispatcher.webhooks.webhook_get(&WebhookId(id)).await?;
    let entry =
        entry(&caller, "webhook.replay", &webhook).with_metadata("delivery_id", delivery.clone());
    deliveries::replay(
        &app,
        &DeliveryTarget::Webhook(webhook.id),
        DeliveryId(delivery),
        entry,
    )
    .await
}

/// OCSF has classes for security findings; budgets and finished actions are none.
fn format(given: Option<WebhookFormat>, event: WebhookEvent) -> Result<WebhookFormat, Problem> {
    let format = given.unwrap_or(WebhookFormat::Json);
    if format == WebhookFormat::Ocsf && !event.has_findings() {
        let message = format!("is for security findings, and {event} has none; use json");
        return Err(Problem::field("format", FieldCode::Conflicting, message));
    }
    Ok(format)
}

fn filter(text: &str, event: WebhookEvent) -> Result<WebhookFilter, Problem> {
    WebhookFilter::parse(text, event)
        .map_err(|error| Problem::field("filter", FieldCode::InvalidValue, error.to_string()))
}

fn address(app: &App, url: String) -> Result<String, Problem> {
    let url = url.trim().to_owned();
    app.dispatcher
        .sender
        .check(&url)
        .map_err(|reason| Problem::field("url", FieldCode::InvalidValue, reason))?;
    Ok(url)
}

pub(super) fn name(text: String) -> Result<String, Problem> {
    let text = text.trim().to_owned();
    if text.chars().count() > 100 || text.contains(char::is_control) {
        return Err(Problem::field(
            "name",
            FieldCode::InvalidValue,
            "must have at most 100 characters without control characters",
        ));
    }
    Ok(text)
}

fn fresh() -> Result<Secret, Problem> {
    let mut random = [0_u8; 32];
    rand::rngs::SysRng
        .try_fill_bytes(&mut random)
        .map_err(Problem::internal)?;
    Ok(Secret::from_random(&random))
}

fn entry(caller: &Caller, operation: &str, webhook: &Webhook) -> Entry {
    log_entry::did(
        caller,
        &events::POLICY_MODIFY,
        operation,
        ResourceRef::new("webhook", webhook.id.0.clone()),
    )
}

/// As it stands in the log: an address's query may be a secret of the receiver.
fn state(webhook: &Webhook) -> AuditJson {
    AuditJson::from(json!({
        "name": webhook.name,
        "event": webhook.event.as_str(),
        "format": webhook.format.as_str(),
        "url": webhook.url.split(['?', '#']).next().unwrap_or_default(),
        "filter": webhook.filter.to_string(),
        "enabled": webhook.enabled,
    }))
}
