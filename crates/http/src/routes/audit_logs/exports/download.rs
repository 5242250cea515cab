//! Files of an export, streamed as they are on disk.

use std::sync::Arc;

use axum::body::Body as HttpBody;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::Response;
use reeve_audit::{FieldCode, events};
use reeve_exports::{Export, ExportFile, ExportState, FileRole};
use tokio_util::io::ReaderStream;

use crate::app::App;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::routes::audit_logs::exports::{entry, visible};
use crate::wire::export::ExportDownloadParams;

/// Bytes read at a time.
const CHUNK: usize = 256 << 10;

/// Download a file of an export: its entries, or the file named. An export with several files of
/// entries needs a name.
#[utoipa::path(get, path = "/api/v1/audit-logs/export/{id}/download", tag = "audit-logs", operation_id = "exports_download",
    params(("id" = String, Path), ExportDownloadParams),
    responses((status = 200, description = "The file", content_type = "application/octet-stream", body = String),
        (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn download(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Params(params): Params<ExportDownloadParams>,
) -> Result<Response, Problem> {
    let export = visible(&app, &caller, id).await?;
    let file = chosen(&export, params.file.as_deref())?;
    let path = app.settings.exports_dir.join(&export.id.0).join(&file.name);
    let opened = tokio::fs::File::open(&path)
        .await
        .map_err(|error| Problem::internal(format!("{}: {error}", path.display())))?;
    let download = entry(
        &caller,
        &events::EXPORT_DOWNLOAD,
        "export.download",
        &export,
    )
    .with_metadata("file", file.name.clone())
    .with_metadata("sha256", file.sha256.clone());
    app.record_reading(download).await?;

    let kind = match file.role {
        FileRole::Entries => export.selection.format.media_type(),
        FileRole::Manifest => "application/json",
        FileRole::Proof => "application/octet-stream",
    };

    Response::builder()
        .header(header::CONTENT_TYPE, kind)
        .header(header::CONTENT_LENGTH, file.bytes)
        .header(
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{}\"", file.name),
        )
        .header(header::CACHE_CONTROL, "private, no-store")
        .body(HttpBody::from_stream(ReaderStream::with_capacity(
            opened, CHUNK,
        )))
        .map_err(Problem::internal)
}

/// The same under the plural.
#[utoipa::path(get, path = "/api/v1/audit-logs/exports/{id}/download", tag = "audit-logs", operation_id = "exports_download_by_plural",
    params(("id" = String, Path), ExportDownloadParams),
    responses((status = 200, description = "The file", content_type = "application/octet-stream", body = String),
        (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn download_by_plural(
    state: State<Arc<App>>,
    caller: Caller,
    id: Path<String>,
    params: Params<ExportDownloadParams>,
) -> Result<Response, Problem> {
    download(state, caller, id, params).await
}

fn chosen<'e>(export: &'e Export, name: Option<&str>) -> Result<&'e ExportFile, Problem> {
    let conflict = |message: String| Err(Problem::new(Code::Conflict, message));
    if !export.state.is_final() {
        return conflict(format!(
            "The export is {}; its files are available when it has finished.",
            export.state.as_str()
        ));
    }

    if export.state == ExportState::Cancelled || export.files.is_empty() {
        return conflict("The export ended without files.".to_owned());
    }
    if export.expires_at.is_none() {
        return conflict("The files of this export were removed; export again.".to_owned());
    }

    if let Some(name) = name {
        let found = export.files.iter().find(|file| file.name == name);
        return found.ok_or_else(|| {
            Problem::field(
                "file",
                FieldCode::Unknown,
                format!("the export has no file {name:?}"),
            )
        });
    }

    let entries: Vec<_> = export
        .files
        .iter()
        .filter(|file| file.role == FileRole::Entries)
        .collect();

    match entries[..] {
        [only] => Ok(only),
        _ => Err(Problem::field(
            "file",
            FieldCode::MissingField,
            format!("the export has {} files; name one of them", entries.len()),
        )),
    }
}
