//! Sources of entries: other systems, their tokens, their mappings and what could not be read.
//!
//! Changes are recorded before and after they are made. A token is answered once, when it is made.

mod preview;
mod quarantine;

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_access::{EventTypePattern, Permission, Secret};
use reeve_audit::{Entry, FieldCode, FieldError, Json as AuditJson, ResourceRef, events};
use reeve_estate::{ConnectionId, Provider};
use reeve_intake::{
    LogSource, LogSourceId, Mapping, QuarantineFilter, QueueSettings, SourceKind, TOKEN_PREFIX,
    read_name, read_silence,
};
use serde_json::json;
use utoipa_axum::routes;

use crate::app::App;
use crate::change::{Recorded, acted, created, modified, same_version};
use crate::error::{Code, FieldProblem, Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::guard::{Access, Guarded};
use crate::paging::window;
use crate::wire::form::enumeration::Name;
use crate::wire::form::list::{List, Paging};
use crate::wire::log_source::{
    LogSourceBody, LogSourceCreate, LogSourcePatch, LogSourceTokenBody, MappingBody,
    SourceQueueBody,
};

/// Most sources that an installation may have.
const MOST: usize = 100;
/// Longest address of a queue.
const LONGEST_URL: usize = 512;

pub(super) fn routes(guarded: Guarded) -> Guarded {
    let rule = Access::Needs(Permission::AuditIntegrations);
    guarded
        .add(rule, routes!(list, create))
        .add(rule, routes!(preview::preview))
        .add(rule, routes!(get, patch, delete))
        .add(rule, routes!(status))
        .add(rule, routes!(pause))
        .add(rule, routes!(resume))
        .add(rule, routes!(rotate))
        .add(rule, routes!(preview::test))
        .add(rule, routes!(quarantine::list))
        .add(rule, routes!(quarantine::delete))
        .add(rule, routes!(quarantine::retry))
}

/// Sources of entries, oldest first.
#[utoipa::path(get, path = "/api/v1/audit-logs/sources", tag = "audit-logs", operation_id = "log_sources_list", params(Paging),
    responses((status = 200, body = List<LogSourceBody>)))]
async fn list(
    State(app): State<Arc<App>>,
    Params(params): Params<Paging>,
) -> Result<Json<List<LogSourceBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let sources = app.source_intake.sources().log_source_list().await?;
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

/// Add a source. The answer carries the token that it pushes with, this once. The token appends
/// through this source and opens nothing else.
#[utoipa::path(post, path = "/api/v1/audit-logs/sources", tag = "audit-logs", operation_id = "log_sources_create", request_body = LogSourceCreate,
    responses((status = 201, body = LogSourceTokenBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<LogSourceCreate>,
) -> Result<(StatusCode, Json<LogSourceTokenBody>), Problem> {
    let now = app.now();
    let kind = body.kind.0;
    let source = LogSource {
        id: LogSourceId(uuid::Uuid::now_v7().to_string()),
        name: read_name(&body.name)?,
        kind,
        mapping: mapping(kind, body.mapping)?,
        event_types: event_types(body.event_types)?,
        queue: match body.queue {
            Some(given) => Some(queue(&app, kind, given).await?),
            None => None,
        },
        max_silence_s: body.max_silence_s.map(read_silence).transpose()?,
        enabled: body.enabled.unwrap_or(true),
        created_at: now,
        updated_at: now,
        version: 1,
    };
    let sources = app.source_intake.sources();
    if sources.log_source_list().await?.len() >= MOST {
        let message = format!("There are {MOST} sources already; remove one first.");
        return Err(Problem::new(Code::Conflict, message));
    }

    let token = Secret::generate(TOKEN_PREFIX).map_err(Problem::internal)?;
    app.change(
        created(
            &caller,
            &events::INTEGRATION_CREATE,
            "create_log_source",
            &source,
        ),
        sources.log_source_insert(&source, &token.hash()),
    )
    .await?;
    let body = with_token(&app, &source, &token).await?;
    Ok((StatusCode::CREATED, Json(body)))
}

/// Returns one source.
#[utoipa::path(get, path = "/api/v1/audit-logs/sources/{id}", tag = "audit-logs", operation_id = "log_sources_get", params(("id" = String, Path)),
    responses((status = 200, body = LogSourceBody), (status = 404, body = ProblemBody)))]
async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<LogSourceBody>, Problem> {
    Ok(Json(body_of(&app, &source(&app, id).await?).await?))
}

