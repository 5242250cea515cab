//! Event Hubs: a hub that checks the signature, its expiry, the content type and the size.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::routing::post;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use reeve_connect_streams::{EventHubSink, client};
use reeve_streams::{Acked, SendError, StreamSink as _};
use serde_json::Value;
use sha2::Sha256;

use crate::{local, records};

const KEY: &str = "c2hhcmVkLWFjY2Vzcy1rZXk=";

struct Hub {
    base: String,
    events: Mutex<Vec<Value>>,
}

/// Judges a request as the service does: status and reason.
fn judge(hub: &Hub, path: &str, query: &str, headers: &HeaderMap, body: &[u8]) -> (u16, String) {
    let header = |name: &str| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default()
    };
    let Some(token) = header("authorization").strip_prefix("SharedAccessSignature ") else {
        return (401, "MissingToken".to_owned());
    };
    let fields: Vec<(String, String)> = form_urlencoded::parse(token.as_bytes())
        .into_owned()
        .collect();
    let field = |name: &str| {
        let found = fields.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    };
    let resource: String = form_urlencoded::byte_serialize(field("sr").as_bytes()).collect();
    let mut mac = Hmac::<Sha256>::new_from_slice(KEY.as_bytes()).unwrap();
    mac.update(format!("{resource}\n{}", field("se")).as_bytes());
    if field("sig") != STANDARD.encode(mac.finalize().into_bytes()) {
        return (401, "InvalidSignature".to_owned());
    }
    if field("skn") != "sender" || field("sr") != format!("{}/audit", hub.base) {
        return (401, "Unauthorized".to_owned());
    }
    let expires: i64 = field("se").parse().unwrap_or_default();
    if expires <= Timestamp::now().as_second() {
        return (401, "ExpiredToken".to_owned());
    }
    if path != "/audit/messages" {
        return (404, "no such hub".to_owned());
    }
    if query != "api-version=2014-01"
        || header("content-type") != "application/vnd.microsoft.servicebus.json"
    {
        return (400, "not a batch".to_owned());
    }
    if body.len() > 1_048_576 {
        return (413, "QuotaExceeded".to_owned());
    }
    let Ok(Value::Array(events)) = serde_json::from_slice(body) else {
        return (400, "not an array".to_owned());
    };
    if events.iter().any(|event| !event["Body"].is_string()) {
        return (400, "an event without a body".to_owned());
    }
    hub.events.lock().unwrap().extend(events);
    (201, String::new())
}

async fn take(
    State(hub): State<Arc<Hub>>,
    uri: Uri,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, String) {
    let query = query.unwrap_or_default();
    let (status, reason) = judge(&hub, uri.path(), &query, &headers, &body);
    (StatusCode::from_u16(status).unwrap(), reason)
}

async fn hub() -> Arc<Hub> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let hub = Arc::new(Hub {
        base: format!("http://{}", listener.local_addr().unwrap()),
        events: Mutex::default(),
    });
    let router = Router::new()
        .fallback(post(take))
        .layer(axum::extract::DefaultBodyLimit::disable())
        .with_state(hub.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    hub
}

fn sink(hub: &Hub, key_name: &str, key: &str) -> EventHubSink {
    let endpoint = Some(hub.base.as_str());
    EventHubSink::new(client(local()), "acme", "audit", key_name, endpoint, key).unwrap()
}

#[tokio::test]
async fn a_signed_batch_arrives_with_its_identifiers() {
    let hub = hub().await;
    let taken = sink(&hub, "sender", KEY).send(&records(3, 2, 5)).await;
    assert_eq!(taken, Ok(Acked { through: 4 }));

    let events = hub.events.lock().unwrap();
    let body: Value = serde_json::from_str(events[1]["Body"].as_str().unwrap()).unwrap();
    assert_eq!(body["event_id"], "entry-4");
    assert_eq!(events[1]["UserProperties"]["event_id"], "entry-4");
    assert_eq!(events[1]["UserProperties"]["sequence"], 4);
}

#[tokio::test]
async fn a_wrong_key_needs_a_person_and_a_large_batch_is_halved() {
    let hub = hub().await;
    for (name, key) in [("sender", "wrong"), ("other", KEY)] {
        let refused = sink(&hub, name, key).send(&records(0, 1, 5)).await;
        assert!(
            matches!(&refused, Err(SendError::Configuration { message }) if message.contains("401")),
            "{refused:?}"
        );
    }
    let large = sink(&hub, "sender", KEY)
        .send(&records(0, 12, 100_000))
        .await;
    assert!(matches!(large, Err(SendError::Refused { .. })), "{large:?}");
    assert!(hub.events.lock().unwrap().is_empty());
}
