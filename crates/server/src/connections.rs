//! Connections of clients: accepted, served over HTTP/1.1, ended in order.
//!
//! A client that is slow to send its headers, or lets a connection idle, is let go after
//! [`HEADERS`]; how long a body may take is said where bodies are read (`reeve_http`).

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
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
use parking_lot::Mutex;
use reeve_http::connection_counts::ConnectionCounts;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service as _;

/// Longest time for the headers of a request, from the end of the one before.
const HEADERS: Duration = Duration::from_secs(30);

/// Wait when no connection can be accepted, because too many files are open for example.
const BREATH: Duration = Duration::from_secs(1);

/// Limits of the number of connections.
#[derive(Clone)]
pub(crate) struct ConnectionBounds {
    /// Connections open at once.
    most: usize,
    /// Proxies, from whose addresses all of them may come.
    proxies: Vec<IpAddr>,
    counts: Arc<ConnectionCounts>,
    /// Open connections by the address that they come from.
    by_address: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl ConnectionBounds {
    pub(crate) fn new(most: usize, proxies: Vec<IpAddr>, counts: Arc<ConnectionCounts>) -> Self {
        ConnectionBounds {
            most,
            proxies,
            counts,
            by_address: Arc::default(),
        }
    }

    /// Admits a connection; `None` when too many are open. One address has half of all, so that it
    /// cannot keep everybody else out.
    fn admit(&self, peer: IpAddr) -> Option<Admitted> {
        let peer = peer.to_canonical();
        let shared = peer.is_loopback()
            || self
                .proxies
                .iter()
                .any(|proxy| proxy.to_canonical() == peer);

        let most = if shared {
            self.most
        } else {
            self.most.div_ceil(2)
        };

        let mut by_address = self.by_address.lock();
        let open: usize = by_address.values().sum();
        let own = by_address.get(&peer).copied().unwrap_or_default();
        if open >= self.most || own >= most {
            self.counts.refused();
            return None;
        }

        by_address.insert(peer, own + 1);
        self.counts.opened();
        Some(Admitted {
            bounds: self.clone(),
            peer,
        })
    }
}

/// A connection that counts until it is dropped.
struct Admitted {
    bounds: ConnectionBounds,
    peer: IpAddr,
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let mut by_address = self.bounds.by_address.lock();
        match by_address.get_mut(&self.peer) {
            Some(open) if *open > 1 => *open -= 1,
            _ => drop(by_address.remove(&self.peer)),
        }
        self.bounds.counts.closed();
    }
}

/// Accepts and serves until `stop`; then lets the requests under way end. A connection beyond the
/// bounds is closed at once.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    bounds: ConnectionBounds,
    stop: CancellationToken,
) {
    serve_within(HEADERS, listener, router, bounds, stop).await;
}

async fn serve_within(
    headers: Duration,
    listener: TcpListener,
    router: Router,
    bounds: ConnectionBounds,
    stop: CancellationToken,
) {
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
                let Some(admitted) = bounds.admit(peer.ip()) else {
                    continue;
                };
                let served = connection(http.clone(), stream, peer, router.clone(), stop.clone());
                open.spawn(async move {
                    served.await;
                    drop(admitted);
                });
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
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    )
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
        let router = Router::new().route(
            "/",
            get(|ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { peer.ip().to_string() }),
        );
        let bounds = ConnectionBounds::new(10, Vec::new(), Arc::default());
        let serving = tokio::spawn(serve_within(
            Duration::from_millis(100),
            listener,
            router,
            bounds,
            stop.clone(),
        ));

        for silent in ["", "GET / HTT", "GET / HTTP/1.1\r\nhost: x\r\nx-slow: "] {
            assert_eq!(said(address, silent).await, "", "{silent:?}");
        }

        // Answered, and let go once nothing follows.
        let answer = said(address, "GET / HTTP/1.1\r\nhost: x\r\n\r\n").await;
        assert!(
            answer.starts_with("HTTP/1.1 200") && answer.ends_with("127.0.0.1"),
            "{answer}"
        );
        stop.cancel();
        serving.await.unwrap();
    }

    #[test]
    fn one_address_has_half_of_the_connections() {
        let counts = Arc::new(ConnectionCounts::default());
        let [proxy, one, other] =
            ["10.0.0.1", "192.0.2.1", "192.0.2.2"].map(|text| text.parse::<IpAddr>().unwrap());
        let bounds = ConnectionBounds::new(4, vec![proxy], counts.clone());
        let taken: Vec<_> = (0..4).filter_map(|_| bounds.admit(one)).collect();
        assert_eq!(
            (taken.len(), counts.open_now(), counts.refused_so_far()),
            (2, 2, 2)
        );

        let (second, third) = (bounds.admit(other), bounds.admit(proxy));
        assert!(
            second.is_some() && third.is_some() && bounds.admit(proxy).is_none(),
            "four in all"
        );
        drop(taken);
        assert!(bounds.admit(one).is_some());
        drop((second, third));
        assert_eq!(counts.open_now(), 0);

        let all: Vec<_> = (0..5).filter_map(|_| bounds.admit(proxy)).collect();
        assert_eq!(all.len(), 4, "a proxy may have all of them");
    }

    #[tokio::test]
    async fn a_connection_too_many_is_closed_at_once() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
        let router = Router::new().route("/", get(|| async { "here" }));
        let counts = Arc::new(ConnectionCounts::default());
        let bounds = ConnectionBounds::new(1, Vec::new(), counts.clone());
        let serving = tokio::spawn(serve(listener, router, bounds, stop.clone()));
        let first = TcpStream::connect(address).await.unwrap();
        while counts.open_now() == 0 {
            tokio::task::yield_now().await;
        }

        let mut second = TcpStream::connect(address).await.unwrap();
        // Closed, or reset when the request was on its way already.
        let mut answer = String::new();
        assert!(second.read_to_string(&mut answer).await.is_err() || answer.is_empty());
        assert_eq!(counts.refused_so_far(), 1);
        drop(first);
        while counts.open_now() > 0 {
            tokio::task::yield_now().await;
        }

        let answer = said(
            address,
            "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
        )
        .await;
        assert!(answer.ends_with("here"), "{answer}");
        stop.cancel();
        serving.await.unwrap();
    }
}
