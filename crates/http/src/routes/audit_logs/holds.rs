//! Legal holds: entries that are not deleted while a case is open.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use jiff::Timestamp;
use reeve_audit::{FieldCode, Json as AuditJson, ResourceRef, events};
use reeve_retention::{HoldRelease, LegalHold};

use crate::app::App;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::log_entry;
use crate::paging::window;
use crate::wire::form::list::{List, Paging};
use crate::wire::log::retention::{LegalHoldBody, LegalHoldCreate, LegalHoldRelease};

/// Longest reason of a release, characters.
const LONGEST_REASON: usize = 2_000;

/// Legal holds, those in force first.
#[utoipa::path(get, path = "/api/v1/audit-logs/holds", tag = "audit-logs", operation_id = "holds_list", params(Paging),
    responses((status = 200, body = List<LegalHoldBody>), (status = 422, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(paging): Params<Paging>,
) -> Result<Json<List<LegalHoldBody>>, Problem> {
    let window = window(paging.limit, paging.offset, paging.cursor.as_deref())?;
    let all = app.retention_store.hold_list().await?;
    Ok(Json(window.page(all.iter(), LegalHoldBody::from)))
}

/// One legal hold.
#[utoipa::path(get, path = "/api/v1/audit-logs/holds/{id}", tag = "audit-logs", operation_id = "holds_get", params(("id" = String, Path)),
    responses((status = 200, body = LegalHoldBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<LegalHoldBody>, Problem> {
    Ok(Json((&app.retention_store.hold_get(&id).await?).into()))
}

/// Place a legal hold. It is in force as soon as this answers.
#[utoipa::path(post, path = "/api/v1/audit-logs/holds", tag = "audit-logs", operation_id = "holds_create", request_body = LegalHoldCreate,
    responses((status = 201, body = LegalHoldBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<LegalHoldCreate>,
) -> Result<(StatusCode, Json<LegalHoldBody>), Problem> {
    let review_on = match body.review_on.as_deref() {
        None | Some("") => None,
        Some(day) => Some(day.parse().map_err(|_| {
            let message = "must be a day such as 2027-01-31";
            Problem::field("review_on", FieldCode::InvalidTime, message)
        })?),
    };
    let hold = LegalHold {
        id: uuid::Uuid::now_v7().to_string(),
        case: body.case.trim().to_owned(),
        query: body.query,
        start_time: instant("start_time", body.start_time)?,
        end_time: instant("end_time", body.end_time)?,
        custodian: body.custodian.trim().to_owned(),
        reason: body.reason.trim().to_owned(),
        review_on,
        created_by: caller.principal.email.clone(),
        created_at: app.now(),
        released: None,
        version: 1,
    };
    hold.check()?;

    let entry = log_entry::did(
        &caller,
        &events::HOLD_CREATE,
        "create_hold",
        resource(&hold.id),
    )
    .after(record(&hold));
    let changes = app.retention.changes();
    let changing = changes.lock().await;
    app.change(entry, app.retention_store.hold_insert(&hold))
        .await?;
    drop(changing);

    app.retention.apply().await.map_err(Problem::internal)?;
    Ok((StatusCode::CREATED, Json((&hold).into())))
}

/// Release a legal hold for a reason. The entries that it alone kept may expire from then on.
#[utoipa::path(post, path = "/api/v1/audit-logs/holds/{id}/release", tag = "audit-logs", operation_id = "holds_release", params(("id" = String, Path)),
    request_body = LegalHoldRelease,
    responses((status = 200, body = LegalHoldBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn release(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<LegalHoldRelease>,
) -> Result<Json<LegalHoldBody>, Problem> {
    let reason = body.reason.trim();
    if reason.is_empty() || reason.chars().count() > LONGEST_REASON {
        let message = format!("must have 1 to {LONGEST_REASON} characters");
        return Err(Problem::field("reason", FieldCode::MissingField, message));
    }

    let changes = app.retention.changes();
    let changing = changes.lock().await;
    let before = app.retention_store.hold_get(&id).await?;
    if !before.is_in_force() {
        let message = "The legal hold was released before.";
        return Err(Problem::new(Code::Conflict, message));
    }

    let after = LegalHold {
        released: Some(HoldRelease {
            by: caller.principal.email.clone(),
            at: app.now(),
            reason: reason.to_owned(),
        }),
        version: before.version + 1,
        ..before.clone()
    };
    let entry = log_entry::did(
        &caller,
        &events::HOLD_RELEASE,
        "release_hold",
        resource(&id),
    )
    .before(record(&before))
    .after(record(&after));
    app.change(entry, app.retention_store.hold_update(&after))
        .await?;
    drop(changing);

    app.retention.apply().await.map_err(Problem::internal)?;
    Ok(Json((&after).into()))
}

fn resource(id: &str) -> ResourceRef {
    ResourceRef::new("legal_hold", id)
}

fn record(hold: &LegalHold) -> AuditJson {
    AuditJson::from(serde_json::to_value(hold).unwrap_or_default())
}

pub(super) fn instant(
    field: &'static str,
    given: Option<String>,
) -> Result<Option<Timestamp>, Problem> {
    let Some(text) = given.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let parsed = reeve_audit::parse_instant(&text);
    let message = "must be a time such as 2026-11-20T10:00:00Z";
    parsed
        .map(Some)
        .map_err(|_| Problem::field(field, FieldCode::InvalidTime, message))
}
