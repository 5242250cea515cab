//! One entry, and its proof.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use reeve_audit::events;
use reeve_ledger::StoredEntry;
use serde_json::json;
use tokio::time::Instant;

use crate::app::App;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::log_entry;
use crate::routes::audit_logs::{ask, bodies};
use crate::wire::log::entry::EntryBody;

/// Identifier of an entry, as a query parameter.
#[derive(serde::Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct EntryParams {
    /// Identifier of the entry, whatever it is: `live`, `a/b`, `..`.
    event_id: String,
}

/// Returns one entry by its identifier in the path. The identifiers `checkpoint`,
/// `checkpoint.cosigned`, `entry`, `keys`, `live`, `saved-searches`, `search`, `stats` and `verify`
/// name other routes there: ask for such entries with `entry?event_id=`.
#[utoipa::path(get, path = "/api/v1/audit-logs/{event_id}", tag = "audit-logs", params(("event_id" = String, Path)),
    responses((status = 200, body = EntryBody), (status = 404, body = ProblemBody), (status = 410, body = ProblemBody)))]
pub(super) async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(event_id): Path<String>,
) -> Result<Json<EntryBody>, Problem> {
    let stored = find(&app, &caller, &event_id, "view_entry").await?;
    Ok(Json(bodies::entry(&stored)))
}

/// Returns one entry by its identifier, whatever the identifier is.
#[utoipa::path(get, path = "/api/v1/audit-logs/entry", tag = "audit-logs", params(EntryParams),
    responses((status = 200, body = EntryBody), (status = 404, body = ProblemBody), (status = 410, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn get_by_query(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(EntryParams { event_id }): Params<EntryParams>,
) -> Result<Json<EntryBody>, Problem> {
    let stored = find(&app, &caller, &event_id, "view_entry").await?;
    Ok(Json(bodies::entry(&stored)))
}

/// The proof of one entry: a C2SP `.tlog-proof` that `reeve-verify` checks offline.
#[utoipa::path(get, path = "/api/v1/audit-logs/{event_id}/proof", tag = "audit-logs", params(("event_id" = String, Path)),
    responses((status = 200, body = String, content_type = "text/plain"), (status = 404, body = ProblemBody), (status = 410, body = ProblemBody)))]
pub(super) async fn proof(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(event_id): Path<String>,
) -> Result<Response, Problem> {
    proof_of(&app, &caller, &event_id).await
}

/// The proof of one entry by its identifier, whatever the identifier is.
#[utoipa::path(get, path = "/api/v1/audit-logs/entry/proof", tag = "audit-logs", params(EntryParams),
    responses((status = 200, body = String, content_type = "text/plain"), (status = 404, body = ProblemBody), (status = 410, body = ProblemBody),
        (status = 422, body = ProblemBody)))]
pub(super) async fn proof_by_query(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(EntryParams { event_id }): Params<EntryParams>,
) -> Result<Response, Problem> {
    proof_of(&app, &caller, &event_id).await
}

async fn proof_of(app: &App, caller: &Caller, event_id: &str) -> Result<Response, Problem> {
    let stored = find(app, caller, event_id, "download_proof").await?;
    let proof = app
        .trail(caller)
        .proof(&stored)
        .await
        .map_err(Problem::internal)?;
    let proof = proof.ok_or_else(|| Problem::not_found("entry", event_id))?;
    let name = format!(
        "attachment; filename=\"entry-{}.tlog-proof\"",
        stored.sequence
    );
    let mut response = proof.into_response();
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    if let Ok(name) = HeaderValue::from_str(&name) {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }

    Ok(response)
}

/// Answers about what is not there, or not for the caller, come at multiples of this.
const BEAT: Duration = Duration::from_millis(100);

async fn find(
    app: &App,
    caller: &Caller,
    event_id: &str,
    operation: &str,
) -> Result<Arc<StoredEntry>, Problem> {
    let began = Instant::now();
    let found = app
        .trail(caller)
        .by_event_id(event_id)
        .await
        .map_err(ask::problem)?;

    let entry = log_entry::read_log(
        caller,
        &events::AUDIT_VIEW,
        operation,
        json!({ "event_id": event_id }),
        Some(u64::from(found.is_some())),
    );
    app.record_reading(entry).await?;

    if let Some(stored) = found {
        return Ok(stored);
    }
    // Of an erased entry nothing is left that tells who may see it: callers who see a part of the
    // log alone learn nothing.
    if app.trail(caller).sees_all()
        && let Some(erased) = app
            .erasures
            .erased(event_id)
            .await
            .map_err(Problem::internal)?
    {
        let message = format!(
            "The entry {event_id} (sequence {}) was erased under request {}; entry {} of the log is the record of it. Its commitment still proves all other entries.",
            erased.sequence, erased.request, erased.tombstone
        );
        return Err(Problem::new(Code::Erased, message));
    }

    // An entry that is there takes longer to find than one that is not: time would tell what the
    // answer does not.
    tokio::time::sleep_until(beat_after(began, Instant::now())).await;
    Err(Problem::not_found("entry", event_id))
}

/// The first multiple of [`BEAT`] after `began` that is not before `now`.
fn beat_after(began: Instant, now: Instant) -> Instant {
    let beats = now
        .duration_since(began)
        .as_nanos()
        .div_ceil(BEAT.as_nanos())
        .max(1);
    began + BEAT * u32::try_from(beats).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beats_come_at_multiples() {
        let began = Instant::now();
        for (took_ms, answered_ms) in [(0, 100), (1, 100), (100, 100), (101, 200), (950, 1000)] {
            let now = began + Duration::from_millis(took_ms);
            assert_eq!(
                beat_after(began, now),
                began + Duration::from_millis(answered_ms),
                "{took_ms}"
            );
        }
    }
}