/// State of a source: its counts, its newest event, its delay and its last error.
#[utoipa::path(get, path = "/api/v1/audit-logs/sources/{id}/status", tag = "audit-logs", operation_id = "log_sources_status", params(("id" = String, Path)),
    responses((status = 200, body = LogSourceBody), (status = 404, body = ProblemBody)))]
async fn status(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<LogSourceBody>, Problem> {
    Ok(Json(body_of(&app, &source(&app, id).await?).await?))
}

/// Change a source. Its name and its kind stay.
#[utoipa::path(patch, path = "/api/v1/audit-logs/sources/{id}", tag = "audit-logs", operation_id = "log_sources_patch", params(("id" = String, Path)),
    request_body = LogSourcePatch,
    responses((status = 200, body = LogSourceBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
async fn patch(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<LogSourcePatch>,
) -> Result<Json<LogSourceBody>, Problem> {
    let before = source(&app, id).await?;
    same_version("source", before.version, body.version)?;
    let mut after = before.clone();
    if body.mapping.is_some() {
        after.mapping = mapping(after.kind, body.mapping)?;
    }
    if let Some(given) = body.event_types {
        after.event_types = event_types(given)?;
    }
    if let Some(given) = body.queue {
        after.queue = Some(queue(&app, after.kind, given).await?);
    }
    if let Some(given) = body.max_silence_s {
        after.max_silence_s = Some(read_silence(given)?);
    }
    after.enabled = body.enabled.unwrap_or(before.enabled);
    Ok(Json(
        change(&app, &caller, "modify_log_source", &before, after).await?,
    ))
}

/// Pause a source: pushes are refused, and its queue and its listener are not read.
#[utoipa::path(post, path = "/api/v1/audit-logs/sources/{id}/pause", tag = "audit-logs", operation_id = "log_sources_pause", params(("id" = String, Path)),
    responses((status = 200, body = LogSourceBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
async fn pause(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<LogSourceBody>, Problem> {
    set_enabled(&app, &caller, source(&app, id).await?, false).await
}

/// Resume a source that was paused.
#[utoipa::path(post, path = "/api/v1/audit-logs/sources/{id}/resume", tag = "audit-logs", operation_id = "log_sources_resume", params(("id" = String, Path)),
    responses((status = 200, body = LogSourceBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
async fn resume(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<LogSourceBody>, Problem> {
    set_enabled(&app, &caller, source(&app, id).await?, true).await
}

pub(super) async fn set_enabled(
    app: &App,
    caller: &Caller,
    before: LogSource,
    enabled: bool,
) -> Result<Json<LogSourceBody>, Problem> {
    let after = LogSource {
        enabled,
        ..before.clone()
    };
    let operation = if enabled {
        "resume_log_source"
    } else {
        "pause_log_source"
    };
    Ok(Json(change(app, caller, operation, &before, after).await?))
}

/// Remove a source with its quarantine. Its token opens nothing any more; its entries stay.
#[utoipa::path(delete, path = "/api/v1/audit-logs/sources/{id}", tag = "audit-logs", operation_id = "log_sources_delete", params(("id" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody)))]
async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let source = source(&app, id).await?;
    remove(&app, &caller, &source).await
}

pub(super) async fn remove(
    app: &App,
    caller: &Caller,
    source: &LogSource,
) -> Result<StatusCode, Problem> {
    let removal = app.source_intake.sources().log_source_delete(&source.id);
    let kind = &events::INTEGRATION_DELETE;
    app.remove(caller, kind, "delete_log_source", source, removal)
        .await
}

/// Make a new token. The one before opens nothing any more.
#[utoipa::path(post, path = "/api/v1/audit-logs/sources/{id}/rotate-token", tag = "audit-logs", operation_id = "log_sources_rotate", params(("id" = String, Path)),
    responses((status = 200, body = LogSourceTokenBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
async fn rotate(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<LogSourceTokenBody>, Problem> {
    let before = source(&app, id).await?;
    let after = LogSource {
        updated_at: app.now(),
        version: before.version + 1,
        ..before
    };
    let token = Secret::generate(TOKEN_PREFIX).map_err(Problem::internal)?;
    app.change(
        acted(
            &caller,
            &events::INTEGRATION_MODIFY,
            "rotate_log_source_token",
            &after,
        ),
        app.source_intake
            .sources()
            .log_source_update(&after, Some(&token.hash())),
    )
    .await?;
    Ok(Json(with_token(&app, &after, &token).await?))
}

async fn change(
    app: &App,
    caller: &Caller,
    operation: &str,
    before: &LogSource,
    after: LogSource,
) -> Result<LogSourceBody, Problem> {
    let after = LogSource {
        updated_at: app.now(),
        version: before.version + 1,
        ..after
    };
    app.change(
        modified(
            caller,
            &events::INTEGRATION_MODIFY,
            operation,
            (before, &after),
        ),
        app.source_intake.sources().log_source_update(&after, None),
    )
    .await?;
    body_of(app, &after).await
}

/// Returns a source by its identifier or its name.
async fn source(app: &App, id: String) -> Result<LogSource, Problem> {
    let sources = app.source_intake.sources();
    if read_name(&id).is_ok() {
        let all = sources.log_source_list().await?;
        if let Some(named) = all.into_iter().find(|source| source.name == id) {
            return Ok(named);
        }
    }
    Ok(sources.log_source_get(&LogSourceId(id)).await?)
}

fn problems(errors: Vec<FieldError>) -> Problem {
    let fields = errors.into_iter().map(|error| FieldProblem {
        field: error.path,
        code: Name(error.code),
        message: error.message,
        index: None,
    });
    Problem::fields(fields.collect())
}

fn mapping(kind: SourceKind, given: Option<MappingBody>) -> Result<Option<Mapping>, Problem> {
    let wrong = |code, message: &str| Err(Problem::field("mapping", code, message));
    match (kind, given) {
        (SourceKind::Json, None) => wrong(FieldCode::MissingField, "is required for kind json"),
        (SourceKind::Json, Some(given)) => {
            let mapping = Mapping::from(given);
            mapping.check().map_err(problems)?;
            Ok(Some(mapping))
        }
        (_, Some(_)) => wrong(
            FieldCode::Conflicting,
            "is for kind json alone; the other kinds have fixed fields",
        ),
        (_, None) => Ok(None),
    }
}

fn event_types(given: Vec<String>) -> Result<Vec<String>, Problem> {
    EventTypePattern::parse_all(&given)?;
    Ok(given)
}

async fn queue(
    app: &App,
    kind: SourceKind,
    given: SourceQueueBody,
) -> Result<QueueSettings, Problem> {
    if kind != SourceKind::Cloudtrail {
        let message = "is for kind cloudtrail alone; the other kinds push";
        return Err(Problem::field("queue", FieldCode::Conflicting, message));
    }
    let id = ConnectionId(given.connection.trim().to_owned());
    let wrong =
        |field: &str, message: &str| Problem::field(field, FieldCode::InvalidValue, message);
    let Ok(connection) = app.estate.connection_get(&id).await else {
        return Err(wrong("queue.connection", "there is no such connection"));
    };
    if connection.provider != Provider::Aws {
        return Err(wrong("queue.connection", "must be a connection to AWS"));
    }
    let url = given.url.trim();
    let is_url =
        url.starts_with("https://") || connection.endpoint.is_some() && url.starts_with("http://");
    if !is_url || url.len() > LONGEST_URL || url.contains(char::is_whitespace) {
        let message = "must be the address of a queue of SQS, as https://sqs.eu-west-1.amazonaws.com/111122223333/name";
        return Err(wrong("queue.url", message));
    }
    Ok(QueueSettings {
        connection: id.0,
        url: url.to_owned(),
        digests: given.digests,
    })
}

pub(super) async fn body_of(app: &App, source: &LogSource) -> Result<LogSourceBody, Problem> {
    let sources = app.source_intake.sources();
    let progress = sources.log_source_progress(&source.id).await?;
    let filter = QuarantineFilter::default();
    let (_, quarantined) = sources.quarantine_list(&source.id, filter).await?;
    Ok(LogSourceBody::new(source, &progress, quarantined))
}

async fn with_token(
    app: &App,
    source: &LogSource,
    token: &Secret,
) -> Result<LogSourceTokenBody, Problem> {
    Ok(LogSourceTokenBody {
        source: body_of(app, source).await?,
        token: token.reveal().to_owned(),
    })
}

impl Recorded for LogSource {
    fn resource(&self) -> ResourceRef {
        ResourceRef::new("log_source", self.id.0.clone())
    }

    fn record(&self) -> AuditJson {
        AuditJson::from(json!({
            "name": self.name,
            "kind": self.kind.as_str(),
            "mapping": self.mapping,
            "event_types": self.event_types,
            "queue": self.queue,
            "max_silence_s": self.max_silence_s,
            "enabled": self.enabled,
        }))
    }

    fn described(&self, entry: Entry) -> Entry {
        entry.with_metadata("source", self.name.clone())
    }
}
