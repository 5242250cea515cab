//! Appending: one entry, an array, or one a line; all or none.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;

use reeve_audit::{BatchError, Content, FieldError, MAX_BATCH, MAX_ENTRY_BYTES, parse_batch};

use crate::app::{App, append_problem};
use crate::error::{Code, FieldProblem, Problem, ProblemBody};
use crate::extract;
use crate::time;
use crate::wire::entry::{EntryBody, ReceiptBody, ReceiptsBody};

/// Append entries: an object, an array, or `application/x-ndjson`. All of them are durable when this answers, or none is there.
#[utoipa::path(post, path = "/api/v1/audit-logs", tag = "audit-logs",
    request_body(content((EntryBody = "application/json"), (String = "application/x-ndjson")), description = "Entries as the specification defines them"),
    responses(
        (status = 201, body = ReceiptsBody, description = "One receipt an entry; a single object is answered with its receipt alone"),
        (status = 409, body = ProblemBody), (status = 413, body = ProblemBody), (status = 422, body = ProblemBody),
        (status = 429, body = ProblemBody), (status = 507, body = ProblemBody)))]
pub(super) async fn append(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<(StatusCode, Json<serde_json::Value>), Problem> {
    let kind = extract::media_type(&request).unwrap_or_else(|| "application/json".to_owned());
    let ndjson = match kind.as_str() {
        "application/json" => false,
        "application/x-ndjson" | "application/jsonl" => true,
        other => {
            let message = format!("{other} is not understood; send application/json or application/x-ndjson");
            return Err(Problem::new(Code::UnsupportedMediaType, message));
        }
    };
    let bytes = extract::read(request, &app).await?;
    let content = if ndjson { Content::Ndjson } else { Content::of_json(&bytes) };
    let now = app.now();
    let drafts = tokio::task::spawn_blocking(move || parse_batch(&bytes, content, now, MAX_BATCH))
        .await
        .map_err(Problem::internal)?
        .map_err(batch_problem)?;
    let receipts = app.ledger.append(drafts).await.map_err(|error| append_problem(&error))?;
    let mut items: Vec<ReceiptBody> = receipts
        .into_iter()
        .map(|receipt| ReceiptBody {
            event_id: receipt.event_id,
            sequence: receipt.sequence,
            recorded_at: time::text(receipt.recorded_at),
            leaf_hash: receipt.leaf_hash.to_string(),
            hash: receipt.hash.to_string(),
            previous_hash: receipt.previous_hash.to_string(),
        })
        .collect();
    let body = match content {
        Content::One if items.len() == 1 => serde_json::to_value(items.remove(0)),
        _ => serde_json::to_value(ReceiptsBody { total: items.len() as u64, items }),
    };
    Ok((StatusCode::CREATED, Json(body.map_err(Problem::internal)?)))
}

fn batch_problem(error: BatchError) -> Problem {
    let index = error.index as u64;
    let too_large = error.errors.iter().any(|field| field.code == "entry_too_large");
    let unreadable =
        error.errors.iter().any(|field| matches!(field.code, "invalid_json" | "invalid_utf8" | "trailing_bytes"));
    let detail = format!("Nothing was written. {error}");
    let fields = error.errors.into_iter().map(|field| field_problem(field, index)).collect();
    let code = match (too_large, unreadable) {
        (true, _) => Code::EntryTooLarge,
        (_, true) => Code::BadRequest,
        _ => Code::InvalidFields,
    };
    let detail = if too_large { format!("{detail}; an entry may have {MAX_ENTRY_BYTES} bytes") } else { detail };
    Problem::new(code, detail).with_errors(fields)
}

fn field_problem(error: FieldError, index: u64) -> FieldProblem {
    FieldProblem { field: error.path, code: error.code.to_owned(), message: error.message, index: Some(index) }
}
