//! The sender against a receiver on this machine that verifies with Standard Webhooks' own library,
//! and against addresses that it must not reach.
#![allow(clippy::unwrap_used)]

use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::post;
use jiff::{SignedDuration, Timestamp};
use reeve_connect_outbound::{Lookup, Outbound, OutboundLimits, OutboundPolicy};
use reeve_connect_webhook::{Sender, sign};
use reeve_notify::webhook::{Secret, Secrets, WebhookMessage, WebhookSender as _};
use standardwebhooks::Webhook;

const BODY: &str = r#"{"type":"test","timestamp":"2026-11-21T00:00:00.000Z","data":{"é":1}}"#;

fn local() -> OutboundPolicy {
    OutboundPolicy {
        allow: vec!["127.0.0.0/8".parse().unwrap()],
        plain_http: false,
        ..OutboundPolicy::default()
    }
}

fn message(url: String, secrets: Vec<Secret>) -> WebhookMessage {
    WebhookMessage {
        url,
        id: "msg_1".into(),
        at: Timestamp::now(),
        body: BODY.into(),
        secrets,
    }
}

type Seen = Arc<Mutex<Vec<(HeaderMap, Vec<u8>)>>>;

/// A receiver that keeps what it gets and answers as its path says.
async fn receiver() -> (String, Seen) {
    async fn take(
        State(seen): State<Seen>,
        headers: HeaderMap,
        body: axum::body::Bytes,
    ) -> Response {
        seen.lock().unwrap().push((headers, body.to_vec()));
        (StatusCode::OK, "taken").into_response()
    }

    let seen = Seen::default();
    let router = Router::new()
        .route("/ok", post(take))
        .route("/gone", post(|| async { StatusCode::GONE }))
        .route(
            "/busy",
            post(|| async { (StatusCode::SERVICE_UNAVAILABLE, "é".repeat(2000)) }),
        )
        .route(
            "/away",
            post(|| async { Redirect::temporary("http://169.254.169.254/latest/meta-data/") }),
        )
        .route("/near", post(|| async { Redirect::temporary("/ok") }))
        .with_state(seen.clone());

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });

    (url, seen)
}

#[tokio::test]
async fn a_receiver_verifies_with_either_secret_of_a_rotation() {
    let (url, seen) = receiver().await;
    let sender = Sender::new(local());
    let (old, new) = (Secret::from_random(&[1; 32]), Secret::from_random(&[2; 32]));
    let now = Timestamp::now();
    let rotated = Secrets::first(old.clone()).rotated(new.clone(), now);
    let attempt = sender
        .send(&message(format!("{url}/ok"), rotated.signing(now)))
        .await;
    assert!(
        attempt.ok && !attempt.gone && attempt.error.is_none(),
        "{attempt:?}"
    );
    assert_eq!(
        (attempt.status, attempt.answer.as_str()),
        (Some(200), "taken")
    );

    let (headers, body) = seen.lock().unwrap().pop().unwrap();
    assert_eq!(body, BODY.as_bytes());
    assert_eq!(headers["webhook-id"], "msg_1");
    assert_eq!(headers["content-type"], "application/json");

    for secret in [&old, &new] {
        Webhook::new(secret.reveal())
            .unwrap()
            .verify(&body, &headers)
            .unwrap();
    }

    let other = Webhook::new(Secret::from_random(&[3; 32]).reveal()).unwrap();
    assert!(other.verify(&body, &headers).is_err());
    assert!(
        Webhook::new(new.reveal())
            .unwrap()
            .verify(&body[1..], &headers)
            .is_err()
    );

    // After the overlap the old one no longer signs.
    let later = now + SignedDuration::from_hours(25);
    let _ = sender
        .send(&message(format!("{url}/ok"), rotated.signing(later)))
        .await;
    let (headers, body) = seen.lock().unwrap().pop().unwrap();
    assert!(
        Webhook::new(old.reveal())
            .unwrap()
            .verify(&body, &headers)
            .is_err()
    );

    Webhook::new(new.reveal())
        .unwrap()
        .verify(&body, &headers)
        .unwrap();
}

#[test]
fn signatures_are_the_oracles() {
    for n in 0..64_u8 {
        let secret = Secret::from_random(&[n; 32]);
        let at = Timestamp::from_second(1_700_000_000 + i64::from(n) * 7919).unwrap();
        let body = format!("{{\"n\":{n},\"text\":\"{}\"}}", "é".repeat(usize::from(n)));
        let id = format!("msg_{n}");
        let oracle = Webhook::new(secret.reveal())
            .unwrap()
            .sign(&id, at.as_second(), body.as_bytes())
            .unwrap();
        assert_eq!(sign(&[secret], &id, at, &body), oracle);
    }
}

