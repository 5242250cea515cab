//! Syslog over TLS (RFC 5425) or TCP (RFC 6587), with octet counting.
//!
//! The protocol acknowledges nothing: what the machine's socket took when a connection broke may be
//! lost. A connection that the server closed is noticed before the next batch is written, so that
//! nothing is written into it.

use async_trait::async_trait;
use reeve_connect_outbound::{Connection, Outbound, OutboundError};
use reeve_streams::{Acked, SendError, StreamRecord, StreamSink};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::Mutex;

use crate::https::all;

/// A syslog server.
pub struct SyslogSink {
    outbound: Outbound,
    host: String,
    port: u16,
    tls: bool,
    connection: Mutex<Option<Connection>>,
}

impl SyslogSink {
    /// A receiver. Without TLS the address must be one that may be reached in the clear.
    #[must_use]
    pub fn new(outbound: Outbound, host: &str, port: u16, tls: bool) -> SyslogSink {
        SyslogSink {
            outbound,
            host: host.to_owned(),
            port,
            tls,
            connection: Mutex::new(None),
        }
    }

    async fn connect(&self) -> Result<Connection, SendError> {
        let connected = self.outbound.connect(&self.host, self.port, self.tls).await;
        connected.map_err(|error| match error {
            OutboundError::Refused(_) => SendError::configuration(error),
            other => SendError::passing(other),
        })
    }
}

/// Returns `true` if the server has closed the connection. A syslog server says nothing.
async fn is_closed(connection: &mut Connection) -> bool {
    let mut byte = [0];
    let read = std::time::Duration::from_millis(1);
    matches!(
        tokio::time::timeout(read, connection.read(&mut byte)).await,
        Ok(Ok(0) | Err(_))
    )
}

#[async_trait]
impl StreamSink for SyslogSink {
    async fn send(&self, batch: &[StreamRecord]) -> Result<Acked, SendError> {
        let mut kept = self.connection.lock().await;
        let mut open = kept.take();
        if let Some(connection) = &mut open
            && is_closed(connection).await
        {
            open = None;
        }
        let mut connection = match open {
            Some(connection) => connection,
            None => self.connect().await?,
        };

        let mut frames = Vec::new();
        for record in batch {
            frames.extend_from_slice(format!("{} ", record.body.len()).as_bytes());
            frames.extend_from_slice(&record.body);
        }
        let limit = self.outbound.time_limit();
        let writing = async {
            connection.write_all(&frames).await?;
            connection.flush().await
        };
        match tokio::time::timeout(limit, writing).await {
            Ok(Ok(())) => {
                *kept = Some(connection);
                all(batch)
            }
            Ok(Err(error)) => Err(SendError::passing(error)),
            Err(_) => Err(SendError::passing(OutboundError::Late(limit))),
        }
    }
}
