//! Appending: one entry, an array, or one a line; all or none.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::response::Response;
use jiff::Timestamp;
use tokio::task::spawn_blocking;

use reeve_audit::{BatchError, Content, Draft, FieldError, MAX_BATCH, MAX_ENTRY_BYTES, Submitter, parse_batch};

use super::receipts;

use crate::app::{App, append_problem};
use crate::error::{Code, FieldProblem, Problem, ProblemBody};
use crate::extract::{self, Caller};
use crate::story;
use crate::wire::entry::{EntryBody, ReceiptsBody};

/// A body up to this long is read in less time than handing it to another thread is worth, bytes.
const INLINE_BYTES: usize = 32 * 1024;

/// Append entries: an object, an array, or `application/x-ndjson`. All of them are durable when this answers, or none is there.
#[utoipa::path(post, path = "/api/v1/audit-logs", tag = "audit-logs",
    request_body(content((EntryBody = "application/json"), (String = "application/x-ndjson")), description = "Entries as the specification defines them"),
    responses(
        (status = 201, body = ReceiptsBody, description = "One receipt an entry; a single object is answered with its receipt alone"),
        (status = 409, body = ProblemBody), (status = 413, body = ProblemBody), (status = 422, body = ProblemBody),
        (status = 429, body = ProblemBody), (status = 507, body = ProblemBody)))]
pub(super) async fn append(State(app): State<Arc<App>>, caller: Caller, request: Request) -> Result<Response, Problem> {
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
    let drafts = parse(bytes, content, app.now(), story::submitter(&caller)).await?;
    let receipts = app.ledger.append(drafts).await.map_err(|error| append_problem(&error))?;
    Ok(receipts::answer(&receipts, content == Content::One))
}

/// Reads the entries: a small body at once, a large one on a thread for work that takes its time.
async fn parse(bytes: Bytes, content: Content, now: Timestamp, by: Submitter) -> Result<Vec<Draft>, Problem> {
    let large = bytes.len() > INLINE_BYTES;
    let read = move || {
        let drafts = parse_batch(&bytes, content, now, MAX_BATCH)?;
        let refused = |(index, error)| BatchError { index, errors: vec![error] };
        Draft::submitted_by(drafts, &Arc::new(by)).map_err(refused)
    };
    let drafts = if large { spawn_blocking(read).await.map_err(Problem::internal)? } else { read() };
    drafts.map_err(batch_problem)
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
