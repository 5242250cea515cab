//! Calendars that rules know events from.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use jiff::SignedDuration;
use reeve_audit::FieldCode;
use reeve_predict::calendar::CalendarId;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::paging::window;
use crate::routes::intelligence::problems::{asking, problem};
use crate::time;
use crate::wire::form::list::{List, Paging};
use crate::wire::predictive::{CalendarBody, CalendarPut, OccurrenceBody, OccurrenceParams};

/// Lists calendars, the oldest first.
#[utoipa::path(get, path = "/api/v1/intelligence/calendars", tag = "intelligence", operation_id = "calendars_list", params(Paging),
    responses((status = 200, body = List<CalendarBody>)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(params): Params<Paging>,
) -> Result<Json<List<CalendarBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let all = app.rules.calendar_list().await?;
    Ok(Json(window.page(all.iter(), CalendarBody::from)))
}

/// Import a calendar. A text that cannot be read or expanded whole is refused, with the line or
/// event.
#[utoipa::path(post, path = "/api/v1/intelligence/calendars", tag = "intelligence", operation_id = "calendars_create", request_body = CalendarPut,
    responses((status = 201, body = CalendarBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<CalendarPut>,
) -> Result<(StatusCode, Json<CalendarBody>), Problem> {
    let calendar = app
        .rule_service
        .calendar_put(body.into(), None, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok((StatusCode::CREATED, Json(CalendarBody::from(&calendar))))
}

/// Returns one calendar.
#[utoipa::path(get, path = "/api/v1/intelligence/calendars/{id}", tag = "intelligence", operation_id = "calendars_get",
    params(("id" = String, Path)), responses((status = 200, body = CalendarBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<CalendarBody>, Problem> {
    Ok(Json(CalendarBody::from(
        &app.rules.calendar_get(&CalendarId(id)).await?,
    )))
}

/// Change a calendar, or import its text anew.
#[utoipa::path(patch, path = "/api/v1/intelligence/calendars/{id}", tag = "intelligence", operation_id = "calendars_patch",
    params(("id" = String, Path)), request_body = CalendarPut,
    responses((status = 200, body = CalendarBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn patch(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<CalendarPut>,
) -> Result<Json<CalendarBody>, Problem> {
    let (id, version) = (CalendarId(id), body.version);
    let put = app
        .rule_service
        .calendar_put(body.into(), Some((&id, version)), &asking(&caller))
        .await;
    Ok(Json(CalendarBody::from(&put.map_err(problem)?)))
}

/// Remove a calendar that no rule names.
#[utoipa::path(delete, path = "/api/v1/intelligence/calendars/{id}", tag = "intelligence", operation_id = "calendars_delete",
    params(("id" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    app.rule_service
        .calendar_remove(&CalendarId(id), &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(StatusCode::NO_CONTENT)
}

/// A calendar's events within a span, recurrences expanded, by beginning.
#[utoipa::path(get, path = "/api/v1/intelligence/calendars/{id}/events", tag = "intelligence", operation_id = "calendars_events",
    params(("id" = String, Path), OccurrenceParams),
    responses((status = 200, body = List<OccurrenceBody>), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn events(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Params(params): Params<OccurrenceParams>,
) -> Result<Json<List<OccurrenceBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let calendar = app.rules.calendar_get(&CalendarId(id)).await?;
    let from = time::parse_option("from", params.from.as_deref())?.unwrap_or_else(|| app.now());
    let usual = from
        .checked_add(SignedDuration::from_hours(24 * 31))
        .unwrap_or(from);
    let until = time::parse_option("until", params.until.as_deref())?.unwrap_or(usual);
    let span = until.duration_since(from);

    if span <= SignedDuration::ZERO || span > SignedDuration::from_hours(24 * 366) {
        return Err(Problem::field(
            "until",
            FieldCode::InvalidValue,
            "must lie after from, by 366 days at most",
        ));
    }

    let found = tokio::task::spawn_blocking(move || calendar.occurrences(from, until)).await;
    let found = found.map_err(Problem::internal)?;
    let found = found
        .map_err(|error| Problem::field("until", FieldCode::InvalidValue, error.to_string()))?;

    Ok(Json(window.page(found.iter(), OccurrenceBody::from)))
}
