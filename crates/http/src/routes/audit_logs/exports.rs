//! Exports: asked for, followed, cancelled, downloaded. The work is done by a task of the server;
//! what is kept here is the request.
//!
//! Everything needs `audit.export`. An export reads what its requester may see when it runs; its
//! result is shown to the requester, and to those who may see the whole log anyway.

mod destinations;
mod download;
mod estimate;
mod schedules;

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use reeve_access::Permission;
use reeve_audit::events::{self, EventKind};
use reeve_audit::{Entry, FieldCode, FieldError, Json as AuditJson, ResourceRef};
use reeve_exports::{
    DestinationId, Export, ExportFilter, ExportId, ExportProgress, ExportState, Requester,
    ScheduleId, Selection,
};
use serde_json::json;
use utoipa_axum::routes;

use crate::app::App;
use crate::error::{Code, FieldProblem, Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::guard::{Access, Guarded};
use crate::log_entry;
use crate::paging::window;
use crate::routes::audit_logs::ask;
use crate::wire::export::{ExportBody, ExportListParams, ExportRequest};
use crate::wire::form::enumeration::Name;
use crate::wire::form::list::List;

/// Exports that wait or run at most.
const MOST: u64 = 100;

const EXPORT: Access = Access::Needs(Permission::AuditExport);

pub(super) fn routes(guarded: Guarded) -> Guarded {
    guarded
        .add(EXPORT, routes!(request, list))
        .add(EXPORT, routes!(estimate::estimate))
        .add(EXPORT, routes!(get))
        .add(EXPORT, routes!(get_by_plural))
        .add(EXPORT, routes!(cancel))
        .add(EXPORT, routes!(cancel_by_plural))
        .add(EXPORT, routes!(download::download))
        .add(EXPORT, routes!(download::download_by_plural))
        .add(EXPORT, routes!(schedules::list, schedules::create))
        .add(
            EXPORT,
            routes!(schedules::get, schedules::patch, schedules::delete),
        )
        .add(EXPORT, routes!(destinations::list, destinations::create))
        .add(
            EXPORT,
            routes!(destinations::get, destinations::patch, destinations::delete),
        )
        .add(EXPORT, routes!(destinations::test))
}

/// Ask for an export. It is refused at once if it is expected to be larger than 10 GB; the answer
/// then names a period that fits.
#[utoipa::path(post, path = "/api/v1/audit-logs/export", tag = "audit-logs", operation_id = "exports_request", request_body = ExportRequest,
    responses((status = 202, body = ExportBody, headers(("location" = String, description = "Address of the export"))),
        (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
async fn request(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(given): Body<ExportRequest>,
) -> Result<(StatusCode, HeaderMap, Json<ExportBody>), Problem> {
    let now = app.now();
    let selection = selection(&given, now)?;
    let destination = match given
        .destination
        .as_deref()
        .map(str::trim)
        .filter(|text| !text.is_empty())
    {
        Some(text) => Some(destination(&app, text).await?),
        None => None,
    };

    let estimate = estimate::fitting(&app, &caller, &selection, now).await?;
    let id = ExportId(uuid::Uuid::now_v7().to_string());
    let export = Export {
        name: Export::name_of(&id, now),
        id,
        selection,
        destination,
        schedule: None,
        from_sequence: 0,
        requester: requester(&caller),
        request_id: caller.request_id.clone(),
        state: ExportState::Queued,
        estimate,
        progress: ExportProgress::default(),
        failure: None,
        files: Vec::new(),
        delivered_to: None,
        created_at: now,
        started_at: None,
        finished_at: None,
        expires_at: None,
        version: 1,
    };

    let entry =
        entry(&caller, &events::EXPORT_REQUEST, "export.request", &export).after(record(&export));
    app.change(entry, app.exports.export_insert(&export, MOST))
        .await?;
    let mut headers = HeaderMap::new();
    if let Ok(location) =
        HeaderValue::from_str(&format!("/api/v1/audit-logs/export/{}", export.id.0))
    {
        headers.insert(header::LOCATION, location);
    }

    Ok((
        StatusCode::ACCEPTED,
        headers,
        Json(ExportBody::new(&export)),
    ))
}

/// Exports, the latest first.
#[utoipa::path(get, path = "/api/v1/audit-logs/export", tag = "audit-logs", operation_id = "exports_list", params(ExportListParams),
    responses((status = 200, body = List<ExportBody>), (status = 422, body = ProblemBody)))]
async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(params): Params<ExportListParams>,
) -> Result<Json<List<ExportBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let state = params
        .state
        .as_deref()
        .filter(|text| !text.is_empty())
        .map(|text| {
            let names = "must be queued, running, succeeded, failed or cancelled";
            ExportState::parse(text)
                .ok_or_else(|| Problem::field("state", FieldCode::InvalidValue, names))
        });

    let filter = ExportFilter {
        user: (!caller.principal.sees_whole_log()).then(|| caller.user.0.clone()),
        state: state.transpose()?,
        schedule: params.schedule_id.map(ScheduleId),
        limit: window.limit,
        offset: window.start(),
    };
    let (found, total) = app.exports.export_list(&filter).await?;

    let next_cursor = window.next(found.len(), total);
    Ok(Json(List {
        items: found.iter().map(ExportBody::new).collect(),
        total,
        next_cursor,
    }))
}

