//! Anomalies: list, one, acknowledge, feedback, and the settings of each class.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};

use reeve_agents::anomaly::{
    AnomalyClass, AnomalyFilter, AnomalyId, AnomalySettings, AnomalyStatus, CostSettings, PerformanceSettings,
    SecuritySettings, Sensitivity,
};
use reeve_estate::Metric;

use super::problems::{asking, problem};
use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::paging::window;
use crate::routes::resources::parse;
use crate::time;
use crate::wire::anomaly::{AnomalyBody, AnomalyFeedbackCreate, AnomalyParams, AnomalySettingsBody};
use crate::wire::list::List;

/// Anomalies, newest beginning first.
#[utoipa::path(get, path = "/api/v1/intelligence/anomalies", tag = "intelligence", params(AnomalyParams),
    responses((status = 200, body = List<AnomalyBody>), (status = 422, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(params): Params<AnomalyParams>,
) -> Result<Json<List<AnomalyBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let filter = AnomalyFilter {
        class: parse("type", params.class.as_deref(), AnomalyClass::parse)?,
        status: parse("status", params.status.as_deref(), AnomalyStatus::parse)?,
        key: None,
        place: params.resource,
        since: time::parse_option("since", params.since.as_deref())?,
        limit: window.limit,
        offset: window.start(),
    };
    let (found, total) = app.anomalies.anomaly_list(&filter).await?;
    let next_cursor = window.next(found.len(), total);
    Ok(Json(List { items: found.iter().map(AnomalyBody::from).collect(), total, next_cursor }))
}

/// One anomaly.
#[utoipa::path(get, path = "/api/v1/intelligence/anomalies/{id}", tag = "intelligence", params(("id" = String, Path)),
    responses((status = 200, body = AnomalyBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Json<AnomalyBody>, Problem> {
    Ok(Json(AnomalyBody::from(&app.anomalies.anomaly_get(&AnomalyId(id)).await?)))
}

/// Say that somebody looks after it.
#[utoipa::path(post, path = "/api/v1/intelligence/anomalies/{id}/acknowledge", tag = "intelligence", params(("id" = String, Path)),
    responses((status = 200, body = AnomalyBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn acknowledge(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<AnomalyBody>, Problem> {
    let found = app.desk.acknowledge(&AnomalyId(id), &asking(&caller)).await.map_err(problem)?;
    Ok(Json(AnomalyBody::from(&found)))
}

/// Say whether it was real, false or planned. False ones are not called again for a while.
#[utoipa::path(post, path = "/api/v1/intelligence/anomalies/{id}/feedback", tag = "intelligence", params(("id" = String, Path)),
    request_body = AnomalyFeedbackCreate,
    responses((status = 200, body = AnomalyBody), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn feedback(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<AnomalyFeedbackCreate>,
) -> Result<Json<AnomalyBody>, Problem> {
    let said = app.desk.feedback(&AnomalyId(id), &body.kind, body.comments.as_deref(), &asking(&caller)).await;
    Ok(Json(AnomalyBody::from(&said.map_err(problem)?)))
}

/// The settings of each class.
#[utoipa::path(get, path = "/api/v1/intelligence/anomaly-settings", tag = "intelligence",
    responses((status = 200, body = AnomalySettingsBody)))]
pub(super) async fn settings_get(State(app): State<Arc<App>>) -> Result<Json<AnomalySettingsBody>, Problem> {
    Ok(Json(AnomalySettingsBody::from(&app.anomalies.anomaly_settings_get().await?)))
}

/// Replace the settings. `version` is the one that was read; another is a conflict.
#[utoipa::path(put, path = "/api/v1/intelligence/anomaly-settings", tag = "intelligence", request_body = AnomalySettingsBody,
    responses((status = 200, body = AnomalySettingsBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn settings_put(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<AnomalySettingsBody>,
) -> Result<Json<AnomalySettingsBody>, Problem> {
    let sensitivity = |field: &str, text: &str| {
        let wrong = || Problem::field(field, "invalid_value", "must be one of low, medium, high");
        Sensitivity::parse(text).ok_or_else(wrong)
    };
    let metric = |text: &String| {
        let wrong = || Problem::field("performance.metrics", "invalid_value", format!("{text:?} is no metric"));
        Metric::parse(text).ok_or_else(wrong)
    };
    let wanted = AnomalySettings {
        cost: CostSettings {
            threshold_percent: body.cost.threshold_percent,
            window_hours: body.cost.window_hours,
            baseline_days: body.cost.baseline_days,
        },
        performance: PerformanceSettings {
            metrics: body.performance.metrics.iter().map(metric).collect::<Result<_, _>>()?,
            sensitivity: sensitivity("performance.sensitivity", &body.performance.sensitivity)?,
        },
        security: SecuritySettings {
            behavioral_analysis: body.security.behavioral_analysis,
            sensitivity: sensitivity("security.sensitivity", &body.security.sensitivity)?,
        },
        version: body.version,
    };
    let stored = app.desk.settings_put(wanted, &asking(&caller)).await.map_err(problem)?;
    Ok(Json(AnomalySettingsBody::from(&stored)))
}
