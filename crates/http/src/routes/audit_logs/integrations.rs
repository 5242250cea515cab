//! Integrations of the log: streams to other platforms, whose secrets go in and never come out. The
//! sources of entries are listed, read, paused, resumed and removed here as well; what is theirs
//! alone is in `sources`.
//!
//! Everything needs `audit.integrations`. A stream reads the whole log, whoever made it, so that the
//! permission is one to read everything.

mod course;
mod dead_letters;

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_access::Permission;
use reeve_audit::events;
use reeve_audit::query::Query;
use reeve_audit::{FieldCode, FieldError, Json as AuditJson, ResourceRef};
use reeve_estate::StoreError;
use reeve_intake::{LogSource, LogSourceId};
use reeve_streams::{
    Direction, Stream, StreamId, StreamKind, StreamSecret, StreamSettings, read_format, read_name,
    read_query,
};
use serde_json::json;
use utoipa_axum::routes;

use crate::app::App;
use crate::change::{Recorded, created, modified, same_version, secret_again};
use crate::error::{FieldProblem, Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::guard::{Access, Guarded};
use crate::paging::window;
use crate::routes::audit_logs::{ask, sources};
use crate::wire::form::enumeration::Name;
use crate::wire::form::list::List;
use crate::wire::integration::{
    DirectedIntegrationBody, IntegrationBody, IntegrationCreate, IntegrationListParams,
    IntegrationPatch, IntegrationStatusBody, StreamSettingsBody,
};

/// Most streams that an installation may have.
const MOST: u64 = 50;
/// Longest secret, bytes.
const MAX_SECRET: usize = 4_096;

const INTEGRATE: Access = Access::Needs(Permission::AuditIntegrations);

pub(super) fn routes(guarded: Guarded) -> Guarded {
    guarded
        .add(INTEGRATE, routes!(list, create))
        .add(INTEGRATE, routes!(get, patch, delete))
        .add(INTEGRATE, routes!(course::test))
        .add(INTEGRATE, routes!(course::status))
        .add(INTEGRATE, routes!(course::pause))
        .add(INTEGRATE, routes!(course::resume))
        .add(INTEGRATE, routes!(course::replay))
        .add(INTEGRATE, routes!(dead_letters::list))
        .add(INTEGRATE, routes!(dead_letters::replay))
        .add(INTEGRATE, routes!(dead_letters::drop))
}

/// Integrations: streams by name, then sources, oldest first.
#[utoipa::path(get, path = "/api/v1/audit-logs/integrations", tag = "audit-logs", operation_id = "integrations_list",
    params(IntegrationListParams), responses((status = 200, body = List<DirectedIntegrationBody>), (status = 422, body = ProblemBody)))]
async fn list(
    State(app): State<Arc<App>>,
    Params(params): Params<IntegrationListParams>,
) -> Result<Json<List<DirectedIntegrationBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let direction = match params.direction.as_deref() {
        None | Some("") => None,
        Some(name) => Some(Direction::parse(name).ok_or_else(|| {
            Problem::field("direction", FieldCode::InvalidValue, "must be out or in")
        })?),
    };

    let mut all = Vec::new();
    if direction != Some(Direction::In) {
        let streams = app.log_streams.stream_list().await?;
        all.extend(streams.into_iter().map(Integration::Stream));
    }
    if direction != Some(Direction::Out) {
        let sources = app.source_intake.sources().log_source_list().await?;
        all.extend(sources.into_iter().map(Integration::Source));
    }

    let page = window.page(all.into_iter(), |integration| integration);
    let mut items = Vec::new();
    for integration in &page.items {
        items.push(integration.body(&app).await?);
    }
    Ok(Json(List {
        items,
        total: page.total,
        next_cursor: page.next_cursor,
    }))
}

