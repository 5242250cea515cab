//! Traffic intelligence: what forecasts of traffic learn from, and how long before a peak they
//! prepare.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::routes::intelligence::problems::{asking, problem};
use crate::wire::predictive::{TrafficIntelligenceBody, TrafficIntelligencePut};

/// Traffic intelligence as it stands.
#[utoipa::path(get, path = "/api/v1/intelligence/traffic-intelligence", tag = "intelligence", operation_id = "traffic_intelligence_get",
    responses((status = 200, body = TrafficIntelligenceBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
) -> Result<Json<TrafficIntelligenceBody>, Problem> {
    Ok(Json(TrafficIntelligenceBody::from(
        &app.rule_service.traffic().await.map_err(problem)?,
    )))
}

/// Change traffic intelligence. What is left out stays. Lead times are those of the rules that
/// prepare, which change with them.
#[utoipa::path(put, path = "/api/v1/intelligence/traffic-intelligence", tag = "intelligence", operation_id = "traffic_intelligence_put",
    request_body = TrafficIntelligencePut,
    responses((status = 200, body = TrafficIntelligenceBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn put(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<TrafficIntelligencePut>,
) -> Result<Json<TrafficIntelligenceBody>, Problem> {
    let before = app.rule_service.traffic().await.map_err(problem)?;
    let stored = app
        .rule_service
        .traffic_put(body.into_input(&before)?, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(TrafficIntelligenceBody::from(&stored)))
}
