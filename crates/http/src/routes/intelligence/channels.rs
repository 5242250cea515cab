//! Notification channels: where people are told. Changes are recorded before they are made; secrets
//! never come out.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_audit::{Entry, FieldCode, Json as AuditJson, ResourceRef, events};
use reeve_notify::delivery::{DeliveryId, DeliveryTarget, Topic};
use reeve_notify::notification::{
    Channel, ChannelFault, ChannelId, ChannelKind, ChannelSecret, ChannelSettings,
    channel_type_names,
};
use serde_json::json;

use crate::app::App;
use crate::change::same_version;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::log_entry;
use crate::paging::window;
use crate::routes::intelligence::deliveries;
use crate::routes::intelligence::webhooks::name;
use crate::wire::form::list::{List, Paging};
use crate::wire::notification::channel::{
    ChannelBody, ChannelCreate, ChannelPatch, ChannelTypeBody,
};
use crate::wire::notification::webhook::DeliveryBody;

/// Most channels that an installation may have.
const MOST: usize = 100;

/// Types of channels, with the settings and the secret of each.
#[utoipa::path(get, path = "/api/v1/intelligence/notification-channel-types", tag = "intelligence", operation_id = "channel_types",
    responses((status = 200, body = List<ChannelTypeBody>)))]
pub(super) async fn types() -> Json<List<ChannelTypeBody>> {
    let items: Vec<ChannelTypeBody> = ChannelKind::ALL.iter().copied().map(Into::into).collect();
    Json(List {
        total: items.len() as u64,
        items,
        next_cursor: None,
    })
}

/// Lists channels, the oldest first.
#[utoipa::path(get, path = "/api/v1/intelligence/notification-channels", tag = "intelligence", operation_id = "channels_list", params(Paging),
    responses((status = 200, body = List<ChannelBody>)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(params): Params<Paging>,
) -> Result<Json<List<ChannelBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let all = app.dispatcher.channels.channel_list().await?;
    Ok(Json(window.page(all.iter(), ChannelBody::new)))
}

/// Add a channel. Agents' timings decide what goes out when; requests for signatures go out at
/// once.
#[utoipa::path(post, path = "/api/v1/intelligence/notification-channels", tag = "intelligence", operation_id = "channels_create",
    request_body = ChannelCreate,
    responses((status = 201, body = ChannelBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<ChannelCreate>,
) -> Result<(StatusCode, Json<ChannelBody>), Problem> {
    let kind = ChannelKind::parse(&body.kind).ok_or_else(|| {
        Problem::field(
            "type",
            FieldCode::InvalidValue,
            format!("{:?} is not one of {}", body.kind, channel_type_names()),
        )
    })?;

    let (now, secret) = (app.now(), ChannelSecret(body.secret));
    let channel = Channel {
        id: ChannelId(uuid::Uuid::now_v7().to_string()),
        name: named(body.name)?,
        settings: ChannelSettings::parse(kind, &body.settings.0).map_err(problem)?,
        topics: topics(&body.topics)?,
        enabled: body.enabled.unwrap_or(true),
        created_at: now,
        updated_at: now,
        version: 1,
    };
    checked(&app, &channel, &secret)?;

    if app.dispatcher.channels.channel_list().await?.len() >= MOST {
        return Err(Problem::new(
            Code::Conflict,
            format!("The limit of {MOST} channels is reached. Delete one first."),
        ));
    }

    app.change(
        entry(&caller, "notification_channel.create", &channel).after(state(&channel)),
        app.dispatcher.channels.channel_insert(&channel, &secret),
    )
    .await?;
    Ok((StatusCode::CREATED, Json(ChannelBody::new(&channel))))
}

/// Returns one channel.
#[utoipa::path(get, path = "/api/v1/intelligence/notification-channels/{id}", tag = "intelligence", operation_id = "channels_get",
    params(("id" = String, Path)),
    responses((status = 200, body = ChannelBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<ChannelBody>, Problem> {
    Ok(Json(ChannelBody::new(
        &app.dispatcher.channels.channel_get(&ChannelId(id)).await?,
    )))
}

/// Change a channel.
#[utoipa::path(patch, path = "/api/v1/intelligence/notification-channels/{id}", tag = "intelligence", operation_id = "channels_patch",
    params(("id" = String, Path)), request_body = ChannelPatch,
    responses((status = 200, body = ChannelBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn patch(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<ChannelPatch>,
) -> Result<Json<ChannelBody>, Problem> {
    let before = app.dispatcher.channels.channel_get(&ChannelId(id)).await?;
    same_version("channel", before.version, body.version)?;
    let kind = before.settings.kind();
    let after = Channel {
        name: body.name.map_or_else(|| Ok(before.name.clone()), named)?,
        settings: body.settings.map_or_else(
            || Ok(before.settings.clone()),
            |given| ChannelSettings::parse(kind, &given.0).map_err(problem),
        )?,
        topics: body
            .topics
            .map_or_else(|| Ok(before.topics.clone()), |given| topics(&given))?,
        enabled: body.enabled.unwrap_or(before.enabled),
        updated_at: app.now(),
        version: before.version + 1,
        ..before.clone()
    };

    let given = body.secret.map(ChannelSecret);
    let secret = match &given {
        Some(secret) => secret.clone(),
        None => app.dispatcher.channels.channel_secret(&before.id).await?,
    };
    checked(&app, &after, &secret)?;
    let entry = entry(&caller, "notification_channel.modify", &after)
        .before(state(&before))
        .after(state(&after))
        .with_metadata("secret_replaced", given.is_some());
    app.change(
        entry,
        app.dispatcher
            .channels
            .channel_update(&after, given.as_ref()),
    )
    .await?;

    Ok(Json(ChannelBody::new(&after)))
}

/// Remove a channel, with what waits for it.
#[utoipa::path(delete, path = "/api/v1/intelligence/notification-channels/{id}", tag = "intelligence", operation_id = "channels_delete",
    params(("id" = String, Path)), responses((status = 204), (status = 404, body = ProblemBody)))]
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let channel = app.dispatcher.channels.channel_get(&ChannelId(id)).await?;
    app.change(
        entry(&caller, "notification_channel.delete", &channel).before(state(&channel)),
        app.dispatcher.channels.channel_delete(&channel.id),
    )
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Send a message, once, and answer with what came of it.
#[utoipa::path(post, path = "/api/v1/intelligence/notification-channels/{id}/test", tag = "intelligence", operation_id = "channels_test",
    params(("id" = String, Path)), responses((status = 200, body = DeliveryBody), (status = 404, body = ProblemBody)))]
pub(super) async fn test(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<DeliveryBody>, Problem> {
    let channel = app.dispatcher.channels.channel_get(&ChannelId(id)).await?;
    let test = async {
        app.dispatcher
            .test(DeliveryTarget::Channel(channel.id.clone()))
            .await
            .map_err(deliveries::problem)
    };

    let delivery = app
        .change(entry(&caller, "notification_channel.test", &channel), test)
        .await?;
    Ok(Json(DeliveryBody::new(&delivery)))
}

/// Deliveries of a channel, sent or waiting, newest first.
#[utoipa::path(get, path = "/api/v1/intelligence/notification-channels/{id}/deliveries", tag = "intelligence",
    operation_id = "channels_deliveries", params(("id" = String, Path), Paging),
    responses((status = 200, body = List<DeliveryBody>), (status = 404, body = ProblemBody)))]
