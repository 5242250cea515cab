//! The live view: entries as they arrive, as server-sent events, narrowed by a query and by what
//! the caller may see.
//!
//! `id` is the entry's sequence, so that a client that reconnects with `Last-Event-ID` misses
//! nothing and sees nothing twice, also after a restart of the service. Opening a live view writes
//! one entry (`audit.live`). Events:
//!
//! | event | data |
//! |---|---|
//! | `entry` | the entry as everywhere else |
//! | `end` | `{"reason": ...}` before the service ends the stream: `stopping`, `signed_out`, `unavailable` |
//! | comments | every 15 seconds, with the position reached as `id` |

mod credentials;
mod feed;

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures::{Stream, StreamExt as _, stream};
use reeve_audit::{FieldCode, events};
use serde_json::json;

use self::credentials::LiveCredentials;
use self::feed::{Feed, LiveMoment};
use crate::app::App;
use crate::error::{Code, Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::log_entry;
use crate::routes::audit_logs::{ask, bodies};
use crate::streams::STREAMS_EACH;
use crate::wire::log::search::LiveParams;

/// Time after which a client is to try again once the stream broke, milliseconds.
const RETRY_MS: u64 = 2000;

/// Entries as they arrive, as server-sent events; first those after `after` or `Last-Event-ID`,
/// when given. Each event `entry` has the entry as data and its sequence as id. The stream ends
/// when the session or token does, and when what its user may see changes; reconnecting with
/// `Last-Event-ID` goes on where it ended.
#[utoipa::path(get, path = "/api/v1/audit-logs/live", tag = "audit-logs",
    params(LiveParams),
    responses((status = 200, body = String, content_type = "text/event-stream"), (status = 422, body = ProblemBody),
        (status = 429, body = ProblemBody)))]
pub(super) async fn live(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(params): Params<LiveParams>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let query = ask::with_lists(&app, &ask::parse(params.query.as_deref())?).await?;
    let after = position(&app, &params, &headers)?;
    let slot = app.streams.open(&caller.user).ok_or_else(|| {
        let message = format!(
            "{STREAMS_EACH} live views are open already. Close one, or wait until it has ended."
        );
        Problem::new(Code::TooManyRequests, message).retry_after(5)
    })?;

    let request = json!({ "query": params.query, "after": after });
    app.record_reading(log_entry::read_log(
        &caller,
        &events::AUDIT_LIVE,
        "open_live_view",
        request,
        None,
    ))
    .await?;

    let live = app.trail(&caller).live(query, after);
    let feed = Feed::open(
        app,
        caller.principal.clone(),
        LiveCredentials::from_headers(&headers),
        live,
        slot,
    );
    let mut response = Sse::new(events(feed)).into_response();

    // Told to proxies that would gather the events.
    response.headers_mut().insert(
        HeaderName::from_static("x-accel-buffering"),
        HeaderValue::from_static("no"),
    );
    Ok(response)
}

/// The sequence after which the stream begins, if the request says so.
fn position(app: &App, params: &LiveParams, headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let (field, after) = match headers.get("last-event-id") {
        Some(value) => {
            let id = value
                .to_str()
                .ok()
                .and_then(|text| text.trim().parse().ok());
            let wrong = || {
                Problem::field(
                    "Last-Event-ID",
                    FieldCode::InvalidValue,
                    "must be the id of an event of this stream",
                )
            };
            ("Last-Event-ID", Some(id.ok_or_else(wrong)?))
        }
        None => ("after", params.after),
    };

    let size = app.ledger.size();
    match after {
        Some(after) if after >= size => Err(Problem::field(
            field,
            FieldCode::OutOfRange,
            format!(
                "the log has {size} entries, so the last is {}",
                size.saturating_sub(1)
            ),
        )),
        after => Ok(after),
    }
}

fn events(feed: Feed) -> impl Stream<Item = Result<Event, Infallible>> {
    let hello = Event::default()
        .retry(std::time::Duration::from_millis(RETRY_MS))
        .comment("live");
    let entries = stream::unfold(Some(feed), |feed| async move {
        let mut feed = feed?;
        let moment = feed.next().await;
        let last = matches!(moment, LiveMoment::End(_));
        Some((event(moment), (!last).then_some(feed)))
    });

    stream::once(async { hello }).chain(entries).map(Ok)
}

fn event(moment: LiveMoment) -> Event {
    match moment {
        LiveMoment::Entry(stored) => {
            let event = Event::default()
                .event("entry")
                .id(stored.sequence.to_string());
            match serde_json::to_string(&bodies::entry(&stored)) {
                Ok(data) => event.data(data),
                Err(error) => event.comment(error.to_string()),
            }
        }
        LiveMoment::Quiet {
            reached: Some(sequence),
        } => Event::default().comment("quiet").id(sequence.to_string()),
        LiveMoment::Quiet { reached: None } => Event::default().comment("quiet"),
        LiveMoment::End(reason) => Event::default()
            .event("end")
            .data(json!({ "reason": reason }).to_string()),
    }
}
