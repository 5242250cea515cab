//! Scheduled exports. A scheduled export runs with the rights of the person who made or changed it
//! last.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use jiff::Timestamp;
use reeve_audit::events;
use reeve_audit::{FieldCode, FieldError, Json as AuditJson, ResourceRef};
use reeve_exports::{Draft, ScheduleId, ScheduledExport, Selection};
use reeve_schedule::{Schedule, ScheduleError};

use crate::app::App;
use crate::change::{Recorded, created, modified, same_version};
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::paging::window;
use crate::routes::audit_logs::ask;
use crate::routes::audit_logs::exports::{destination, problem, requester};
use crate::routes::workspace::named_zone;
use crate::wire::export::{ExportScheduleBody, ExportScheduleCreate, ExportSchedulePatch};
use crate::wire::form::list::{List, Paging};

/// Scheduled exports at most.
const MOST: u64 = 200;

/// Scheduled exports by name.
#[utoipa::path(get, path = "/api/v1/audit-logs/export-schedules", tag = "audit-logs", operation_id = "export_schedules_list",
    params(Paging), responses((status = 200, body = List<ExportScheduleBody>)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(paging): Params<Paging>,
) -> Result<Json<List<ExportScheduleBody>>, Problem> {
    let window = window(paging.limit, paging.offset, paging.cursor.as_deref())?;
    let all = app.exports.export_schedule_list().await?;
    Ok(Json(window.page(all.iter(), ExportScheduleBody::new)))
}

