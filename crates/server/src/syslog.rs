//! Listeners for syslog over UDP, TCP and TLS, off unless configured. Each belongs to a source of kind
//! `syslog`, whose switch, event types and quarantine bind it.
//!
//! Lines wait in bounded memory. While the log takes nothing, connections are not read on; datagrams
//! that find no room are lost, as UDP allows, and counted in the service's own log.

mod framing;

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use reeve_intake::{Encoding, LogSource, ReadEvent, SourceIntake, SourceKind, read};
use serde::Deserialize;
use tokio::io::{AsyncRead, BufReader};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::{Semaphore, mpsc};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Lines that wait for the log.
const WAITING: usize = 10_000;
/// Lines appended at once.
const BATCH: usize = 1_000;
/// Connections of one listener.
const CONNECTIONS: usize = 200;
/// Time in which a TLS handshake must end.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Time after which lines that could not be appended are tried again.
const AGAIN: Duration = Duration::from_secs(1);

/// `[[syslog]]`: addresses that lines of a source arrive at.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SyslogSection {
    /// Name of the source.
    source: String,
    udp: Option<SocketAddr>,
    tcp: Option<SocketAddr>,
    tls: Option<SocketAddr>,
    /// PEM file with the certificate and its chain, for `tls`.
    certificate: Option<PathBuf>,
    /// PEM file with the private key, for `tls`.
    key: Option<PathBuf>,
    /// PEM file with the authorities of client certificates, which are then required.
    client_ca: Option<PathBuf>,
}

impl SyslogSection {
    /// Checks what needs no file.
    pub(crate) fn check(&self) -> Result<()> {
        let name = &self.source;
        if self.udp.is_none() && self.tcp.is_none() && self.tls.is_none() {
            bail!("syslog of source {name}: give at least one of udp, tcp and tls");
        }
        if self.tls.is_some() && (self.certificate.is_none() || self.key.is_none()) {
            bail!("syslog of source {name}: tls needs certificate and key");
        }
        Ok(())
    }
}

/// A line, and the address that it came from.
type Line = (IpAddr, Vec<u8>);

/// Starts the listeners of a section.
///
/// # Errors
/// An address cannot be listened on, or a file of TLS cannot be read.
pub(crate) async fn start(
    section: &SyslogSection,
    intake: &Arc<SourceIntake>,
    tasks: &TaskTracker,
    stop: &CancellationToken,
) -> Result<()> {
    let (sender, receiver) = mpsc::channel(WAITING);
    if let Some(address) = section.udp {
        let socket = UdpSocket::bind(address).await;
        let socket =
            socket.with_context(|| format!("cannot listen for syslog on udp {address}"))?;
        tasks.spawn(datagrams(socket, sender.clone(), stop.clone()));
    }
    if let Some(address) = section.tcp {
        let listener = bound(address).await?;
        tasks.spawn(connections(listener, None, sender.clone(), stop.clone()));
    }
    if let Some(address) = section.tls {
        let acceptor = acceptor(section).await?;
        let listener = bound(address).await?;
        tasks.spawn(connections(listener, Some(acceptor), sender, stop.clone()));
    }
    tasks.spawn(append(
        section.source.clone(),
        intake.clone(),
        receiver,
        stop.clone(),
    ));
    Ok(())
}

async fn bound(address: SocketAddr) -> Result<TcpListener> {
    let listener = TcpListener::bind(address).await;
    listener.with_context(|| format!("cannot listen for syslog on {address}"))
}

async fn acceptor(section: &SyslogSection) -> Result<TlsAcceptor> {
    let file = async |path: &Option<PathBuf>| -> Result<Vec<u8>> {
        let path = path.as_deref().unwrap_or(Path::new(""));
        let bytes = tokio::fs::read(path).await;
        bytes.with_context(|| format!("{} could not be read", path.display()))
    };
    let certificates = |bytes: &[u8]| -> Result<Vec<CertificateDer<'static>>> {
        let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(bytes).collect();
        read.context("a certificate for syslog is not PEM")
    };
    let chain = certificates(&file(&section.certificate).await?)?;
    let key = PrivateKeyDer::from_pem_slice(&file(&section.key).await?);
    let key = key.context("the private key for syslog is not PEM")?;

    let provider = Arc::new(tokio_rustls::rustls::crypto::aws_lc_rs::default_provider());
    let builder = ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()?;
    let config = if section.client_ca.is_some() {
        let mut roots = RootCertStore::empty();
        for authority in certificates(&file(&section.client_ca).await?)? {
            roots.add(authority)?;
        }
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build()?;
        builder.with_client_cert_verifier(verifier)
    } else {
        builder.with_no_client_auth()
    };
    let config = config.with_single_cert(chain, key)?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

