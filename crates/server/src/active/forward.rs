//! Forwarding of requests from a standby to the active server: a client may use the address of
//! either.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use parking_lot::RwLock;
use reeve_http::error::{Code, Problem};
use reeve_http::identify::STANDBY_KEY;

use super::holder::ActiveHolder;

/// Longest time to connect to the active server.
const CONNECT: Duration = Duration::from_secs(2);

/// Headers that concern one connection alone (RFC 9110, section 7.6.1).
const HOP_BY_HOP: [HeaderName; 7] = [
    header::CONNECTION,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// The server that requests go to, as its record says.
#[derive(Debug, Default)]
pub(super) struct ForwardTarget(RwLock<Option<ActiveHolder>>);

impl ForwardTarget {
    /// Replaces the record of the active server.
    pub(super) fn set(&self, holder: Option<ActiveHolder>) {
        if *self.0.read() != holder {
            *self.0.write() = holder;
        }
    }
}

#[derive(Clone)]
struct Forwarder {
    client: reqwest::Client,
    target: Arc<ForwardTarget>,
}

/// Returns the routes of a standby: its own health, and everything else forwarded.
///
/// # Errors
/// The client cannot be made.
pub(super) fn router(target: Arc<ForwardTarget>) -> Result<Router> {
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT)
        .build()
        .context("the client of the standby could not be made")?;
    Ok(Router::new()
        .route("/healthz", get(|| async { "ok: standby" }))
        .fallback(forward)
        .with_state(Forwarder { client, target }))
}

async fn forward(
    State(forwarder): State<Forwarder>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
) -> Response {
    let holder = forwarder.target.0.read().clone();
    let Some((url, key)) = holder.and_then(|holder| Some((holder.url?, holder.forward_key))) else {
        return unavailable("The active server is starting.");
    };

    let (parts, body) = request.into_parts();
    let Some(headers) = forwarded(&parts.headers, peer, &key) else {
        return unavailable("The record of the active server cannot be used.");
    };

    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    let sent = forwarder
        .client
        .request(parts.method, format!("{url}{path}"))
        .headers(headers)
        .body(reqwest::Body::wrap_stream(body.into_data_stream()))
        .send()
        .await;

    match sent {
        Ok(answer) => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = answer.status();
            *response.headers_mut() = end_to_end(answer.headers());
            *response.body_mut() = Body::from_stream(answer.bytes_stream());
            response
        }
        Err(error) => {
            tracing::debug!(%error, "a request could not be forwarded to the active server");
            unavailable("The active server does not answer; a standby takes over within seconds.")
        }
    }
}

fn unavailable(detail: &str) -> Response {
    Problem::new(Code::NoActiveServer, detail)
        .retry_after(2)
        .into_response()
}

/// Headers of the request as the active server gets them; `None` if the key is not one.
fn forwarded(headers: &HeaderMap, peer: SocketAddr, key: &str) -> Option<HeaderMap> {
    let mut kept = end_to_end(headers);
    kept.append(
        "x-forwarded-for",
        HeaderValue::from_str(&peer.ip().to_canonical().to_string()).ok()?,
    );
    kept.insert(STANDBY_KEY, HeaderValue::from_str(key).ok()?);
    Some(kept)
}

/// Headers without those of one connection, and without those that `Connection` names.
fn end_to_end(headers: &HeaderMap) -> HeaderMap {
    let named: Vec<String> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| {
            value
                .split(',')
                .map(|name| name.trim().to_ascii_lowercase())
        })
        .collect();

    let mut kept = headers.clone();
    for name in HOP_BY_HOP {
        kept.remove(name);
    }

    for name in named.iter().map(String::as_str).chain(["keep-alive"]) {
        kept.remove(name);
    }

    kept
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_client_is_named_and_no_header_of_the_connection_is_passed_on() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("host", "reeve.example.com"),
            ("cookie", "a=b"),
            ("connection", "close, X-Once"),
            ("x-once", "1"),
            ("keep-alive", "timeout=5"),
            ("transfer-encoding", "chunked"),
            (STANDBY_KEY, "guessed"),
            ("x-forwarded-for", "203.0.113.9"),
        ] {
            headers.append(
                HeaderName::from_bytes(name.as_bytes()).unwrap(),
                HeaderValue::from_static(value),
            );
        }

        let passed = forwarded(
            &headers,
            "[::ffff:198.51.100.7]:4000".parse().unwrap(),
            "key",
        )
        .unwrap();

        let all = |name: &str| -> Vec<&str> {
            passed
                .get_all(name)
                .iter()
                .map(|value| value.to_str().unwrap())
                .collect()
        };
        assert_eq!(all("x-forwarded-for"), ["203.0.113.9", "198.51.100.7"]);

        assert_eq!(all(STANDBY_KEY), ["key"]);
        assert_eq!(
            (all("host"), all("cookie")),
            (vec!["reeve.example.com"], vec!["a=b"])
        );
        for name in ["connection", "x-once", "keep-alive", "transfer-encoding"] {
            assert!(all(name).is_empty(), "{name}");
        }
    }
}
