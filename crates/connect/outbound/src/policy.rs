//! Policy for outgoing requests. Addresses are checked after resolution, never by name alone.

use std::net::IpAddr;

use ipnet::IpNet;
use reeve_audit::Obstacle;
use reqwest::Url;

use crate::address::is_public;

/// Exceptions to the rule that only public addresses may be reached, over TLS alone.
#[derive(Debug, Clone, Default)]
pub struct OutboundPolicy {
    /// Networks that may be reached although they are not public.
    pub allow: Vec<IpNet>,
    /// Plain `http` may be spoken to public addresses too. To allowed networks it always may.
    pub plain_http: bool,
    /// Certificate authorities that are trusted beside the system's own, as PEM; empty for none.
    pub authorities: Vec<u8>,
}

/// Reason why an address is not called.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutboundRefusal {
    /// Scheme other than `https` and `http`.
    #[error("only https and http addresses are allowed, not {0}")]
    Scheme(String),
    /// Plain `http` to a public address.
    #[error("plain http to the public address {0}: use https")]
    Plain(IpAddr),
    /// User name or password in the address.
    #[error("the address carries a user name or password")]
    Credentials,
    /// Address without a host.
    #[error("the address has no host")]
    NoHost,
    /// Private address that is not allowed.
    #[error(
        "{host} is {address}, which is not a public address; allow its network in the configuration if it is meant"
    )]
    NotPublic {
        /// The host as it was given.
        host: String,
        /// Address that the name resolves to.
        address: IpAddr,
    },
}

impl OutboundPolicy {
    /// Judges what can be judged of an address before its host is resolved.
    pub fn check_url(&self, url: &Url) -> Result<(), OutboundRefusal> {
        if !matches!(url.scheme(), "https" | "http") {
            return Err(OutboundRefusal::Scheme(url.scheme().to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(OutboundRefusal::Credentials);
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(OutboundRefusal::NoHost);
        }

        Ok(())
    }

    /// Judges an address as a person gives it, before anything is asked. A name is judged at each
    /// request, by what it resolves to then.
    pub fn check_given(&self, text: &str) -> Result<(), Obstacle> {
        let url: Url = text.parse().map_err(|error| {
            format!("must be a full address such as https://example.com/hook ({error})")
        })?;
        self.check_url(&url).map_err(Obstacle::of)?;
        if url.scheme() != "https" && !self.plain_http && self.allow.is_empty() {
            return Err("must begin with https://".into());
        }

        let host = url
            .host_str()
            .unwrap_or_default()
            .trim_start_matches('[')
            .trim_end_matches(']');

        match host.parse() {
            Ok(address) => self.check_address(&url, address).map_err(Obstacle::of),
            Err(_) => Ok(()),
        }
    }

    /// Judges one address that a host resolved to.
    pub fn check_address(&self, url: &Url, address: IpAddr) -> Result<(), OutboundRefusal> {
        let canonical = address.to_canonical();
        if self
            .allow
            .iter()
            .any(|network| network.contains(&canonical) || network.contains(&address))
        {
            return Ok(());
        }

        if !is_public(address) {
            let host = url.host_str().unwrap_or_default().to_owned();
            return Err(OutboundRefusal::NotPublic { host, address });
        }
        if url.scheme() == "http" && !self.plain_http {
            return Err(OutboundRefusal::Plain(address));
        }

        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn urls() {
        let policy = OutboundPolicy::default();
        let cases = [
            ("https://example.com/a", None),
            ("http://example.com/a", None),
            (
                "ftp://example.com/",
                Some(OutboundRefusal::Scheme("ftp".into())),
            ),
            (
                "file:///etc/passwd",
                Some(OutboundRefusal::Scheme("file".into())),
            ),
            (
                "https://user@example.com/",
                Some(OutboundRefusal::Credentials),
            ),
            (
                "https://:secret@example.com/",
                Some(OutboundRefusal::Credentials),
            ),
        ];

        for (url, expected) in cases {
            assert_eq!(
                policy.check_url(&url.parse().unwrap()).err(),
                expected,
                "{url}"
            );
        }
    }

    #[test]
    fn addresses() {
        let plain: Url = "http://host.example/".parse().unwrap();
        let secure: Url = "https://host.example/".parse().unwrap();
        let public: IpAddr = "1.1.1.1".parse().unwrap();
        let inside: IpAddr = "10.1.2.3".parse().unwrap();
        let mapped: IpAddr = "::ffff:10.1.2.3".parse().unwrap();
        let strict = OutboundPolicy::default();
        assert_eq!(strict.check_address(&secure, public), Ok(()));
        assert_eq!(
            strict.check_address(&plain, public),
            Err(OutboundRefusal::Plain(public))
        );
        assert!(matches!(
            strict.check_address(&secure, mapped),
            Err(OutboundRefusal::NotPublic { .. })
        ));

        let allowing = OutboundPolicy {
            allow: vec!["10.1.0.0/16".parse().unwrap()],
            plain_http: false,
            ..OutboundPolicy::default()
        };

        for address in [inside, mapped] {
            assert_eq!(allowing.check_address(&plain, address), Ok(()), "{address}");
        }

        assert!(
            allowing
                .check_address(&plain, "10.2.0.1".parse().unwrap())
                .is_err()
        );

        assert_eq!(
            OutboundPolicy {
                plain_http: true,
                ..strict
            }
            .check_address(&plain, public),
            Ok(())
        );
    }
}