/// Add a stream. It begins with the next entry unless a sequence is given.
#[utoipa::path(post, path = "/api/v1/audit-logs/integrations", tag = "audit-logs", operation_id = "integrations_create",
    request_body = IntegrationCreate,
    responses((status = 201, body = IntegrationBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(given): Body<IntegrationCreate>,
) -> Result<(StatusCode, Json<IntegrationBody>), Problem> {
    let kind = given.kind.0;
    let settings = settings(&app, kind, given.settings)?;
    let secret = secret(&settings, given.secret)?;
    let end = app.trail(&caller.principal).end();
    let cursor = given.start_sequence.unwrap_or(end);
    if cursor > end {
        return Err(beyond("start_sequence", end));
    }

    let now = app.now();
    let stream = Stream {
        id: StreamId(uuid::Uuid::now_v7().to_string()),
        name: read_name(&given.name)?,
        format: read_format(kind, given.format.as_deref())?,
        query: query(&app, &given.query).await?,
        settings,
        paused: given.paused,
        created_by: caller.principal.email.clone(),
        created_at: now,
        updated_at: now,
        version: 1,
    };

    let kind = &events::INTEGRATION_CREATE;
    let entry = created(&caller, kind, "stream.create", &stream).with_metadata("cursor", cursor);
    app.change(
        entry,
        app.log_streams
            .stream_insert(&stream, &secret, cursor, MOST),
    )
    .await?;

    Ok((StatusCode::CREATED, Json(body_of(&app, &stream).await?)))
}

/// Returns one integration.
#[utoipa::path(get, path = "/api/v1/audit-logs/integrations/{id}", tag = "audit-logs", operation_id = "integrations_get",
    params(("id" = String, Path)),
    responses((status = 200, body = DirectedIntegrationBody), (status = 404, body = ProblemBody)))]
async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<DirectedIntegrationBody>, Problem> {
    Ok(Json(integration(&app, id).await?.body(&app).await?))
}

/// Change a stream. Other settings need the secret again, so that nobody can send it to a
/// place of their own. A stream continues where it stands.
#[utoipa::path(patch, path = "/api/v1/audit-logs/integrations/{id}", tag = "audit-logs", operation_id = "integrations_patch",
    params(("id" = String, Path)), request_body = IntegrationPatch,
    responses((status = 200, body = IntegrationBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody),
        (status = 422, body = ProblemBody)))]
async fn patch(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(given): Body<IntegrationPatch>,
) -> Result<Json<IntegrationBody>, Problem> {
    let before = app.log_streams.stream_get(&StreamId(id)).await?;
    same_version("stream", before.version, given.version)?;
    let kind = before.settings.kind();
    let mut after = before.clone();
    if let Some(name) = &given.name {
        after.name = read_name(name)?;
    }
    if let Some(given) = given.settings {
        after.settings = settings(&app, kind, given)?;
    }
    if let Some(format) = &given.format {
        after.format = read_format(kind, Some(format))?;
    }
    if let Some(text) = &given.query {
        after.query = query(&app, text).await?;
    }
    let secret = given
        .secret
        .map(|text| secret(&after.settings, text))
        .transpose()?;
    let kept = app.log_streams.stream_secret(&before.id).await?;
    let is_needed = !kept.0.is_empty() || after.settings.needs_secret();
    let is_other = after.settings != before.settings;
    secret_again(is_other && secret.is_none(), is_needed)?;

    let after = changed(&app, after);
    let kind = &events::INTEGRATION_MODIFY;
    let entry = modified(&caller, kind, "stream.modify", (&before, &after))
        .with_metadata("secret_replaced", secret.is_some());
    app.change(
        entry,
        app.log_streams.stream_update(&after, secret.as_ref()),
    )
    .await?;
    Ok(Json(body_of(&app, &after).await?))
}

/// Remove a stream with its state and dead letters, or a source with its quarantine.
#[utoipa::path(delete, path = "/api/v1/audit-logs/integrations/{id}", tag = "audit-logs", operation_id = "integrations_delete",
    params(("id" = String, Path)), responses((status = 204), (status = 404, body = ProblemBody)))]
async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let before = match integration(&app, id).await? {
        Integration::Stream(stream) => stream,
        Integration::Source(source) => return sources::remove(&app, &caller, &source).await,
    };
    let removal = app.log_streams.stream_delete(&before.id);
    let kind = &events::INTEGRATION_DELETE;
    app.remove(&caller, kind, "stream.delete", &before, removal)
        .await
}

/// An integration of either direction.
enum Integration {
    Stream(Stream),
    Source(LogSource),
}

