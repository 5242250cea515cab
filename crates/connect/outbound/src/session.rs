//! A session: many requests to one origin over connections that stay open.
//!
//! [`Outbound::send`] makes a client for each request, and with it a handshake. A session keeps the
//! client, pinned to the addresses that were judged, and resolves and judges again after half a
//! minute: a name that moves to an address that may not be reached is refused then, and one that
//! moves elsewhere gets a new client.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use reqwest::{Client, Url};
use tokio::sync::Mutex;

use crate::client::{Outbound, OutboundAnswer, OutboundError, OutboundRequest};

/// Time after which the addresses of a host are judged again.
const JUDGED_FOR: Duration = Duration::from_secs(30);
/// Connections that are kept open.
const IDLE: usize = 4;

/// A client for many requests to one origin. Redirects are refused.
#[derive(Debug)]
pub struct OutboundSession {
    outbound: Outbound,
    pinned: Mutex<Option<Pinned>>,
}

/// A client, and the judgement that it rests on.
#[derive(Debug, Clone)]
struct Pinned {
    client: Client,
    origin: String,
    addresses: Vec<IpAddr>,
    judged_at: Instant,
}

impl OutboundSession {
    /// A session under the policy and the limits of a client.
    #[must_use]
    pub fn new(outbound: Outbound) -> OutboundSession {
        OutboundSession {
            outbound,
            pinned: Mutex::new(None),
        }
    }

    /// Sends a request and reads the whole answer.
    ///
    /// # Errors
    /// As [`Outbound::send`].
    pub async fn send(&self, request: &OutboundRequest) -> Result<OutboundAnswer, OutboundError> {
        let time = self.outbound.time_limit();
        let exchange = async {
            let client = self.client(&request.url).await?;
            self.outbound.exchange(&client, request).await
        };
        let answer = tokio::time::timeout(time, exchange)
            .await
            .map_err(|_| OutboundError::Late(time))??;

        if answer.status.is_redirection() {
            let to = answer.headers.get(reqwest::header::LOCATION);
            let to = to.and_then(|to| to.to_str().ok()).unwrap_or_default();
            return Err(OutboundError::Redirect(to.to_owned()));
        }
        Ok(answer)
    }

    async fn client(&self, url: &Url) -> Result<Client, OutboundError> {
        self.outbound.policy().check_url(url)?;
        let origin = url.origin().ascii_serialization();
        let mut pinned = self.pinned.lock().await;
        if let Some(known) = &*pinned
            && known.origin == origin
            && known.judged_at.elapsed() < JUDGED_FOR
        {
            return Ok(known.client.clone());
        }

        let mut addresses = self.outbound.judged(url).await?;
        addresses.sort_unstable();
        let client = match &*pinned {
            Some(known) if known.origin == origin && known.addresses == addresses => {
                known.client.clone()
            }
            _ => self.outbound.pinned(url, &addresses, IDLE)?,
        };
        *pinned = Some(Pinned {
            client: client.clone(),
            origin,
            addresses,
            judged_at: Instant::now(),
        });
        Ok(client)
    }
}
