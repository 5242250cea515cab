//! Playbooks, and their runs on incidents.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_incidents::{IncidentId, PlaybookName, PlaybookRunId};

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::routes::intelligence::problems::{asking, problem};
use crate::wire::form::list::List;
use crate::wire::incident::{
    PlaybookBody, PlaybookCreateBody, PlaybookPutBody, PlaybookRunBody, PlaybookRunCreateBody,
};

/// Playbooks: those that come with Reeve, then those of people by name.
#[utoipa::path(get, path = "/api/v1/intelligence/playbooks", tag = "intelligence", operation_id = "playbooks_list",
    responses((status = 200, body = List<PlaybookBody>)))]
pub(in crate::routes::intelligence) async fn list(
    State(app): State<Arc<App>>,
) -> Result<Json<List<PlaybookBody>>, Problem> {
    let all = app.incident_service.playbooks().await.map_err(problem)?;
    let items: Vec<PlaybookBody> = all.iter().map(PlaybookBody::from).collect();
    Ok(Json(List {
        total: items.len() as u64,
        items,
        next_cursor: None,
    }))
}

/// A playbook.
#[utoipa::path(get, path = "/api/v1/intelligence/playbooks/{name}", tag = "intelligence", operation_id = "playbooks_get", params(("name" = String, Path)),
    responses((status = 200, body = PlaybookBody), (status = 404, body = ProblemBody)))]
pub(in crate::routes::intelligence) async fn get(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Json<PlaybookBody>, Problem> {
    let found = app.incident_service.playbook(&PlaybookName(name)).await;
    Ok(Json(PlaybookBody::from(&found.map_err(problem)?)))
}

/// Add a playbook.
#[utoipa::path(post, path = "/api/v1/intelligence/playbooks", tag = "intelligence", operation_id = "playbooks_create", request_body = PlaybookCreateBody,
    responses((status = 201, body = PlaybookBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(in crate::routes::intelligence) async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<PlaybookCreateBody>,
) -> Result<(StatusCode, Json<PlaybookBody>), Problem> {
    let (name, input) = body.into_parts();
    let made = app
        .incident_service
        .playbook_create(PlaybookName(name), input, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok((StatusCode::CREATED, Json(PlaybookBody::from(&made))))
}

/// Replace a playbook of people. Runs keep the steps that they began with.
#[utoipa::path(put, path = "/api/v1/intelligence/playbooks/{name}", tag = "intelligence", operation_id = "playbooks_put", params(("name" = String, Path)),
    request_body = PlaybookPutBody,
    responses((status = 200, body = PlaybookBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(in crate::routes::intelligence) async fn put(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(name): Path<String>,
    Body(body): Body<PlaybookPutBody>,
) -> Result<Json<PlaybookBody>, Problem> {
    let kept = app
        .incident_service
        .playbook_replace(&PlaybookName(name), body.into(), &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(PlaybookBody::from(&kept)))
}

/// Remove a playbook of people. Its runs stay.
#[utoipa::path(delete, path = "/api/v1/intelligence/playbooks/{name}", tag = "intelligence", operation_id = "playbooks_delete", params(("name" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(in crate::routes::intelligence) async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(name): Path<String>,
) -> Result<StatusCode, Problem> {
    app.incident_service
        .playbook_remove(&PlaybookName(name), &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Runs of playbooks on an incident, newest first, each with the state of its steps.
#[utoipa::path(get, path = "/api/v1/intelligence/incidents/{id}/runs", tag = "intelligence", operation_id = "incidents_runs", params(("id" = String, Path)),
    responses((status = 200, body = List<PlaybookRunBody>), (status = 404, body = ProblemBody)))]
pub(in crate::routes::intelligence) async fn runs(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<List<PlaybookRunBody>>, Problem> {
    let id = IncidentId(id);
    app.incidents.incident_get(&id).await?;
    let runs = app.incident_service.runs_of(&id).await.map_err(problem)?;
    let items: Vec<PlaybookRunBody> = runs.iter().map(PlaybookRunBody::from).collect();
    Ok(Json(List {
        total: items.len() as u64,
        items,
        next_cursor: None,
    }))
}

/// Run a playbook on an incident. Each change is a recommendation, with its approval and rollback.
#[utoipa::path(post, path = "/api/v1/intelligence/incidents/{id}/runs", tag = "intelligence", operation_id = "incidents_run", params(("id" = String, Path)),
    request_body = PlaybookRunCreateBody,
    responses((status = 201, body = PlaybookRunBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(in crate::routes::intelligence) async fn run(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<PlaybookRunCreateBody>,
) -> Result<(StatusCode, Json<PlaybookRunBody>), Problem> {
    let run = app
        .incident_service
        .start(
            &IncidentId(id),
            &PlaybookName(body.playbook),
            &asking(&caller),
        )
        .await
        .map_err(problem)?;
    Ok((StatusCode::CREATED, Json(PlaybookRunBody::from(&run))))
}

/// Take the changes of a run back, the last one first. What waits for signatures is withdrawn.
#[utoipa::path(post, path = "/api/v1/intelligence/incidents/{id}/runs/{run}/rollback", tag = "intelligence", operation_id = "incidents_run_rollback",
    params(("id" = String, Path), ("run" = String, Path)),
    responses((status = 200, body = PlaybookRunBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(in crate::routes::intelligence) async fn roll_back(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((id, run)): Path<(String, String)>,
) -> Result<Json<PlaybookRunBody>, Problem> {
    let run = PlaybookRunId(run);
    let known = app.incidents.playbook_run_get(&run).await?;
    if known.incident != IncidentId(id) {
        return Err(Problem::not_found("run", &run.0));
    }
    let run = app
        .incident_service
        .roll_back(&run, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(PlaybookRunBody::from(&run)))
}
