//! Tests of the guarded client against a real server on this machine, which it refuses by default,
//! and a resolver whose answers change.
#![allow(clippy::unwrap_used)]

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use axum::Router;
use axum::http::HeaderMap;
use axum::response::Redirect;
use axum::routing::{get, post};
use reeve_connect_outbound::{
    Lookup, Method, Outbound, OutboundError, OutboundLimits, OutboundPolicy, OutboundRefusal,
    OutboundRequest,
};

/// Answers the first question with the first list, and so on; the last list for good.
struct Changing {
    answers: Vec<Vec<&'static str>>,
    asked: AtomicUsize,
}

#[async_trait]
impl Lookup for Changing {
    async fn addresses(&self, _host: &str) -> io::Result<Vec<IpAddr>> {
        let turn = self
            .asked
            .fetch_add(1, Ordering::SeqCst)
            .min(self.answers.len() - 1);
        Ok(self.answers[turn]
            .iter()
            .map(|text| text.parse().unwrap())
            .collect())
    }
}

fn changing(answers: &[&[&'static str]]) -> Arc<Changing> {
    let answers = answers.iter().map(|answer| answer.to_vec()).collect();
    Arc::new(Changing {
        answers,
        asked: AtomicUsize::new(0),
    })
}

async fn serve() -> SocketAddr {
    let router = Router::new()
        .route(
            "/ok",
            get(|headers: HeaderMap| async move { format!("{:?}", headers.get("authorization")) }),
        )
        .route("/echo", post(|body: String| async move { body }))
        .route(
            "/away",
            get(|| async { Redirect::temporary("http://169.254.169.254/latest/meta-data/") }),
        )
        .route("/near", get(|| async { Redirect::temporary("/ok") }))
        .route("/round", get(|| async { Redirect::temporary("/round") }))
        .route("/long", get(|| async { "x".repeat(4096) }))
        .route(
            "/never",
            get(|| async { std::future::pending::<String>().await }),
        );

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });

    address
}

fn get_of(url: &str) -> OutboundRequest {
    let headers = vec![("authorization".to_owned(), "Bearer secret".to_owned())];
    OutboundRequest {
        method: Method::GET,
        url: url.parse().unwrap(),
        headers,
        body: Vec::new(),
    }
}

fn local() -> OutboundPolicy {
    OutboundPolicy {
        allow: vec!["127.0.0.0/8".parse().unwrap()],
        plain_http: false,
        ..OutboundPolicy::default()
    }
}

#[tokio::test]
async fn this_machine_is_refused_in_every_spelling() {
    let port = serve().await.port();
    let guarded = Outbound::new(OutboundPolicy::default(), OutboundLimits::default());

    for host in [
        "127.0.0.1",
        "localhost",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "017700000001",
        "127.1",
        "0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::127.0.0.1]",
        "169.254.169.254",
    ] {
        let outcome = guarded
            .send(get_of(&format!("http://{host}:{port}/ok")))
            .await;
        assert!(
            matches!(
                outcome,
                Err(OutboundError::Refused(OutboundRefusal::NotPublic { .. }))
            ),
            "{host}: {outcome:?}"
        );
    }

    let open = Outbound::new(local(), OutboundLimits::default());
    for host in ["127.0.0.1", "2130706433"] {
        let answer = open
            .send(get_of(&format!("http://{host}:{port}/ok")))
            .await
            .unwrap();
        assert_eq!(answer.status, 200);
        assert!(String::from_utf8_lossy(&answer.body).contains("Bearer secret"));
    }

    let body = OutboundRequest {
        method: Method::POST,
        body: b"hello".to_vec(),
        ..get_of(&format!("http://127.0.0.1:{port}/echo"))
    };
    assert_eq!(open.send(body).await.unwrap().body, b"hello");
}

