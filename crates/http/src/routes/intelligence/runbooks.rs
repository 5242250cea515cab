//! Runbooks: known issues with their changes, tried on the past, and their breakers.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_engine::Tried;
use reeve_recommend::runbook::RunbookName;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::routes::intelligence::problems::{asking, problem};
use crate::wire::form::list::List;
use crate::wire::runbook::{
    RunbookBody, RunbookBreakerCloseBody, RunbookSourceBody, RunbookTrialBody, RunbookTryBody,
    RunbookTryTextBody,
};

/// Runbooks by name, with their breakers and last changes: those that come with Reeve and those of people.
#[utoipa::path(get, path = "/api/v1/intelligence/runbooks", tag = "intelligence", operation_id = "runbooks_list",
    responses((status = 200, body = List<RunbookBody>)))]
pub(super) async fn list(State(app): State<Arc<App>>) -> Result<Json<List<RunbookBody>>, Problem> {
    let all = app.runbooks.list().await.map_err(problem)?;
    let items: Vec<RunbookBody> = all.iter().map(RunbookBody::from).collect();
    Ok(Json(List {
        total: items.len() as u64,
        items,
        next_cursor: None,
    }))
}

/// A runbook.
#[utoipa::path(get, path = "/api/v1/intelligence/runbooks/{name}", tag = "intelligence", operation_id = "runbooks_get", params(("name" = String, Path)),
    responses((status = 200, body = RunbookBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Json<RunbookBody>, Problem> {
    let found = app.runbooks.get(&RunbookName(name)).await;
    Ok(Json(RunbookBody::from(&found.map_err(problem)?)))
}

/// Add a runbook. Its samples have to hold.
#[utoipa::path(post, path = "/api/v1/intelligence/runbooks", tag = "intelligence", operation_id = "runbooks_create", request_body = RunbookSourceBody,
    responses((status = 201, body = RunbookBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<RunbookSourceBody>,
) -> Result<(StatusCode, Json<RunbookBody>), Problem> {
    let made = app.runbooks.create(&body.source, &asking(&caller)).await;
    let made = made.map_err(problem)?;
    Ok((StatusCode::CREATED, Json(RunbookBody::from(&made))))
}

/// Replace a runbook of people. Its breakers and its past stay.
#[utoipa::path(put, path = "/api/v1/intelligence/runbooks/{name}", tag = "intelligence", operation_id = "runbooks_put", params(("name" = String, Path)),
    request_body = RunbookSourceBody,
    responses((status = 200, body = RunbookBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn put(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(name): Path<String>,
    Body(body): Body<RunbookSourceBody>,
) -> Result<Json<RunbookBody>, Problem> {
    let name = RunbookName(name);
    let kept = app
        .runbooks
        .replace(&name, &body.source, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(RunbookBody::from(&kept)))
}

/// Remove a runbook of people, with its breakers.
#[utoipa::path(delete, path = "/api/v1/intelligence/runbooks/{name}", tag = "intelligence", operation_id = "runbooks_delete", params(("name" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(name): Path<String>,
) -> Result<StatusCode, Problem> {
    let name = RunbookName(name);
    app.runbooks
        .remove(&name, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Try a runbook on the stored samples of the past: when its condition held, and on which resources. Changes nothing.
#[utoipa::path(post, path = "/api/v1/intelligence/runbooks/{name}/try", tag = "intelligence", operation_id = "runbooks_try", params(("name" = String, Path)),
    request_body = RunbookTryBody,
    responses((status = 200, body = RunbookTrialBody), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn try_stored(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    Body(body): Body<RunbookTryBody>,
) -> Result<Json<RunbookTrialBody>, Problem> {
    let name = RunbookName(name);
    let tried = Tried::Stored(&name);
    let past = app.runbooks.try_on_the_past(tried, body.days).await;
    Ok(Json(RunbookTrialBody::from(&past.map_err(problem)?)))
}

/// Try a text on the stored samples of the past before it is saved. Changes nothing.
#[utoipa::path(post, path = "/api/v1/intelligence/runbooks/try", tag = "intelligence", operation_id = "runbooks_try_text",
    request_body = RunbookTryTextBody,
    responses((status = 200, body = RunbookTrialBody), (status = 422, body = ProblemBody)))]
pub(super) async fn try_text(
    State(app): State<Arc<App>>,
    Body(body): Body<RunbookTryTextBody>,
) -> Result<Json<RunbookTrialBody>, Problem> {
    let tried = Tried::Text(&body.source);
    let past = app.runbooks.try_on_the_past(tried, body.days).await;
    Ok(Json(RunbookTrialBody::from(&past.map_err(problem)?)))
}

/// Close open breakers of a runbook: that of one resource, or all.
#[utoipa::path(post, path = "/api/v1/intelligence/runbooks/{name}/breakers/close", tag = "intelligence", operation_id = "runbooks_breakers_close", params(("name" = String, Path)),
    request_body = RunbookBreakerCloseBody,
    responses((status = 200, body = RunbookBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn close_breakers(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(name): Path<String>,
    Body(body): Body<RunbookBreakerCloseBody>,
) -> Result<Json<RunbookBody>, Problem> {
    let name = RunbookName(name);
    let kept = app
        .runbooks
        .close_breakers(&name, body.resource_id.as_deref(), &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(RunbookBody::from(&kept)))
}
