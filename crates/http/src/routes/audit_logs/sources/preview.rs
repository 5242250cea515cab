//! Reading of samples, so that a mapping can be tested before anything is written.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use reeve_audit::FieldCode;
use reeve_intake::{Mapping, SourceKind, preview as read_sample};
use tokio::task::spawn_blocking;

use super::{mapping, source};
use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::Body;
use crate::wire::log_source::{
    PreviewedEventBody, SourcePreviewBody, SourcePreviewInput, SourceTestInput,
};

/// Longest sample, in bytes.
const MAX_SAMPLE_BYTES: usize = 256 << 10;
/// Events of a sample that are answered.
const SHOWN: usize = 20;

/// Read a sample with a mapping: the entries that it would become, and what is left over. Nothing is
/// written.
#[utoipa::path(post, path = "/api/v1/audit-logs/sources/preview", tag = "audit-logs", operation_id = "log_sources_preview", request_body = SourcePreviewInput,
    responses((status = 200, body = SourcePreviewBody), (status = 422, body = ProblemBody)))]
pub(super) async fn preview(
    State(app): State<Arc<App>>,
    Body(body): Body<SourcePreviewInput>,
) -> Result<Json<SourcePreviewBody>, Problem> {
    let kind = body.kind.0;
    let mapping = mapping(kind, body.mapping)?;
    shown(&app, kind, mapping, body.sample).await
}

/// Read a sample as a source would. Nothing is written.
#[utoipa::path(post, path = "/api/v1/audit-logs/sources/{id}/test", tag = "audit-logs", operation_id = "log_sources_test", params(("id" = String, Path)),
    request_body = SourceTestInput,
    responses((status = 200, body = SourcePreviewBody), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn test(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Body(body): Body<SourceTestInput>,
) -> Result<Json<SourcePreviewBody>, Problem> {
    let source = source(&app, id).await?;
    shown(&app, source.kind, source.mapping, body.sample).await
}

async fn shown(
    app: &App,
    kind: SourceKind,
    mapping: Option<Mapping>,
    sample: String,
) -> Result<Json<SourcePreviewBody>, Problem> {
    if sample.len() > MAX_SAMPLE_BYTES {
        let message = format!("must have at most {MAX_SAMPLE_BYTES} bytes");
        return Err(Problem::field("sample", FieldCode::TooLong, message));
    }
    let now = app.now();
    let work = move || read_sample(kind, mapping.as_ref(), sample.as_bytes(), now);
    let read = spawn_blocking(work).await.map_err(Problem::internal)?;
    let events = read.map_err(|rejection| {
        Problem::field("sample", FieldCode::InvalidValue, rejection.to_string())
    })?;
    Ok(Json(SourcePreviewBody {
        items: events
            .iter()
            .take(SHOWN)
            .map(PreviewedEventBody::new)
            .collect(),
        total: events.len() as u64,
    }))
}
