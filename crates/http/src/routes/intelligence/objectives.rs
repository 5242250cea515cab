//! Objectives of services with their error budgets. Changes are recorded before they are made.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_audit::{Entry, FieldCode, Json as AuditJson, ResourceRef, events};
use reeve_estate::{Metric, ResourceId, ResourceKind, StoreError};
use reeve_recommend::objective::{
    KINDS, METRICS, MOST_OBJECTIVES, Objective, ObjectiveId, Service, WINDOWS,
};

use crate::app::App;
use crate::change::{Recorded, created, modified, same_version};
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::routes::intelligence::problem;
use crate::wire::form::list::List;
use crate::wire::objective::{
    ObjectiveBody, ObjectiveCourseBody, ObjectiveServiceBody, ObjectiveSettings, greatest_target,
};

/// Longest name, and longest name or value of a tag, characters.
const LONGEST: usize = 200;
/// Least and greatest share of the time, percent.
const SHARES: (f64, f64) = (50.0, 99.99);

/// Objectives by name, each with its error budget as it was last measured.
#[utoipa::path(get, path = "/api/v1/intelligence/objectives", tag = "intelligence", operation_id = "objectives_list",
    responses((status = 200, body = List<ObjectiveBody>)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
) -> Result<Json<List<ObjectiveBody>>, Problem> {
    let all = app.objectives.objective_list().await?;
    let items: Vec<ObjectiveBody> = all
        .iter()
        .map(|(objective, standing)| ObjectiveBody::new(objective, standing.as_ref()))
        .collect();
    Ok(Json(List {
        total: items.len() as u64,
        items,
        next_cursor: None,
    }))
}

/// One objective, with its error budget as it was last measured.
#[utoipa::path(get, path = "/api/v1/intelligence/objectives/{id}", tag = "intelligence", operation_id = "objectives_get",
    params(("id" = String, Path)), responses((status = 200, body = ObjectiveBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<ObjectiveBody>, Problem> {
    let all = app.objectives.objective_list().await?;
    let (objective, standing) = all
        .into_iter()
        .find(|(objective, _)| objective.id.0 == id)
        .ok_or_else(|| Problem::not_found("objective", &id))?;
    Ok(Json(ObjectiveBody::new(&objective, standing.as_ref())))
}

/// Metric and error budget of an objective over its window.
#[utoipa::path(get, path = "/api/v1/intelligence/objectives/{id}/course", tag = "intelligence", operation_id = "objectives_course",
    params(("id" = String, Path)), responses((status = 200, body = ObjectiveCourseBody), (status = 404, body = ProblemBody)))]
