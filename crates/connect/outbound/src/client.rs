//! The client: one request, judged and pinned at each hop.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::{HeaderMap, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::{Client, Method, StatusCode, Url};

use crate::lookup::{Lookup, SystemLookup};
use crate::policy::{OutboundPolicy, OutboundRefusal};
use crate::tls::SharedTls;

/// Limits of a request.
#[derive(Debug, Clone, Copy)]
pub struct OutboundLimits {
    /// All of it: resolving, connecting, every hop, and the answer's body.
    pub time: Duration,
    /// Bytes of an answer's body.
    pub body: usize,
    /// Redirects that are followed, for GET alone; 0 refuses them.
    pub redirects: usize,
}

impl Default for OutboundLimits {
    fn default() -> OutboundLimits {
        OutboundLimits {
            time: Duration::from_secs(20),
            body: 1 << 20,
            redirects: 0,
        }
    }
}

/// Request that [`Outbound`] sends.
#[derive(Debug, Clone)]
pub struct OutboundRequest {
    /// GET, POST and so on.
    pub method: Method,
    /// Target of the request.
    pub url: Url,
    /// Header lines; none of them goes to another host than the first.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// Response to a request, whatever its status.
#[derive(Debug, Clone)]
pub struct OutboundAnswer {
    pub status: StatusCode,
    /// Headers of the response.
    pub headers: HeaderMap,
    /// Complete body, within the size limit.
    pub body: Vec<u8>,
}

impl OutboundAnswer {
    /// Returns the wait that the host asks for, in seconds: `Retry-After` as a number or as an HTTP
    /// date (RFC 9110, section 10.2.3). `None` for any other text; 0 for a date in the past.
    #[must_use]
    pub fn retry_after_s(&self, now: Timestamp) -> Option<u64> {
        let text = self.headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            // More than fits is as long as anybody waits.
            return Some(text.parse().unwrap_or(u64::MAX));
        }
        let at = DateTimeParser::new().parse_timestamp(text).ok()?;
        Some(u64::try_from(at.as_second() - now.as_second()).unwrap_or(0))
    }
}

/// Reason why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum OutboundError {
    /// Request blocked by the policy.
    #[error("request blocked: {0}")]
    Refused(#[from] OutboundRefusal),
    /// The host has no address.
    #[error("{host} cannot be resolved: {cause}")]
    Unresolved {
        host: String,
        /// Error of the resolver.
        cause: String,
    },
    /// A redirect that is not followed.
    #[error("answered with a redirect to {0}, which is not followed")]
    Redirect(String),
    /// The body is longer than is read.
    #[error("the answer is longer than {0} bytes")]
    TooLong(usize),
    /// No response in time.
    #[error("no answer within {} s", .0.as_secs_f32())]
    Late(Duration),
    /// A header line that is none.
    #[error("{0} is not a header line")]
    Header(String),
    /// Connecting, TLS or HTTP failed.
    #[error("{0}")]
    Failed(String),
}

/// HTTP client that judges and pins the address of each hop.
#[derive(Clone)]
pub struct Outbound {
    policy: Arc<OutboundPolicy>,
    limits: OutboundLimits,
    lookup: Arc<dyn Lookup>,
    pub(crate) tls: SharedTls,
}

impl std::fmt::Debug for Outbound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outbound")
            .field("policy", &self.policy)
            .field("limits", &self.limits)
            .finish()
    }
}

impl Outbound {
    /// A client under a policy.
    pub fn new(policy: OutboundPolicy, limits: OutboundLimits) -> Outbound {
        Outbound::with_lookup(policy, limits, Arc::new(SystemLookup))
    }

    /// Creates a client with another resolver.
    pub fn with_lookup(
        policy: OutboundPolicy,
        limits: OutboundLimits,
        lookup: Arc<dyn Lookup>,
    ) -> Outbound {
        Outbound {
            policy: Arc::new(policy),
            limits,
            lookup,
            tls: SharedTls::default(),
        }
    }

