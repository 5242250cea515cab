//! Predictive rules, and the forecasts they decided on.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_predict::{Outcome, Prediction, PredictionFilter, RuleId};

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::paging::window;
use crate::routes::intelligence::problems::{asking, problem};
use crate::routes::resources::parse;
use crate::wire::form::list::{List, Paging};
use crate::wire::predictive::{PredictionBody, PredictionParams, RuleBody, RulePut};

/// Lists rules, the oldest first.
#[utoipa::path(get, path = "/api/v1/intelligence/predictive-rules", tag = "intelligence", operation_id = "predictive_rules_list", params(Paging),
    responses((status = 200, body = List<RuleBody>)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(params): Params<Paging>,
) -> Result<Json<List<RuleBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let all = app.rules.rule_list().await?;
    Ok(Json(window.page(all.iter(), RuleBody::from)))
}

/// Add a rule. What it foresees becomes a recommendation of an agent of its type; the rule itself
/// never acts.
#[utoipa::path(post, path = "/api/v1/intelligence/predictive-rules", tag = "intelligence", operation_id = "predictive_rules_create", request_body = RulePut,
    responses((status = 201, body = RuleBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<RulePut>,
) -> Result<(StatusCode, Json<RuleBody>), Problem> {
    let rule = app
        .rule_service
        .create(body.into_input(None)?, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok((StatusCode::CREATED, Json(RuleBody::from(&rule))))
}

/// One rule, with what came of its last evaluation.
#[utoipa::path(get, path = "/api/v1/intelligence/predictive-rules/{id}", tag = "intelligence", operation_id = "predictive_rules_get",
    params(("id" = String, Path)), responses((status = 200, body = RuleBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<RuleBody>, Problem> {
    Ok(Json(RuleBody::from(
        &app.rules.rule_get(&RuleId(id)).await?,
    )))
}

/// Change a rule. Switching it off ends what it recommended and nobody took up.
#[utoipa::path(patch, path = "/api/v1/intelligence/predictive-rules/{id}", tag = "intelligence", operation_id = "predictive_rules_patch",
    params(("id" = String, Path)), request_body = RulePut,
    responses((status = 200, body = RuleBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn patch(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<RulePut>,
) -> Result<Json<RuleBody>, Problem> {
    let id = RuleId(id);
    let version = body.version;
    let input = body.into_input(Some(&app.rules.rule_get(&id).await?))?;
    let rule = app
        .rule_service
        .change(&id, version, input, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(RuleBody::from(&rule)))
}

/// Remove a rule with its predictions, and end what it recommended and nobody took up.
#[utoipa::path(delete, path = "/api/v1/intelligence/predictive-rules/{id}", tag = "intelligence", operation_id = "predictive_rules_delete",
    params(("id" = String, Path)), responses((status = 204), (status = 404, body = ProblemBody)))]
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    app.rule_service
        .remove(&RuleId(id), &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Evaluate a rule now, due or not: forecasts, decisions and, where it is enabled, recommendations.
#[utoipa::path(post, path = "/api/v1/intelligence/predictive-rules/{id}/evaluate", tag = "intelligence", operation_id = "predictive_rules_evaluate",
    params(("id" = String, Path)),
    responses((status = 200, body = List<PredictionBody>), (status = 404, body = ProblemBody)))]
pub(super) async fn evaluate(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<List<PredictionBody>>, Problem> {
    let found = app
        .rule_service
        .evaluate(&RuleId(id), &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(whole(&found)))
}

/// Preview a rule: the forecasts and decisions that it would make now. Nothing is kept or
/// recommended.
#[utoipa::path(post, path = "/api/v1/intelligence/predictive-rules/preview", tag = "intelligence", operation_id = "predictive_rules_preview", request_body = RulePut,
    responses((status = 200, body = List<PredictionBody>), (status = 422, body = ProblemBody)))]
pub(super) async fn preview(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<RulePut>,
) -> Result<Json<List<PredictionBody>>, Problem> {
    let found = app
        .rule_service
        .preview(body.into_input(None)?, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(whole(&found)))
}

/// Everything that was found, on one page: an evaluation looks at 500 resources at most.
fn whole(found: &[Prediction]) -> List<PredictionBody> {
    let items: Vec<PredictionBody> = found.iter().map(PredictionBody::from).collect();
    let total = items.len() as u64;
    List {
        items,
        total,
        next_cursor: None,
    }
}

/// Forecasts that rules decided on, newest first.
#[utoipa::path(get, path = "/api/v1/intelligence/predictions", tag = "intelligence", operation_id = "predictions_list", params(PredictionParams),
    responses((status = 200, body = List<PredictionBody>), (status = 422, body = ProblemBody)))]
pub(super) async fn predictions(
    State(app): State<Arc<App>>,
    Params(params): Params<PredictionParams>,
) -> Result<Json<List<PredictionBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let filter = PredictionFilter {
        rule: params.rule.map(RuleId),
        resource: params.resource,
        outcome: parse("outcome", params.outcome.as_deref(), Outcome::parse)?,
        limit: window.limit,
        offset: window.start(),
    };
    let (found, total) = app.rules.prediction_list(&filter).await?;

    let next_cursor = window.next(found.len(), total);
    Ok(Json(List {
        items: found.iter().map(PredictionBody::from).collect(),
        total,
        next_cursor,
    }))
}
