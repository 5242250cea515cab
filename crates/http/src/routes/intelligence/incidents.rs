//! Incidents: list, record, timeline, graph, and what people do with them.

mod bodies;
pub(super) mod playbooks;
pub(super) mod report;

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_incidents::{
    IncidentFilter, IncidentGraph, IncidentId, IncidentInput, IncidentPatch, IncidentStatus,
    MemberKind, TaskId, TaskPatch,
};
use reeve_recommend::recommendation::Priority;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::paging::window;
use crate::routes::intelligence::problems::{asking, problem};
use crate::routes::resources::parse_several;
use crate::time;
use crate::wire::form::list::{List, Paging};
use crate::wire::incident::{
    IncidentCreateBody, IncidentFindingCreateBody, IncidentGraphBody, IncidentMergeBody,
    IncidentMomentBody, IncidentNoteCreateBody, IncidentParams, IncidentPatchBody,
    IncidentRecordBody, IncidentSummaryBody, IncidentTaskCreateBody, IncidentTaskPatchBody,
};

/// Incidents, those that need people first, then by severity and last sign.
#[utoipa::path(get, path = "/api/v1/intelligence/incidents", tag = "intelligence", operation_id = "incidents_list", params(IncidentParams),
    responses((status = 200, body = List<IncidentSummaryBody>), (status = 422, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(params): Params<IncidentParams>,
) -> Result<Json<List<IncidentSummaryBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let filter = IncidentFilter {
        status: parse_several("status", params.status.as_deref(), IncidentStatus::parse)?,
        severity: parse_several("severity", params.severity.as_deref(), Priority::parse)?,
        owner: params.owner,
        ids: Vec::new(),
        active_since: time::parse_option("since", params.since.as_deref())?,
        limit: window.limit,
        offset: window.start(),
    };
    let (found, total) = app.incidents.incident_list(&filter).await?;
    let next_cursor = window.next(found.len(), total);
    Ok(Json(List {
        items: found.iter().map(IncidentSummaryBody::from).collect(),
        total,
        next_cursor,
    }))
}

/// Open an incident. Security findings open theirs automatically.
#[utoipa::path(post, path = "/api/v1/intelligence/incidents", tag = "intelligence", operation_id = "incidents_create", request_body = IncidentCreateBody,
    responses((status = 201, body = IncidentRecordBody), (status = 422, body = ProblemBody)))]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<IncidentCreateBody>,
) -> Result<(StatusCode, Json<IncidentRecordBody>), Problem> {
    let input = IncidentInput {
        title: body.title,
        description: body.description,
        severity: body.severity.0,
        owner: body.owner,
    };
    let made = app.incident_service.create(input, &asking(&caller)).await;
    let made = made.map_err(problem)?;
    let body = bodies::record(&app, &caller, &made).await?;
    Ok((StatusCode::CREATED, Json(body)))
}

/// An incident.
#[utoipa::path(get, path = "/api/v1/intelligence/incidents/{id}", tag = "intelligence", operation_id = "incidents_get", params(("id" = String, Path)),
    responses((status = 200, body = IncidentRecordBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<IncidentRecordBody>, Problem> {
    let incident = app.incidents.incident_get(&IncidentId(id)).await?;
    Ok(Json(bodies::record(&app, &caller, &incident).await?))
}

/// Edit an incident, give it an owner, or move it on.
#[utoipa::path(patch, path = "/api/v1/intelligence/incidents/{id}", tag = "intelligence", operation_id = "incidents_patch", params(("id" = String, Path)),
    request_body = IncidentPatchBody,
    responses((status = 200, body = IncidentRecordBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody),
        (status = 422, body = ProblemBody)))]
pub(super) async fn patch(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<IncidentPatchBody>,
) -> Result<Json<IncidentRecordBody>, Problem> {
    let patch = IncidentPatch {
        title: body.title,
        description: body.description,
        severity: body.severity.map(|severity| severity.0),
        owner: body.owner.map(given),
        status: body.status.map(|status| status.0),
        reason: body.reason,
    };
    let edited = app
        .incident_service
        .edit(&IncidentId(id), patch, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(bodies::record(&app, &caller, &edited).await?))
}

/// A text that may be taken away.
fn given(text: String) -> Option<String> {
    Some(text).filter(|text| !text.trim().is_empty())
}

/// Remove a closed incident that a person opened and that has no findings.
#[utoipa::path(delete, path = "/api/v1/intelligence/incidents/{id}", tag = "intelligence", operation_id = "incidents_delete", params(("id" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    app.incident_service
        .remove(&IncidentId(id), &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Merge an incident into another one, which gets its findings, tasks and notes.
#[utoipa::path(post, path = "/api/v1/intelligence/incidents/{id}/merge", tag = "intelligence", operation_id = "incidents_merge", params(("id" = String, Path)),
    request_body = IncidentMergeBody,
    responses((status = 200, body = IncidentRecordBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody),
        (status = 422, body = ProblemBody)))]
