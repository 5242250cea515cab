//! Address at which people reach Reeve, the start of links in messages.
//!
//! It comes from the configuration or from an administrator, never from a request: the `Host`
//! header is the client's own word, and a link that follows it leads the receiver of a mail to
//! whoever sent the request (host header poisoning).

use std::fmt;

/// Longest address that is accepted, in characters.
const LONGEST: usize = 300;

/// `https` or `http` address that paths can be appended to: without query, fragment and
/// credentials, and without a slash at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl(String);

impl PublicUrl {
    /// Reads an address; `None` for any other text.
    #[must_use]
    pub fn parse(text: &str) -> Option<PublicUrl> {
        let text = text.trim().trim_end_matches('/');
        let rest = text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"))?;
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = match authority.strip_prefix('[') {
            Some(bracketed) => bracketed.split_once(']')?,
            None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
        };
        let in_brackets = authority.starts_with('[');
        let is_host = |byte: u8| {
            byte.is_ascii_alphanumeric()
                || if in_brackets {
                    byte == b':'
                } else {
                    b"-._".contains(&byte)
                }
        };

        let is_path = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte);
        let port_is_sound = port.is_empty()
            || port
                .strip_prefix(':')
                .is_some_and(|port| port.parse::<u16>().is_ok());
        let sound = !host.is_empty()
            && host.bytes().all(is_host)
            && path.bytes().all(is_path)
            && port_is_sound;

        (sound && text.len() <= LONGEST).then(|| PublicUrl(text.to_owned()))
    }

    /// Returns the address of a path, which begins with a slash.
    #[must_use]
    pub fn address_of(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_address_that_takes_paths_is_one() {
        let parsed = |text| PublicUrl::parse(text).map(|url| url.to_string());
        assert_eq!(
            parsed(" https://reeve.example.com/ ").as_deref(),
            Some("https://reeve.example.com")
        );
        assert_eq!(
            parsed("http://10.0.0.1:8080/ops/reeve").as_deref(),
            Some("http://10.0.0.1:8080/ops/reeve")
        );
        assert_eq!(
            parsed("http://[fd00::1]:8080").as_deref(),
            Some("http://[fd00::1]:8080")
        );

        for refused in [
            "",
            "reeve.example.com",
            "ftp://reeve.example.com",
            "https://",
            "https:///path",
            "https://user:secret@reeve.example.com",
            "https://reeve.example.com/?a=b",
            "https://reeve.example.com/#a",
            "https://reeve.example.com:port",
            "https://reeve.example.com:8080:9",
            "https://reeve.example.com/\"><b>",
            "https://reeve.example.com\\evil.example",
            "https://reeve example.com",
            "javascript:alert(1)",
        ] {
            assert_eq!(parsed(refused), None, "{refused}");
        }

        assert_eq!(
            parsed(&format!("https://{}.example", "a".repeat(LONGEST))),
            None
        );
    }

    #[test]
    fn paths_are_appended() {
        let link = PublicUrl::parse("https://acme.example/ops/")
            .map(|url| url.address_of("/audit/reports?run=r-1"));
        assert_eq!(
            link.as_deref(),
            Some("https://acme.example/ops/audit/reports?run=r-1")
        );
    }
}