/// Add a scheduled export. It covers what is recorded from then on.
#[utoipa::path(post, path = "/api/v1/audit-logs/export-schedules", tag = "audit-logs", operation_id = "export_schedules_create",
    request_body = ExportScheduleCreate,
    responses((status = 201, body = ExportScheduleBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(given): Body<ExportScheduleCreate>,
) -> Result<(StatusCode, Json<ExportScheduleBody>), Problem> {
    let now = app.now();
    let name = ScheduledExport::check_name(&given.name).map_err(|error| problem(vec![error]))?;
    let selection = selection(given.format, given.query, given.options.into_options(), now)?;
    let zone = named_zone(&app, given.time_zone.as_deref()).await?;
    let schedule = timing(&given.schedule, &zone, now)?;
    let destination = match given.destination.as_deref().filter(|text| !text.is_empty()) {
        Some(text) => Some(destination(&app, text).await?),
        None => None,
    };
    let scheduled = ScheduledExport {
        id: ScheduleId(uuid::Uuid::now_v7().to_string()),
        name,
        format: selection.format,
        options: selection.options,
        query: selection.query,
        schedule,
        destination,
        enabled: given.enabled.unwrap_or(true),
        owner: requester(&caller),
        covered_to: app.ledger.size(),
        last_run_at: now,
        last_export: None,
        created_at: now,
        version: 1,
    };

    let kind = &events::EXPORT_SCHEDULE_CREATE;
    app.change(
        created(&caller, kind, "export_schedule.create", &scheduled),
        app.exports.export_schedule_insert(&scheduled, MOST),
    )
    .await?;

    Ok((
        StatusCode::CREATED,
        Json(ExportScheduleBody::new(&scheduled)),
    ))
}

/// Returns one scheduled export.
#[utoipa::path(get, path = "/api/v1/audit-logs/export-schedules/{id}", tag = "audit-logs", operation_id = "export_schedules_get",
    params(("id" = String, Path)), responses((status = 200, body = ExportScheduleBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<ExportScheduleBody>, Problem> {
    Ok(Json(ExportScheduleBody::new(
        &app.exports.export_schedule_get(&ScheduleId(id)).await?,
    )))
}

/// Change a scheduled export.
#[utoipa::path(patch, path = "/api/v1/audit-logs/export-schedules/{id}", tag = "audit-logs", operation_id = "export_schedules_patch",
    params(("id" = String, Path)), request_body = ExportSchedulePatch,
    responses((status = 200, body = ExportScheduleBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody),
        (status = 422, body = ProblemBody)))]
pub(super) async fn patch(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(given): Body<ExportSchedulePatch>,
) -> Result<Json<ExportScheduleBody>, Problem> {
    let now = app.now();
    let before = app.exports.export_schedule_get(&ScheduleId(id)).await?;
    same_version("scheduled export", before.version, given.version)?;
    let name = given
        .name
        .as_deref()
        .map(ScheduledExport::check_name)
        .transpose();

    let selection = selection(
        given
            .format
            .unwrap_or_else(|| before.format.as_str().to_owned()),
        given.query.unwrap_or_else(|| before.query.clone()),
        given
            .options
            .map_or_else(|| before.options.clone(), |options| options.into_options()),
        now,
    )?;

    let pattern = given
        .schedule
        .as_deref()
        .unwrap_or(&before.schedule.pattern);
    let zone = given
        .time_zone
        .as_deref()
        .unwrap_or(&before.schedule.time_zone);
    let destination = match given.destination.as_deref() {
        None => before.destination.clone(),
        Some("") => None,
        Some(text) => Some(destination(&app, text).await?),
    };

    let after = ScheduledExport {
        name: name
            .map_err(|error| problem(vec![error]))?
            .unwrap_or_else(|| before.name.clone()),
        format: selection.format,
        options: selection.options,
        query: selection.query,
        schedule: timing(pattern, zone, now)?,
        destination,
        enabled: given.enabled.unwrap_or(before.enabled),
        owner: requester(&caller),
        // Runs that were missed while it was disabled are not made up for; what they would have
        // covered is in the next one.
        last_run_at: if before.enabled {
            before.last_run_at
        } else {
            now
        },
        version: before.version + 1,
        ..before.clone()
    };

    let kind = &events::EXPORT_SCHEDULE_MODIFY;
    let entry = modified(&caller, kind, "export_schedule.modify", (&before, &after));
    app.change(entry, app.exports.export_schedule_update(&after))
        .await?;

    Ok(Json(ExportScheduleBody::new(&after)))
}

/// Remove a scheduled export. Exports that it has made stay.
#[utoipa::path(delete, path = "/api/v1/audit-logs/export-schedules/{id}", tag = "audit-logs", operation_id = "export_schedules_delete",
    params(("id" = String, Path)), responses((status = 204), (status = 404, body = ProblemBody)))]
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let before = app.exports.export_schedule_get(&ScheduleId(id)).await?;
    let removal = app.exports.export_schedule_delete(&before.id);
    let kind = &events::EXPORT_SCHEDULE_DELETE;
    app.remove(&caller, kind, "export_schedule.delete", &before, removal)
        .await
}

fn selection(
    format: String,
    query: String,
    options: reeve_exports::FormatOptions,
    now: Timestamp,
) -> Result<Selection, Problem> {
    ask::parse(Some(&query))?;
    let draft = Draft {
        format,
        query: Some(query),
        options,
        ..Draft::default()
    };

    Selection::read(&draft, now).map_err(problem)
}

fn timing(pattern: &str, zone: &str, now: Timestamp) -> Result<Schedule, Problem> {
    Schedule::new(pattern, zone, now).map_err(|error| {
        let field = if matches!(error, ScheduleError::Zone(_)) {
            "time_zone"
        } else {
            "schedule"
        };
        problem(vec![FieldError::new(
            field,
            FieldCode::InvalidValue,
            error.to_string(),
        )])
    })
}

impl Recorded for ScheduledExport {
    fn resource(&self) -> ResourceRef {
        ResourceRef::new("export_schedule", self.id.0.clone())
    }

    fn record(&self) -> AuditJson {
        AuditJson::from(serde_json::to_value(ExportScheduleBody::new(self)).unwrap_or_default())
    }
}
