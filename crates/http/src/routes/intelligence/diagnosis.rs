//! Diagnoses of what does not execute, is never sure, or does not fit: the
//! conditions of requirements, by name.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use reeve_recommend::agent::AgentId;
use reeve_recommend::recommendation::RecommendationId;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::Caller;
use crate::routes::intelligence::problems::{asking, problem};
use crate::wire::form::list::List;
use crate::wire::recommendation::diagnosis::DiagnosisBody;

/// Diagnosis of a recommendation that does not execute: each cause with its evidence and remedy.
#[utoipa::path(get, path = "/api/v1/intelligence/recommendations/{id}/diagnosis", tag = "intelligence", params(("id" = String, Path)),
    responses((status = 200, body = DiagnosisBody), (status = 404, body = ProblemBody)))]
pub(super) async fn recommendation(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<DiagnosisBody>, Problem> {
    let found = app
        .recommendations
        .diagnose(&RecommendationId(id), &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(DiagnosisBody::from(&found)))
}

/// Diagnosis of an agent whose confidence stays low or whose recommendations do not fit.
#[utoipa::path(get, path = "/api/v1/intelligence/agents/{agent_id}/diagnosis", tag = "intelligence", params(("agent_id" = String, Path)),
    responses((status = 200, body = List<DiagnosisBody>), (status = 404, body = ProblemBody)))]
pub(super) async fn agent(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<List<DiagnosisBody>>, Problem> {
    let found = app
        .agent_service
        .diagnose_agent(&AgentId(id))
        .await
        .map_err(problem)?;
    let items: Vec<DiagnosisBody> = found.iter().map(DiagnosisBody::from).collect();
    Ok(Json(List {
        total: items.len() as u64,
        items,
        next_cursor: None,
    }))
}