#[tokio::test]
async fn other_protocols_are_given_a_judged_address() {
    let guarded = Outbound::new(OutboundPolicy::default(), OutboundLimits::default());
    for host in [
        "127.0.0.1",
        "localhost",
        "2130706433",
        "::1",
        "[::1]",
        "169.254.169.254",
    ] {
        let outcome = guarded.address_of(host, 22).await;
        assert!(
            matches!(
                outcome,
                Err(OutboundError::Refused(OutboundRefusal::NotPublic { .. }))
            ),
            "{host}: {outcome:?}"
        );
    }

    for host in ["user@127.0.0.1", "a b", ""] {
        assert!(guarded.address_of(host, 22).await.is_err(), "{host}");
    }

    let lookup = changing(&[&["127.0.0.1"], &["127.0.0.1", "10.0.0.1"]]);
    let open = Outbound::with_lookup(local(), OutboundLimits::default(), lookup);
    assert_eq!(
        open.address_of("files.example", 2222)
            .await
            .unwrap()
            .to_string(),
        "127.0.0.1:2222"
    );

    let mixed = open.address_of("files.example", 2222).await;
    assert!(
        matches!(
            mixed,
            Err(OutboundError::Refused(OutboundRefusal::NotPublic { .. }))
        ),
        "{mixed:?}"
    );
}

#[tokio::test]
async fn an_answer_that_changes_or_mixes_is_refused() {
    let port = serve().await.port();
    let url = format!("http://rebind.example:{port}/ok");

    // Judged and used are one answer: the second would be the inside, and is judged itself when it
    // comes.
    let lookup = changing(&[&["127.0.0.1"], &["10.0.0.1"]]);
    let client = Outbound::with_lookup(local(), OutboundLimits::default(), lookup.clone());
    assert_eq!(client.send(get_of(&url)).await.unwrap().status, 200);
    assert_eq!(
        lookup.asked.load(Ordering::SeqCst),
        1,
        "one request asks the resolver once"
    );

    let second = client.send(get_of(&url)).await;
    assert!(
        matches!(
            second,
            Err(OutboundError::Refused(OutboundRefusal::NotPublic { .. }))
        ),
        "{second:?}"
    );

    let mixed = Outbound::with_lookup(
        local(),
        OutboundLimits::default(),
        changing(&[&["127.0.0.1", "169.254.169.254"]]),
    );
    let refused = mixed.send(get_of(&url)).await;
    assert!(
        matches!(
            refused,
            Err(OutboundError::Refused(OutboundRefusal::NotPublic { .. }))
        ),
        "{refused:?}"
    );

    let nowhere = Outbound::with_lookup(local(), OutboundLimits::default(), changing(&[&[]]));
    assert!(matches!(
        nowhere.send(get_of(&url)).await,
        Err(OutboundError::Unresolved { .. })
    ));
}

#[tokio::test]
async fn redirects_are_judged_or_refused() {
    let port = serve().await.port();
    let url = |path: &str| format!("http://127.0.0.1:{port}/{path}");
    let strict = Outbound::new(local(), OutboundLimits::default());
    assert!(matches!(
        strict.send(get_of(&url("near"))).await,
        Err(OutboundError::Redirect(_))
    ));

    let following = Outbound::new(
        local(),
        OutboundLimits {
            redirects: 3,
            ..OutboundLimits::default()
        },
    );

    assert_eq!(
        following.send(get_of(&url("near"))).await.unwrap().status,
        200
    );

    let away = following.send(get_of(&url("away"))).await;
    assert!(
        matches!(
            away,
            Err(OutboundError::Refused(OutboundRefusal::NotPublic { .. }))
        ),
        "{away:?}"
    );
    assert!(matches!(
        following.send(get_of(&url("round"))).await,
        Err(OutboundError::Redirect(_))
    ));
}

#[tokio::test]
async fn time_and_body_are_bounded() {
    let port = serve().await.port();
    let limits = OutboundLimits {
        time: Duration::from_millis(300),
        body: 1000,
        redirects: 0,
    };
    let client = Outbound::new(local(), limits);
    let long = client
        .send(get_of(&format!("http://127.0.0.1:{port}/long")))
        .await;
    assert!(
        matches!(long, Err(OutboundError::TooLong(1000))),
        "{long:?}"
    );

    let late = client
        .send(get_of(&format!("http://127.0.0.1:{port}/never")))
        .await;
    assert!(matches!(late, Err(OutboundError::Late(_))), "{late:?}");
}
