//! The course of an integration: test, status, pause, resumption, replay.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use reeve_audit::events;
use reeve_streams::{Stream, StreamId};

use super::{Integration, beyond, body_of, changed, integration, status_of};
use crate::app::App;
use crate::change::{acted, modified};
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::routes::audit_logs::sources;
use crate::wire::integration::{
    DirectedIntegrationBody, DirectedStatusBody, IntegrationBody, IntegrationReplay,
    IntegrationTestBody,
};

/// Send one test entry, which is not in the log, and answer with what came of it.
#[utoipa::path(post, path = "/api/v1/audit-logs/integrations/{id}/test", tag = "audit-logs", operation_id = "integrations_test",
    params(("id" = String, Path)),
    responses((status = 200, body = IntegrationTestBody), (status = 404, body = ProblemBody)))]
pub(super) async fn test(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<IntegrationTestBody>, Problem> {
    let stream = app.log_streams.stream_get(&StreamId(id)).await?;
    let secret = app.log_streams.stream_secret(&stream.id).await?;
    let announced = app
        .announce(acted(
            &caller,
            &events::INTEGRATION_TEST,
            "stream.test",
            &stream,
        ))
        .await?;
    let outcome = app.stream_sender.test(&stream, &secret).await;
    let error = outcome.err().map(|error| error.to_string());
    app.conclude(announced, error.as_deref()).await;

    Ok(Json(IntegrationTestBody {
        delivered: error.is_none(),
        error,
    }))
}

/// Returns health, lag, throughput and the last failure of a stream, or a source with its counts.
#[utoipa::path(get, path = "/api/v1/audit-logs/integrations/{id}/status", tag = "audit-logs", operation_id = "integrations_status",
    params(("id" = String, Path)),
    responses((status = 200, body = DirectedStatusBody), (status = 404, body = ProblemBody)))]
pub(super) async fn status(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<DirectedStatusBody>, Problem> {
    Ok(Json(match integration(&app, id).await? {
        Integration::Stream(stream) => {
            DirectedStatusBody::Stream(Box::new(status_of(&app, &stream).await?))
        }
        Integration::Source(source) => {
            DirectedStatusBody::Source(Box::new(sources::body_of(&app, &source).await?))
        }
    }))
}

/// Pause a stream, which keeps its position, or a source, whose pushes are refused.
#[utoipa::path(post, path = "/api/v1/audit-logs/integrations/{id}/pause", tag = "audit-logs", operation_id = "integrations_pause",
    params(("id" = String, Path)),
    responses((status = 200, body = DirectedIntegrationBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn pause(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<DirectedIntegrationBody>, Problem> {
    set_paused(&app, &caller, id, true).await
}

/// Resume a stream where it stands, or a source. A stream that waits after a failure tries again at
/// once.
#[utoipa::path(post, path = "/api/v1/audit-logs/integrations/{id}/resume", tag = "audit-logs", operation_id = "integrations_resume",
    params(("id" = String, Path)),
    responses((status = 200, body = DirectedIntegrationBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn resume(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<DirectedIntegrationBody>, Problem> {
    set_paused(&app, &caller, id, false).await
}

async fn set_paused(
    app: &App,
    caller: &Caller,
    id: String,
    paused: bool,
) -> Result<Json<DirectedIntegrationBody>, Problem> {
    let before = match integration(app, id).await? {
        Integration::Stream(stream) => stream,
        Integration::Source(source) => {
            let Json(body) = sources::set_enabled(app, caller, source, !paused).await?;
            return Ok(Json(DirectedIntegrationBody::Source(Box::new(body))));
        }
    };
    let after = changed(
        app,
        Stream {
            paused,
            ..before.clone()
        },
    );
    let operation = if paused {
        "stream.pause"
    } else {
        "stream.resume"
    };
    let kind = &events::INTEGRATION_MODIFY;
    app.change(
        modified(caller, kind, operation, (&before, &after)),
        app.log_streams.stream_update(&after, None),
    )
    .await?;
    Ok(Json(Integration::Stream(after).body(app).await?))
}

/// Send again from a sequence. The receiver gets entries twice, with the same `event_id`.
#[utoipa::path(post, path = "/api/v1/audit-logs/integrations/{id}/replay", tag = "audit-logs", operation_id = "integrations_replay",
    params(("id" = String, Path)), request_body = IntegrationReplay,
    responses((status = 200, body = IntegrationBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody),
        (status = 422, body = ProblemBody)))]
pub(super) async fn replay(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Body(given): Body<IntegrationReplay>,
) -> Result<Json<IntegrationBody>, Problem> {
    let before = app.log_streams.stream_get(&StreamId(id)).await?;
    let end = app.trail(&caller.principal).end();
    if given.sequence > end {
        return Err(beyond("sequence", end));
    }

    let state = app.log_streams.stream_state(&before.id).await?;
    let after = changed(&app, before);
    let entry = acted(
        &caller,
        &events::INTEGRATION_MODIFY,
        "stream.replay",
        &after,
    )
    .with_metadata("cursor_before", state.cursor)
    .with_metadata("cursor", given.sequence);
    app.change(
        entry,
        app.log_streams.stream_set_cursor(&after, given.sequence),
    )
    .await?;
    Ok(Json(body_of(&app, &after).await?))
}