impl Integration {
    async fn body(&self, app: &App) -> Result<DirectedIntegrationBody, Problem> {
        Ok(match self {
            Integration::Stream(stream) => {
                DirectedIntegrationBody::Stream(Box::new(body_of(app, stream).await?))
            }
            Integration::Source(source) => {
                DirectedIntegrationBody::Source(Box::new(sources::body_of(app, source).await?))
            }
        })
    }
}

/// Returns the stream with an identifier, or else the source.
async fn integration(app: &App, id: String) -> Result<Integration, Problem> {
    let unknown = match app.log_streams.stream_get(&StreamId(id.clone())).await {
        Ok(stream) => return Ok(Integration::Stream(stream)),
        Err(unknown @ StoreError::NotFound { .. }) => unknown,
        Err(error) => return Err(error.into()),
    };
    let sources = app.source_intake.sources();
    match sources.log_source_get(&LogSourceId(id)).await {
        Ok(source) => Ok(Integration::Source(source)),
        Err(StoreError::NotFound { .. }) => Err(unknown.into()),
        Err(error) => Err(error.into()),
    }
}

fn settings(
    app: &App,
    kind: StreamKind,
    given: StreamSettingsBody,
) -> Result<StreamSettings, Problem> {
    let settings = given.draft().read(kind).map_err(|errors| {
        let placed = errors.into_iter().map(|error| FieldProblem {
            field: format!("settings.{}", error.path),
            code: Name(error.code),
            message: error.message,
            index: None,
        });
        Problem::fields(placed.collect())
    })?;
    app.stream_sender.check(&settings)?;
    Ok(settings)
}

fn secret(settings: &StreamSettings, given: String) -> Result<StreamSecret, Problem> {
    let given = given.trim().to_owned();
    let is_header = given
        .bytes()
        .all(|byte| byte == b' ' || byte.is_ascii_graphic());
    let error = if given.is_empty() && settings.needs_secret() {
        let message = "is required for this type";
        FieldError::new("secret", FieldCode::MissingField, message)
    } else if given.len() > MAX_SECRET || !is_header {
        let message = format!("must have at most {MAX_SECRET} visible ASCII characters");
        FieldError::new("secret", FieldCode::InvalidValue, message)
    } else {
        return Ok(StreamSecret(given));
    };
    Err(error.into())
}

/// Reads a query, whose lists must exist.
async fn query(app: &App, text: &str) -> Result<String, Problem> {
    let text = read_query(text)?;
    if !text.is_empty() {
        let query = Query::parse(&text).map_err(ask::query_problem)?;
        ask::with_lists(app, &query).await?;
    }
    Ok(text)
}

fn beyond(field: &'static str, end: u64) -> Problem {
    let message = format!("must be at most {end}, the end of the log");
    Problem::field(field, FieldCode::OutOfRange, message)
}

/// Returns a changed stream with its new version.
fn changed(app: &App, stream: Stream) -> Stream {
    Stream {
        updated_at: app.now(),
        version: stream.version + 1,
        ..stream
    }
}

async fn status_of(app: &App, stream: &Stream) -> Result<IntegrationStatusBody, Problem> {
    let state = app.log_streams.stream_state(&stream.id).await?;
    let lag = app.stream_sender.lag(state.cursor).await;
    let lag = lag.map_err(Problem::internal)?;
    let (_, dead_letters) = app.log_streams.dead_letter_list(&stream.id, 1, 0).await?;
    let now = app.now();
    Ok(IntegrationStatusBody::new(
        stream,
        &state,
        &lag,
        dead_letters,
        now,
    ))
}

async fn body_of(app: &App, stream: &Stream) -> Result<IntegrationBody, Problem> {
    let secret = app.log_streams.stream_secret(&stream.id).await?;
    let status = status_of(app, stream).await?;
    Ok(IntegrationBody::new(stream, !secret.0.is_empty(), status))
}

impl Recorded for Stream {
    fn resource(&self) -> ResourceRef {
        ResourceRef::new("stream", self.id.0.clone())
    }

    /// The address is named without a query, which may carry keys.
    fn record(&self) -> AuditJson {
        AuditJson::from(json!({
            "name": self.name,
            "direction": "out",
            "type": self.settings.kind().as_str(),
            "receiver": self.settings.receiver(),
            "format": self.format.as_str(),
            "query": self.query,
            "paused": self.paused,
        }))
    }
}
