//! The settings of each class of anomalies.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use reeve_anomalies::{
    AnomalyClass, AnomalySettings, CostSettings, PerformanceSettings, Reaction, SecuritySettings, Sensitivity,
};
use reeve_estate::Metric;

use super::problems::{asking, problem};
use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::wire::anomaly::AnomalySettingsBody;

/// The settings of each class.
#[utoipa::path(get, path = "/api/v1/intelligence/anomaly-settings", tag = "intelligence",
    responses((status = 200, body = AnomalySettingsBody)))]
pub(super) async fn get(State(app): State<Arc<App>>) -> Result<Json<AnomalySettingsBody>, Problem> {
    Ok(Json(AnomalySettingsBody::from(&app.anomalies.anomaly_settings_get().await?)))
}

/// Replace the settings. `version` is the one that was read; another is a conflict.
#[utoipa::path(put, path = "/api/v1/intelligence/anomaly-settings", tag = "intelligence", request_body = AnomalySettingsBody,
    responses((status = 200, body = AnomalySettingsBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn put(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<AnomalySettingsBody>,
) -> Result<Json<AnomalySettingsBody>, Problem> {
    let before = app.anomalies.anomaly_settings_get().await?;
    let wanted = settings(&body, &before)?;
    let stored = app.desk.settings_put(wanted, &asking(&caller)).await.map_err(problem)?;
    Ok(Json(AnomalySettingsBody::from(&stored)))
}

fn settings(body: &AnomalySettingsBody, before: &AnomalySettings) -> Result<AnomalySettings, Problem> {
    let metrics: Result<Vec<Metric>, Problem> = body.performance.metrics.iter().map(|text| metric(text)).collect();
    Ok(AnomalySettings {
        cost: CostSettings {
            threshold_percent: body.cost.threshold_percent,
            window_hours: body.cost.window_hours,
            baseline_days: body.cost.baseline_days,
            action: action("cost.action", body.cost.action.as_deref(), AnomalyClass::Cost, before)?,
        },
        performance: PerformanceSettings {
            metrics: metrics?,
            sensitivity: sensitivity("performance.sensitivity", &body.performance.sensitivity)?,
            action: action(
                "performance.action",
                body.performance.action.as_deref(),
                AnomalyClass::Performance,
                before,
            )?,
        },
        security: SecuritySettings {
            behavioral_analysis: body.security.behavioral_analysis,
            threat_intelligence: body.security.threat_intelligence.unwrap_or(before.security.threat_intelligence),
            sensitivity: sensitivity("security.sensitivity", &body.security.sensitivity)?,
            action: action("security.action", body.security.action.as_deref(), AnomalyClass::Security, before)?,
        },
        version: body.version,
    })
}

/// The specification's names of two metrics are taken too.
fn metric(text: &str) -> Result<Metric, Problem> {
    let known = match text {
        "latency" => Some(Metric::ResponseTime),
        "throughput" => Some(Metric::RequestRate),
        other => Metric::parse(other),
    };
    known.ok_or_else(|| Problem::field("performance.metrics", "invalid_value", format!("{text:?} is no metric")))
}

fn sensitivity(field: &str, text: &str) -> Result<Sensitivity, Problem> {
    Sensitivity::parse(text).ok_or_else(|| Problem::field(field, "invalid_value", "must be one of low, medium, high"))
}

fn action(field: &str, text: Option<&str>, class: AnomalyClass, before: &AnomalySettings) -> Result<Reaction, Problem> {
    let Some(text) = text else { return Ok(before.action(class)) };
    let names: Vec<&str> = Reaction::of_class(class).iter().map(|reaction| reaction.as_str()).collect();
    let wrong = || Problem::field(field, "invalid_value", format!("must be one of {}", names.join(", ")));
    Reaction::parse(text).ok_or_else(wrong)
}
