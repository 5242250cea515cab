//! Connections of clients: accepted, served over HTTP/1.1, ended in order.
//!
//! A client that is slow to send its headers, or lets a connection idle, is let go after [`HEADERS`]; how long a body may take
//! is said where bodies are read (`reeve_http`).

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::response::Response;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service as _;

/// Longest time for the headers of a request, from the end of the one before.
const HEADERS: Duration = Duration::from_secs(30);

/// Wait when no connection can be accepted, because too many files are open for example.
const BREATH: Duration = Duration::from_secs(1);

/// Accepts and serves until `stop`; then lets the requests under way end.
pub(crate) async fn serve(listener: TcpListener, router: Router, stop: CancellationToken) {
    serve_within(HEADERS, listener, router, stop).await;
}

async fn serve_within(headers: Duration, listener: TcpListener, router: Router, stop: CancellationToken) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(headers);
    let open = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                open.spawn(connection(http.clone(), stream, peer, router.clone(), stop.clone()));
            }
            Err(error) if is_of_the_client(&error) => {}
            Err(error) => {
                tracing::error!(%error, "a connection could not be accepted");
                tokio::time::sleep(BREATH).await;
            }
        }
    }
    drop(listener);
    open.close();
    open.wait().await;
}

async fn connection(
    http: http1::Builder,
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    stop: CancellationToken,
) {
    // An answer goes out at once, not when there is more to send.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY was not set");
    }
    let service = service_fn(move |request| answer(router.clone(), peer, request));
    let mut connection = std::pin::pin!(http.serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "a connection ended early");
    }
}

fn answer(
    mut router: Router,
    peer: SocketAddr,
    request: Request<Incoming>,
) -> impl Future<Output = Result<Response, Infallible>> + Send {
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(ConnectInfo(peer));
    // A router is always ready.
    router.call(request)
}

/// Returns `true` if the client went away before it was accepted.
fn is_of_the_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// Answer to a text before the connection is closed from the other side.
    async fn said(address: SocketAddr, text: &str) -> String {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn whoever_does_not_send_its_headers_is_let_go() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
        let router = Router::new()
            .route("/", get(|ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { peer.ip().to_string() }));
        let serving = tokio::spawn(serve_within(Duration::from_millis(100), listener, router, stop.clone()));
        for silent in ["", "GET / HTT", "GET / HTTP/1.1\r\nhost: x\r\nx-slow: "] {
            assert_eq!(said(address, silent).await, "", "{silent:?}");
        }
        // Answered, and let go once nothing follows.
        let answer = said(address, "GET / HTTP/1.1\r\nhost: x\r\n\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("127.0.0.1"), "{answer}");
        stop.cancel();
        serving.await.unwrap();
    }
}