    /// Returns the policy that decides which addresses may be reached.
    pub fn policy(&self) -> &OutboundPolicy {
        &self.policy
    }

    /// Returns `true` if an address may be reached in the clear, as plain `http` may.
    #[must_use]
    pub fn allows_plain(&self, address: IpAddr) -> bool {
        let plain = Url::parse("http://host.invalid/");
        plain.is_ok_and(|url| self.policy.check_address(&url, address).is_ok())
    }

    /// Sends a request and reads the whole answer.
    pub async fn send(&self, request: OutboundRequest) -> Result<OutboundAnswer, OutboundError> {
        let time = self.limits.time;
        tokio::time::timeout(time, self.hops(request))
            .await
            .map_err(|_| OutboundError::Late(time))?
    }

    /// Returns an address of a host that a protocol other than HTTP may connect to (SSH), once all
    /// of its addresses were judged. The protocol must encrypt by itself.
    pub async fn address_of(&self, host: &str, port: u16) -> Result<SocketAddr, OutboundError> {
        let host = if host.contains(':') && !host.starts_with('[') {
            format!("[{host}]")
        } else {
            host.to_owned()
        };

        let unresolved = |cause: String| OutboundError::Unresolved {
            host: host.clone(),
            cause,
        };

        // As an HTTPS address, so that every spelling of a number is understood.
        let url: Url = format!("https://{host}/")
            .parse()
            .map_err(|_| unresolved("not a host name".to_owned()))?;
        self.policy.check_url(&url)?;
        let time = self.limits.time;
        let found = tokio::time::timeout(time, self.judged(&url))
            .await
            .map_err(|_| OutboundError::Late(time))??;
        let first = found
            .first()
            .ok_or_else(|| unresolved("no address".to_owned()))?;

        Ok(SocketAddr::new(*first, port))
    }

    async fn hops(&self, mut request: OutboundRequest) -> Result<OutboundAnswer, OutboundError> {
        let mut left = self.limits.redirects;
        loop {
            let answer = self.hop(&request).await?;
            if !answer.status.is_redirection() || answer.status == StatusCode::NOT_MODIFIED {
                return Ok(answer);
            }
            let to = answer
                .headers
                .get(LOCATION)
                .and_then(|to| to.to_str().ok())
                .unwrap_or_default()
                .to_owned();
            let next = request
                .url
                .join(&to)
                .map_err(|_| OutboundError::Redirect(to.clone()))?;
            let downgrade = request.url.scheme() == "https" && next.scheme() != "https";
            if left == 0 || request.method != Method::GET || downgrade {
                return Err(OutboundError::Redirect(to));
            }
            left -= 1;
            if next.origin() != request.url.origin() {
                request.headers.clear();
            }
            request.url = next;
        }
    }

    /// One hop: judged, resolved, judged again, and sent to the very address that was judged.
    async fn hop(&self, request: &OutboundRequest) -> Result<OutboundAnswer, OutboundError> {
        let url = &request.url;
        self.policy.check_url(url)?;
        let addresses = self.judged(url).await?;
        let client = self.pinned(url, &addresses, 0)?;
        self.exchange(&client, request).await
    }

    /// Sends a request by a client, and reads the whole answer.
    pub(crate) async fn exchange(
        &self,
        client: &Client,
        request: &OutboundRequest,
    ) -> Result<OutboundAnswer, OutboundError> {
        let mut call = client.request(request.method.clone(), request.url.clone());

        for (name, value) in &request.headers {
            let value =
                HeaderValue::from_str(value).map_err(|_| OutboundError::Header(name.clone()))?;
            call = call.header(name, value);
        }

        if !request.body.is_empty() || request.method == Method::POST {
            call = call.body(request.body.clone());
        }

        let mut response = call.send().await.map_err(failed)?;
        let (status, headers) = (response.status(), response.headers().clone());
        let mut body = Vec::new();

        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            if body.len() + chunk.len() > self.limits.body {
                return Err(OutboundError::TooLong(self.limits.body));
            }
            body.extend_from_slice(&chunk);
        }

