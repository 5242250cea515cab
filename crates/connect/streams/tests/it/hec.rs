//! A Splunk HTTP Event Collector that is stricter than the real one.
//!
//! It refuses what Splunk refuses, with Splunk's codes, and a channel is required as with
//! acknowledgement. On request it is busy, hangs, loses what it took, answers 200 with an error code,
//! or fails the acknowledgement interface.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use serde_json::{Value, json};

/// Token that the collector accepts.
pub(crate) const TOKEN: &str = "0b5f7c1e-hec-token";

/// Behavior of the collector, which tests change while it runs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Behavior {
    /// The token acknowledges.
    pub(crate) acknowledges: bool,
    /// Answers 503 with code 9 to this many further requests.
    pub(crate) busy: u32,
    /// Does not answer at all.
    pub(crate) hangs: bool,
    /// Takes this many further requests with 200 and loses them.
    pub(crate) loses: u32,
    /// Answers 200 with code 7 in the body.
    pub(crate) lies: bool,
    /// Refuses events that contain this text, with code 6 and their number.
    pub(crate) poison: Option<String>,
    /// Leaves the number of the refused event out.
    pub(crate) hides_number: bool,
    /// Answers 500 to questions for acknowledgements.
    pub(crate) ack_fails: bool,
}

/// State of the collector.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) behavior: Behavior,
    /// Events that were indexed, in order.
    pub(crate) events: Vec<Value>,
    /// Channels that sent events.
    pub(crate) channels: BTreeSet<String>,
    pub(crate) requests: usize,
    /// Next number of an acknowledgement, and those that were indexed, by channel.
    acks: BTreeMap<String, (u64, BTreeSet<u64>)>,
}

/// A collector on a free port; it ends with the runtime.
#[derive(Debug, Clone)]
pub(crate) struct Hec {
    pub(crate) url: String,
    state: Arc<Mutex<Collected>>,
}

impl Hec {
    pub(crate) async fn start(behavior: Behavior) -> Hec {
        let state = Arc::new(Mutex::new(Collected {
            behavior,
            ..Collected::default()
        }));
        let router = Router::new()
            .route("/services/collector/event", post(event))
            .route("/services/collector/ack", post(ack))
            .with_state(state.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Hec { url, state }
    }

    /// Reads or changes the state.
    pub(crate) fn with<T>(&self, change: impl FnOnce(&mut Collected) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Identifiers of the entries that were indexed, in order.
    pub(crate) fn event_ids(&self) -> Vec<String> {
        self.with(|collected| {
            let events = collected.events.iter();
            events
                .filter_map(|event| event["event"]["event_id"].as_str().map(str::to_owned))
                .collect()
        })
    }
}

type Reply = (StatusCode, axum::Json<Value>);

fn code(status: u16, code: u32, text: &str) -> Reply {
    let status = StatusCode::from_u16(status).unwrap();
    (status, axum::Json(json!({ "text": text, "code": code })))
}

/// Answers of the collector to a wrong header.
fn checked(headers: &HeaderMap) -> Result<String, Reply> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    match header("authorization") {
        None => return Err(code(401, 2, "Token is required")),
        Some(value) if !value.starts_with("Splunk ") => {
            return Err(code(401, 3, "Invalid authorization"));
        }
        Some(value) if value != format!("Splunk {TOKEN}") => {
            return Err(code(403, 4, "Invalid token"));
        }
        Some(_) => {}
    }
    match header("x-splunk-request-channel") {
        None => Err(code(400, 10, "Data channel is missing")),
        Some(channel) if channel.len() == 36 && channel.matches('-').count() == 4 => {
            Ok(channel.to_owned())
        }
        Some(_) => Err(code(400, 11, "Invalid data channel")),
    }
}

async fn event(
    State(state): State<Arc<Mutex<Collected>>>,
    headers: HeaderMap,
    body: Bytes,
) -> Reply {
    if state.lock().unwrap().behavior.hangs {
        std::future::pending::<()>().await;
    }
    let channel = match checked(&headers) {
        Ok(channel) => channel,
        Err(reply) => return reply,
    };
    let mut plain = Vec::new();
    match headers.get("content-encoding") {
        Some(encoding) if encoding == "gzip" => {
            flate2::read::GzDecoder::new(&body[..])
                .read_to_end(&mut plain)
                .unwrap();
        }
        _ => plain.extend_from_slice(&body),
    }
    if plain.len() > 1_100_000 {
        return code(413, 27, "Request entity too large");
    }

    let collected = &mut *state.lock().unwrap();
    collected.requests += 1;
    if collected.behavior.busy > 0 {
        collected.behavior.busy -= 1;
        return code(503, 9, "Server is busy");
    }
    if collected.behavior.lies {
        return code(200, 7, "Incorrect index");
    }

    let mut events = Vec::new();
    for (number, event) in serde_json::Deserializer::from_slice(&plain)
        .into_iter::<Value>()
        .enumerate()
    {
        let refused = |number: usize, text: &str, code: u32| {
            let mut body = json!({ "text": text, "code": code });
            if !collected.behavior.hides_number {
                body["invalid-event-number"] = json!(number);
            }
            (StatusCode::BAD_REQUEST, axum::Json(body))
        };
        let Ok(event) = event else {
            return refused(number, "Invalid data format", 6);
        };
        match &event["event"] {
            Value::Null => return refused(number, "Event field is required", 12),
            Value::String(text) if text.is_empty() => {
                return refused(number, "Event field cannot be blank", 13);
            }
            _ => {}
        }
        let known = [
            "time",
            "host",
            "source",
            "sourcetype",
            "index",
            "event",
            "fields",
        ];
        let members = event.as_object().unwrap();
        let poison = collected.behavior.poison.as_ref();
        if members.keys().any(|name| !known.contains(&name.as_str()))
            || !event["time"].is_number()
            || poison.is_some_and(|poison| event.to_string().contains(poison))
        {
            return refused(number, "Invalid data format", 6);
        }
        events.push(event);
    }
    if events.is_empty() {
        return code(400, 5, "No data");
    }

    collected.channels.insert(channel.clone());
    let loses = collected.behavior.loses > 0;
    if loses {
        collected.behavior.loses -= 1;
    } else {
        collected.events.extend(events);
    }
    let mut reply = json!({ "text": "Success", "code": 0 });
    if collected.behavior.acknowledges {
        let (next, indexed) = collected.acks.entry(channel).or_default();
        reply["ackId"] = json!(*next);
        if !loses {
            indexed.insert(*next);
        }
        *next += 1;
    }
    (StatusCode::OK, axum::Json(reply))
}

async fn ack(
    State(state): State<Arc<Mutex<Collected>>>,
    headers: HeaderMap,
    axum::Json(body): axum::Json<Value>,
) -> Reply {
    let channel = match checked(&headers) {
        Ok(channel) => channel,
        Err(reply) => return reply,
    };
    let collected = &mut *state.lock().unwrap();
    if !collected.behavior.acknowledges {
        return code(400, 14, "ACK is disabled");
    }
    if collected.behavior.ack_fails {
        return code(500, 8, "Internal server error");
    }
    let indexed = collected.acks.entry(channel).or_default();
    let asked = body["acks"].as_array().cloned().unwrap_or_default();
    let acks: serde_json::Map<String, Value> = asked
        .iter()
        .filter_map(Value::as_u64)
        // An acknowledgement is handed out once, as by the real collector.
        .map(|id| (id.to_string(), json!(indexed.1.remove(&id))))
        .collect();
    (StatusCode::OK, axum::Json(json!({ "acks": acks })))
}
