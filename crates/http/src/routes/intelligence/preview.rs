//! The dry run of an agent.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use reeve_recommend::agent::{AgentId, Impact, Mode};

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::Params;
use crate::routes::intelligence::problems::problem;
use crate::routes::resources::parse;
use crate::wire::agent::preview::{PreviewBody, PreviewDecisionBody, PreviewParams};

/// Dry run of an agent: what it would do now with each of its open recommendations, under its
/// configuration or another one.
#[utoipa::path(get, path = "/api/v1/intelligence/agents/{agent_id}/preview", tag = "intelligence", params(("agent_id" = String, Path), PreviewParams),
    responses((status = 200, body = PreviewBody), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn agent(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Params(params): Params<PreviewParams>,
) -> Result<Json<PreviewBody>, Problem> {
    let mut agent = app.agents.agent_get(&AgentId(id)).await?;
    agent.mode = parse("mode", params.mode.as_deref(), Mode::parse)?.unwrap_or(agent.mode);
    agent.auto_apply.max_impact = parse("max_impact", params.max_impact.as_deref(), Impact::parse)?
        .unwrap_or(agent.auto_apply.max_impact);
    agent.auto_apply.enabled = params.auto_apply.unwrap_or(agent.auto_apply.enabled);
    let preview = app
        .rollouts
        .preview(&agent, &app.scopes)
        .await
        .map_err(problem)?;

    Ok(Json(PreviewBody {
        mode: agent.mode.as_str().to_owned(),
        auto_apply: agent.auto_apply.enabled,
        max_impact: agent.auto_apply.max_impact.as_str().to_owned(),
        days_observed: preview.days_observed,
        items: preview
            .decisions
            .iter()
            .map(PreviewDecisionBody::from)
            .collect(),
    }))
}