#[tokio::test]
async fn answers_are_distinguished_and_kept_in_part() {
    let (url, seen) = receiver().await;
    let sender = Sender::new(local());
    let send = async |path: &str| {
        sender
            .send(&message(
                format!("{url}/{path}"),
                vec![Secret::from_random(&[1; 32])],
            ))
            .await
    };
    let gone = send("gone").await;

    assert!(
        (gone.ok, gone.gone, gone.status) == (false, true, Some(410)),
        "{gone:?}"
    );

    let busy = send("busy").await;
    assert!(
        (busy.ok, busy.gone, busy.status) == (false, false, Some(503)),
        "{busy:?}"
    );
    assert_eq!(busy.answer, "é".repeat(512));

    for redirect in ["away", "near"] {
        let attempt = send(redirect).await;
        assert!(
            !attempt.ok
                && attempt
                    .error
                    .as_deref()
                    .is_some_and(|e| e.contains("redirect")),
            "{attempt:?}"
        );
    }

    assert!(seen.lock().unwrap().is_empty(), "no redirect was followed");

    let closed = sender
        .send(&message(
            "http://127.0.0.1:1/".into(),
            vec![Secret::from_random(&[1; 32])],
        ))
        .await;

    assert!(
        !closed.ok && closed.status.is_none() && closed.error.is_some(),
        "{closed:?}"
    );
}

struct Names;

#[async_trait::async_trait]
impl Lookup for Names {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let mixed = ["1.1.1.1".parse().unwrap(), "10.0.0.1".parse().unwrap()];
        Ok(if host == "mixed.example" {
            mixed.to_vec()
        } else {
            vec!["127.0.0.1".parse().unwrap()]
        })
    }
}

#[tokio::test]
async fn the_inside_is_refused() {
    let (url, seen) = receiver().await;
    let strict = Sender::new(OutboundPolicy::default());
    let attempt = strict
        .send(&message(
            format!("{url}/ok"),
            vec![Secret::from_random(&[1; 32])],
        ))
        .await;

    assert!(
        attempt
            .error
            .as_deref()
            .is_some_and(|e| e.contains("not a public address")),
        "{attempt:?}"
    );

    let named = Sender::over(
        OutboundPolicy::default(),
        Outbound::with_lookup(
            OutboundPolicy::default(),
            OutboundLimits::default(),
            Arc::new(Names),
        ),
    );
    for host in ["inside.example", "mixed.example"] {
        let attempt = named
            .send(&message(
                format!("https://{host}/"),
                vec![Secret::from_random(&[1; 32])],
            ))
            .await;
        assert!(
            attempt
                .error
                .as_deref()
                .is_some_and(|e| e.contains("not a public address")),
            "{attempt:?}"
        );
    }

    assert!(seen.lock().unwrap().is_empty());

    // What can be judged is judged before anything is stored.
    let cases = [
        ("https://hooks.example/a?b=c", None),
        ("http://hooks.example/", Some("https://")),
        ("ftp://hooks.example/", Some("only https")),
        ("https://user:pw@hooks.example/", Some("user name")),
        ("https://127.0.0.1/", Some("not a public")),
        ("https://[::1]/", Some("not a public")),
        ("https://2130706433/", Some("not a public")),
        ("https://169.254.169.254/latest", Some("not a public")),
        ("https://10.1.2.3/", Some("not a public")),
        ("hooks", Some("must be a full address")),
    ];

    for (url, expected) in cases {
        let found = strict.check(url);
        match expected {
            None => assert_eq!(found, Ok(()), "{url}"),
            Some(part) => assert!(
                found
                    .as_ref()
                    .is_err_and(|text| text.as_str().contains(part)),
                "{url}: {found:?}"
            ),
        }
    }

    assert!(
        Sender::new(local())
            .check("http://127.0.0.1:8080/hook")
            .is_ok()
    );

    assert!(
        Sender::new(local())
            .check("http://127.0.0.1:8080/hook".replace("127", "10").as_str())
            .is_err()
    );

    assert!(
        strict
            .check(&format!("https://hooks.example/{}", "x".repeat(3000)))
            .is_err()
    );
}
