//! The log's keys: which were in charge of which sizes, and replacing the one in charge. Public
//! halves and signed records only; private keys never leave the ledger's folder. Records:
//! `docs/formats/tlog.md`, "Key epochs".

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use reeve_audit::{Draft, Json as AuditJson, ResourceRef, events};
use reeve_ledger::{KeyEpoch, Planned, RotateError};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use crate::app::App;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::Caller;
use crate::log_entry;

/// Public keys that the log was signed with.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct KeysBody {
    /// All keys, the oldest first; the last is in charge.
    keys: Vec<KeyBody>,
    /// The records of key epochs, in order: signed notes, each by the key before and the key after.
    records: Vec<String>,
}

/// A key and the sizes of the log it was in charge of.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct KeyBody {
    /// The verifier key, `<name>+<id>+<base64>`.
    public_key: String,
    /// Least size it signed.
    from_size: u64,
    /// Greatest size it signed; absent for the key in charge.
    #[serde(skip_serializing_if = "Option::is_none")]
    to_size: Option<u64>,
}

/// A rotation that was done.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RotatedBody {
    /// Number of the log's key rotation, from 1.
    number: u64,
    /// Entries in the log when the key changed.
    size: u64,
    /// The verifier key that was in charge before.
    old_key: String,
    /// The verifier key that is in charge now.
    new_key: String,
}

/// The log's verifier keys and the records that lead from one to the next.
#[utoipa::path(get, path = "/api/v1/audit-logs/keys", tag = "audit-logs", responses((status = 200, body = KeysBody)))]
pub(super) async fn list(State(app): State<Arc<App>>) -> Result<Json<KeysBody>, Problem> {
    let body = |key: KeyEpoch| {
        let KeyEpoch {
            public_key,
            from_size,
            to_size,
        } = key;
        KeyBody {
            public_key,
            from_size,
            to_size,
        }
    };
    let keys = app.ledger.keys().into_iter().map(body).collect();

    let records = app
        .ledger
        .epoch_records()
        .await
        .map_err(Problem::internal)?;
    Ok(Json(KeysBody { keys, records }))
}

/// Replace the log's signing key: a new one takes over, a record signed by both is kept, the old
/// private key is destroyed.
#[utoipa::path(post, path = "/api/v1/audit-logs/keys/rotate", tag = "audit-logs",
    responses((status = 201, body = RotatedBody), (status = 403, body = ProblemBody), (status = 503, body = ProblemBody)))]
pub(super) async fn rotate(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<(StatusCode, Json<RotatedBody>), Problem> {
    let entry = |planned: &Planned| {
        let log = ResourceRef::new("audit_log", "audit-logs");
        let entry = log_entry::did(&caller, &events::KEY_ROTATE, "rotate_key", log)
            .before(AuditJson::from(json!({ "public_key": planned.old })))
            .after(AuditJson::from(json!({ "public_key": planned.new })));
        Draft::by_reeve(entry, app.now()).map_err(|errors| format!("{errors:?}").into())
    };

    let epoch = app
        .ledger
        .rotate_key(entry)
        .await
        .map_err(|error| match error {
            RotateError::Record(error) => crate::app::append_problem(&error),
            RotateError::NotDestroyed { .. } => {
                Problem::new(Code::LedgerUnavailable, error.to_string())
            }
            error => Problem::internal(error),
        })?;

    let body = RotatedBody {
        number: epoch.number,
        size: epoch.size,
        old_key: epoch.old.to_string(),
        new_key: epoch.new.to_string(),
    };

    Ok((StatusCode::CREATED, Json(body)))
}
