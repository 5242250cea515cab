//! Dead letters of a stream: entries that the receiver refused. They are references; the entries
//! stay in the log.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_audit::events;
use reeve_streams::{DeadLetter, StreamId};

use crate::app::App;
use crate::change::acted;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::paging::window;
use crate::wire::form::list::{List, Paging};
use crate::wire::integration::{DeadLetterBody, IntegrationTestBody};

/// Dead letters by sequence.
#[utoipa::path(get, path = "/api/v1/audit-logs/integrations/{id}/dead-letters", tag = "audit-logs", operation_id = "dead_letters_list",
    params(("id" = String, Path), Paging),
    responses((status = 200, body = List<DeadLetterBody>), (status = 404, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Params(paging): Params<Paging>,
) -> Result<Json<List<DeadLetterBody>>, Problem> {
    let window = window(paging.limit, paging.offset, paging.cursor.as_deref())?;
    let stream = app.log_streams.stream_get(&StreamId(id)).await?;
    let (letters, total) = app
        .log_streams
        .dead_letter_list(&stream.id, window.limit, window.start())
        .await?;
    Ok(Json(List {
        next_cursor: window.next(letters.len(), total),
        items: letters.iter().map(DeadLetterBody::from).collect(),
        total,
    }))
}

/// Send the entry of a dead letter again, out of its order. It is dropped once the receiver takes it.
#[utoipa::path(post, path = "/api/v1/audit-logs/integrations/{id}/dead-letters/{sequence}/replay", tag = "audit-logs", operation_id = "dead_letters_replay",
    params(("id" = String, Path), ("sequence" = u64, Path)),
    responses((status = 200, body = IntegrationTestBody), (status = 404, body = ProblemBody)))]
pub(super) async fn replay(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((id, sequence)): Path<(String, String)>,
) -> Result<Json<IntegrationTestBody>, Problem> {
    let sequence = position(&sequence)?;
    let stream = app.log_streams.stream_get(&StreamId(id)).await?;
    let letter = app
        .log_streams
        .dead_letter_get(&stream.id, sequence)
        .await?;
    let secret = app.log_streams.stream_secret(&stream.id).await?;
    let announced = app
        .announce(
            acted(
                &caller,
                &events::INTEGRATION_MODIFY,
                "stream.dead_letter.replay",
                &stream,
            )
            .with_metadata("sequence", sequence),
        )
        .await?;

    let sent = app.stream_sender.resend(&stream, &secret, sequence).await;
    let error = match sent {
        Ok(outcome) => outcome.err().map(|error| error.to_string()),
        Err(obstacle) => Some(obstacle.to_string()),
    };
    app.conclude(announced, error.as_deref()).await;

    match &error {
        None => {
            app.log_streams
                .dead_letter_delete(&stream.id, sequence)
                .await?
        }
        Some(reason) => {
            let letter = DeadLetter {
                reason: reason.clone(),
                refused_at: app.now(),
                replays: letter.replays + 1,
                ..letter
            };
            app.log_streams
                .dead_letter_update(&stream.id, &letter)
                .await?;
        }
    }
    Ok(Json(IntegrationTestBody {
        delivered: error.is_none(),
        error,
    }))
}

/// Drop a dead letter: the stream does not send its entry any more. The entry stays in the log.
#[utoipa::path(delete, path = "/api/v1/audit-logs/integrations/{id}/dead-letters/{sequence}", tag = "audit-logs", operation_id = "dead_letters_drop",
    params(("id" = String, Path), ("sequence" = u64, Path)),
    responses((status = 204), (status = 404, body = ProblemBody)))]
pub(super) async fn drop(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((id, sequence)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    let sequence = position(&sequence)?;
    let stream = app.log_streams.stream_get(&StreamId(id)).await?;
    let letter = app
        .log_streams
        .dead_letter_get(&stream.id, sequence)
        .await?;
    let entry = acted(
        &caller,
        &events::INTEGRATION_MODIFY,
        "stream.dead_letter.drop",
        &stream,
    )
    .with_metadata("sequence", sequence)
    .with_metadata("event_id", letter.event_id.clone())
    .with_metadata("reason", letter.reason.clone());
    app.change(
        entry,
        app.log_streams.dead_letter_delete(&stream.id, sequence),
    )
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Reads the sequence of a path; no dead letter has one that is no number.
fn position(sequence: &str) -> Result<u64, Problem> {
    sequence
        .parse()
        .map_err(|_| Problem::not_found("dead letter", sequence))
}
