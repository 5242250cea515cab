//! Lists of indicators that operators supply: what entries of the log are held against.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller, Params, read_encoded};
use crate::paging::window;
use crate::routes::intelligence::problems::{asking, problem};
use crate::wire::anomaly::{
    StixImportBody, StixNotUsedBody, ThreatFeedBody, ThreatFeedPut, ThreatListBody, ThreatListPut,
    ThreatListTextBody,
};
use crate::wire::form::list::{List, Paging};

/// Largest bundle that is imported, bytes.
const MAX_BUNDLE_BYTES: usize = 32 << 20;
/// Unused indicators that an import names.
const MOST_NAMED: usize = 100;

/// Threat lists by name, without their indicators.
#[utoipa::path(get, path = "/api/v1/intelligence/threat-lists", tag = "intelligence", params(Paging),
    responses((status = 200, body = List<ThreatListBody>), (status = 422, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Params(params): Params<Paging>,
) -> Result<Json<List<ThreatListBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let all = app.threats.threat_list_all().await?;
    let feeds = app.threats.threat_feed_all().await?;
    let total = all.len() as u64;
    let skip = usize::try_from(window.start()).unwrap_or(usize::MAX);
    let items: Vec<_> = all
        .iter()
        .skip(skip)
        .take(usize::try_from(window.limit).unwrap_or(usize::MAX))
        .map(|list| ThreatListBody::with_feed(list, &feeds))
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
        about: ThreatListBody::with_feed(&list, &app.threats.threat_feed_all().await?),
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

/// Keep a list as an address has it: it is read at once, and then at the interval. A reading that
/// fails keeps the list as it was; the answer names the failure.
#[utoipa::path(put, path = "/api/v1/intelligence/threat-lists/{name}/feed", tag = "intelligence", operation_id = "threat_feed_put",
    params(("name" = String, Path)), request_body = ThreatFeedPut,
    responses((status = 200, body = ThreatFeedBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn feed_put(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(name): Path<String>,
    Body(body): Body<ThreatFeedPut>,
) -> Result<Json<ThreatFeedBody>, Problem> {
    let wanted = (body.url.trim().to_owned(), body.format.0, body.every_hours);
    let put = app
        .anomaly_service
        .threat_feed_put(&name, wanted, &asking(&caller))
        .await;
    Ok(Json(ThreatFeedBody::from(&put.map_err(problem)?)))
}

/// Read the address of a list no more. The list stays as it is.
#[utoipa::path(delete, path = "/api/v1/intelligence/threat-lists/{name}/feed", tag = "intelligence", operation_id = "threat_feed_delete",
    params(("name" = String, Path)), responses((status = 204), (status = 404, body = ProblemBody)))]
pub(super) async fn feed_delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(name): Path<String>,
) -> Result<StatusCode, Problem> {
    app.anomaly_service
        .threat_feed_delete(&name, &asking(&caller))
        .await
        .map_err(problem)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Read the address of a list now.
#[utoipa::path(post, path = "/api/v1/intelligence/threat-lists/{name}/feed/refresh", tag = "intelligence", operation_id = "threat_feed_refresh",
    params(("name" = String, Path)), responses((status = 200, body = ThreatFeedBody), (status = 404, body = ProblemBody)))]
pub(super) async fn feed_refresh(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(name): Path<String>,
) -> Result<Json<ThreatFeedBody>, Problem> {
    let service = &app.anomaly_service;
    let feed = service.threat_feed(&name).await.map_err(problem)?;
    let refreshed = service.threat_feed_refresh(feed, &asking(&caller)).await;
    Ok(Json(ThreatFeedBody::from(&refreshed.map_err(problem)?)))
}

/// Add a list of a STIX 2.1 bundle, or replace the one of this name. Indicators that entries of the
/// log cannot be compared with are answered with the reason.
#[utoipa::path(put, path = "/api/v1/intelligence/threat-lists/{name}/stix", tag = "intelligence", operation_id = "threat_list_import",
    params(("name" = String, Path)),
    request_body(content = Object, content_type = "application/stix+json", description = "A STIX 2.1 bundle"),
    responses((status = 200, body = StixImportBody), (status = 409, body = ProblemBody), (status = 413, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn import(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(name): Path<String>,
    request: Request,
) -> Result<Json<StixImportBody>, Problem> {
    let body = read_encoded(request, MAX_BUNDLE_BYTES, &app).await?;
    let (list, not_used) = app
        .anomaly_service
        .threat_list_import(&name, &String::from_utf8_lossy(&body), &asking(&caller))
        .await
        .map_err(problem)?;
    let named = not_used.iter().take(MOST_NAMED);
    Ok(Json(StixImportBody {
        list: ThreatListBody::with_feed(&list, &app.threats.threat_feed_all().await?),
        not_used: named.map(StixNotUsedBody::from).collect(),
        not_used_count: not_used.len() as u64,
    }))
}

/// One list as a STIX 2.1 bundle.
#[utoipa::path(get, path = "/api/v1/intelligence/threat-lists/{name}/stix", tag = "intelligence", operation_id = "threat_list_export",
    params(("name" = String, Path)),
    responses((status = 200, description = "A STIX 2.1 bundle", body = Object, content_type = "application/stix+json"), (status = 404, body = ProblemBody)))]
pub(super) async fn export(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<impl IntoResponse, Problem> {
    let bundle = app
        .anomaly_service
        .threat_list_bundle(&name)
        .await
        .map_err(problem)?;
    let kind = [(header::CONTENT_TYPE, "application/stix+json;version=2.1")];
    Ok((kind, bundle.to_string()))
}
