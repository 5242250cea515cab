//! One entry, and its proof.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use reeve_ledger::StoredEntry;

use super::{ask, bodies};
use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::Caller;
use crate::story;
use crate::wire::entry::EntryBody;

/// One entry.
#[utoipa::path(get, path = "/api/v1/audit-logs/{event_id}", tag = "audit-logs", params(("event_id" = String, Path)),
    responses((status = 200, body = EntryBody), (status = 404, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(event_id): Path<String>,
) -> Result<Json<EntryBody>, Problem> {
    let stored = find(&app, &caller, &event_id, "view_entry").await?;
    Ok(Json(bodies::entry(&stored)))
}

/// The proof of one entry: a C2SP `.tlog-proof` that `reeve-verify` checks offline.
#[utoipa::path(get, path = "/api/v1/audit-logs/{event_id}/proof", tag = "audit-logs", params(("event_id" = String, Path)),
    responses((status = 200, body = String, content_type = "text/plain"), (status = 404, body = ProblemBody)))]
pub(super) async fn proof(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(event_id): Path<String>,
) -> Result<Response, Problem> {
    let stored = find(&app, &caller, &event_id, "download_proof").await?;
    let proof = app.ledger.proof(&stored).await.map_err(Problem::internal)?;
    let name = format!("attachment; filename=\"entry-{}.tlog-proof\"", stored.sequence);
    let mut response = proof.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    if let Ok(name) = HeaderValue::from_str(&name) {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(response)
}

async fn find(app: &App, caller: &Caller, event_id: &str, operation: &str) -> Result<Arc<StoredEntry>, Problem> {
    let found =
        app.trail.by_event_id(event_id).await.map_err(ask::problem)?.filter(|stored| ask::may_see(caller, stored));
    let entry = story::read_log(
        caller,
        "audit.view",
        operation,
        json!({ "event_id": event_id }),
        Some(u64::from(found.is_some())),
    );
    app.record_reading(entry).await?;
    found.ok_or_else(|| Problem::not_found("entry", event_id))
}
