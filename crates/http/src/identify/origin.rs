//! The address that a request came from.
//!
//! Each proxy appends the address it saw to `X-Forwarded-For`; everything left of that is the word
//! of somebody else. So the list is read from its right end, over all lines of the header, and only
//! as far as proxies that the configuration trusts lead: the last hop that is none of them is the
//! client (RFC 7239, section 7.4, asks for this care).

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, header};

use reeve_access::TokenHash;

/// Header with which a standby server shows that it forwards a request: the secret in the record of
/// the active server.
pub const STANDBY_KEY: &str = "reeve-standby-key";

/// Proxies whose `X-Forwarded-For` is believed. The default believes nobody.
#[derive(Debug, Clone, Default)]
pub struct TrustedProxies {
    /// Addresses of configured proxies.
    pub addresses: Vec<IpAddr>,
    /// Secret of the standby servers.
    pub standby_key: Option<TokenHash>,
}

/// Header in which the dashboard marks the reads that its panels make by themselves.
const PURPOSE: &str = "reeve-purpose";

/// Origin of a request, for the log.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    pub ip_address: Option<String>,
    /// User agent, cut to 512 characters.
    pub user_agent: Option<String>,
    /// Set for a request of a page that refreshes itself, which says so in `Reeve-Purpose`.
    pub is_dashboard: bool,
}

/// Origin of a request. `X-Forwarded-For` counts only as far as trusted proxies lead.
#[must_use]
pub fn origin(
    trusted: &TrustedProxies,
    headers: &HeaderMap,
    peer: Option<&ConnectInfo<SocketAddr>>,
) -> Origin {
    let peer = peer.map(|ConnectInfo(address)| address.ip().to_canonical());
    let ip = peer.map(|peer| {
        if is_standby(headers, trusted.standby_key.as_ref()) {
            let proxies: Vec<IpAddr> = trusted.addresses.iter().copied().chain([peer]).collect();
            return client(headers, peer, &proxies);
        }
        client(headers, peer, &trusted.addresses)
    });

    let user_agent = headers
        .get(header::USER_AGENT)
        .and_then(|value| value.to_str().ok())
        .map(|text| text.chars().take(512).collect());
    let is_dashboard = headers
        .get(PURPOSE)
        .is_some_and(|purpose| purpose == "dashboard");
    Origin {
        ip_address: ip.map(|ip| ip.to_string()),
        user_agent,
        is_dashboard,
    }
}

/// Returns `true` if a trusted proxy reports that the client spoke TLS with it.
#[must_use]
pub fn is_behind_tls(
    trusted: &TrustedProxies,
    headers: &HeaderMap,
    peer: Option<&ConnectInfo<SocketAddr>>,
) -> bool {
    let Some(ConnectInfo(peer)) = peer else {
        return false;
    };

    let peer = peer.ip().to_canonical();
    let is_trusted = trusted
        .addresses
        .iter()
        .any(|proxy| proxy.to_canonical() == peer)
        || is_standby(headers, trusted.standby_key.as_ref());

    let scheme = headers
        .get("x-forwarded-proto")
        .and_then(|value| value.to_str().ok());
    is_trusted && scheme.is_some_and(|scheme| scheme.trim().eq_ignore_ascii_case("https"))
}

/// Returns `true` if a standby of this server forwards the request.
fn is_standby(headers: &HeaderMap, key: Option<&TokenHash>) -> bool {
    let presented = headers
        .get(STANDBY_KEY)
        .and_then(|value| value.to_str().ok());
    key.zip(presented)
        .is_some_and(|(key, presented)| *key == TokenHash::from_secret(presented))
}

/// The last hop that is not a trusted proxy. A hop that is no address ends the walk at the proxy
/// that reported it.
fn client(headers: &HeaderMap, peer: IpAddr, trusted: &[IpAddr]) -> IpAddr {
    let lines: Vec<&[u8]> = headers
        .get_all("x-forwarded-for")
        .iter()
        .map(|value| value.as_bytes())
        .collect();

    let mut hops = lines
        .iter()
        .rev()
        .flat_map(|line| line.rsplit(|byte| *byte == b','));
    let mut last = peer;

    while trusted.iter().any(|proxy| proxy.to_canonical() == last) {
        match hops.next().map(address) {
            Some(Some(hop)) => last = hop,
            // Nothing more is said, or nothing that can be read.
            Some(None) | None => break,
        }
    }

    last
}

/// An address as proxies write it: bare, with a port, or in brackets.
fn address(hop: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(hop).ok()?.trim();
    let bare = || {
        text.strip_prefix('[')?
            .strip_suffix(']')?
            .parse::<IpAddr>()
            .ok()
    };

    let parsed = text
        .parse::<IpAddr>()
        .ok()
        .or_else(|| text.parse::<SocketAddr>().ok().map(|socket| socket.ip()));
    parsed.or_else(bare).map(|ip| ip.to_canonical())
}