async fn datagrams(socket: UdpSocket, lines: mpsc::Sender<Line>, stop: CancellationToken) {
    let (mut buffer, mut lost) = (vec![0; framing::MAX_FRAME], 0_u64);
    loop {
        let received = tokio::select! {
            () = stop.cancelled() => return,
            received = socket.recv_from(&mut buffer) => received,
        };
        let Ok((length, peer)) = received else {
            continue;
        };
        if lines
            .try_send((peer.ip(), buffer[..length].to_vec()))
            .is_err()
        {
            lost += 1;
            if lost.is_power_of_two() {
                tracing::warn!(lost, "datagrams of syslog found no room and were lost");
            }
        }
    }
}

async fn connections(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    lines: mpsc::Sender<Line>,
    stop: CancellationToken,
) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, peer)) = accepted else {
            // Too many open files: the next attempt would fail at once as well.
            tokio::time::sleep(AGAIN).await;
            continue;
        };
        let Ok(place) = places.clone().try_acquire_owned() else {
            tracing::warn!(%peer, "a connection of syslog was closed: there are too many");
            continue;
        };
        let (tls, lines, stop) = (tls.clone(), lines.clone(), stop.clone());
        tokio::spawn(async move {
            let _place = place;
            tokio::select! {
                () = stop.cancelled() => {}
                ended = connection(stream, tls, peer.ip(), lines) => {
                    if let Err(error) = ended {
                        tracing::debug!(%peer, %error, "a connection of syslog ended");
                    }
                }
            }
        });
    }
}

async fn connection(
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    peer: IpAddr,
    lines: mpsc::Sender<Line>,
) -> std::io::Result<()> {
    match tls {
        None => frames(stream, peer, lines).await,
        Some(tls) => {
            let stream = tokio::time::timeout(HANDSHAKE, tls.accept(stream)).await??;
            frames(stream, peer, lines).await
        }
    }
}

async fn frames(
    stream: impl AsyncRead + Unpin,
    peer: IpAddr,
    lines: mpsc::Sender<Line>,
) -> std::io::Result<()> {
    let mut input = BufReader::new(stream);
    while let Some(frame) = framing::next(&mut input).await? {
        // While there is no room the connection is not read on.
        if lines.send((peer, frame)).await.is_err() {
            break;
        }
    }
    Ok(())
}

/// Appends lines in batches, those of one sender together. What was received before a stop is
/// appended before the service ends.
async fn append(
    name: String,
    intake: Arc<SourceIntake>,
    mut lines: mpsc::Receiver<Line>,
    stop: CancellationToken,
) {
    let mut batch = Vec::new();
    loop {
        batch.clear();
        tokio::select! {
            biased;
            count = lines.recv_many(&mut batch, BATCH) => if count == 0 { return },
            () = stop.cancelled() => return,
        }
        for part in batch.chunk_by(|one, next| one.0 == next.0) {
            // Read once: a line that is tried again keeps its identifier.
            let events = events_of(&name, part);
            while let Err(error) = append_part(&name, &intake, &events, part).await {
                tracing::warn!(
                    source = name,
                    error = format!("{error:#}"),
                    "lines of syslog wait"
                );
                tokio::select! {
                    () = stop.cancelled() => return,
                    () = tokio::time::sleep(AGAIN) => {}
                }
            }
        }
    }
}

fn events_of(name: &str, part: &[Line]) -> Vec<ReadEvent> {
    let events = part.iter().flat_map(|(_, line)| {
        let (format, now) = ((SourceKind::Syslog, None), jiff::Timestamp::now());
        // A frame with nothing but white space has no event.
        read(name, format, (line, Encoding::Text), now).unwrap_or_default()
    });
    events.map(|event| event.received_once(name)).collect()
}

async fn append_part(
    name: &str,
    intake: &SourceIntake,
    events: &[ReadEvent],
    part: &[Line],
) -> Result<()> {
    if events.is_empty() {
        return Ok(());
    }
    let source = of_name(name, intake).await?;
    let peer = part.first().map(|(peer, _)| *peer);
    intake.take(&source, &[], Ok(events.to_vec()), peer).await?;
    Ok(())
}

async fn of_name(name: &str, intake: &SourceIntake) -> Result<LogSource> {
    let sources = intake.sources().log_source_list().await?;
    let found = sources.into_iter().find(|source| source.name == name);
    let source = found.with_context(|| format!("there is no source {name}; add it"))?;
    if source.kind != SourceKind::Syslog {
        bail!("the source {name} is not of kind syslog");
    }
    if !source.enabled {
        bail!("the source {name} is paused");
    }
    Ok(source)
}
