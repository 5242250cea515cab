//! Guardrails and the kill switch.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use reeve_recommend::Guardrails;

use super::bodies;
use super::problems::{asking, problem};
use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::wire::standing::GuardrailsStatusBody;
use crate::wire::workflow::{BreakerResetBody, GuardrailsBody, KillSwitchBody};

/// The guardrails.
#[utoipa::path(get, path = "/api/v1/intelligence/guardrails", tag = "intelligence", responses((status = 200, body = GuardrailsBody)))]
pub(super) async fn get(State(app): State<Arc<App>>) -> Result<Json<GuardrailsBody>, Problem> {
    Ok(Json(bodies::guardrails(&app.agents.guardrails_get().await?)))
}

/// How far the guardrails are used up: the circuit breaker, the day's changes, and each resource's error budget.
#[utoipa::path(get, path = "/api/v1/intelligence/guardrails/status", tag = "intelligence",
    responses((status = 200, body = GuardrailsStatusBody)))]
pub(super) async fn status(State(app): State<Arc<App>>) -> Result<Json<GuardrailsStatusBody>, Problem> {
    let standing = app.engine.guardrails_standing().await.map_err(problem)?;
    Ok(Json(GuardrailsStatusBody::from(&standing)))
}

/// Replace the guardrails. `version` is the one that was read; another is a conflict.
#[utoipa::path(put, path = "/api/v1/intelligence/guardrails", tag = "intelligence", request_body = GuardrailsBody,
    responses((status = 200, body = GuardrailsBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn put(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<GuardrailsBody>,
) -> Result<Json<GuardrailsBody>, Problem> {
    let wanted = Guardrails {
        max_cost_increase_percent: body.cost_impact.max_increase,
        max_cost_decrease_percent: body.cost_impact.max_decrease,
        max_degradation_percent: body.performance_impact.max_degradation,
        min_uptime_percent: body.availability.min_uptime,
        rollback_automatic: body.rollback.automatic,
        rollback_timeout_s: body.rollback.timeout_s,
        verification_window_s: body.verification.window_s,
        max_actions_per_run: body.blast_radius.max_actions_per_run,
        max_actions_per_day: body.blast_radius.max_actions_per_day,
        max_share_per_day_percent: body.blast_radius.max_share_per_day,
        rollout_from: body.blast_radius.rollout_from,
        cool_down_s: body.cool_down_s,
        breaker_failures: body.breaker_failures,
        change_control: body.change_control.into_change_control()?,
        kill_switch: body.kill_switch,
        breaker_reset_at: None,
        version: body.version,
    };
    let stored = app.engine.guardrails_put(wanted, &asking(&caller)).await.map_err(problem)?;
    Ok(Json(bodies::guardrails(&stored)))
}

/// Stop everything, or let it go on. Steps that run are finished or undone; nothing new begins.
#[utoipa::path(post, path = "/api/v1/intelligence/kill-switch", tag = "intelligence", request_body = KillSwitchBody,
    responses((status = 200, body = GuardrailsBody), (status = 422, body = ProblemBody)))]
pub(super) async fn kill_switch(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<KillSwitchBody>,
) -> Result<Json<GuardrailsBody>, Problem> {
    let stored = app.engine.kill_switch(body.on, &body.reason, &asking(&caller)).await.map_err(problem)?;
    Ok(Json(bodies::guardrails(&stored)))
}

/// Let the circuit breaker go: failures before now no longer count.
#[utoipa::path(post, path = "/api/v1/intelligence/guardrails/breaker-reset", tag = "intelligence", request_body = BreakerResetBody,
    responses((status = 200, body = GuardrailsBody), (status = 422, body = ProblemBody)))]
pub(super) async fn breaker_reset(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<BreakerResetBody>,
) -> Result<Json<GuardrailsBody>, Problem> {
    let stored = app.engine.breaker_reset(&body.reason, &asking(&caller)).await.map_err(problem)?;
    Ok(Json(bodies::guardrails(&stored)))
}
