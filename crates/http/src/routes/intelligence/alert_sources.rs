//! Sources of alerts: other tools, their tokens and the calls that close alerts there.
//!
//! Changes are recorded before and after they are made. A token is answered once, when it is made.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_access::Secret;
use reeve_audit::{FieldCode, Json as AuditJson, ResourceRef, events};
use reeve_siem::{
    AlertSource, AlertSourceId, CloseCallback, EXPIRE_AFTER_DAYS, TOKEN_PREFIX, read_callback,
    read_expiry, read_mapping, read_name,
};
use serde_json::json;

use super::inbound_alerts::PUSH_PATH;
use crate::app::App;
use crate::change::{Recorded, acted, created, modified, same_version};
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::paging::window;
use crate::wire::form::list::{List, Paging};
use crate::wire::inbound_alert::{
    AlertSourceBody, AlertSourceCreate, AlertSourcePatch, AlertSourceTokenBody, CloseCallbackBody,
};

/// Most sources that an installation may have.
const MOST: usize = 100;
/// Longest credentials, in bytes.
const MAX_CREDENTIALS: usize = 4_096;

/// Sources of alerts, oldest first.
#[utoipa::path(get, path = "/api/v1/intelligence/alert-sources", tag = "intelligence", operation_id = "alert_sources_list", params(Paging),
    responses((status = 200, body = List<AlertSourceBody>)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(params): Params<Paging>,
) -> Result<Json<List<AlertSourceBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let sources = app.alert_intake.sources().alert_source_list().await?;
    let page = window.page(sources.into_iter(), |source| source);
    let mut items = Vec::new();
    for source in &page.items {
        items.push(body_of(&app, source).await?);
    }
    Ok(Json(List {
        items,
        total: page.total,
        next_cursor: page.next_cursor,
    }))
}

