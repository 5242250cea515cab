//! Tombstones with their proofs: what a backup that is older needs to forget when it is restored.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use reeve_audit::events;
use reeve_audit::query::Query;
use serde_json::json;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::Caller;
use crate::log_entry;
use crate::routes::audit_logs::ask;

/// Query for the entries about deletions.
const TOMBSTONES: &str = "event_type:(ledger.expire OR ledger.erase)";

/// Download the proofs of all deletions, one JSON object a line: `{"sequence": n, "proof": "..."}`.
/// Kept beside the backups, the file lets the restore of an older one delete again what was deleted
/// since.
#[utoipa::path(get, path = "/api/v1/audit-logs/tombstones", tag = "audit-logs",
    responses((status = 200, content_type = "application/x-ndjson", body = String), (status = 500, body = ProblemBody)))]
pub(super) async fn list(State(app): State<Arc<App>>, caller: Caller) -> Result<Response, Problem> {
    let trail = app.trail(&caller);
    let query = Query::parse(TOMBSTONES).map_err(|error| Problem::internal(error.to_string()))?;
    let mut scan = trail.scan(query, 0..trail.end(), app.now());
    let (mut lines, mut found) = (String::new(), 0);
    while let Some(stretch) = scan.next().await.map_err(ask::problem)? {
        for stored in &stretch.entries {
            let Some(proof) = trail.proof(stored).await.map_err(Problem::internal)? else {
                continue;
            };
            let line = json!({ "sequence": stored.sequence, "proof": proof });
            lines.push_str(&format!("{line}\n"));
            found += 1;
        }
    }

    let entry = log_entry::read_log(
        &caller,
        &events::AUDIT_VIEW,
        "download_tombstones",
        json!({}),
        Some(found),
    );
    app.record_reading(entry).await?;
    let headers = [(header::CONTENT_TYPE, "application/x-ndjson")];
    Ok((headers, lines).into_response())
}
