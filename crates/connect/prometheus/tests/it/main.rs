//! Queries against a strict peer that answers as Prometheus and the proxies in front of it do, and
//! against a real Prometheus that asks for a user name and a password.
#![allow(clippy::unwrap_used)]

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use jiff::{SignedDuration, Timestamp};
use reeve_connect_outbound::{Outbound, OutboundLimits, OutboundPolicy};
use reeve_connect_prometheus::{Prometheus, QueryError, QueryErrorKind};
use reeve_sources::QueryCredentials;
use reeve_testkit::prometheus::Prometheus as Server;

const ONE: &str = r#"{"status":"success","data":{"resultType":"vector","result":[{"metric":{"__name__":"up"},"value":[1763942400.5,"1"]}]}}"#;

/// Answer of the peer to a request that it accepts.
#[derive(Clone)]
struct Reply {
    status: StatusCode,
    headers: Vec<(&'static str, String)>,
    body: &'static str,
}

impl Reply {
    fn new(status: u16, body: &'static str) -> Reply {
        Reply {
            status: StatusCode::from_u16(status).unwrap(),
            headers: Vec::new(),
            body,
        }
    }

    fn header(mut self, name: &'static str, value: impl Into<String>) -> Reply {
        self.headers.push((name, value.into()));
        self
    }
}

/// A peer below a path prefix, which takes what Prometheus documents and nothing else.
#[derive(Clone)]
struct Peer {
    authorization: Option<&'static str>,
    reply: Reply,
    forms: Arc<Mutex<Vec<String>>>,
}

async fn answer(State(peer): State<Peer>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let is_query = ["/prom/api/v1/query", "/prom/api/v1/query_range"].contains(&uri.path())
        && uri.query().is_none();
    if !is_query || headers["content-type"] != "application/x-www-form-urlencoded" {
        return (StatusCode::NOT_FOUND, "no such page").into_response();
    }

    let given = headers
        .get("authorization")
        .map(|value| value.to_str().unwrap_or_default());
    if given != peer.authorization {
        return (
            StatusCode::UNAUTHORIZED,
            [("www-authenticate", "Basic")],
            "Unauthorized\n",
        )
            .into_response();
    }

    peer.forms
        .lock()
        .unwrap()
        .push(String::from_utf8(body.to_vec()).unwrap());
    let mut response = (peer.reply.status, peer.reply.body).into_response();
    for (name, value) in &peer.reply.headers {
        response.headers_mut().insert(*name, value.parse().unwrap());
    }

    response
}

impl Peer {
    fn new(reply: Reply) -> Peer {
        Peer {
            authorization: None,
            reply,
            forms: Arc::default(),
        }
    }

    async fn serve(&self) -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/prom/", listener.local_addr().unwrap());
        let router = Router::new().fallback(answer).with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        url
    }
}

fn client(url: &str, credentials: QueryCredentials) -> Prometheus {
    let policy = OutboundPolicy {
        allow: vec!["127.0.0.0/8".parse().unwrap()],
        ..OutboundPolicy::default()
    };
    Prometheus::new(
        Outbound::new(policy, OutboundLimits::default()),
        url,
        credentials,
    )
    .unwrap()
}

fn at() -> Timestamp {
    Timestamp::from_millisecond(1_763_942_400_500).unwrap()
}

/// The error of a query that the peer answers so.
async fn refused(reply: Reply) -> QueryError {
    let url = Peer::new(reply).serve().await;
    client(&url, QueryCredentials::None)
        .query("up", at())
        .await
        .unwrap_err()
}

fn basic(username: &str, password: &str) -> QueryCredentials {
    QueryCredentials::Basic {
        username: username.to_owned(),
        password: password.to_owned(),
    }
}

#[tokio::test]
async fn credentials_are_sent_as_the_server_expects_and_never_repeated() {
    let bearer = QueryCredentials::Bearer("s3cret-t0ken".to_owned());
    for (expected, right, wrong) in [
        (
            "Bearer s3cret-t0ken",
            bearer.clone(),
            QueryCredentials::Bearer("other-t0ken".to_owned()),
        ),
        // "ann:left:right ä" in UTF-8 (RFC 7617, section 2.1).
        (
            "Basic YW5uOmxlZnQ6cmlnaHQgw6Q=",
            basic("ann", "left:right ä"),
            basic("ann", "wr0ng"),
        ),
    ] {
        let peer = Peer {
            authorization: Some(expected),
            ..Peer::new(Reply::new(200, ONE))
        };
        let url = peer.serve().await;
        let found = client(&url, right)
            .query("up{job=\"a&b\"}", at())
            .await
            .unwrap();
        assert_eq!(found.series[0].points, [(1_763_942_400_500, 1.0)]);
        assert_eq!(
            *peer.forms.lock().unwrap(),
            ["query=up%7Bjob%3D%22a%26b%22%7D&time=1763942400.500"]
        );
        for credentials in [wrong, QueryCredentials::None] {
            let error = client(&url, credentials)
                .query("up", at())
                .await
                .unwrap_err();
            assert_eq!(
                (error.kind, error.retry_after_s),
                (QueryErrorKind::Denied, None),
                "{error}"
            );
            assert_eq!(
                error.message,
                "Prometheus denied the credentials (401 Unauthorized)"
            );
        }
        assert_eq!(
            peer.forms.lock().unwrap().len(),
            1,
            "what is denied is not evaluated"
        );
    }

    let forbidden = refused(Reply::new(
        403,
        r#"{"status":"error","error":"tenant acme is closed"}"#,
    ))
    .await;
    assert_eq!(forbidden.kind, QueryErrorKind::Denied);
    assert!(
        forbidden
            .message
            .contains("(403 Forbidden): tenant acme is closed"),
        "{forbidden}"
    );

    let broken = QueryCredentials::Bearer("two\nlines".to_owned());
    let url = Peer::new(Reply::new(200, ONE)).serve().await;
    let error = client(&url, broken).query("up", at()).await.unwrap_err();
    assert!(!error.message.contains("lines"), "{error}");
}

