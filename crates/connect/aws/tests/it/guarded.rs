//! An endpoint that points inside: nothing is sent there, and nothing of an answer is repeated.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use axum::Router;
use axum::http::StatusCode;
use axum::response::Redirect;
use reeve_connect_aws::{AwsBucket, AwsConnection, BucketPlace};
use reeve_connect_outbound::{Lookup, Outbound, OutboundPolicy};
use reeve_estate::{Observe as _, ObserveErrorKind};

use crate::{connection, emulators, hasty, limits};

/// A service of the inside, which counts what reaches it.
async fn inside() -> (u16, Arc<AtomicUsize>) {
    let reached = Arc::new(AtomicUsize::new(0));
    let counter = reached.clone();
    let router = Router::new().fallback(move || {
        counter.fetch_add(1, Ordering::SeqCst);
        async {
            (
                StatusCode::FORBIDDEN,
                "<Error><Code>The vault's key is 4711</Code><Message>root:x:0:0</Message></Error>",
            )
        }
    });

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });

    (port, reached)
}

/// Says once that a name is a public address, and then that it is this machine.
struct Rebinding(AtomicUsize);

#[async_trait]
impl Lookup for Rebinding {
    async fn addresses(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        let first = self.0.fetch_add(1, Ordering::SeqCst) == 0;
        Ok(vec![
            if first { "192.0.2.1" } else { "127.0.0.1" }
                .parse()
                .unwrap(),
        ])
    }
}

#[tokio::test]
async fn an_endpoint_inside_is_never_asked() {
    let (port, reached) = inside().await;
    let guarded = Outbound::new(OutboundPolicy::default(), limits());
    let hosts = [
        "127.0.0.1",
        "localhost",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "169.254.169.254",
    ];

    for host in hosts {
        let endpoint = format!("http://{host}:{port}");
        let mut with_role = connection(&endpoint, &["us-east-1"]);
        with_role.assume_role = Some("arn:aws:iam::123456789012:role/observer".into());
        for to in [connection(&endpoint, &["us-east-1"]), with_role] {
            let aws = AwsConnection::open_with(&to, &guarded, hasty(&endpoint))
                .await
                .unwrap();
            let error = aws.identity().await.unwrap_err();
            assert_eq!(
                error.kind,
                ObserveErrorKind::Unreachable,
                "{endpoint}: {error}"
            );
            assert!(
                error.message.contains("not a public address"),
                "{endpoint}: {error}"
            );
        }
        let place = BucketPlace {
            bucket: "b".into(),
            region: "us-east-1".into(),
            endpoint: Some(endpoint.clone()),
            key: Some(("AKIAIOSFODNN7EXAMPLE".into(), "secret".into())),
            ..BucketPlace::default()
        };
        let bucket = AwsBucket::open(&place, &guarded).await;
        let error = bucket
            .put("checkpoint", b"note".to_vec())
            .await
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("not a public address"),
            "{endpoint}: {error}"
        );
    }

    let rebinding = Outbound::with_lookup(
        OutboundPolicy::default(),
        limits(),
        Arc::new(Rebinding(AtomicUsize::new(0))),
    );
    let endpoint = format!("https://rebind.example:{port}");
    let aws = AwsConnection::open_with(
        &connection(&endpoint, &["us-east-1"]),
        &rebinding,
        hasty(&endpoint),
    )
    .await
    .unwrap();

    for _ in 0..3 {
        aws.identity().await.unwrap_err();
    }

    assert_eq!(
        reached.load(Ordering::SeqCst),
        0,
        "requests that reached the inside"
    );
}

#[tokio::test]
async fn nothing_of_a_foreign_answer_is_repeated() {
    let (port, reached) = inside().await;
    let endpoint = format!("http://127.0.0.1:{port}");
    let aws = AwsConnection::open_with(
        &connection(&endpoint, &["us-east-1"]),
        &emulators(),
        hasty(&endpoint),
    )
    .await
    .unwrap();
    let identity = aws.identity().await.unwrap_err().message;

    let mut with_role = connection(&endpoint, &["us-east-1"]);
    with_role.assume_role = Some("arn:aws:iam::123456789012:role/observer".into());
    let aws = AwsConnection::open_with(&with_role, &emulators(), hasty(&endpoint))
        .await
        .unwrap();
    let assuming = aws.identity().await.unwrap_err().message;

    for message in [identity, assuming] {
        assert!(
            !message.contains("4711") && !message.contains("root:x"),
            "{message}"
        );
    }

    assert!(reached.load(Ordering::SeqCst) > 0);
}

#[tokio::test]
async fn a_redirect_of_an_endpoint_is_not_followed() {
    let (port, reached) = inside().await;
    let away = format!("http://127.0.0.1:{port}/");
    let router = Router::new().fallback(move || async move { Redirect::temporary(&away) });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let aws = AwsConnection::open_with(
        &connection(&endpoint, &["us-east-1"]),
        &emulators(),
        hasty(&endpoint),
    )
    .await
    .unwrap();
    let error = aws.identity().await.unwrap_err();
    assert!(error.message.contains("redirect"), "{error}");

    assert_eq!(reached.load(Ordering::SeqCst), 0);
}
