//! What sources push: a body of events, answered event by event once the entries are durable.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{ConnectInfo, Path, Request, State};
use axum::http::{HeaderMap, header};
use reeve_intake::{DecodeError, Encoding, IntakeError, LogSource, SourceKind, decode, read};
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::app::{App, append_problem};
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{media_type, read_encoded};
use crate::guard::PushingEvents;
use crate::identify;
use crate::wire::log_source::IncomingBody;

/// Seconds after which a paused source should try again.
const PAUSED_S: u64 = 60;
/// Header of the request with which Okta makes sure that an address belongs to its owner.
const OKTA_CHALLENGE: &str = "x-okta-verification-challenge";

/// Push events of a source, in its format: one, a list, one a line, or in the envelope that the
/// format has; plain, gzip or zstd. Each event is answered for: `accepted`, `duplicate`, or
/// `rejected` with the reason. Entries are durable when this answers, and rejected events are in
/// quarantine, so that nothing of the body has to be sent again.
#[utoipa::path(post, path = "/api/v1/audit-logs/incoming/{source}", tag = "audit-logs", operation_id = "log_sources_push",
    params(("source" = String, Path, description = "Name of the source")),
    request_body(content((String = "application/json"), (Vec<u8> = "application/x-protobuf")), description = "Events in the format of the source"),
    responses((status = 200, body = IncomingBody), (status = 403, body = ProblemBody), (status = 413, body = ProblemBody), (status = 415, body = ProblemBody), (status = 429, body = ProblemBody), (status = 503, body = ProblemBody)))]
pub(super) async fn push(
    State(app): State<Arc<App>>,
    PushingEvents(source): PushingEvents,
    Path(name): Path<String>,
    request: Request,
) -> Result<Json<IncomingBody>, Problem> {
    admit(&source, &name)?;
    let is_protobuf = source.kind == SourceKind::Otlp
        && media_type(&request).is_some_and(|kind| kind == "application/x-protobuf");
    let encoding = if is_protobuf {
        Encoding::Protobuf
    } else {
        Encoding::Text
    };
    let compression = request
        .headers()
        .get(header::CONTENT_ENCODING)
        .map(|value| value.to_str().unwrap_or("unreadable").to_owned());
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let origin = identify::origin(&app.settings.trusted_proxies, request.headers(), peer);
    let address = origin.ip_address.and_then(|address| address.parse().ok());

    let sent = read_encoded(request, app.settings.max_body_bytes, &app).await?;
    let (reader, now) = (source.clone(), app.now());
    let work = move || -> Result<_, DecodeError> {
        let body = decode(compression.as_deref(), &sent)?.map_or(sent, Bytes::from);
        let format = (reader.kind, reader.mapping.as_ref());
        let events = read(&reader.name, format, (&body, encoding), now);
        Ok((body, events))
    };
    let done = spawn_blocking(work).await.map_err(Problem::internal)?;
    let (body, events) = done.map_err(|error| decode_problem(&error))?;
    let received = app
        .source_intake
        .take(&source, &body, events, address)
        .await
        .map_err(intake_problem)?;
    Ok(Json(IncomingBody::new(&received, source.kind)))
}

/// Answer the challenge of an Okta event hook.
#[utoipa::path(get, path = "/api/v1/audit-logs/incoming/{source}", tag = "audit-logs", operation_id = "log_sources_verify",
    params(("source" = String, Path, description = "Name of the source")),
    responses((status = 200, body = Value), (status = 403, body = ProblemBody)))]
pub(super) async fn verify(
    PushingEvents(source): PushingEvents,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Json<Value>, Problem> {
    admit(&source, &name)?;
    let challenge = headers
        .get(OKTA_CHALLENGE)
        .and_then(|value| value.to_str().ok());
    Ok(Json(json!({ "verification": challenge })))
}

/// Lets a source push to its own path, while it is enabled.
fn admit(source: &LogSource, name: &str) -> Result<(), Problem> {
    if source.name != name && source.id.0 != name {
        let message = format!(
            "This token is of the source {}, not of {name}.",
            source.name
        );
        return Err(Problem::new(Code::Forbidden, message));
    }
    if !source.enabled {
        // An answer that senders try again after: a pause must not lose events.
        let message = "This source is paused. Send the events again when it is resumed.";
        return Err(Problem::new(Code::TooManyRequests, message).retry_after(PAUSED_S));
    }
    Ok(())
}

fn decode_problem(error: &DecodeError) -> Problem {
    let code = match error {
        DecodeError::Unsupported(_) => Code::UnsupportedMediaType,
        DecodeError::TooLarge => Code::BodyTooLarge,
        DecodeError::Broken { .. } => Code::BadRequest,
    };
    Problem::new(code, format!("Nothing was written: {error}."))
}

/// The problem of a body that was not taken.
pub(super) fn intake_problem(error: IntakeError) -> Problem {
    match error {
        IntakeError::Append(error) => append_problem(&error),
        IntakeError::Store(error) => error.into(),
        IntakeError::Record(error) => Problem::internal(error),
        IntakeError::Truncated => Problem::new(Code::Conflict, format!("Not retried: {error}.")),
    }
}
