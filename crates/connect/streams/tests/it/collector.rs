//! A receiver of OTLP logs over HTTP that is stricter than the OpenTelemetry Collector.
//!
//! It refuses other media types, encodings and keys than it knows, members that the protocol does
//! not have, and records without what a log record needs. On request it is busy, rejects records
//! with a text in them as a part of a success, or answers something else.

use std::io::Read as _;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use reeve_otlp::{ErrorStatus, ExportAnswer, Message as _, PartialSuccess, as_json};
use serde_json::{Value, json};

/// Value of the header `x-api-key` that the receiver wants.
pub(crate) const API_KEY: &str = "otlp-key-31";

/// State of the receiver.
#[derive(Debug, Default)]
pub(crate) struct Exported {
    /// Log records that were taken, in order.
    pub(crate) records: Vec<Value>,
    pub(crate) requests: usize,
    /// Media types with `gzip` where the body was compressed.
    pub(crate) forms: Vec<String>,
    /// Answers 429 with `Retry-After: 7` to this many further requests.
    pub(crate) busy: u32,
    /// Rejects records that contain this text, as a part of a success.
    pub(crate) poison: Option<String>,
    /// Answers a page of a proxy with 200.
    pub(crate) is_proxy: bool,
    /// Takes everything, with a warning.
    pub(crate) warns: bool,
}

/// A receiver on a free port; it ends with the runtime.
#[derive(Debug, Clone)]
pub(crate) struct Collector {
    pub(crate) url: String,
    state: Arc<Mutex<Exported>>,
}

impl Collector {
    pub(crate) async fn start() -> Collector {
        let state = Arc::new(Mutex::new(Exported::default()));
        let router = Router::new()
            .route("/v1/logs", post(export))
            .with_state(state.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Collector { url, state }
    }

    /// Reads or changes the state.
    pub(crate) fn with<T>(&self, change: impl FnOnce(&mut Exported) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Values of `log.record.uid` of the records that were taken, in order.
    pub(crate) fn uids(&self) -> Vec<String> {
        self.with(|exported| exported.records.iter().map(uid).collect())
    }
}

pub(crate) fn uid(record: &Value) -> String {
    let attributes = record["attributes"].as_array().unwrap();
    let uid = attributes
        .iter()
        .find(|pair| pair["key"] == "log.record.uid");
    uid.unwrap()["value"]["stringValue"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn refusal(status: u16, message: &str, is_json: bool) -> Response {
    let status_code = StatusCode::from_u16(status).unwrap();
    let body = if is_json {
        json!({ "code": 3, "message": message })
            .to_string()
            .into_bytes()
    } else {
        ErrorStatus {
            code: 3,
            message: message.to_owned(),
        }
        .encode_to_vec()
    };
    (status_code, [("retry-after", "7")], body).into_response()
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Returns the log records of a body that keeps to the protocol.
fn records(body: &[u8], is_json: bool) -> Option<Vec<Value>> {
    let request = if is_json {
        serde_json::from_slice(body).ok()?
    } else {
        as_json(body).ok()?
    };
    let mut records = Vec::new();
    for logs in members(&request, &["resourceLogs"])?["resourceLogs"].as_array()? {
        members(logs, &["resource", "scopeLogs"])?;
        for scope in logs["scopeLogs"].as_array()? {
            members(scope, &["scope", "logRecords"])?;
            records.extend(scope["logRecords"].as_array()?.clone());
        }
    }
    for record in &records {
        members(
            record,
            &[
                "timeUnixNano",
                "observedTimeUnixNano",
                "severityNumber",
                "severityText",
                "eventName",
                "body",
                "attributes",
            ],
        )?;
        // Numbers of 64 bits are text.
        let time: u64 = record["timeUnixNano"].as_str()?.parse().ok()?;
        let is_sound = time > 0
            && (1..=24).contains(&record["severityNumber"].as_i64()?)
            && record["body"]["stringValue"].is_string();
        is_sound.then_some(())?;
    }
    Some(records)
}

fn members<'a>(value: &'a Value, allowed: &[&str]) -> Option<&'a Value> {
    let known = value
        .as_object()?
        .keys()
        .all(|key| allowed.contains(&key.as_str()));
    known.then_some(value)
}

async fn export(
    State(state): State<Arc<Mutex<Exported>>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let mut exported = state.lock().unwrap_or_else(PoisonError::into_inner);
    exported.requests += 1;
    let media_type = header(&headers, "content-type")
        .unwrap_or_default()
        .to_owned();
    let is_json = match media_type.as_str() {
        "application/json" => true,
        "application/x-protobuf" => false,
        _ => return StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response(),
    };
    if header(&headers, "x-api-key") != Some(API_KEY) {
        return refusal(401, "the key is not valid", is_json);
    }
    if exported.busy > 0 {
        exported.busy -= 1;
        return refusal(429, "too many requests", is_json);
    }
    if exported.is_proxy {
        return (StatusCode::OK, "<html>Sign in</html>").into_response();
    }
    let encoding = header(&headers, "content-encoding");
    let plain = match encoding {
        None => body.to_vec(),
        Some("gzip") => {
            let mut plain = Vec::new();
            let mut reader = flate2::read::GzDecoder::new(&body[..]);
            if reader.read_to_end(&mut plain).is_err() {
                return refusal(400, "not gzip", is_json);
            }
            plain
        }
        Some(_) => return StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response(),
    };
    let Some(records) = records(&plain, is_json) else {
        return refusal(400, "not log records", is_json);
    };
    exported
        .forms
        .push(format!("{media_type} {}", encoding.unwrap_or("plain")));

    let poison = exported.poison.clone();
    let is_poisoned = |record: &Value| {
        let text = record.to_string();
        poison.as_ref().is_some_and(|poison| text.contains(poison))
    };
    let (rejected, taken): (Vec<Value>, Vec<Value>) = records.into_iter().partition(is_poisoned);
    exported.records.extend(taken);
    let message = match (rejected.len(), exported.warns) {
        (0, false) => String::new(),
        (0, true) => "attributes are deprecated".to_owned(),
        _ => "too old".to_owned(),
    };
    answer(rejected.len(), message, is_json)
}

fn answer(rejected: usize, message: String, is_json: bool) -> Response {
    if is_json {
        let partial =
            json!({ "rejectedLogRecords": rejected.to_string(), "errorMessage": message });
        let whole = rejected == 0 && message.is_empty();
        let body = if whole {
            json!({})
        } else {
            json!({ "partialSuccess": partial })
        };
        return axum::Json(body).into_response();
    }
    let partial = PartialSuccess {
        rejected_log_records: i64::try_from(rejected).unwrap(),
        error_message: message,
    };
    let answer = ExportAnswer {
        partial_success: (partial != PartialSuccess::default()).then_some(partial),
    };
    (
        [("content-type", "application/x-protobuf")],
        answer.encode_to_vec(),
    )
        .into_response()
}
