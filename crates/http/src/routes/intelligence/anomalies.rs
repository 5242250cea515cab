//! Anomalies: list, one, its course beside what was expected, acknowledge, feedback, reopen.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use jiff::SignedDuration;
use reeve_access::RowFilter;
use reeve_anomalies::{
    Anomaly, AnomalyClass, AnomalyFilter, AnomalyId, AnomalyStatus, Changes, course as course_of,
    course_changes, needed_from, resource_at,
};
use reeve_audit::{FieldCode, events};
use reeve_estate::{Metric, ResourceId};
use serde_json::json;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::paging::window;
use crate::routes::intelligence::problems::{asking, problem};
use crate::routes::resources::{parse, parse_several};
use crate::wire::anomaly::{
    AnomalyBody, AnomalyCourseBody, AnomalyCourseParams, AnomalyFeedbackCreate, AnomalyParams,
    CourseChangeBody, CoursePointBody, IncidentBody, RelatedAnomalyBody,
};
use crate::wire::form::list::List;
use crate::{log_entry, time};

/// Anomalies, newest beginning first.
#[utoipa::path(get, path = "/api/v1/intelligence/anomalies", tag = "intelligence", params(AnomalyParams),
    responses((status = 200, body = List<AnomalyBody>), (status = 422, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(params): Params<AnomalyParams>,
) -> Result<Json<List<AnomalyBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let status = parse_several("status", params.status.as_deref(), AnomalyStatus::parse)?;

    let visible = app.visible(&caller.principal).await?;
    let filter = AnomalyFilter {
        class: parse("type", params.class.as_deref(), AnomalyClass::parse)?,
        status,
        key: None,
        place: params.resource,
        accounts: visible.accounts(),
        incidents: params.incident.into_iter().map(AnomalyId).collect(),
        since: time::parse_option("since", params.since.as_deref())?,
        limit: window.limit,
        offset: window.start(),
    };
    let (found, total) = app.anomalies.anomaly_list(&filter).await?;

    let next_cursor = window.next(found.len(), total);
    let found: Vec<Anomaly> = found.into_iter().map(|one| visible.narrowed(one)).collect();
    let incidents = if visible.is_whole() {
        let incidents = app.anomaly_service.incidents(&found).await;
        incidents.map_err(problem)?
    } else {
        // Members of an incident may lie anywhere.
        BTreeMap::new()
    };
    let items: Vec<_> = found
        .iter()
        .map(|anomaly| AnomalyBody {
            incident: incidents.get(&anomaly.incident).map(IncidentBody::from),
            ..AnomalyBody::seen_by(anomaly, &RowFilter::for_principal(&caller.principal))
        })
        .collect();
    record_entries(&app, &caller, "list_anomalies", &items).await?;

    Ok(Json(List {
        items,
        total,
        next_cursor,
    }))
}