pub(super) async fn course(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<ObjectiveCourseBody>, Problem> {
    let objective = app.objectives.objective_get(&ObjectiveId(id)).await?;
    let course = app.objective_service.course(&objective).await;
    Ok(Json(ObjectiveCourseBody::from(course.map_err(problem)?)))
}

/// Add an objective. It is measured at once, and every five minutes.
#[utoipa::path(post, path = "/api/v1/intelligence/objectives", tag = "intelligence", operation_id = "objectives_create", request_body = ObjectiveSettings,
    responses((status = 201, body = ObjectiveBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    caller: Caller,
    Body(body): Body<ObjectiveSettings>,
) -> Result<(StatusCode, Json<ObjectiveBody>), Problem> {
    let id = ObjectiveId(uuid::Uuid::now_v7().to_string());
    let objective = objective(&app, id, body, None).await?;
    let kind = &events::OBJECTIVE_CREATE;
    let entry = created(&caller, kind, "create_objective", &objective);
    let insert = app.objectives.objective_insert(&objective, MOST_OBJECTIVES);
    app.change(entry, insert).await?;
    Ok((StatusCode::CREATED, Json(measured(&app, &objective).await)))
}

/// Replace an objective.
#[utoipa::path(put, path = "/api/v1/intelligence/objectives/{id}", tag = "intelligence", operation_id = "objectives_put",
    params(("id" = String, Path)), request_body = ObjectiveSettings,
    responses((status = 200, body = ObjectiveBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn put(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<ObjectiveSettings>,
) -> Result<Json<ObjectiveBody>, Problem> {
    let before = app.objectives.objective_get(&ObjectiveId(id)).await?;
    same_version("objective", before.version, body.version)?;
    let after = objective(&app, before.id.clone(), body, Some(&before)).await?;
    let kind = &events::OBJECTIVE_MODIFY;
    let entry = modified(&caller, kind, "modify_objective", (&before, &after));
    app.change(entry, app.objectives.objective_update(&after))
        .await?;
    Ok(Json(measured(&app, &after).await))
}

/// An objective that was just stored, measured where that succeeds: the next measurement is minutes
/// away.
async fn measured(app: &App, objective: &Objective) -> ObjectiveBody {
    let standing = app.objective_service.evaluate_one(objective).await;
    if let Err(error) = &standing {
        tracing::warn!(%error, objective = objective.name, "an objective was not measured");
    }
    ObjectiveBody::new(objective, standing.ok().as_ref())
}

/// Remove an objective. Findings about it end with the next run of their agent.
#[utoipa::path(delete, path = "/api/v1/intelligence/objectives/{id}", tag = "intelligence", operation_id = "objectives_delete",
    params(("id" = String, Path)), responses((status = 204), (status = 404, body = ProblemBody)))]
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let objective = app.objectives.objective_get(&ObjectiveId(id)).await?;
    let removal = app.objectives.objective_delete(&objective.id);
    let kind = &events::OBJECTIVE_DELETE;
    app.remove(&caller, kind, "delete_objective", &objective, removal)
        .await
}

impl Recorded for Objective {
    fn resource(&self) -> ResourceRef {
        ResourceRef::new("objective", self.id.0.clone())
    }

    fn record(&self) -> AuditJson {
        AuditJson::from(serde_json::to_value(ObjectiveBody::new(self, None)).unwrap_or_default())
    }

    fn described(&self, entry: Entry) -> Entry {
        entry.with_metadata("objective_name", self.name.clone())
    }
}

fn wrong(field: &str, message: impl Into<String>) -> Problem {
    Problem::field(field, FieldCode::InvalidValue, message)
}

async fn objective(
    app: &App,
    id: ObjectiveId,
    body: ObjectiveSettings,
    before: Option<&Objective>,
) -> Result<Objective, Problem> {
    let name = text("name", &body.name)?;
    let metric = Metric::parse(&body.metric)
        .filter(|metric| METRICS.contains(metric))
        .ok_or_else(|| {
            let names: Vec<&str> = METRICS.iter().map(|metric| metric.as_str()).collect();
            wrong("metric", format!("must be one of {}", names.join(", ")))
        })?;
    let greatest = greatest_target(metric);
    if !(body.target > 0.0 && body.target <= greatest) {
        return Err(wrong(
            "target",
            format!("must be more than 0, and at most {greatest}"),
        ));
    }
    if !(SHARES.0..=SHARES.1).contains(&body.share_percent) {
        let message = format!("must be from {} to {}", SHARES.0, SHARES.1);
        return Err(wrong("share_percent", message));
    }
    if !WINDOWS.contains(&body.window_days) {
        return Err(wrong("window_days", "must be 7, 28 or 30"));
    }

    let now = app.now();
    Ok(Objective {
        id,
        name,
        service: service(app, body.service, metric).await?,
        metric,
        target: body.target,
        share_percent: body.share_percent,
        window_days: body.window_days,
        created_at: before.map_or(now, |before| before.created_at),
        updated_at: now,
        version: before.map_or(1, |before| before.version + 1),
    })
}

async fn service(
    app: &App,
    body: ObjectiveServiceBody,
    metric: Metric,
) -> Result<Service, Problem> {
    match (body.resource_id, body.tag) {
        (Some(id), None) => {
            let id = ResourceId::new(text("service.resource_id", &id)?);
            let kind = match app.estate.resource_get(&id).await {
                Ok(resource) => resource.kind,
                Err(StoreError::NotFound { .. }) => {
                    return Err(wrong(
                        "service.resource_id",
                        "is no resource of the inventory",
                    ));
                }
                Err(error) => return Err(error.into()),
            };
            // A group is measured at the load balancers before it.
            let measured = match kind {
                ResourceKind::ScalingGroup => ResourceKind::LoadBalancer,
                kind => kind,
            };
            if !KINDS.contains(&measured) || !measured.has_metric(metric) {
                let message = format!("is a {kind}, which has no {metric}");
                return Err(wrong("service.resource_id", message));
            }
            Ok(Service::Resource(id))
        }
        (None, Some(tag)) => Ok(Service::Tag {
            name: text("service.tag.name", &tag.name)?,
            value: text("service.tag.value", &tag.value)?,
        }),
        _ => Err(wrong("service", "must have either resource_id or tag")),
    }
}

fn text(field: &str, given: &str) -> Result<String, Problem> {
    let given = given.trim();
    if given.is_empty() || given.chars().count() > LONGEST || given.contains(char::is_control) {
        let message = format!("must have 1 to {LONGEST} characters without control characters");
        return Err(wrong(field, message));
    }
    Ok(given.to_owned())
}
