//! Syslog over TLS and TCP: frames, certificates, and servers that close the connection.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use reeve_connect_outbound::OutboundPolicy;
use reeve_connect_streams::{SyslogSink, client};
use reeve_streams::{Acked, SendError, StreamSink as _};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::{local, records};

/// Reads one frame: its length, a space, its bytes.
async fn frame(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut length = String::new();
    loop {
        match stream.read_u8().await.unwrap() {
            b' ' => break,
            digit => length.push(char::from(digit)),
        }
    }
    let mut message = vec![0; length.parse().unwrap()];
    stream.read_exact(&mut message).await.unwrap();
    String::from_utf8(message).unwrap()
}

/// Makes a certificate of 127.0.0.1 that signs itself.
pub(crate) fn certificate(folder: &Path) -> (Vec<u8>, Vec<u8>) {
    let (certificate, key) = (folder.join("certificate.pem"), folder.join("key.pem"));
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
        ])
        .args([
            "-days",
            "2",
            "-subj",
            "/CN=syslog",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
            "-addext",
            "basicConstraints=critical,CA:FALSE",
        ])
        .arg("-keyout")
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .output()
        .unwrap();
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    (
        std::fs::read(certificate).unwrap(),
        std::fs::read(key).unwrap(),
    )
}

#[tokio::test]
async fn frames_go_over_tls_to_a_server_that_is_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = certificate(folder.path());
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(&certificate)
        .collect::<Result<_, _>>()
        .unwrap();
    let key = PrivateKeyDer::from_pem_slice(&key).unwrap();
    let provider = tokio_rustls::rustls::crypto::aws_lc_rs::default_provider();
    let config = ServerConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            // A client that does not trust the certificate ends the handshake.
            let Ok(mut stream) = acceptor.accept(stream).await else {
                continue;
            };
            return [frame(&mut stream).await, frame(&mut stream).await];
        }
    });

    let strange = SyslogSink::new(client(local()), "127.0.0.1", port, true);
    let refused = strange.send(&records(0, 1, 3)).await;
    assert!(
        matches!(refused, Err(SendError::Passing { .. })),
        "{refused:?}"
    );

    let policy = OutboundPolicy {
        authorities: certificate,
        ..local()
    };
    let sink = SyslogSink::new(client(policy), "127.0.0.1", port, true);
    assert_eq!(sink.send(&records(0, 2, 3)).await, Ok(Acked { through: 1 }));
    let frames = server.await.unwrap();
    assert!(frames[1].contains("entry-1"), "{frames:?}");
}

#[tokio::test]
async fn a_connection_that_the_server_closed_is_made_anew() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (closed, was_closed) = tokio::sync::oneshot::channel();
    let server = tokio::spawn(async move {
        let (mut first, _) = listener.accept().await.unwrap();
        let one = frame(&mut first).await;
        drop(first);
        closed.send(()).unwrap();
        let (mut second, _) = listener.accept().await.unwrap();
        [one, frame(&mut second).await]
    });

    let sink = SyslogSink::new(client(local()), "127.0.0.1", port, false);
    sink.send(&records(0, 1, 3)).await.unwrap();
    was_closed.await.unwrap();
    sink.send(&records(1, 1, 3)).await.unwrap();
    let frames = server.await.unwrap();
    assert!(frames[0].contains("entry-0") && frames[1].contains("entry-1"));
}

#[tokio::test]
async fn nothing_goes_in_the_clear_to_a_public_address() {
    let sink = SyslogSink::new(client(local()), "198.51.100.7", 514, false);
    let refused = sink.send(&records(0, 1, 3)).await;
    assert!(
        matches!(refused, Err(SendError::Configuration { .. })),
        "{refused:?}"
    );
    let sink = SyslogSink::new(client(local()), "8.8.8.8", 514, false);
    let refused = sink.send(&records(0, 1, 3)).await.unwrap_err();
    assert!(refused.to_string().contains("plain"), "{refused}");
}
