//! Recommendations: list, one, why.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use reeve_audit::FieldCode;
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::recommendation::applicability::{Applicability, ApplicabilityState};
use reeve_recommend::recommendation::combined::{added_cost, combined_savings};
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::totals::OpenSavings;
use reeve_recommend::recommendation::{
    Priority, Recommendation, RecommendationId, RecommendationType,
};

use crate::app::App;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::paging::{PagingWindow, window};
use crate::routes::intelligence::bodies;
use crate::routes::intelligence::problems::problem;
use crate::routes::resources::{parse, parse_several};
use crate::wire::recommendation::{
    ExplanationBody, PatchBody, RecommendationBody, RecommendationList, RecommendationParams,
};

/// Recommendations, highest expected value first.
#[utoipa::path(get, path = "/api/v1/intelligence/recommendations", tag = "intelligence", params(RecommendationParams),
    responses((status = 200, body = RecommendationList), (status = 422, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(params): Params<RecommendationParams>,
) -> Result<Json<RecommendationList>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let state = parse(
        "applicability",
        params.applicability.as_deref(),
        ApplicabilityState::parse,
    )?;
    let wanted = RecommendationFilter {
        visible: app.visible(&caller.principal).await?.connections(),
        ..filter(params)?
    };
    let Some(state) = state else {
        let page = RecommendationFilter {
            limit: window.limit,
            offset: window.start(),
            ..wanted.clone()
        };
        let (found, total) = app.agents.recommendation_list(&page).await?;
        // What has ended saves nothing any more.
        let savings = app.agents.recommendation_savings(&wanted).await?;
        return answer(&app, &found, savings, window, total).await;
    };

    // Nothing that has ended is applied: what is left is bounded by the estate.
    let (open, _) = app
        .agents
        .recommendation_list(&RecommendationFilter {
            is_open: true,
            ..wanted.clone()
        })
        .await?;

    let decided = app.guardrails.applicability(&open).await.map_err(problem)?;
    let is_so =
        |decided: &Option<Applicability>| decided.as_ref().is_some_and(|one| one.state() == state);
    let matching: Vec<Recommendation> = open
        .into_iter()
        .zip(decided)
        .filter(|(_, decided)| is_so(decided))
        .map(|(one, _)| one)
        .collect();

    let (start, limit) = (window.start() as usize, window.limit as usize);
    let page: Vec<Recommendation> = matching.iter().skip(start).take(limit).cloned().collect();
    let unpriced = matching
        .iter()
        .filter(|one| one.expected_savings().is_none())
        .count() as u64;
    let savings = OpenSavings {
        combined: combined_savings(&matching),
        added: added_cost(&matching),
        unpriced,
    };

    answer(&app, &page, savings, window, matching.len() as u64).await
}

fn filter(params: RecommendationParams) -> Result<RecommendationFilter, Problem> {
    let status = parse_several("status", params.status.as_deref(), Status::parse)?;

    if params
        .min_confidence
        .is_some_and(|least| !(0.0..=100.0).contains(&least))
    {
        return Err(Problem::field(
            "min_confidence",
            FieldCode::OutOfRange,
            "must be a percentage from 0 to 100",
        ));
    }

    Ok(RecommendationFilter {
        status,
        agent: params.agent,
        kind: parse("type", params.kind.as_deref(), RecommendationType::parse)?,
        priority: parse("priority", params.priority.as_deref(), Priority::parse)?,
        min_confidence: params.min_confidence,
        resource: params.resource,
        account: params.account,
        ..RecommendationFilter::default()
    })
}

async fn answer(
    app: &App,
    page: &[Recommendation],
    savings: OpenSavings,
    window: PagingWindow,
    total: u64,
) -> Result<Json<RecommendationList>, Problem> {
    let decided = app.guardrails.applicability(page).await.map_err(problem)?;
    let body = |(one, decided): (&Recommendation, &Option<Applicability>)| {
        bodies::recommendation_with(one, decided.as_ref())
    };

    Ok(Json(RecommendationList {
        items: page.iter().zip(&decided).map(body).collect(),
        total,
        next_cursor: window.next(page.len(), total),
        savings_monthly: savings.combined.usd_cents(),
        cost_added_monthly: savings.added.usd_cents(),
        savings_unpriced: savings.unpriced,
    }))
}

/// Returns one recommendation.
#[utoipa::path(get, path = "/api/v1/intelligence/recommendations/{id}", tag = "intelligence", params(("id" = String, Path)),
    responses((status = 200, body = RecommendationBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<RecommendationBody>, Problem> {
    let visible = app.visible(&caller.principal).await?;
    let found = visible.recommendation(&RecommendationId(id)).await?;
    let decided = app
        .guardrails
        .applicability(std::slice::from_ref(&found))
        .await
        .map_err(problem)?;

    Ok(Json(bodies::recommendation_with(
        &found,
        decided.first().and_then(Option::as_ref),
    )))
}

/// Explanation by the numbers that decided.
#[utoipa::path(get, path = "/api/v1/intelligence/recommendations/{id}/explanation", tag = "intelligence", params(("id" = String, Path)),
    responses((status = 200, body = ExplanationBody), (status = 404, body = ProblemBody)))]
pub(super) async fn explanation(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<ExplanationBody>, Problem> {
    let visible = app.visible(&caller.principal).await?;
    let found = visible.recommendation(&RecommendationId(id)).await?;
    Ok(Json(bodies::explanation(
        &found.explanation,
        found.confidence,
    )))
}

/// Returns the change in infrastructure as code, where it owns the resource.
#[utoipa::path(get, path = "/api/v1/intelligence/recommendations/{id}/patch", tag = "intelligence", params(("id" = String, Path)),
    responses((status = 200, body = PatchBody), (status = 404, body = ProblemBody)))]
pub(super) async fn patch(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<PatchBody>, Problem> {
    let visible = app.visible(&caller.principal).await?;
    let found = visible.recommendation(&RecommendationId(id)).await?;
    let resource = app.estate.resource_get(&found.subject.id).await?;
    let patch = reeve_recommend::plan::patch::patch(&found, &resource).ok_or_else(|| {
        Problem::new(
            Code::NotFound,
            "The resource has no infrastructure-as-code tag, or the change cannot be written as a patch.",
        )
    })?;

    Ok(Json(PatchBody {
        tool: patch.tool.into(),
        tag: patch.tag,
        patch: patch.text,
    }))
}
