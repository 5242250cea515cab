//! Alerts of other tools: their arrival with the token of a source, lists, and closing.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Request, State};
use reeve_audit::FieldCode;
use reeve_incidents::{Incident, IncidentId, MemberKind};
use reeve_siem::{AlertSourceId, AlertStatus, InboundAlert, InboundAlertFilter, InboundAlertId};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::App;
use crate::error::{Code, FieldProblem, Problem, ProblemBody};
use crate::extract::{Body, Caller, Params, read_encoded};
use crate::guard::PushingAlerts;
use crate::paging::window;
use crate::routes::intelligence::problems::{asking, problem};
use crate::wire::form::enumeration::Name;
use crate::wire::form::list::List;
use crate::wire::inbound_alert::{AlertIntakeBody, InboundAlertBody, InboundAlertClose};

/// Path that alerts are pushed to.
pub(super) const PUSH_PATH: &str = "/api/v1/intelligence/inbound-alerts";
/// Largest body of a push, in bytes.
const MAX_BODY_BYTES: usize = 8 << 20;

/// Filter of alerts of other tools.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct InboundAlertParams {
    /// Identifier of a source.
    source: Option<String>,
    /// `open` or `closed`.
    status: Option<String>,
    /// At most this many (1 to 1000).
    #[param(default = 50, minimum = 1, maximum = 1000)]
    limit: Option<u32>,
    /// Number of matches to skip.
    offset: Option<u64>,
    /// The `next_cursor` of the page before.
    cursor: Option<String>,
}

/// Take alerts of another tool, in the format of the source whose token the request carries: one
/// object, an array, one object a line (NDJSON), or one CEF alert a line. Alerts that cannot be read
/// are refused one by one; an alert that arrived before is taken once.
#[utoipa::path(post, path = "/api/v1/intelligence/inbound-alerts", tag = "intelligence", operation_id = "inbound_alerts_push",
    request_body(content = String, content_type = "application/json", description = "Alerts in the format of the source"),
    responses((status = 200, body = AlertIntakeBody), (status = 413, body = ProblemBody), (status = 422, body = ProblemBody), (status = 429, body = ProblemBody)))]
pub(super) async fn push(
    State(app): State<Arc<App>>,
    PushingAlerts(source): PushingAlerts,
    request: Request,
) -> Result<Json<AlertIntakeBody>, Problem> {
    if !source.enabled {
        return Err(Problem::new(
            Code::Forbidden,
            "This alert source is disabled.",
        ));
    }

    let body = read_encoded(request, MAX_BODY_BYTES, &app).await?;
    let intake = app
        .alert_intake
        .receive(&source, &body)
        .await
        .map_err(problem)?;

    let taken = intake.new + intake.repeated + intake.known + intake.closed;
    if taken == 0 && !intake.refused.is_empty() {
        let refused = intake.refused.iter().map(|refusal| FieldProblem {
            field: refusal.field.clone().unwrap_or_default(),
            code: Name(FieldCode::InvalidValue),
            message: format!("line {}: {}", refusal.line, refusal.message),
            index: Some(refusal.line),
        });
        return Err(Problem::fields(refused.collect()));
    }
    Ok(Json(AlertIntakeBody::from(&intake)))
}

/// Alerts of other tools by their last report, newest first.
#[utoipa::path(get, path = "/api/v1/intelligence/inbound-alerts", tag = "intelligence", operation_id = "inbound_alerts_list", params(InboundAlertParams),
    responses((status = 200, body = List<InboundAlertBody>), (status = 422, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(params): Params<InboundAlertParams>,
) -> Result<Json<List<InboundAlertBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let status = params.status.as_deref().map(|status| {
        AlertStatus::parse(status).ok_or_else(|| {
            let message = format!("{status:?} is not one of open, closed");
            Problem::field("status", FieldCode::InvalidValue, message)
        })
    });
    let filter = InboundAlertFilter {
        source: params.source.map(AlertSourceId),
        status: status.transpose()?,
        limit: window.limit,
        offset: window.start(),
    };

    let (alerts, total) = app
        .alert_intake
        .alerts()
        .inbound_alert_list(&filter)
        .await?;
    let names = names(&app).await?;
    let mut incidents = BTreeMap::new();
    let mut items = Vec::new();
    for alert in &alerts {
        items.push(body_of(&app, alert, &names, &mut incidents).await?);
    }
    let next_cursor = window.next(items.len(), total);
    Ok(Json(List {
        items,
        total,
        next_cursor,
    }))
}

/// One alert of another tool.
#[utoipa::path(get, path = "/api/v1/intelligence/inbound-alerts/{id}", tag = "intelligence", operation_id = "inbound_alerts_get", params(("id" = String, Path)),
    responses((status = 200, body = InboundAlertBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<InboundAlertBody>, Problem> {
    let alert = app
        .alert_intake
        .alerts()
        .inbound_alert_get(&InboundAlertId(id))
        .await?;
    Ok(Json(body_alone(&app, &alert).await?))
}

/// Close an alert with a verdict, here and at its sender where the source has a callback. The
/// verdict counts for the weight of the source's further alerts. Of a closed alert the verdict alone
/// changes.
#[utoipa::path(post, path = "/api/v1/intelligence/inbound-alerts/{id}/close", tag = "intelligence", operation_id = "inbound_alerts_close",
    params(("id" = String, Path)), request_body = InboundAlertClose,
    responses((status = 200, body = InboundAlertBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn close(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(body): Body<InboundAlertClose>,
) -> Result<Json<InboundAlertBody>, Problem> {
    let alert = app
        .alert_intake
        .close(
            &InboundAlertId(id),
            body.verdict.0,
            body.comments,
            &asking(&caller),
        )
        .await
        .map_err(problem)?;
    Ok(Json(body_alone(&app, &alert).await?))
}

async fn body_alone(app: &App, alert: &InboundAlert) -> Result<InboundAlertBody, Problem> {
    body_of(app, alert, &names(app).await?, &mut BTreeMap::new()).await
}

async fn names(app: &App) -> Result<BTreeMap<String, String>, Problem> {
    let sources = app.alert_intake.sources().alert_source_list().await?;
    let names = sources.into_iter().map(|source| (source.id.0, source.name));
    Ok(names.collect())
}

/// Incidents move when they are merged, so the one of an alert is looked up when it is asked for.
/// Many alerts of a page may be of one incident: `incidents` are those that were read for it.
async fn body_of(
    app: &App,
    alert: &InboundAlert,
    names: &BTreeMap<String, String>,
    incidents: &mut BTreeMap<IncidentId, Incident>,
) -> Result<InboundAlertBody, Problem> {
    let kind = MemberKind::ExternalAlert;
    let name = names.get(&alert.source.0).map_or("", String::as_str);
    let mut body = InboundAlertBody::new(alert, name);
    if let Some(id) = app.incidents.incident_of(kind, &alert.id.0).await? {
        let incident = match incidents.entry(id.clone()) {
            Entry::Occupied(read) => read.into_mut(),
            Entry::Vacant(place) => place.insert(app.incidents.incident_get(&id).await?),
        };
        let member = incident.member(kind, &alert.id.0);
        body.joined_because = member.and_then(|member| member.because.clone());
        body.incident_id = Some(id.0);
    }
    Ok(body)
}