/// One export, with its progress.
#[utoipa::path(get, path = "/api/v1/audit-logs/export/{id}", tag = "audit-logs", operation_id = "exports_get", params(("id" = String, Path)),
    responses((status = 200, body = ExportBody), (status = 404, body = ProblemBody)))]
async fn get(
    state: State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<ExportBody>, Problem> {
    Ok(Json(ExportBody::new(&visible(&state, &caller, id).await?)))
}

/// The same under the plural.
#[utoipa::path(get, path = "/api/v1/audit-logs/exports/{id}", tag = "audit-logs", operation_id = "exports_get_by_plural",
    params(("id" = String, Path)), responses((status = 200, body = ExportBody), (status = 404, body = ProblemBody)))]
async fn get_by_plural(
    state: State<Arc<App>>,
    caller: Caller,
    id: Path<String>,
) -> Result<Json<ExportBody>, Problem> {
    get(state, caller, id).await
}

/// Cancel an export that waits or runs. What was written of it is removed.
#[utoipa::path(post, path = "/api/v1/audit-logs/export/{id}/cancel", tag = "audit-logs", operation_id = "exports_cancel",
    params(("id" = String, Path)),
    responses((status = 200, body = ExportBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
async fn cancel(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<ExportBody>, Problem> {
    let before = visible(&app, &caller, id).await?;
    let entry = entry(&caller, &events::EXPORT_CANCEL, "export.cancel", &before);
    let cancelled = app.change(entry, cancelled(&app, before)).await?;
    Ok(Json(ExportBody::new(&cancelled)))
}

/// The same under the plural.
#[utoipa::path(post, path = "/api/v1/audit-logs/exports/{id}/cancel", tag = "audit-logs", operation_id = "exports_cancel_by_plural",
    params(("id" = String, Path)),
    responses((status = 200, body = ExportBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
async fn cancel_by_plural(
    state: State<Arc<App>>,
    caller: Caller,
    id: Path<String>,
) -> Result<Json<ExportBody>, Problem> {
    cancel(state, caller, id).await
}

/// Marks an export as cancelled. The task that runs it notices with the next progress that it
/// keeps.
async fn cancelled(app: &App, mut export: Export) -> Result<Export, Problem> {
    for _ in 0..20 {
        if export.state.is_final() {
            let message = format!(
                "The export has ended already: it is {}.",
                export.state.as_str()
            );
            return Err(Problem::new(Code::Conflict, message));
        }
        export.state = ExportState::Cancelled;
        export.finished_at = Some(app.now());
        export.version += 1;
        match app.exports.export_update(&export).await {
            Ok(()) => return Ok(export),
            // Its progress was kept in between.
            Err(reeve_access::AccessError::Conflict(_)) => {
                export = app.exports.export_get(&export.id).await?
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err(Problem::new(
        Code::Conflict,
        "The export is being updated. Try again.",
    ))
}

/// An export that the caller may see.
async fn visible(app: &App, caller: &Caller, id: String) -> Result<Export, Problem> {
    let export = app.exports.export_get(&ExportId(id)).await?;
    if export.requester.user == caller.user || caller.principal.sees_whole_log() {
        return Ok(export);
    }
    Err(Problem::not_found("export", &export.id.0))
}

/// Checks what an export is asked for. Wrong queries are answered with position and hint.
fn selection(given: &ExportRequest, now: jiff::Timestamp) -> Result<Selection, Problem> {
    Selection::read(&given.draft(), now).map_err(|errors| match &errors[..] {
        [only] if only.path == "query" => ask::parse(given.query.as_deref())
            .err()
            .unwrap_or_else(|| problem(errors)),
        _ => problem(errors),
    })
}

/// Identifier of a destination by identifier or name.
async fn destination(app: &App, text: &str) -> Result<DestinationId, Problem> {
    let all = app.exports.destination_list().await?;
    let found = all
        .into_iter()
        .find(|destination| destination.id.0 == text || destination.name == text);
    let missing = || {
        Problem::field(
            "destination",
            FieldCode::Unknown,
            format!("there is no destination {text:?}"),
        )
    };

    found.map(|destination| destination.id).ok_or_else(missing)
}

fn requester(caller: &Caller) -> Requester {
    Requester {
        user: caller.user.clone(),
        email: caller.email.clone(),
        token: caller.token.as_ref().map(|token| token.id.clone()),
        ip_address: caller.origin.ip_address.clone(),
        user_agent: caller.origin.user_agent.clone(),
    }
}

fn entry(caller: &Caller, kind: &EventKind, operation: &str, export: &Export) -> Entry {
    log_entry::did(
        caller,
        kind,
        operation,
        ResourceRef::new("audit_export", export.id.0.clone()),
    )
}

/// An export as it stands in the log.
fn record(export: &Export) -> AuditJson {
    let (selection, estimate) = (&export.selection, export.estimate);
    AuditJson::from(json!({
        "format": selection.format.as_str(),
        "query": selection.query,
        "start_time": selection.start.map(crate::time::text),
        "end_time": selection.end.map(crate::time::text),
        "destination_id": export.destination.as_ref().map(|id| &id.0),
        "estimated_entries": estimate.entries,
        "estimated_bytes": estimate.bytes,
    }))
}

fn problem(errors: Vec<FieldError>) -> Problem {
    let field = |error: FieldError| FieldProblem {
        field: error.path,
        code: Name(error.code),
        message: error.message,
        index: None,
    };
    Problem::fields(errors.into_iter().map(field).collect())
}
