//! Appending: one entry, an array, or one a line; all or none, unless the request asks for an
//! answer for each entry.

use std::collections::VecDeque;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::response::Response;
use jiff::Timestamp;
use reeve_access::{EventTypePattern, event_type_pattern};
use reeve_audit::{
    BatchContent, BatchError, Draft, FieldCode, FieldError, MAX_BATCH, MAX_ENTRY_BYTES, Submitter,
    parse_batch,
};
use reeve_ledger::{AppendError, Receipt};
use tokio::task::spawn_blocking;

use crate::app::{App, append_problem};
use crate::error::{Code, FieldProblem, Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::routes::audit_logs::receipts;
use crate::wire::form::enumeration::Name;
use crate::wire::log::entry::{AppendParams, EntryBody, OnConflict, ReceiptsBody};
use crate::{extract, log_entry};

/// A body up to this long is read in less time than handing it to another thread is worth, bytes.
const INLINE_BYTES: usize = 32 * 1024;

/// Entries appended at once after a batch with a conflict was refused as a whole: each conflict
/// repeats the work for one such part alone.
const PART: usize = 64;

/// Append entries: an object, an array, or `application/x-ndjson`. All of them are durable when
/// this answers, or none is there.
///
/// With `on_conflict=report` an entry whose `event_id` another entry has is left out and reported,
/// and the others are recorded.
#[utoipa::path(post, path = "/api/v1/audit-logs", tag = "audit-logs", params(AppendParams),
    request_body(content((EntryBody = "application/json"), (String = "application/x-ndjson")), description = "Entries of the audit log"),
    responses(
        (status = 201, body = ReceiptsBody, description = "One receipt an entry; a single object is answered with its receipt alone"),
        (status = 200, body = ReceiptsBody, description = "With `on_conflict=report`: no entry was recorded, `refused` has the reasons"),
        (status = 403, body = ProblemBody), (status = 409, body = ProblemBody), (status = 413, body = ProblemBody), (status = 422, body = ProblemBody),
        (status = 429, body = ProblemBody), (status = 507, body = ProblemBody)))]
pub(super) async fn append(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(params): Params<AppendParams>,
    request: Request,
) -> Result<Response, Problem> {
    let kind = extract::media_type(&request).unwrap_or_else(|| "application/json".to_owned());
    let ndjson = match kind.as_str() {
        "application/json" => false,
        "application/x-ndjson" | "application/jsonl" => true,
        other => {
            let message =
                format!("{other} is not understood; send application/json or application/x-ndjson");
            return Err(Problem::new(Code::UnsupportedMediaType, message));
        }
    };

    let bytes = extract::read(request, &app).await?;
    let content = if ndjson {
        BatchContent::Ndjson
    } else {
        BatchContent::of_json(&bytes)
    };
    let drafts = parse(bytes, content, app.now(), log_entry::submitter(&caller)).await?;
    check_event_types(&app, &caller, &drafts).await?;

    match params.on_conflict.unwrap_or_default() {
        OnConflict::Abort => {
            let receipts = app
                .ledger
                .append(drafts)
                .await
                .map_err(|error| append_problem(&error))?;
            Ok(receipts::answer(&receipts, content == BatchContent::One))
        }
        OnConflict::Report => {
            let (receipts, refused) = append_each(&app, drafts).await?;
            Ok(receipts::answer_each(&receipts, &refused))
        }
    }
}

/// Refuses entries of types that the caller's token may not write, and records the refusal.
async fn check_event_types(app: &App, caller: &Caller, drafts: &[Draft]) -> Result<(), Problem> {
    let patterns = caller
        .principal
        .token
        .as_ref()
        .map_or(&[][..], |token| &token.event_types);

    let refused = drafts
        .iter()
        .position(|draft| !event_type_pattern::allows(patterns, &draft.entry.event_type));
    let Some(index) = refused else { return Ok(()) };
    let event_type = drafts[index].entry.event_type.as_str();
    app.denied(
        caller,
        &Method::POST,
        "/api/v1/audit-logs",
        &format!("event type {event_type}"),
    )
    .await;

    let allowed = patterns
        .iter()
        .map(EventTypePattern::as_str)
        .collect::<Vec<_>>()
        .join(", ");

    let field = FieldProblem {
        field: "event_type".to_owned(),
        code: Name(FieldCode::NotAllowed),
        message: format!("the token may write {allowed}, not {event_type}"),
        index: Some(index as u64),
    };

    let detail = format!(
        "Nothing was written. Entry {index}: the token may not write entries of type {event_type}."
    );
    Err(Problem::new(Code::Forbidden, detail).with_errors(vec![field]))
}

