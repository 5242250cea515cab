//! Actions: what was done, step by step, and undoing it.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_recommend::action::{Action, ActionId};
use reeve_recommend::recommendation::totals::ActionFilter;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::paging::window;
use crate::routes::intelligence::bodies;
use crate::routes::intelligence::problems::{asking, problem};
use crate::wire::form::list::{List, Paging};
use crate::wire::recommendation::workflow::{ActionRecordBody, ActionRollbackBody};

/// Lists actions, the newest first.
#[utoipa::path(get, path = "/api/v1/intelligence/actions", tag = "intelligence", params(Paging),
    responses((status = 200, body = List<ActionRecordBody>)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(params): Params<Paging>,
) -> Result<Json<List<ActionRecordBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let filter = ActionFilter {
        limit: window.limit,
        offset: window.start(),
        ..ActionFilter::default()
    };
    let (found, total) = app.agents.action_page(&filter).await?;
    let mut items = Vec::new();
    for action in &found {
        items.push(body_of(&app, action).await?);
    }

    let next_cursor = window.next(items.len(), total);
    Ok(Json(List {
        items,
        total,
        next_cursor,
    }))
}

/// One action with its steps.
#[utoipa::path(get, path = "/api/v1/intelligence/actions/{id}", tag = "intelligence", params(("id" = String, Path)),
    responses((status = 200, body = ActionRecordBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<ActionRecordBody>, Problem> {
    let action = app.agents.action_get(&ActionId(id)).await?;
    Ok(Json(body_of(&app, &action).await?))
}

/// Undo an action that succeeded, or end one early that only waits.
#[utoipa::path(post, path = "/api/v1/intelligence/actions/{id}/rollback", tag = "intelligence", params(("id" = String, Path)),
    request_body = ActionRollbackBody,
    responses((status = 202, body = ActionRecordBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody),
        (status = 422, body = ProblemBody)))]
pub(super) async fn roll_back(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<ActionRollbackBody>,
) -> Result<(StatusCode, Json<ActionRecordBody>), Problem> {
    let action = app
        .execution
        .rollback_for(&ActionId(id), body.reason.as_deref(), &asking(&caller))
        .await
        .map_err(problem)?;
    Ok((StatusCode::ACCEPTED, Json(body_of(&app, &action).await?)))
}

async fn body_of(app: &App, action: &Action) -> Result<ActionRecordBody, Problem> {
    let found = app
        .agents
        .recommendation_get(&action.recommendation)
        .await?;
    Ok(bodies::action(action, &found))
}