#[tokio::test]
async fn a_busy_server_says_how_long_to_wait() {
    let busy = |status, body| Reply::new(status, body);
    let said = r#"{"status":"error","errorType":"too_many_requests","error":"rate limit of 10 queries exceeded"}"#;
    let waited = refused(busy(429, said).header("retry-after", "17")).await;
    assert_eq!(
        (waited.kind, waited.retry_after_s),
        (QueryErrorKind::Throttled, Some(17))
    );
    assert!(
        waited
            .message
            .contains("(429 Too Many Requests): rate limit of 10 queries exceeded"),
        "{waited}"
    );

    let later = Timestamp::now() + SignedDuration::from_secs(90);
    let date = later.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
    let until =
        refused(busy(503, "<html>Service Unavailable</html>").header("retry-after", date)).await;
    assert_eq!(until.kind, QueryErrorKind::Throttled);
    assert!(
        until
            .retry_after_s
            .is_some_and(|seconds| (80..=90).contains(&seconds)),
        "{until:?}"
    );

    for unusable in [busy(429, ""), busy(429, said).header("retry-after", "soon")] {
        let error = refused(unusable).await;
        assert_eq!(
            (error.kind, error.retry_after_s),
            (QueryErrorKind::Throttled, None),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_failing_server_is_told_from_a_wrong_address() {
    for (status, body, message) in [
        (
            500,
            r#"{"status":"error","errorType":"internal","error":"no space left"}"#,
            "Prometheus failed (500 Internal Server Error): no space left",
        ),
        (
            502,
            "<html>Bad Gateway</html>",
            "Prometheus, or a proxy before it, failed (502 Bad Gateway)",
        ),
        (
            504,
            "",
            "Prometheus, or a proxy before it, failed (504 Gateway Timeout)",
        ),
        (
            422,
            r#"{"status":"error","errorType":"execution","error":"too many samples"}"#,
            "Prometheus refused the query (422 Unprocessable Entity): too many samples",
        ),
        (
            200,
            "<html>Welcome</html>",
            "the answer (200 OK) is not one of Prometheus; check the address",
        ),
        (
            404,
            "no such page",
            "the answer (404 Not Found) is not one of Prometheus; check the address",
        ),
    ] {
        let error = refused(Reply::new(status, body).header("retry-after", "5")).await;
        assert_eq!(
            (error.kind, error.retry_after_s),
            (QueryErrorKind::Other, None),
            "{status}"
        );
        assert_eq!(error.message, message);
    }
}

#[tokio::test]
async fn a_real_prometheus_takes_the_password_and_refuses_another() {
    let now = Timestamp::now().as_second();
    let past = [(
        "node_up{host=\"web\"}".to_owned(),
        vec![(now - 7_200, 3.0), (now - 7_140, 4.0)],
    )];

    // The hash (bcrypt) of "left:right ä".
    let web =
        "basic_auth_users:\n  ann: $2b$04$abcdefghijklmnopqrstuuuiTglEKVma8t0m0Fi/3szoYFnUQBRsK\n";
    let server =
        Server::start_guarded("global: { scrape_interval: 1h }\n", &past, Some(web)).unwrap();
    let right = client(&server.url(), basic("ann", "left:right ä"));
    let time = |back: i64| Timestamp::from_second(now - back).unwrap();
    let found = right
        .query_range("node_up", time(7_200), time(7_140), 60)
        .await
        .unwrap();
    let values: Vec<f64> = found.series[0]
        .points
        .iter()
        .map(|(_, value)| *value)
        .collect();
    assert_eq!(values, [3.0, 4.0]);
    assert_eq!(
        right.query("node_up", time(7_140)).await.unwrap().series[0].points[0].1,
        4.0
    );

    let malformed = right.query("node_up{", time(0)).await.unwrap_err();
    assert!(
        malformed
            .message
            .contains("Prometheus refused the query (400 Bad Request): "),
        "{malformed}"
    );

    for wrong in [
        basic("ann", "left"),
        QueryCredentials::Bearer("x".to_owned()),
        QueryCredentials::None,
    ] {
        let error = client(&server.url(), wrong)
            .query("node_up", time(7_140))
            .await
            .unwrap_err();
        assert_eq!(error.kind, QueryErrorKind::Denied, "{error}");
    }
}
