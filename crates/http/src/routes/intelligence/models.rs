//! Models: what the agents have learned, how good it is, and training anew.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_recommend::agent::AgentId;
use reeve_recommend::models::{Model, ModelFilter, ModelId, ModelStatus, ModelType};

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::paging::window;
use crate::routes::intelligence::problems::{asking, problem};
use crate::routes::resources::parse;
use crate::time;
use crate::wire::agent::model::{ModelBody, ModelDetailBody, ModelParams};
use crate::wire::form::list::List;

/// Models by agent and name, newest version first.
#[utoipa::path(get, path = "/api/v1/intelligence/models", tag = "intelligence", params(ModelParams),
    responses((status = 200, body = List<ModelBody>), (status = 422, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(params): Params<ModelParams>,
) -> Result<Json<List<ModelBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let filter = ModelFilter {
        agent: params.agent.map(AgentId),
        name: params.name,
        kind: parse("type", params.kind.as_deref(), ModelType::parse)?,
        status: parse("status", params.status.as_deref(), ModelStatus::parse)?,
        limit: window.limit,
        offset: window.start(),
    };
    let (found, total) = app.models.model_list(&filter).await?;

    let next_cursor = window.next(found.len(), total);
    Ok(Json(List {
        items: found.iter().map(body_of).collect(),
        total,
        next_cursor,
    }))
}

/// One version of a model, with its history.
#[utoipa::path(get, path = "/api/v1/intelligence/models/{id}", tag = "intelligence", params(("id" = String, Path)),
    responses((status = 200, body = ModelDetailBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<ModelDetailBody>, Problem> {
    let model = app.models.model_get(&ModelId(id)).await?;
    let same = ModelFilter {
        agent: Some(model.agent_id.clone()),
        name: Some(model.name.clone()),
        limit: 1000,
        ..ModelFilter::default()
    };
    let (history, _) = app.models.model_list(&same).await?;

    Ok(Json(ModelDetailBody {
        model: body_of(&model),
        history: history.iter().map(body_of).collect(),
    }))
}

/// Train a model anew. It happens in the background; what serves goes on serving until the new
/// version wins.
#[utoipa::path(post, path = "/api/v1/intelligence/models/{id}/retrain", tag = "intelligence", params(("id" = String, Path)),
    responses((status = 202, body = ModelBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn retrain(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<(StatusCode, Json<ModelBody>), Problem> {
    let model = app
        .registry
        .request(&ModelId(id), &asking(&caller))
        .await
        .map_err(problem)?;
    Ok((StatusCode::ACCEPTED, Json(body_of(&model))))
}

fn percent(share: f64) -> f64 {
    (share * 1000.0).round() / 10.0
}

pub(super) fn body_of(model: &Model) -> ModelBody {
    ModelBody {
        id: model.id.0.clone(),
        agent_id: model.agent_id.0.clone(),
        name: model.name.clone(),
        kind: model.kind.into(),
        version: model.version,
        status: model.status.into(),
        training_span_days: (model.training_span_days * 10.0).round() / 10.0,
        samples: model.samples,
        held_out: model.held_out,
        accuracy: percent(model.accuracy),
        precision: percent(model.precision),
        recall: percent(model.recall),
        f1: percent(model.f1),
        threshold: percent(model.threshold),
        retrain_reason: model.cause.into(),
        note: model.note.clone(),
        drift: model
            .drift
            .map(|distance| (distance * 1000.0).round() / 1000.0),
        trained_at: time::text(model.trained_at),
        last_update: time::text(model.updated_at),
        tried_at: model.tried_at.map(time::text),
        retrain_requested_by: model.requested_by.clone(),
    }
}
