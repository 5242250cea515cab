//! The settings of each class of anomalies.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::routes::intelligence::problems::{asking, problem};
use crate::wire::anomaly::{AnomalySettingsBody, AnomalySettingsPut};

/// The settings of each class.
#[utoipa::path(get, path = "/api/v1/intelligence/anomaly-settings", tag = "intelligence",
    responses((status = 200, body = AnomalySettingsBody)))]
pub(super) async fn get(State(app): State<Arc<App>>) -> Result<Json<AnomalySettingsBody>, Problem> {
    Ok(Json(AnomalySettingsBody::from(
        &app.anomalies.anomaly_settings_get().await?,
    )))
}

/// Change the settings. What is left out stays; with `version`, a change that somebody else made
/// since is a conflict.
#[utoipa::path(put, path = "/api/v1/intelligence/anomaly-settings", tag = "intelligence", request_body = AnomalySettingsPut,
    responses((status = 200, body = AnomalySettingsBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn put(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<AnomalySettingsPut>,
) -> Result<Json<AnomalySettingsBody>, Problem> {
    let before = app.anomalies.anomaly_settings_get().await?;
    let wanted = body.applied(&before)?;
    let stored = app
        .anomaly_service
        .settings_put(wanted, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(AnomalySettingsBody::from(&stored)))
}