/// The network that limits count: an IPv4 address alone, an IPv6 address with the whole /64 that
/// one subscriber has (RFC 6177).
pub(crate) fn network(ip_address: Option<&str>) -> String {
    match ip_address.and_then(|text| text.parse::<IpAddr>().ok()) {
        Some(IpAddr::V4(ip)) => ip.to_string(),
        Some(IpAddr::V6(ip)) => {
            let [a, b, c, d, ..] = ip.segments();
            format!("{}/64", Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        None => "unknown".to_owned(),
    }
}

/// The /48 that an IPv6 address is in, which providers give to one site (RFC 6177); `None` for
/// other addresses.
pub(crate) fn site(ip_address: Option<&str>) -> Option<String> {
    match ip_address?.parse::<IpAddr>().ok()? {
        IpAddr::V4(_) => None,
        IpAddr::V6(ip) => {
            let [a, b, c, ..] = ip.segments();
            Some(format!("{}/48", Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0)))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn the_last_untrusted_hop_is_the_client() {
        let check = |peer: &str, lines: &[&str], expected: &str| {
            let trusted: Vec<IpAddr> = ["127.0.0.1", "10.0.0.1", "2001:db8::1"]
                .map(|ip| ip.parse().unwrap())
                .to_vec();
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(
                    "x-forwarded-for",
                    HeaderValue::from_bytes(line.as_bytes()).unwrap(),
                );
            }
            assert_eq!(
                client(&headers, peer.parse().unwrap(), &trusted).to_string(),
                expected,
                "{peer} {lines:?}"
            );
        };

        // Nobody else's word counts.
        check("198.51.100.1", &["203.0.113.9"], "198.51.100.1");
        check("127.0.0.1", &[], "127.0.0.1");
        check("127.0.0.1", &["203.0.113.9"], "203.0.113.9");

        // The line that the proxy added comes last; what stands before it is the client's own
        // invention.
        check("127.0.0.1", &["1.2.3.4", "203.0.113.9"], "203.0.113.9");
        check(
            "127.0.0.1",
            &["1.2.3.4, 5.6.7.8, 203.0.113.9"],
            "203.0.113.9",
        );

        check(
            "127.0.0.1",
            &["1.2.3.4", "203.0.113.9, 10.0.0.1"],
            "203.0.113.9",
        );

        check(
            "127.0.0.1",
            &["203.0.113.9", "10.0.0.1", "[2001:db8::1]:443"],
            "203.0.113.9",
        );
        check("127.0.0.1", &["10.0.0.1"], "10.0.0.1");

        // What cannot be read is nobody.
        check("127.0.0.1", &["203.0.113.9, unknown"], "127.0.0.1");
        check("127.0.0.1", &["203.0.113.9, unknown, 10.0.0.1"], "10.0.0.1");
        check("127.0.0.1", &["203.0.113.9,"], "127.0.0.1");
        check("127.0.0.1", &["\u{e9}, 203.0.113.9:5000"], "203.0.113.9");
        check("127.0.0.1", &["::ffff:203.0.113.9"], "203.0.113.9");
        check("127.0.0.1", &["[2001:db8:1::7]"], "2001:db8:1::7");
    }

    #[test]
    fn a_standby_is_known_by_its_key() {
        let key = TokenHash::from_secret("secret");
        let presented = |text: &'static str| {
            HeaderMap::from_iter([(
                HeaderName::from_static(STANDBY_KEY),
                HeaderValue::from_static(text),
            )])
        };
        assert!(is_standby(&presented("secret"), Some(&key)));

        assert!(!is_standby(&presented("guess"), Some(&key)));
        assert!(
            !is_standby(&presented("secret"), None),
            "a server without standbys"
        );
        assert!(!is_standby(&HeaderMap::new(), Some(&key)));
    }

    #[test]
    fn a_subscribers_network_counts_as_one() {
        assert_eq!(network(Some("203.0.113.9")), "203.0.113.9");
        assert_eq!(
            network(Some("2001:db8:1:2:3:4:5:6")),
            network(Some("2001:db8:1:2:ffff::1"))
        );
        assert_ne!(
            network(Some("2001:db8:1:2::1")),
            network(Some("2001:db8:1:3::1"))
        );
        assert_eq!(network(None), "unknown");
        assert_eq!(site(Some("2001:db8:1:2::1")), site(Some("2001:db8:1:3::1")));
        assert_ne!(site(Some("2001:db8:1:2::1")), site(Some("2001:db8:2:2::1")));
        assert_eq!(site(Some("203.0.113.9")), None);
    }
}