/// Returns one anomaly.
#[utoipa::path(get, path = "/api/v1/intelligence/anomalies/{id}", tag = "intelligence", params(("id" = String, Path)),
    responses((status = 200, body = AnomalyBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<AnomalyBody>, Problem> {
    let visible = app.visible(&caller.principal).await?;
    let found = visible.anomaly(&AnomalyId(id)).await?;
    let anomaly = if visible.is_whole() {
        let related = app.anomaly_service.related(&found).await.map_err(problem)?;
        AnomalyBody {
            related: related.iter().map(RelatedAnomalyBody::from).collect(),
            ..shown(&app, &found, &caller).await?
        }
    } else {
        // Related anomalies and members of an incident may lie anywhere.
        AnomalyBody::seen_by(&found, &RowFilter::for_principal(&caller.principal))
    };
    record_entries(
        &app,
        &caller,
        "view_anomaly",
        std::slice::from_ref(&anomaly),
    )
    .await?;

    Ok(Json(anomaly))
}

/// Records that log entries were read with anomalies. Anomalies without entries tell nothing of the
/// log.
async fn record_entries(
    app: &App,
    caller: &Caller,
    operation: &str,
    anomalies: &[AnomalyBody],
) -> Result<(), Problem> {
    let with_entries = anomalies
        .iter()
        .filter(|anomaly| !anomaly.log_entries.is_empty());
    let ids: Vec<&str> = with_entries
        .clone()
        .map(|anomaly| anomaly.id.as_str())
        .collect();
    if ids.is_empty() {
        return Ok(());
    }

    let found = with_entries
        .map(|anomaly| anomaly.log_entries.len() as u64)
        .sum();
    let asked = json!({ "anomalies": ids });
    app.record_poll(
        caller,
        log_entry::read_log(caller, &events::AUDIT_VIEW, operation, asked, Some(found)),
    )
    .await
}

/// Returns an anomaly with its incident. The parts of the cause whose log entries the caller may
/// not see are hidden.
async fn shown(app: &App, anomaly: &Anomaly, caller: &Caller) -> Result<AnomalyBody, Problem> {
    let incidents = app.anomaly_service.incidents([anomaly]).await;
    Ok(AnomalyBody {
        incident: incidents
            .map_err(problem)?
            .get(&anomaly.incident)
            .map(IncidentBody::from),
        ..AnomalyBody::seen_by(anomaly, &RowFilter::for_principal(&caller.principal))
    })
}

/// Say that somebody looks after it.
#[utoipa::path(post, path = "/api/v1/intelligence/anomalies/{id}/acknowledge", tag = "intelligence", params(("id" = String, Path)),
    responses((status = 200, body = AnomalyBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn acknowledge(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<AnomalyBody>, Problem> {
    let found = app
        .anomaly_service
        .acknowledge(&AnomalyId(id), &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(shown(&app, &found, &caller).await?))
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
    let said = app
        .anomaly_service
        .feedback(
            &AnomalyId(id),
            &body.kind,
            body.comments.as_deref(),
            &asking(&caller),
        )
        .await;
    Ok(Json(shown(&app, &said.map_err(problem)?, &caller).await?))
}

/// Take back what was said last, or the acknowledgement, and open what is over. What was taken back
/// stays on record.
#[utoipa::path(post, path = "/api/v1/intelligence/anomalies/{id}/reopen", tag = "intelligence", params(("id" = String, Path)),
    responses((status = 200, body = AnomalyBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn reopen(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<AnomalyBody>, Problem> {
    let found = app
        .anomaly_service
        .reopen(&AnomalyId(id), &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(Json(shown(&app, &found, &caller).await?))
}

/// A metric over the anomaly's time, point by point, beside what was expected and the usual band:
/// the detector read again over four weeks before it.
#[utoipa::path(get, path = "/api/v1/intelligence/anomalies/{id}/course", tag = "intelligence",
    params(("id" = String, Path), AnomalyCourseParams),
    responses((status = 200, body = AnomalyCourseBody), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn course(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Params(params): Params<AnomalyCourseParams>,
) -> Result<Json<AnomalyCourseBody>, Problem> {
    let visible = app.visible(&caller.principal).await?;
    let anomaly = visible.anomaly(&AnomalyId(id)).await?;
    let asked = parse("metric", params.metric.as_deref(), Metric::parse)?;
    let own = |metric: &Metric| {
        anomaly
            .readings
            .iter()
            .any(|reading| reading.metric == Some(*metric))
    };

    let strangest = anomaly.readings.iter().find_map(|reading| reading.metric);
    let Some(metric) = asked.or(strangest).filter(own) else {
        return Err(Problem::field(
            "metric",
            FieldCode::InvalidValue,
            "the anomaly has no such metric",
        ));
    };

    let hours = SignedDuration::from_hours;
    let from =
        time::parse_option("start_time", params.start_time.as_deref())?.unwrap_or_else(|| {
            anomaly
                .started_at
                .checked_sub(hours(24))
                .unwrap_or(anomaly.started_at)
        });

    let to = time::parse_option("end_time", params.end_time.as_deref())?.unwrap_or_else(|| {
        anomaly
            .last_at
            .checked_add(hours(6))
            .unwrap_or(anomaly.last_at)
    });

    if from >= to {
        return Err(Problem::field(
            "start_time",
            FieldCode::OutOfRange,
            "must lie before end_time",
        ));
    }

    // The newest two weeks of a longer span.
    let from = from.max(to.checked_sub(hours(24 * 14)).unwrap_or(from));
    let id = ResourceId::new(anomaly.place.id.clone());
    let (now, since) = (app.now(), needed_from(from));
    let known = match resource_at(&*app.estate, &anomaly.place).await? {
        Some(known) if visible.connections().contains(&known.connection) => known,
        Some(_) => return Err(Problem::not_found("resource", &id.0)),
        // A resource that is gone keeps its samples for a while.
        None => visible.resource(&id).await?,
    };
    let ids = std::slice::from_ref(&id);
    let read = app
        .samples
        .sample_series(&known.connection, ids, &[metric], since, to.min(now))
        .await?;
    let actions = app.agents.action_on(&id, since).await?;
    let seen = app
        .estate
        .resource_changes(&known.connection, ids, since)
        .await?;
    let mut changes = Changes::default();
    changes.learn(&actions, now);
    changes.learn_seen(&seen);

    // Thousands of points are judged anew.
    let judged = tokio::task::spawn_blocking(move || {
        read.first()
            .map(|series| course_of(series, &changes, from, to, now))
            .unwrap_or_default()
    });

    let points = judged
        .await
        .map_err(|error| Problem::internal(format!("judging stopped: {error}")))?;
    let changed = course_changes(&actions, &seen, from, to, now);
    Ok(Json(AnomalyCourseBody {
        metric: metric.into(),
        unit: metric.unit().into(),
        points: points
            .iter()
            .filter(|point| point.value.is_finite())
            .map(CoursePointBody::from)
            .collect(),
        changes: changed.into_iter().map(CourseChangeBody::from).collect(),
    }))
}
