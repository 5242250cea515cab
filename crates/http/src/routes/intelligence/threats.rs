//! Lists of indicators that operators supply: what entries of the log are held against.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller, Params};
use crate::paging::window;
use crate::routes::intelligence::problems::{asking, problem};
use crate::wire::anomaly::{ThreatListBody, ThreatListPut, ThreatListTextBody};
use crate::wire::form::list::{List, Paging};

/// Threat lists by name, without their indicators.
#[utoipa::path(get, path = "/api/v1/intelligence/threat-lists", tag = "intelligence", params(Paging),
    responses((status = 200, body = List<ThreatListBody>), (status = 422, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(params): Params<Paging>,
) -> Result<Json<List<ThreatListBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let all = app.threats.threat_list_all().await?;
    let total = all.len() as u64;
    let skip = usize::try_from(window.start()).unwrap_or(usize::MAX);
    let items: Vec<_> = all
        .iter()
        .skip(skip)
        .take(usize::try_from(window.limit).unwrap_or(usize::MAX))
        .map(ThreatListBody::from)
        .collect();
    let next_cursor = window.next(items.len(), total);

    Ok(Json(List {
        items,
        total,
        next_cursor,
    }))
}

/// One list with its indicators.
#[utoipa::path(get, path = "/api/v1/intelligence/threat-lists/{name}", tag = "intelligence", params(("name" = String, Path)),
    responses((status = 200, body = ThreatListTextBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Json<ThreatListTextBody>, Problem> {
    let list = app.threats.threat_list_get(&name).await?;
    Ok(Json(ThreatListTextBody {
        about: ThreatListBody::from(&list),
        indicators: list.text,
    }))
}

/// Add a list, or replace the one of this name. It counts from the next look at the log on.
#[utoipa::path(put, path = "/api/v1/intelligence/threat-lists/{name}", tag = "intelligence", params(("name" = String, Path)),
    request_body = ThreatListPut,
    responses((status = 200, body = ThreatListBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn put(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(name): Path<String>,
    Body(body): Body<ThreatListPut>,
) -> Result<Json<ThreatListBody>, Problem> {
    let put = app
        .anomaly_service
        .threat_list_put(&name, body.indicators, None, &asking(&caller))
        .await;
    Ok(Json(ThreatListBody::from(&put.map_err(problem)?)))
}

/// Remove a list.
#[utoipa::path(delete, path = "/api/v1/intelligence/threat-lists/{name}", tag = "intelligence", params(("name" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(name): Path<String>,
) -> Result<StatusCode, Problem> {
    app.anomaly_service
        .threat_list_delete(&name, false, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(StatusCode::NO_CONTENT)
}
