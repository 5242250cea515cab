//! Recommendations: list, one, why.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};

use reeve_agents::ports::RecommendationFilter;
use reeve_agents::{Priority, RecommendationId, RecommendationType, Status};

use super::bodies;
use crate::app::App;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::Params;
use crate::paging::window;
use crate::routes::resources::parse;
use crate::wire::list::List;
use crate::wire::recommendation::{ExplanationBody, PatchBody, RecommendationBody, RecommendationParams};

/// Recommendations, highest expected value first.
#[utoipa::path(get, path = "/api/v1/intelligence/recommendations", tag = "intelligence", params(RecommendationParams),
    responses((status = 200, body = List<RecommendationBody>), (status = 422, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(params): Params<RecommendationParams>,
) -> Result<Json<List<RecommendationBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let mut status = Vec::new();
    for name in params.status.as_deref().unwrap_or_default().split(',').map(str::trim) {
        status.extend(parse("status", Some(name), Status::parse)?);
    }
    if params.min_confidence.is_some_and(|least| !(0.0..=100.0).contains(&least)) {
        return Err(Problem::field("min_confidence", "out_of_range", "must be a percentage from 0 to 100"));
    }
    let filter = RecommendationFilter {
        status,
        agent: params.agent,
        kind: parse("type", params.kind.as_deref(), RecommendationType::parse)?,
        priority: parse("priority", params.priority.as_deref(), Priority::parse)?,
        min_confidence: params.min_confidence,
        resource: params.resource,
        account: params.account,
        limit: window.limit,
        offset: window.start(),
    };
    let (found, total) = app.agents.recommendation_list(&filter).await?;
    let next_cursor = window.next(found.len(), total);
    Ok(Json(List { items: found.iter().map(bodies::recommendation).collect(), total, next_cursor }))
}

/// One recommendation.
#[utoipa::path(get, path = "/api/v1/intelligence/recommendations/{id}", tag = "intelligence", params(("id" = String, Path)),
    responses((status = 200, body = RecommendationBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<RecommendationBody>, Problem> {
    Ok(Json(bodies::recommendation(&app.agents.recommendation_get(&RecommendationId(id)).await?)))
}

/// Why, from the numbers that decided.
#[utoipa::path(get, path = "/api/v1/intelligence/recommendations/{id}/explanation", tag = "intelligence", params(("id" = String, Path)),
    responses((status = 200, body = ExplanationBody), (status = 404, body = ProblemBody)))]
pub(super) async fn explanation(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<ExplanationBody>, Problem> {
    let found = app.agents.recommendation_get(&RecommendationId(id)).await?;
    Ok(Json(bodies::explanation(&found.explanation, found.confidence)))
}

/// What to change in infrastructure as code, where it owns the resource.
#[utoipa::path(get, path = "/api/v1/intelligence/recommendations/{id}/patch", tag = "intelligence", params(("id" = String, Path)),
    responses((status = 200, body = PatchBody), (status = 404, body = ProblemBody)))]
pub(super) async fn patch(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Json<PatchBody>, Problem> {
    let found = app.agents.recommendation_get(&RecommendationId(id)).await?;
    let resource = app.estate.resource_get(&found.subject.id).await?;
    let patch = reeve_agents::patch(&found, &resource).ok_or_else(|| {
        Problem::new(
            Code::NotFound,
            "No tag says that infrastructure as code owns the resource, or the change has no form there.",
        )
    })?;
    Ok(Json(PatchBody { tool: patch.tool.as_str().to_owned(), tag: patch.tag, patch: patch.text }))
}
