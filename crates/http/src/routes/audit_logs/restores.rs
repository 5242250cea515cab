//! Restores: entries of the cold tier that can be searched for some days.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use jiff::Timestamp;
use reeve_audit::{FieldCode, Json as AuditJson, ResourceRef, events};
use reeve_retention::{Restore, RestoreEnd};

use crate::app::App;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::log_entry;
use crate::paging::window;
use crate::wire::form::list::{List, Paging};
use crate::wire::log::restore::{RestoreBody, RestoreCreate};

/// Restores of entries of the cold tier, those in force first.
#[utoipa::path(get, path = "/api/v1/audit-logs/restores", tag = "audit-logs", operation_id = "restores_list", params(Paging),
    responses((status = 200, body = List<RestoreBody>), (status = 422, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(paging): Params<Paging>,
) -> Result<Json<List<RestoreBody>>, Problem> {
    let window = window(paging.limit, paging.offset, paging.cursor.as_deref())?;
    let all = app.retention_store.restore_list().await?;
    Ok(Json(
        window.page(all.iter(), |restore| shown(&app, restore)),
    ))
}

/// One restore, with its progress.
#[utoipa::path(get, path = "/api/v1/audit-logs/restores/{id}", tag = "audit-logs", operation_id = "restores_get", params(("id" = String, Path)),
    responses((status = 200, body = RestoreBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<RestoreBody>, Problem> {
    let restore = app.retention_store.restore_get(&id).await?;
    Ok(Json(shown(&app, &restore)))
}

/// Ask for the entries of a period that lie in the cold tier. They are fetched from now on, and can
/// be searched as soon as they are there.
#[utoipa::path(post, path = "/api/v1/audit-logs/restores", tag = "audit-logs", operation_id = "restores_create", request_body = RestoreCreate,
    responses((status = 201, body = RestoreBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<RestoreCreate>,
) -> Result<(StatusCode, Json<RestoreBody>), Problem> {
    let restore = Restore {
        id: uuid::Uuid::now_v7().to_string(),
        start_time: instant("start_time", &body.start_time)?,
        end_time: instant("end_time", &body.end_time)?,
        days: body.days,
        reason: body.reason.trim().to_owned(),
        created_by: caller.principal.email.clone(),
        created_at: app.now(),
        ready_at: None,
        obstacle: None,
        ended: None,
        version: 1,
    };
    restore.check()?;
    if app.retention.progress(&restore).segments == 0 {
        let message =
            "No entries of this period lie in the cold tier: they can be searched already.";
        return Err(Problem::new(Code::Conflict, message));
    }

    let entry = log_entry::did(
        &caller,
        &events::RESTORE_CREATE,
        "create_restore",
        resource(&restore.id),
    )
    .after(record(&restore));
    app.change(entry, app.retention_store.restore_insert(&restore))
        .await?;
    begin(&app);
    Ok((StatusCode::CREATED, Json(shown(&app, &restore))))
}

/// End a restore. Its entries are no longer searched, unless another restore has them.
#[utoipa::path(delete, path = "/api/v1/audit-logs/restores/{id}", tag = "audit-logs", operation_id = "restores_end", params(("id" = String, Path)),
    responses((status = 200, body = RestoreBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn end(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<RestoreBody>, Problem> {
    let before = app.retention_store.restore_get(&id).await?;
    if !before.is_in_force() {
        return Err(Problem::new(Code::Conflict, "The restore has ended."));
    }
    let after = Restore {
        ended: Some(RestoreEnd {
            by: Some(caller.principal.email.clone()),
            at: app.now(),
        }),
        version: before.version + 1,
        ..before
    };
    let entry = log_entry::did(&caller, &events::RESTORE_END, "end_restore", resource(&id))
        .after(record(&after));
    app.change(entry, app.retention_store.restore_update(&after))
        .await?;
    begin(&app);
    Ok(Json(shown(&app, &after)))
}

/// Has the change take effect; whoever asked does not wait for segments to be fetched.
fn begin(app: &App) {
    let retention = app.retention.clone();
    tokio::spawn(async move {
        if let Err(obstacle) = retention.restore().await {
            tracing::warn!(cause = %obstacle.as_str(), "restores were not looked at; the next round tries again");
        }
    });
}

fn shown(app: &App, restore: &Restore) -> RestoreBody {
    RestoreBody::new(restore, app.retention.progress(restore))
}

fn resource(id: &str) -> ResourceRef {
    ResourceRef::new("log_restore", id)
}

fn record(restore: &Restore) -> AuditJson {
    AuditJson::from(serde_json::to_value(restore).unwrap_or_default())
}

fn instant(field: &'static str, text: &str) -> Result<Timestamp, Problem> {
    let message = "must be a time such as 2026-11-20T10:00:00Z";
    reeve_audit::parse_instant(text)
        .map_err(|_| Problem::field(field, FieldCode::InvalidTime, message))
}
