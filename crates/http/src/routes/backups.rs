//! A backup of the running service, streamed. The private keys are not in it: an administrator's
//! token must not be enough to sign as the log. `reeve backup create` adds them where it runs
//! beside the data directory.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use futures::stream;
use reeve_access::Permission;
use reeve_audit::{Json as AuditJson, ResourceRef, events};
use serde_json::json;
use utoipa_axum::routes;

use crate::app::App;
use crate::backups::{BackupRefusal, BackupStream};
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::Caller;
use crate::guard::{Access, Guarded};
use crate::log_entry;
use crate::router::Uncompressed;

pub(super) fn routes(guarded: Guarded) -> Guarded {
    guarded.add(Access::Needs(Permission::Administer), routes!(create))
}

/// Make a backup of log, state and samples, without the private keys, as they are now. The answer
/// is the file, a tar in zstd; it ends with a SHA-256, so that `reeve backup verify` tells a whole
/// one from one that broke off. One is made at a time.
#[utoipa::path(post, path = "/api/v1/backups", tag = "backups", responses(
    (status = 200, content_type = "application/zstd", body = Vec<u8>),
    (status = 409, body = ProblemBody), (status = 503, body = ProblemBody)))]
async fn create(State(app): State<Arc<App>>, caller: Caller) -> Result<Response, Problem> {
    let entry = log_entry::did(
        &caller,
        &events::BACKUP,
        "create_backup",
        ResourceRef::new("backup", "stream"),
    )
    .with_metadata("keys", "absent")
    .with_metadata("place", "stream");
    let announced = app.announce(entry).await?;

    let BackupStream { size, pieces, done } = match app.backups.begin().await {
        Ok(begun) => begun,
        Err(refusal) => {
            let problem = match refusal {
                BackupRefusal::Busy => Problem::new(
                    Code::Conflict,
                    "Another backup is being made. Wait until it has ended.",
                ),
                BackupRefusal::Failed(message) => Problem::internal(message),
            };
            app.conclude(announced, Some(&problem.body().detail)).await;
            return Err(problem);
        }
    };

    tokio::spawn(async move {
        let outcome = done
            .await
            .unwrap_or_else(|_| Err("it stopped without an error message".into()));
        let (announced, failure) = match outcome {
            Ok((bytes, sha256)) => {
                let result =
                    AuditJson::from(json!({ "size": size, "bytes": bytes, "sha256": sha256 }));
                (announced.with_metadata("result", result), None)
            }
            Err(obstacle) => (announced, Some(String::from(obstacle))),
        };
        app.conclude(announced, failure.as_deref()).await;
    });

    let body = stream::unfold(pieces, |mut pieces| async {
        pieces.recv().await.map(|piece| (piece, pieces))
    });
    let mut response = Response::new(Body::from_stream(body));
    response.extensions_mut().insert(Uncompressed);
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/zstd"),
    );
    headers.insert(
        header::CONTENT_DISPOSITION,
        HeaderValue::from_static("attachment; filename=\"reeve.backup\""),
    );

    Ok(response)
}
