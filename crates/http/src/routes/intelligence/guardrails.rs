//! Guardrails and the kill switch.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use reeve_access::Permission;

use crate::app::App;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::routes::intelligence::problems::{asking, problem};
use crate::wire::guardrail::limits::{GuardrailsBody, GuardrailsPut};
use crate::wire::guardrail::usage::GuardrailsStatusBody;
use crate::wire::recommendation::workflow::{BreakerResetBody, KillSwitchBody};

/// Returns the guardrails in force.
#[utoipa::path(get, path = "/api/v1/intelligence/guardrails", tag = "intelligence", responses((status = 200, body = GuardrailsBody)))]
pub(super) async fn get(State(app): State<Arc<App>>) -> Result<Json<GuardrailsBody>, Problem> {
    Ok(Json(GuardrailsBody::from(
        &app.agents.guardrails_get().await?,
    )))
}

/// Read the use of the guardrails: the circuit breaker, the day's changes, and each resource's
/// error budget.
#[utoipa::path(get, path = "/api/v1/intelligence/guardrails/status", tag = "intelligence",
    responses((status = 200, body = GuardrailsStatusBody)))]
pub(super) async fn status(
    State(app): State<Arc<App>>,
) -> Result<Json<GuardrailsStatusBody>, Problem> {
    let usage = app.guardrails.guardrail_usage().await.map_err(problem)?;
    Ok(Json(GuardrailsStatusBody::from(&usage)))
}

/// Change the guardrails; the approval matrix as an administrator. What is left out stays; with
/// `version`, a change that somebody else made since is a conflict.
#[utoipa::path(put, path = "/api/v1/intelligence/guardrails", tag = "intelligence", request_body = GuardrailsPut,
    responses((status = 200, body = GuardrailsBody), (status = 403, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn put(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<GuardrailsPut>,
) -> Result<Json<GuardrailsBody>, Problem> {
    let before = app.agents.guardrails_get().await?;
    let reason = body.reason().map(str::to_owned);
    let wanted = body.applied(&before)?;

    // Who may change the limits could otherwise take the signatures of others away, and approve by
    // oneself.
    if wanted.approval_matrix != before.approval_matrix && !caller.may(Permission::Administer) {
        return Err(Problem::new(
            Code::Forbidden,
            "Only administrators can change the approval matrix.",
        ));
    }

    let stored = app
        .guardrails
        .guardrails_put_for(wanted, reason.as_deref(), &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(GuardrailsBody::from(&stored)))
}

/// Stop everything, or let it go on. Steps that run are finished or undone; nothing new begins.
#[utoipa::path(post, path = "/api/v1/intelligence/kill-switch", tag = "intelligence", request_body = KillSwitchBody,
    responses((status = 200, body = GuardrailsBody), (status = 422, body = ProblemBody)))]
pub(super) async fn kill_switch(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<KillSwitchBody>,
) -> Result<Json<GuardrailsBody>, Problem> {
    let stored = app
        .guardrails
        .kill_switch(body.on, &body.reason, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(GuardrailsBody::from(&stored)))
}

/// Let the circuit breaker go: failures before now no longer count.
#[utoipa::path(post, path = "/api/v1/intelligence/guardrails/breaker-reset", tag = "intelligence", request_body = BreakerResetBody,
    responses((status = 200, body = GuardrailsBody), (status = 422, body = ProblemBody)))]
pub(super) async fn breaker_reset(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<BreakerResetBody>,
) -> Result<Json<GuardrailsBody>, Problem> {
    let stored = app
        .guardrails
        .breaker_reset(&body.reason, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(GuardrailsBody::from(&stored)))
}
