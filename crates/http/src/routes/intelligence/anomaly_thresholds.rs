//! Thresholds of anomalies that answers of people and outcomes of remedies moved.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use reeve_anomalies::AnomalyId;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::routes::intelligence::problems::{asking, problem};
use crate::wire::anomaly::{AnomalyThresholdBody, AnomalyThresholdParams};
use crate::wire::form::list::List;

/// Thresholds that were moved, or those of one anomaly.
#[utoipa::path(get, path = "/api/v1/intelligence/anomaly-thresholds", tag = "intelligence", params(AnomalyThresholdParams),
    responses((status = 200, body = List<AnomalyThresholdBody>), (status = 404, body = ProblemBody),
        (status = 422, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(params): Params<AnomalyThresholdParams>,
) -> Result<Json<List<AnomalyThresholdBody>>, Problem> {
    let items: Vec<AnomalyThresholdBody> = match params.anomaly {
        Some(id) => {
            let anomaly = app.anomalies.anomaly_get(&AnomalyId(id)).await?;
            let found = app
                .anomaly_service
                .thresholds_of(&anomaly)
                .await
                .map_err(problem)?;
            found.iter().map(AnomalyThresholdBody::from).collect()
        }
        None => {
            let all = app.anomaly_service.thresholds().await.map_err(problem)?;
            all.list()
                .into_iter()
                .map(AnomalyThresholdBody::from)
                .collect()
        }
    };
    let total = items.len() as u64;

    Ok(Json(List {
        items,
        total,
        next_cursor: None,
    }))
}

/// Take every lesson of a threshold back: it is as configured again. The lessons stay on record and
/// no longer count.
#[utoipa::path(post, path = "/api/v1/intelligence/anomaly-thresholds/{id}/reset", tag = "intelligence",
    params(("id" = String, Path)),
    responses((status = 200, body = AnomalyThresholdBody), (status = 404, body = ProblemBody)))]
pub(super) async fn reset(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<AnomalyThresholdBody>, Problem> {
    let after = app
        .anomaly_service
        .threshold_reset(&id, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(AnomalyThresholdBody::from(&after)))
}
