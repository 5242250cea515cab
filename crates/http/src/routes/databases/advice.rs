//! Advice about a database, and the changes that were made.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use reeve_recommend::action::Action;
use reeve_recommend::agent::AgentType;
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::recommendation::totals::ActionFilter;
use reeve_recommend::recommendation::{ExpectedEffect, Recommendation};

use super::VisibleDatabase;
use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::Caller;
use crate::time;
use crate::wire::database::{
    DatabaseAdviceBody, DatabaseAdviceItemBody, DatabaseChangeBody, EffectBody,
};

/// Items of advice in an answer.
const MOST_ADVICE: u64 = 100;
/// Changes in an answer.
const MOST_CHANGES: u64 = 50;

/// Open recommendations about a database with figures before and after, and the changes that were
/// made.
#[utoipa::path(get, path = "/api/v1/databases/{id}/advice", tag = "estate", params(("id" = String, Path)),
    responses((status = 200, body = DatabaseAdviceBody), (status = 404, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<DatabaseAdviceBody>, Problem> {
    let visible = app.visible(&caller.principal).await?.connections();
    let database = VisibleDatabase::find(&app, &caller, id).await?;
    let filter = RecommendationFilter {
        visible,
        agent: Some(AgentType::DB_OPTIMIZER.as_str().to_owned()),
        resource: Some(database.body.id.clone()),
        is_open: true,
        limit: MOST_ADVICE,
        ..RecommendationFilter::default()
    };
    let (mut found, total) = app.agents.recommendation_list(&filter).await?;
    found.sort_by_key(|one| one.priority);

    let filter = ActionFilter {
        resources: vec![database.key.resource.clone()],
        limit: MOST_CHANGES,
        ..ActionFilter::default()
    };
    let (actions, _) = app.agents.action_page(&filter).await?;
    let mut history = Vec::new();
    for action in &actions {
        let recommendation = app
            .agents
            .recommendation_get(&action.recommendation)
            .await?;
        history.push(change_body(action, &recommendation));
    }

    let optimizer = Some(AgentType::DB_OPTIMIZER);
    let agents = app.agents.agent_list(optimizer).await?;
    Ok(Json(DatabaseAdviceBody {
        database: database.body,
        items: found.iter().map(item_body).collect(),
        total,
        history,
        has_agent: !agents.is_empty(),
    }))
}

fn item_body(recommendation: &Recommendation) -> DatabaseAdviceItemBody {
    let effect = recommendation.explanation.effect.as_ref();
    DatabaseAdviceItemBody {
        id: recommendation.id.0.clone(),
        title: recommendation.title.clone(),
        rule: recommendation
            .reason_codes
            .first()
            .cloned()
            .unwrap_or_default(),
        priority: recommendation.priority.into(),
        status: recommendation.status.into(),
        impact_level: recommendation.impact_level.into(),
        confidence: recommendation.confidence,
        effect: effect.map(effect_body),
        reasons: recommendation.explanation.factors.texts(),
        has_plan: recommendation.plan.is_some(),
        created_at: time::text(recommendation.created_at),
    }
}

fn effect_body(effect: &ExpectedEffect) -> EffectBody {
    EffectBody {
        before: effect.before,
        after: effect.after,
        unit: effect.unit.into(),
    }
}

fn change_body(action: &Action, recommendation: &Recommendation) -> DatabaseChangeBody {
    let watch = action.watch.as_ref();
    let effect = recommendation.explanation.effect.as_ref();
    DatabaseChangeBody {
        id: action.id.0.clone(),
        recommendation_id: action.recommendation.0.clone(),
        title: recommendation.title.clone(),
        purpose: action.purpose.into(),
        status: action.status.into(),
        by: action.by.clone(),
        started_at: time::text(action.started_at),
        finished_at: action.finished_at.map(time::text),
        reason: action.reason.clone(),
        effect: effect.map(effect_body),
        verdict: watch.map(|watch| watch.verdict.into()),
        verdict_detail: watch
            .map(|watch| watch.detail.clone())
            .filter(|detail| !detail.is_empty()),
    }
}
