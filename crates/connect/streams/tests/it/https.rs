//! Any HTTPS endpoint: bodies, statuses, connections, and secrets that a receiver echoes.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use reeve_connect_streams::{HttpsSink, client};
use reeve_streams::{Acked, HttpsBody, SendError, StreamFormat, StreamSink as _};

use crate::{local, records};

#[derive(Default)]
struct Seen {
    status: u16,
    bodies: Vec<(String, String)>,
    peers: Vec<std::net::SocketAddr>,
}

type Shared = Arc<Mutex<Seen>>;

async fn take(
    State(seen): State<Shared>,
    ConnectInfo(peer): ConnectInfo<std::net::SocketAddr>,
    headers: HeaderMap,
    body: String,
) -> (StatusCode, String) {
    let mut seen = seen.lock().unwrap();
    let header = |name: &str| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_owned()
    };
    seen.bodies.push((header("content-type"), body));
    seen.peers.push(peer);
    // A receiver that repeats the credentials in its answer.
    let answer = format!("you sent {}", header("authorization"));
    (StatusCode::from_u16(seen.status).unwrap(), answer)
}

async fn receiver(status: u16) -> (String, Shared) {
    let seen = Shared::default();
    seen.lock().unwrap().status = status;
    let router = Router::new()
        .route("/in", post(take))
        .with_state(seen.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/in", listener.local_addr().unwrap());
    let service = router.into_make_service_with_connect_info::<std::net::SocketAddr>();
    tokio::spawn(async move { axum::serve(listener, service).await });
    (url, seen)
}

fn sink(url: &str, body: HttpsBody, format: StreamFormat) -> HttpsSink {
    HttpsSink::new(client(local()), url, body, format, "Bearer s3cret").unwrap()
}

#[tokio::test]
async fn bodies_are_lines_or_an_array_over_one_connection() {
    let (url, seen) = receiver(202).await;
    let lines = sink(&url, HttpsBody::Lines, StreamFormat::Json);
    assert_eq!(
        lines.send(&records(0, 2, 1)).await,
        Ok(Acked { through: 1 })
    );
    assert_eq!(
        lines.send(&records(2, 1, 1)).await,
        Ok(Acked { through: 2 })
    );
    let array = sink(&url, HttpsBody::Array, StreamFormat::Cef);
    array.send(&records(0, 2, 1)).await.unwrap();

    let seen = seen.lock().unwrap();
    let (media, body) = &seen.bodies[0];
    assert_eq!(media, "application/x-ndjson");
    assert_eq!(body.lines().count(), 2);
    assert_eq!(seen.peers[0], seen.peers[1], "the connection stays open");
    let (media, body) = &seen.bodies[2];
    assert_eq!(media, "application/json");
    let texts: Vec<String> = serde_json::from_str(body).unwrap();
    assert!(texts[1].contains("entry-1"));
}

#[tokio::test]
async fn statuses_say_whether_time_a_person_or_a_smaller_batch_helps() {
    for (status, expected) in [
        (400, "refused"),
        (413, "refused"),
        (422, "refused"),
        (401, "configuration"),
        (404, "configuration"),
        (302, "configuration"),
        (429, "passing"),
        (503, "passing"),
    ] {
        let (url, _) = receiver(status).await;
        let error = sink(&url, HttpsBody::Lines, StreamFormat::Json)
            .send(&records(0, 2, 1))
            .await
            .unwrap_err();
        let kind = match &error {
            SendError::Refused { .. } => "refused",
            SendError::Configuration { .. } => "configuration",
            SendError::Passing { .. } => "passing",
        };
        assert_eq!(kind, expected, "{status}: {error}");
        assert!(!error.to_string().contains("s3cret"), "{error}");
    }
}
