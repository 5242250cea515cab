//! Workload of a resource: what agents found, and the class that a person gives instead.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use reeve_estate::ResourceId;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::routes::intelligence::{asking, problem};
use crate::wire::agent::workload::{WorkloadBody, WorkloadCorrectionBody};

/// The workload of a resource: production, development, batch or analytics, with its evidence.
#[utoipa::path(get, path = "/api/v1/resources/{id}/workload", tag = "estate", params(("id" = String, Path)),
    responses((status = 200, body = WorkloadBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<WorkloadBody>, Problem> {
    let found = app.workloads.get(&ResourceId(id)).await.map_err(problem)?;
    Ok(Json(WorkloadBody::new(&found)))
}

/// Correct the workload of a resource. The class takes precedence over what agents find, and
/// teaches resources alike.
#[utoipa::path(put, path = "/api/v1/resources/{id}/workload", tag = "estate", params(("id" = String, Path)),
    request_body = WorkloadCorrectionBody,
    responses((status = 200, body = WorkloadBody), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn put(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<WorkloadCorrectionBody>,
) -> Result<Json<WorkloadBody>, Problem> {
    let (id, by) = (ResourceId(id), asking(&caller));
    let found = app
        .workloads
        .correct(&id, &body.class, body.comment.as_deref(), &by)
        .await
        .map_err(problem)?;
    Ok(Json(WorkloadBody::new(&found)))
}

/// Take the correction back; the next run of an agent judges the resource again.
#[utoipa::path(delete, path = "/api/v1/resources/{id}/workload", tag = "estate", params(("id" = String, Path)),
    responses((status = 200, body = WorkloadBody), (status = 404, body = ProblemBody)))]
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<WorkloadBody>, Problem> {
    let found = app
        .workloads
        .withdraw(&ResourceId(id), &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(WorkloadBody::new(&found)))
}
