//! Connections of protocols other than HTTP: TCP to an address that was judged, with TLS around it.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use reqwest::Url;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::ServerName;

use crate::client::{Outbound, OutboundError};

/// A connection to a server.
pub struct Connection(Kind);

enum Kind {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let is_tls = matches!(self.0, Kind::Tls(_));
        f.debug_struct("Connection").field("tls", &is_tls).finish()
    }
}

impl Outbound {
    /// Connects to a host whose addresses were all judged. In the clear it goes where plain `http`
    /// may go.
    ///
    /// # Errors
    /// The address may not be reached, or the connection failed.
    pub async fn connect(
        &self,
        host: &str,
        port: u16,
        tls: bool,
    ) -> Result<Connection, OutboundError> {
        let limit = self.time_limit();
        tokio::time::timeout(limit, self.connected(host, port, tls))
            .await
            .map_err(|_| OutboundError::Late(limit))?
    }

    async fn connected(
        &self,
        host: &str,
        port: u16,
        tls: bool,
    ) -> Result<Connection, OutboundError> {
        let scheme = if tls { "https" } else { "http" };
        let bracketed = if host.contains(':') {
            format!("[{host}]")
        } else {
            host.to_owned()
        };
        let url: Url = format!("{scheme}://{bracketed}:{port}/")
            .parse()
            .map_err(|_| OutboundError::Failed(format!("{host} is not a host name")))?;
        self.policy().check_url(&url)?;
        let addresses = self.judged(&url).await?;
        let first = addresses
            .first()
            .ok_or_else(|| OutboundError::Failed(format!("{host} has no address")))?;
        let stream = TcpStream::connect((*first, port)).await.map_err(failed)?;
        stream.set_nodelay(true).map_err(failed)?;
        if !tls {
            return Ok(Connection(Kind::Plain(stream)));
        }

        let config = self.tls_config().map_err(failed)?;
        let name = ServerName::try_from(host.to_owned()).map_err(failed)?;
        let stream = TlsConnector::from(Arc::new(config)).connect(name, stream);
        Ok(Connection(Kind::Tls(Box::new(
            stream.await.map_err(failed)?,
        ))))
    }
}

fn failed(error: impl ToString) -> OutboundError {
    OutboundError::Failed(error.to_string())
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        match &mut self.0 {
            Kind::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Kind::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        match &mut self.0 {
            Kind::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Kind::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        match &mut self.0 {
            Kind::Plain(stream) => Pin::new(stream).poll_flush(context),
            Kind::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        match &mut self.0 {
            Kind::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Kind::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