/// Appends entries, and leaves out those whose identifier another entry has.
async fn append_each(
    app: &App,
    drafts: Vec<Draft>,
) -> Result<(Vec<Receipt>, Vec<FieldProblem>), Problem> {
    match app.ledger.append(drafts.clone()).await {
        Ok(receipts) => return Ok((receipts, Vec::new())),
        Err(AppendError::Conflict { .. }) => {}
        Err(error) => return Err(append_problem(&error)),
    }

    let (mut receipts, mut refused) = (Vec::with_capacity(drafts.len()), Vec::new());
    let mut numbered: VecDeque<(usize, Draft)> = drafts.into_iter().enumerate().collect();

    while !numbered.is_empty() {
        let part = numbered
            .iter()
            .take(PART)
            .map(|(_, draft)| draft.clone())
            .collect::<Vec<_>>();
        let length = part.len();
        match app.ledger.append(part).await {
            Ok(written) => {
                receipts.extend(written);
                numbered.drain(..length);
            }
            Err(AppendError::Conflict { index, event_id }) => {
                if let Some((index, _)) = numbered.remove(index) {
                    refused.push(conflict(index, &event_id));
                }
            }
            Err(error) if receipts.is_empty() => return Err(append_problem(&error)),
            // Entries before are durable, so the answer must tell which ones.
            Err(error) => {
                refused.extend(
                    numbered
                        .drain(..)
                        .map(|(index, draft)| not_written(index, &draft, &error)),
                );
            }
        }
    }

    refused.sort_by_key(|problem| problem.index);
    Ok((receipts, refused))
}

fn conflict(index: usize, event_id: &str) -> FieldProblem {
    FieldProblem {
        field: "event_id".to_owned(),
        code: Name(FieldCode::EventIdConflict),
        message: format!("{event_id} is taken by another entry"),
        index: Some(index as u64),
    }
}

fn not_written(index: usize, draft: &Draft, error: &AppendError) -> FieldProblem {
    FieldProblem {
        field: String::new(),
        code: Name(FieldCode::NotWritten),
        message: format!(
            "{} was not written: {error}; send it again",
            draft.entry.event_id
        ),
        index: Some(index as u64),
    }
}

/// Reads the entries: a small body at once, a large one on a thread for work that takes its time.
async fn parse(
    bytes: Bytes,
    content: BatchContent,
    now: Timestamp,
    by: Submitter,
) -> Result<Vec<Draft>, Problem> {
    let large = bytes.len() > INLINE_BYTES;
    let read = move || {
        let drafts = parse_batch(&bytes, content, now, MAX_BATCH)?;
        let refused = |(index, error)| BatchError {
            index,
            errors: vec![error],
        };
        Draft::submitted_by(drafts, &Arc::new(by)).map_err(refused)
    };

    let drafts = if large {
        spawn_blocking(read).await.map_err(Problem::internal)?
    } else {
        read()
    };

    drafts.map_err(batch_problem)
}

fn batch_problem(error: BatchError) -> Problem {
    let index = error.index as u64;
    let too_large = error
        .errors
        .iter()
        .any(|field| field.code == FieldCode::EntryTooLarge);
    let unreadable = error.errors.iter().any(|field| {
        matches!(
            field.code,
            FieldCode::InvalidJson | FieldCode::InvalidUtf8 | FieldCode::TrailingBytes
        )
    });

    let detail = format!("Nothing was written. {error}");
    let fields = error
        .errors
        .into_iter()
        .map(|field| field_problem(field, index))
        .collect();

    let code = match (too_large, unreadable) {
        (true, _) => Code::EntryTooLarge,
        (_, true) => Code::BadRequest,
        _ => Code::InvalidFields,
    };

    let detail = if too_large {
        format!("{detail}; an entry may have {MAX_ENTRY_BYTES} bytes")
    } else {
        detail
    };

    Problem::new(code, detail).with_errors(fields)
}

fn field_problem(error: FieldError, index: u64) -> FieldProblem {
    FieldProblem {
        field: error.path,
        code: Name(error.code),
        message: error.message,
        index: Some(index),
    }
}
