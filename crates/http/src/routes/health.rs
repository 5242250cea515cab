//! Health, readiness, metrics.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::app::App;

/// Alive: the process answers.
pub(crate) async fn healthz() -> &'static str {
    "ok\n"
}

/// Ready: the state store answers and the log is open.
pub(crate) async fn readyz(State(app): State<Arc<App>>) -> impl IntoResponse {
    match app.access.team_list().await {
        Ok(_) => (StatusCode::OK, "ready\n".to_owned()),
        Err(error) => {
            tracing::warn!(%error, "not ready");
            (StatusCode::SERVICE_UNAVAILABLE, "the state store does not answer\n".to_owned())
        }
    }
}

/// Prometheus metrics. They carry counts alone: nothing of entries, users or resources.
pub(crate) async fn metrics(State(app): State<Arc<App>>) -> impl IntoResponse {
    let mut registry = Registry::default();
    let size: Gauge = Gauge::default();
    size.set(i64::try_from(app.ledger.size()).unwrap_or(i64::MAX));
    registry.register("reeve_log_entries", "Entries in the signed log", size);
    let mut text = String::new();
    if let Err(error) = encode(&mut text, &registry) {
        tracing::warn!(%error, "metrics could not be written");
    }
    ([(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], text)
}