pub(super) async fn merge(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<IncidentMergeBody>,
) -> Result<Json<IncidentRecordBody>, Problem> {
    let kept = app
        .incident_service
        .merge(&IncidentId(id), &IncidentId(body.into), &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(bodies::record(&app, &caller, &kept).await?))
}

/// Add a finding to an incident.
#[utoipa::path(post, path = "/api/v1/intelligence/incidents/{id}/members", tag = "intelligence", operation_id = "incidents_member_add", params(("id" = String, Path)),
    request_body = IncidentFindingCreateBody,
    responses((status = 200, body = IncidentRecordBody), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn member_add(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<IncidentFindingCreateBody>,
) -> Result<Json<IncidentRecordBody>, Problem> {
    let kept = app
        .incident_service
        .add_member(&IncidentId(id), body.kind.0, &body.id, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(bodies::record(&app, &caller, &kept).await?))
}

/// Take a finding out of an incident.
#[utoipa::path(delete, path = "/api/v1/intelligence/incidents/{id}/members/{kind}/{member}", tag = "intelligence", operation_id = "incidents_member_remove",
    params(("id" = String, Path), ("kind" = String, Path), ("member" = String, Path)),
    responses((status = 200, body = IncidentRecordBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn member_remove(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((id, kind, member)): Path<(String, String, String)>,
) -> Result<Json<IncidentRecordBody>, Problem> {
    let Some(kind) = MemberKind::parse(&kind) else {
        return Err(Problem::not_found("member", &member));
    };
    let kept = app
        .incident_service
        .remove_member(&IncidentId(id), kind, &member, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(bodies::record(&app, &caller, &kept).await?))
}

/// Add a note to an incident.
#[utoipa::path(post, path = "/api/v1/intelligence/incidents/{id}/notes", tag = "intelligence", operation_id = "incidents_note_add", params(("id" = String, Path)),
    request_body = IncidentNoteCreateBody,
    responses((status = 200, body = IncidentRecordBody), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn note_add(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<IncidentNoteCreateBody>,
) -> Result<Json<IncidentRecordBody>, Problem> {
    let kept = app
        .incident_service
        .add_note(&IncidentId(id), &body.text, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(bodies::record(&app, &caller, &kept).await?))
}

/// Add a task to an incident.
#[utoipa::path(post, path = "/api/v1/intelligence/incidents/{id}/tasks", tag = "intelligence", operation_id = "incidents_task_add", params(("id" = String, Path)),
    request_body = IncidentTaskCreateBody,
    responses((status = 200, body = IncidentRecordBody), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn task_add(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<IncidentTaskCreateBody>,
) -> Result<Json<IncidentRecordBody>, Problem> {
    let kept = app
        .incident_service
        .add_task(&IncidentId(id), &body.text, body.assignee, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(bodies::record(&app, &caller, &kept).await?))
}

/// Edit a task of an incident, or mark it as done.
#[utoipa::path(patch, path = "/api/v1/intelligence/incidents/{id}/tasks/{task}", tag = "intelligence", operation_id = "incidents_task_patch",
    params(("id" = String, Path), ("task" = String, Path)), request_body = IncidentTaskPatchBody,
    responses((status = 200, body = IncidentRecordBody), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn task_patch(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((id, task)): Path<(String, String)>,
    Body(body): Body<IncidentTaskPatchBody>,
) -> Result<Json<IncidentRecordBody>, Problem> {
    let patch = TaskPatch {
        text: body.text,
        assignee: body.assignee.map(given),
        done: body.done,
    };
    let kept = app
        .incident_service
        .edit_task(&IncidentId(id), &TaskId(task), patch, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(bodies::record(&app, &caller, &kept).await?))
}

/// Timeline of an incident, oldest first: findings, acts of people and playbooks, and the entries
/// of the log behind the findings that the caller may see.
#[utoipa::path(get, path = "/api/v1/intelligence/incidents/{id}/timeline", tag = "intelligence", operation_id = "incidents_timeline",
    params(("id" = String, Path), Paging),
    responses((status = 200, body = List<IncidentMomentBody>), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn timeline(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Params(params): Params<Paging>,
) -> Result<Json<List<IncidentMomentBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let incident = app.incidents.incident_get(&IncidentId(id)).await?;
    let runs = app.incident_service.runs_of(&incident.id).await;
    let moments = bodies::moments(&app, &caller, &incident, &runs.map_err(problem)?).await?;
    Ok(Json(window.page(moments.iter(), IncidentMomentBody::from)))
}

/// Graph of an incident, drawn of the entries of the log that the caller may see.
#[utoipa::path(get, path = "/api/v1/intelligence/incidents/{id}/graph", tag = "intelligence", operation_id = "incidents_graph", params(("id" = String, Path)),
    responses((status = 200, body = IncidentGraphBody), (status = 404, body = ProblemBody)))]
pub(super) async fn graph(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<IncidentGraphBody>, Problem> {
    let incident = app.incidents.incident_get(&IncidentId(id)).await?;
    let entries = bodies::entries(&app, &caller, &incident, "view_incident_graph").await?;
    let graph = IncidentGraph::of(&incident, &entries, bodies::may_see(&caller));
    Ok(Json(graph.into()))
}