/// Add a source. The answer carries the token that the tool pushes with, this once.
#[utoipa::path(post, path = "/api/v1/intelligence/alert-sources", tag = "intelligence", operation_id = "alert_sources_create", request_body = AlertSourceCreate,
    responses((status = 201, body = AlertSourceTokenBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<AlertSourceCreate>,
) -> Result<(StatusCode, Json<AlertSourceTokenBody>), Problem> {
    let credentials = body.credentials.map(credentials).transpose()?;
    let callback = body
        .callback
        .map(|given| callback(&app, given))
        .transpose()?;
    if credentials.is_some() && callback.is_none() {
        let message = "are for a callback; give one, or leave them out";
        return Err(Problem::field(
            "credentials",
            FieldCode::Conflicting,
            message,
        ));
    }

    let now = app.now();
    let source = AlertSource {
        id: AlertSourceId(uuid::Uuid::now_v7().to_string()),
        name: read_name(&body.name)?,
        format: body.format.0,
        mapping: read_mapping(body.format.0, body.mapping)?,
        callback,
        has_credentials: credentials.is_some(),
        enabled: body.enabled.unwrap_or(true),
        expire_after_days: read_expiry(body.expire_after_days.unwrap_or(EXPIRE_AFTER_DAYS))?,
        created_at: now,
        updated_at: now,
        version: 1,
    };
    let sources = app.alert_intake.sources();
    if sources.alert_source_list().await?.len() >= MOST {
        return Err(Problem::new(
            Code::Conflict,
            format!("There are {MOST} alert sources already; remove one first."),
        ));
    }

    let token = Secret::generate(TOKEN_PREFIX).map_err(Problem::internal)?;
    app.change(
        created(
            &caller,
            &events::INTEGRATION_CREATE,
            "create_alert_source",
            &source,
        ),
        sources.alert_source_insert(&source, &token.hash(), credentials.as_deref()),
    )
    .await?;

    let body = with_token(&app, &source, &token).await?;
    Ok((StatusCode::CREATED, Json(body)))
}

/// Returns one source.
#[utoipa::path(get, path = "/api/v1/intelligence/alert-sources/{id}", tag = "intelligence", operation_id = "alert_sources_get", params(("id" = String, Path)),
    responses((status = 200, body = AlertSourceBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<AlertSourceBody>, Problem> {
    Ok(Json(body_of(&app, &source(&app, id).await?).await?))
}

/// Change a source.
#[utoipa::path(patch, path = "/api/v1/intelligence/alert-sources/{id}", tag = "intelligence", operation_id = "alert_sources_patch", params(("id" = String, Path)),
    request_body = AlertSourcePatch,
    responses((status = 200, body = AlertSourceBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn patch(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<AlertSourcePatch>,
) -> Result<Json<AlertSourceBody>, Problem> {
    let before = source(&app, id).await?;
    same_version("alert source", before.version, body.version)?;
    let given = body.credentials.map(credentials).transpose()?;
    let mut after = AlertSource {
        updated_at: app.now(),
        version: before.version + 1,
        enabled: body.enabled.unwrap_or(before.enabled),
        ..before.clone()
    };

    if let Some(name) = &body.name {
        after.name = read_name(name)?;
    }
    if let Some(days) = body.expire_after_days {
        after.expire_after_days = read_expiry(days)?;
    }
    if let Some(mapping) = body.mapping {
        after.mapping = read_mapping(after.format, mapping)?;
    }
    if let Some(wanted) = body.callback {
        after.callback = Some(callback(&app, wanted)?);
    }
    if body.remove_callback {
        after.callback = None;
    }

    let address = |source: &AlertSource| source.callback.as_ref().map(|one| one.url.clone());
    let credentials = match &given {
        Some(given) => Some(Some(given.as_str())),
        None if after.callback.is_none() => Some(None),
        // Whoever may change the address need not know the credentials, so these are not sent to
        // another one.
        None if before.has_credentials && address(&before) != address(&after) => {
            let message =
                "must be given again: the address changes, and they were given for the one before";
            return Err(Problem::field(
                "credentials",
                FieldCode::MissingField,
                message,
            ));
        }
        None => None,
    };
    after.has_credentials = credentials.map_or(before.has_credentials, |given| given.is_some());

    app.change(
        modified(
            &caller,
            &events::INTEGRATION_MODIFY,
            "modify_alert_source",
            (&before, &after),
        ),
        app.alert_intake
            .sources()
            .alert_source_update(&after, None, credentials),
    )
    .await?;
    Ok(Json(body_of(&app, &after).await?))
}

/// Remove a source with its alerts. Its token opens nothing any more.
#[utoipa::path(delete, path = "/api/v1/intelligence/alert-sources/{id}", tag = "intelligence", operation_id = "alert_sources_delete", params(("id" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody)))]
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let source = source(&app, id).await?;
    let removal = app.alert_intake.sources().alert_source_delete(&source.id);
    let kind = &events::INTEGRATION_DELETE;
    app.remove(&caller, kind, "delete_alert_source", &source, removal)
        .await
}

/// Make a new token. The one before opens nothing any more.
#[utoipa::path(post, path = "/api/v1/intelligence/alert-sources/{id}/rotate-token", tag = "intelligence", operation_id = "alert_sources_rotate",
    params(("id" = String, Path)),
    responses((status = 200, body = AlertSourceTokenBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn rotate(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<AlertSourceTokenBody>, Problem> {
    let before = source(&app, id).await?;
    let after = AlertSource {
        updated_at: app.now(),
        version: before.version + 1,
        ..before
    };
    let token = Secret::generate(TOKEN_PREFIX).map_err(Problem::internal)?;
    app.change(
        acted(
            &caller,
            &events::INTEGRATION_MODIFY,
            "rotate_alert_source_token",
            &after,
        ),
        app.alert_intake
            .sources()
            .alert_source_update(&after, Some(&token.hash()), None),
    )
    .await?;
    Ok(Json(with_token(&app, &after, &token).await?))
}

async fn source(app: &App, id: String) -> Result<AlertSource, Problem> {
    let id = AlertSourceId(id);
    Ok(app.alert_intake.sources().alert_source_get(&id).await?)
}

fn credentials(given: String) -> Result<String, Problem> {
    let given = given.trim().to_owned();
    let is_header = given
        .bytes()
        .all(|byte| byte == b' ' || byte.is_ascii_graphic());
    if given.is_empty() || given.len() > MAX_CREDENTIALS || !is_header {
        let message = format!(
            "must be the value of an Authorization header: 1 to {MAX_CREDENTIALS} visible ASCII characters"
        );
        return Err(Problem::field(
            "credentials",
            FieldCode::InvalidValue,
            message,
        ));
    }
    Ok(given)
}

fn callback(app: &App, given: CloseCallbackBody) -> Result<CloseCallback, Problem> {
    let callback = read_callback(given.into())?;
    app.alert_intake
        .caller()
        .check(&callback.sample_url())
        .map_err(|reason| Problem::field("callback.url", FieldCode::InvalidValue, reason))?;
    Ok(callback)
}

async fn body_of(app: &App, source: &AlertSource) -> Result<AlertSourceBody, Problem> {
    let counts = app
        .alert_intake
        .alerts()
        .inbound_alert_counts(&source.id)
        .await?;
    let state = app
        .alert_intake
        .sources()
        .alert_source_state(&source.id)
        .await?;
    Ok(AlertSourceBody::new(source, &counts, &state, PUSH_PATH))
}

async fn with_token(
    app: &App,
    source: &AlertSource,
    token: &Secret,
) -> Result<AlertSourceTokenBody, Problem> {
    Ok(AlertSourceTokenBody {
        source: body_of(app, source).await?,
        token: token.reveal().to_owned(),
    })
}

impl Recorded for AlertSource {
    fn resource(&self) -> ResourceRef {
        ResourceRef::new("alert_source", self.id.0.clone())
    }

    /// The callback is named by its host and path alone: a query may carry keys.
    fn record(&self) -> AuditJson {
        let callback = self.callback.as_ref().map(|callback| {
            let address = callback.url.split(['?', '#']).next().unwrap_or_default();
            format!("{} {address}", callback.method)
        });
        AuditJson::from(json!({
            "name": self.name,
            "format": self.format.as_str(),
            "mapping": self.mapping,
            "callback": callback,
            "has_credentials": self.has_credentials,
            "enabled": self.enabled,
            "expire_after_days": self.expire_after_days,
        }))
    }
}