        Ok(OutboundAnswer {
            status,
            headers,
            body,
        })
    }

    /// Returns the time that a request may take.
    #[must_use]
    pub fn time_limit(&self) -> Duration {
        self.limits.time
    }

    /// All addresses of a host, each of which may be reached.
    pub(crate) async fn judged(&self, url: &Url) -> Result<Vec<IpAddr>, OutboundError> {
        let addresses = self.resolve(url).await?;
        for address in &addresses {
            self.policy.check_address(url, *address)?;
        }
        Ok(addresses)
    }

    /// All addresses of a host. One that may not be reached among them refuses the request: an
    /// answer with an address of each kind is how a guard is led astray.
    async fn resolve(&self, url: &Url) -> Result<Vec<IpAddr>, OutboundError> {
        let host = url.host_str().unwrap_or_default();
        // The parser of addresses has turned every other spelling of a number (decimal, octal,
        // hexadecimal) into this one.
        if let Ok(address) = host.trim_start_matches('[').trim_end_matches(']').parse() {
            return Ok(vec![address]);
        }

        let unresolved = |cause: String| OutboundError::Unresolved {
            host: host.to_owned(),
            cause,
        };

        let found = self
            .lookup
            .addresses(host)
            .await
            .map_err(|error| unresolved(error.to_string()))?;

        if found.is_empty() {
            Err(unresolved("no address".into()))
        } else {
            Ok(found)
        }
    }

    /// A client that knows one name, with these addresses, and asks nobody else: no proxy, no
    /// redirects, no cookies. It keeps this many idle connections open.
    pub(crate) fn pinned(
        &self,
        url: &Url,
        addresses: &[IpAddr],
        idle: usize,
    ) -> Result<Client, OutboundError> {
        let port = url.port_or_known_default().unwrap_or(443);
        let addresses: Vec<SocketAddr> = addresses
            .iter()
            .map(|address| SocketAddr::new(*address, port))
            .collect();
        let unusable =
            |error: tokio_rustls::rustls::Error| OutboundError::Failed(error.to_string());
        let mut tls = self.tls_config().map_err(unusable)?;
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];

        Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .pool_max_idle_per_host(idle)
            .connect_timeout(self.limits.time)
            .user_agent(concat!("reeve/", env!("CARGO_PKG_VERSION")))
            .resolve_to_addrs(url.host_str().unwrap_or_default(), &addresses)
            .tls_backend_preconfigured(tls)
            .build()
            .map_err(failed)
    }
}

/// Describes the error with its causes, without the address (which may carry a secret).
fn failed(error: reqwest::Error) -> OutboundError {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    OutboundError::Failed(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_read_as_a_number_or_a_date() {
        // 1994-11-06T08:49:37Z, the standard's own example.
        let at: i64 = 784_111_777;
        let now = Timestamp::from_second(at - 90).unwrap_or_default();

        for (text, seconds) in [
            ("120", Some(120)),
            (" 7 ", Some(7)),
            ("0", Some(0)),
            ("99999999999999999999999", Some(u64::MAX)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(90)),
            ("Sun, 06 Nov 1994 08:40:00 GMT", Some(0)),
            ("-5", None),
            ("1.5", None),
            ("soon", None),
            ("", None),
        ] {
            let headers =
                HeaderMap::from_iter(HeaderValue::from_str(text).map(|value| (RETRY_AFTER, value)));
            let answer = OutboundAnswer {
                status: StatusCode::SERVICE_UNAVAILABLE,
                headers,
                body: Vec::new(),
            };
            assert_eq!(answer.retry_after_s(now), seconds, "{text:?}");
        }

        let none = OutboundAnswer {
            status: StatusCode::OK,
            headers: HeaderMap::new(),
            body: Vec::new(),
        };
        assert_eq!(none.retry_after_s(now), None);
    }
}
