//! Events of a source that could not become entries: to read, to retry, and to drop.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_audit::events;
use reeve_intake::{QuarantineFilter, QuarantineId};

use super::source;
use crate::app::App;
use crate::change::acted;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::paging::window;
use crate::routes::audit_logs::incoming::intake_problem;
use crate::wire::form::list::{List, Paging};
use crate::wire::log_source::{EventOutcomeBody, QuarantinedEventBody};

/// Events of a source in quarantine, the oldest first.
#[utoipa::path(get, path = "/api/v1/audit-logs/sources/{id}/quarantine", tag = "audit-logs", operation_id = "log_sources_quarantine", params(("id" = String, Path), Paging),
    responses((status = 200, body = List<QuarantinedEventBody>), (status = 404, body = ProblemBody)))]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Params(params): Params<Paging>,
) -> Result<Json<List<QuarantinedEventBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let source = source(&app, id).await?;
    let filter = QuarantineFilter {
        limit: window.limit,
        offset: window.start(),
    };
    let sources = app.source_intake.sources();
    let (found, total) = sources.quarantine_list(&source.id, filter).await?;
    let items: Vec<_> = found.iter().map(QuarantinedEventBody::from).collect();
    let next_cursor = window.next(items.len(), total);
    Ok(Json(List {
        items,
        total,
        next_cursor,
    }))
}

/// Try an event again, with the mapping as it is now. One that becomes an entry leaves the
/// quarantine; one that does not is answered as `rejected` with its reason.
#[utoipa::path(post, path = "/api/v1/audit-logs/sources/{id}/quarantine/{event}/retry", tag = "audit-logs", operation_id = "log_sources_retry", params(("id" = String, Path), ("event" = String, Path)),
    responses((status = 200, body = EventOutcomeBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub(super) async fn retry(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((id, event)): Path<(String, String)>,
) -> Result<Json<EventOutcomeBody>, Problem> {
    let source = source(&app, id).await?;
    let event = QuarantineId(event);
    let change = async {
        let retried = app.source_intake.retry(&source, &event).await;
        retried.map_err(intake_problem)
    };
    let outcome = app
        .change(
            acted(
                &caller,
                &events::INTEGRATION_MODIFY,
                "retry_quarantined_event",
                &source,
            )
            .with_metadata("event", event.0.clone()),
            change,
        )
        .await?;
    Ok(Json(EventOutcomeBody::from(&outcome)))
}

/// Drop an event. It is in no log then.
#[utoipa::path(delete, path = "/api/v1/audit-logs/sources/{id}/quarantine/{event}", tag = "audit-logs", operation_id = "log_sources_drop", params(("id" = String, Path), ("event" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody)))]
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path((id, event)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    let source = source(&app, id).await?;
    let event = QuarantineId(event);
    let sources = app.source_intake.sources();
    let kept = sources.quarantine_get(&source.id, &event).await?;
    app.change(
        acted(
            &caller,
            &events::INTEGRATION_MODIFY,
            "drop_quarantined_event",
            &source,
        )
        .with_metadata("event", event.0.clone())
        .with_metadata("reason", kept.rejection.to_string()),
        sources.quarantine_delete(&source.id, &event),
    )
    .await?;
    Ok(StatusCode::NO_CONTENT)
}
