//! The emergency lane of an agent: what it shows, and the standing approvals that people give, sign
//! and end. Each answers the whole lane.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_engine::StandingApprovalInput;
use reeve_recommend::agent::AgentId;
use reeve_recommend::agent::emergency::StandingApprovalId;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::routes::intelligence::problems::{asking, problem};
use crate::time;
use crate::wire::agent::emergency::{
    EmergencyLaneBody, StandingApprovalCreate, StandingApprovalEnd, StandingApprovalSign,
};

/// The emergency lane of an agent: kinds, standing approvals, limits, and the changes of late.
#[utoipa::path(get, path = "/api/v1/intelligence/agents/{agent_id}/emergencies", tag = "intelligence", params(("agent_id" = String, Path)),
    responses((status = 200, body = EmergencyLaneBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(agent): Path<String>,
) -> Result<Json<EmergencyLaneBody>, Problem> {
    lane(&app, &caller, &AgentId(agent)).await
}

/// Approve a kind of emergency beforehand. It holds once every signature that changes of its impact
/// need was given, each by another person.
#[utoipa::path(post, path = "/api/v1/intelligence/agents/{agent_id}/standing-approvals", tag = "intelligence", params(("agent_id" = String, Path)),
    request_body = StandingApprovalCreate,
    responses((status = 201, body = EmergencyLaneBody), (status = 403, body = ProblemBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn give(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(agent): Path<String>,
    Body(body): Body<StandingApprovalCreate>,
) -> Result<(StatusCode, Json<EmergencyLaneBody>), Problem> {
    let agent = AgentId(agent);
    let input = StandingApprovalInput {
        rule: body.rule,
        until: time::parse("until", &body.until)?,
        reason: body.reason,
    };
    let _ = app
        .emergencies
        .approval_give(&agent, input, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok((StatusCode::CREATED, lane(&app, &caller, &agent).await?))
}

/// Add a signature to a standing approval.
#[utoipa::path(post, path = "/api/v1/intelligence/agents/{agent_id}/standing-approvals/{id}/sign", tag = "intelligence",
    params(("agent_id" = String, Path), ("id" = String, Path)), request_body = StandingApprovalSign,
    responses((status = 200, body = EmergencyLaneBody), (status = 403, body = ProblemBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn sign(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((agent, id)): Path<(String, String)>,
    Body(body): Body<StandingApprovalSign>,
) -> Result<Json<EmergencyLaneBody>, Problem> {
    let agent = AgentId(agent);
    let comment = body.comment.as_deref();
    let _ = app
        .emergencies
        .approval_sign(&agent, &StandingApprovalId(id), comment, &asking(&caller))
        .await
        .map_err(problem)?;
    lane(&app, &caller, &agent).await
}

/// End a standing approval. From now on findings of the kind wait for people again.
#[utoipa::path(post, path = "/api/v1/intelligence/agents/{agent_id}/standing-approvals/{id}/end", tag = "intelligence",
    params(("agent_id" = String, Path), ("id" = String, Path)), request_body = StandingApprovalEnd,
    responses((status = 200, body = EmergencyLaneBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn end(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((agent, id)): Path<(String, String)>,
    Body(body): Body<StandingApprovalEnd>,
) -> Result<Json<EmergencyLaneBody>, Problem> {
    let agent = AgentId(agent);
    let _ = app
        .emergencies
        .approval_end(
            &agent,
            &StandingApprovalId(id),
            &body.reason,
            &asking(&caller),
        )
        .await
        .map_err(problem)?;
    lane(&app, &caller, &agent).await
}

async fn lane(
    app: &App,
    caller: &Caller,
    agent: &AgentId,
) -> Result<Json<EmergencyLaneBody>, Problem> {
    let overview = app.emergencies.overview(agent).await.map_err(problem)?;
    Ok(Json(EmergencyLaneBody::new(&overview, &asking(caller))))
}
