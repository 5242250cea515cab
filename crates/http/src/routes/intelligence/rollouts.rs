//! Rollouts: one kind of change carried to many resources in stages; begin, look, stop, resume,
//! abort.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_engine::RolloutInput;
use reeve_recommend::agent::AgentId;
use reeve_recommend::recommendation::{RecommendationId, RecommendationType};
use reeve_recommend::rollout::{RolloutFilter, RolloutId, RolloutStatus};

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::paging::window;
use crate::routes::intelligence::problems::{asking, problem};
use crate::routes::resources::{parse, parse_several};
use crate::wire::form::list::List;
use crate::wire::recommendation::rollout::{
    RolloutBody, RolloutCreateBody, RolloutParams, RolloutReasonBody,
};

/// Lists rollouts, the newest first.
#[utoipa::path(get, path = "/api/v1/intelligence/rollouts", tag = "intelligence", params(RolloutParams),
    responses((status = 200, body = List<RolloutBody>), (status = 422, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(params): Params<RolloutParams>,
) -> Result<Json<List<RolloutBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let status = parse_several("status", params.status.as_deref(), RolloutStatus::parse)?;

    let filter = RolloutFilter {
        agent: params.agent.map(AgentId),
        kind: parse("type", params.kind.as_deref(), RecommendationType::parse)?,
        status,
        limit: window.limit,
        offset: window.start(),
    };
    let (found, total) = app.rollouts.rollout_list(&filter).await.map_err(problem)?;

    let next_cursor = window.next(found.len(), total);
    Ok(Json(List {
        items: found.iter().map(RolloutBody::from).collect(),
        total,
        next_cursor,
    }))
}

/// Begin a rollout of an agent's open recommendations of one type: simulation, canary, validation,
/// gradual, full.
#[utoipa::path(post, path = "/api/v1/intelligence/rollouts", tag = "intelligence", request_body = RolloutCreateBody,
    responses((status = 201, body = RolloutBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<RolloutCreateBody>,
) -> Result<(StatusCode, Json<RolloutBody>), Problem> {
    let input = RolloutInput {
        agent: AgentId(body.agent_id),
        kind: body.kind,
        name: body.name,
        recommendations: body
            .recommendations
            .into_iter()
            .map(RecommendationId)
            .collect(),
        settings: body.settings.into(),
    };

    let made = app
        .rollouts
        .rollout_begin(input, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok((StatusCode::CREATED, Json(RolloutBody::from(&made))))
}

/// One rollout: its stage, its members, and what its gates said by which numbers.
#[utoipa::path(get, path = "/api/v1/intelligence/rollouts/{id}", tag = "intelligence", params(("id" = String, Path)),
    responses((status = 200, body = RolloutBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<RolloutBody>, Problem> {
    Ok(Json(RolloutBody::from(
        &app.rollouts
            .rollout_get(&RolloutId(id))
            .await
            .map_err(problem)?,
    )))
}

/// Let nothing more begin. What runs ends, or goes back, by itself.
#[utoipa::path(post, path = "/api/v1/intelligence/rollouts/{id}/stop", tag = "intelligence", params(("id" = String, Path)),
    request_body = RolloutReasonBody,
    responses((status = 200, body = RolloutBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn stop(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<RolloutReasonBody>,
) -> Result<Json<RolloutBody>, Problem> {
    let stopped = app
        .rollouts
        .rollout_stop(&RolloutId(id), &body.reason, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(RolloutBody::from(&stopped)))
}

/// Go on: with what was stopped, or in spite of what a gate holds.
#[utoipa::path(post, path = "/api/v1/intelligence/rollouts/{id}/resume", tag = "intelligence", params(("id" = String, Path)),
    request_body = RolloutReasonBody,
    responses((status = 200, body = RolloutBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn resume(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<RolloutReasonBody>,
) -> Result<Json<RolloutBody>, Problem> {
    let resumed = app
        .rollouts
        .rollout_resume(&RolloutId(id), &body.reason, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(RolloutBody::from(&resumed)))
}

/// Give it up. What was changed stays; each action can be undone by itself.
#[utoipa::path(post, path = "/api/v1/intelligence/rollouts/{id}/abort", tag = "intelligence", params(("id" = String, Path)),
    request_body = RolloutReasonBody,
    responses((status = 200, body = RolloutBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn abort(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<RolloutReasonBody>,
) -> Result<Json<RolloutBody>, Problem> {
    let aborted = app
        .rollouts
        .rollout_abort(&RolloutId(id), &body.reason, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(RolloutBody::from(&aborted)))
}
