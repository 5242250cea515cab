//! The tables of metrics. They say nothing about the estate, so everybody who is signed in may read
//! them.

use axum::Json;

use crate::wire::estate::metric::MetricTablesBody;

/// Metrics of resources and of predictive rules, with their names and units.
#[utoipa::path(get, path = "/api/v1/metrics", tag = "metrics", operation_id = "metric_tables", responses((status = 200, body = MetricTablesBody)))]
pub(super) async fn tables() -> Json<MetricTablesBody> {
    Json(MetricTablesBody::new())
}