pub(super) async fn deliveries(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Params(params): Params<Paging>,
) -> Result<Json<List<DeliveryBody>>, Problem> {
    let channel = app.dispatcher.channels.channel_get(&ChannelId(id)).await?;
    deliveries::page(&app, &DeliveryTarget::Channel(channel.id), &params).await
}

/// Send a message again, from the start of its schedule.
#[utoipa::path(post, path = "/api/v1/intelligence/notification-channels/{id}/deliveries/{delivery}/replay", tag = "intelligence",
    operation_id = "channels_replay", params(("id" = String, Path), ("delivery" = String, Path)),
    responses((status = 202, body = DeliveryBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn replay(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((id, delivery)): Path<(String, String)>,
) -> Result<(StatusCode, Json<DeliveryBody>), Problem> {
    let channel = app.dispatcher.channels.channel_get(&ChannelId(id)).await?;
    let entry = entry(&caller, "notification_channel.replay", &channel)
        .with_metadata("delivery_id", delivery.clone());
    deliveries::replay(
        &app,
        &DeliveryTarget::Channel(channel.id),
        DeliveryId(delivery),
        entry,
    )
    .await
}

fn named(text: String) -> Result<String, Problem> {
    let text = name(text)?;
    if text.is_empty() {
        Err(Problem::field(
            "name",
            FieldCode::InvalidValue,
            "must have 1 to 100 characters",
        ))
    } else {
        Ok(text)
    }
}

fn topics(given: &[String]) -> Result<Vec<Topic>, Problem> {
    let mut topics = Vec::new();
    for (index, text) in given.iter().enumerate() {
        let topic = Topic::parse(text).ok_or_else(|| {
            let known: Vec<_> = Topic::ALL.iter().map(|topic| topic.as_str()).collect();
            Problem::field(
                format!("topics[{index}]"),
                FieldCode::InvalidValue,
                format!("{text:?} is not one of {}", known.join(", ")),
            )
        })?;
        if !topics.contains(&topic) {
            topics.push(topic);
        }
    }

    Ok(topics)
}

fn problem(fault: ChannelFault) -> Problem {
    Problem::field(fault.field, fault.code, fault.message)
}

fn checked(app: &App, channel: &Channel, secret: &ChannelSecret) -> Result<(), Problem> {
    let checked = app.dispatcher.notifier.check(&channel.settings, secret);
    checked.map_err(problem)
}

fn entry(caller: &Caller, operation: &str, channel: &Channel) -> Entry {
    log_entry::did(
        caller,
        &events::POLICY_MODIFY,
        operation,
        ResourceRef::new("notification_channel", channel.id.0.clone()),
    )
}

/// As it stands in the log, without the secret.
fn state(channel: &Channel) -> AuditJson {
    let body = ChannelBody::new(channel);
    AuditJson::from(json!({
        "name": body.name,
        "type": body.kind,
        "settings": body.settings,
        "topics": body.topics,
        "enabled": body.enabled,
    }))
}
