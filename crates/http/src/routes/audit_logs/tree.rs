//! The signed tree, as C2SP tlog-tiles: the checkpoint and the tiles. They carry hashes alone.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::error::{Problem, ProblemBody};

/// The newest checkpoint, a C2SP signed note.
#[utoipa::path(get, path = "/api/v1/audit-logs/checkpoint", tag = "audit-logs",
    responses((status = 200, body = String, content_type = "text/plain")))]
pub(super) async fn checkpoint(State(app): State<Arc<App>>) -> Response {
    let mut response = app.ledger.checkpoint().into_response();
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The newest checkpoint that witnesses have cosigned, with their cosignatures.
#[utoipa::path(get, path = "/api/v1/audit-logs/checkpoint.cosigned", tag = "audit-logs",
    responses((status = 200, body = String, content_type = "text/plain"), (status = 404, body = ProblemBody)))]
pub(super) async fn cosigned(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    let missing = || Problem::not_found("checkpoint", "checkpoint.cosigned");
    let mut response = app
        .ledger
        .cosigned_checkpoint()
        .ok_or_else(missing)?
        .into_response();

    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// A tile of the tree, by its C2SP path (`0/000`, `0/x001/234.p/17`, `entries/000`).
#[utoipa::path(get, path = "/api/v1/audit-logs/tile/{*path}", tag = "audit-logs", params(("path" = String, Path)),
    responses((status = 200, body = Vec<u8>, content_type = "application/octet-stream"), (status = 404, body = ProblemBody)))]
pub(super) async fn tile(
    State(app): State<Arc<App>>,
    Path(path): Path<String>,
) -> Result<Response, Problem> {
    let bytes = app
        .ledger
        .tile(&format!("tile/{path}"))
        .await
        .map_err(Problem::internal)?;
    let bytes = bytes.ok_or_else(|| Problem::not_found("tile", &path))?;
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/octet-stream"),
    );

    // What a path names never changes; private, because it is served to whoever is signed in.
    headers.insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static("private, max-age=31536000, immutable"),
    );
    Ok(response)
}
