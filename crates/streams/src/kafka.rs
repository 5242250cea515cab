//! Settings of topics of Apache Kafka.

use std::fmt;
use std::str::FromStr;

use reeve_estate::named;
use serde::{Deserialize, Serialize};

named!(
    /// Way in which Kafka is told who sends.
    KafkaSasl {
        /// No authentication, or that of a network.
        None => "none",
        /// User and password as they are; Azure Event Hubs takes a connection string this way.
        Plain => "plain",
        /// Salted challenge and response with SHA-256 (RFC 7677).
        ScramSha256 => "scram_sha_256",
        /// The same with SHA-512.
        ScramSha512 => "scram_sha_512",
    }
);

named!(
    /// Key of a record, by which Kafka chooses the partition.
    KafkaKey {
        /// Identifier of the entry: a compacted topic keeps each entry once.
        EventId => "event_id",
        /// Resource of the entry: what happens to a resource stays in order.
        ResourceId => "resource_id",
    }
);

named!(
    /// Compression of a batch of records.
    KafkaCompression {
        /// No compression, which everything that speaks Kafka's protocol takes.
        None => "none",
        Gzip => "gzip",
        Zstd => "zstd",
    }
);

/// Address of a broker: a host and a port, `9092` unless given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct BrokerAddress {
    /// Name or address; one of IPv6 without brackets.
    pub host: String,
    pub port: u16,
}

/// Text that names no broker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a host with a port, such as kafka.example.com:9093")]
pub struct BrokerAddressError;

/// Port of a broker whose address has none.
const USUAL_PORT: u16 = 9092;

impl FromStr for BrokerAddress {
    type Err = BrokerAddressError;

    fn from_str(text: &str) -> Result<Self, BrokerAddressError> {
        let text = text.trim();
        let (host, port) = match text.strip_prefix('[') {
            Some(inner) => {
                let (host, rest) = inner.split_once(']').ok_or(BrokerAddressError)?;
                (host, rest.strip_prefix(':'))
            }
            None => match text.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (text, None),
            },
        };
        let port = match port {
            Some(port) => port.parse().map_err(|_| BrokerAddressError)?,
            None => USUAL_PORT,
        };
        let is_host = !host.is_empty()
            && host.len() <= 255
            && host.bytes().all(|byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b':')
            });
        if !is_host || port == 0 {
            return Err(BrokerAddressError);
        }
        Ok(BrokerAddress {
            host: host.to_owned(),
            port,
        })
    }
}

impl fmt::Display for BrokerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

impl From<BrokerAddress> for String {
    fn from(address: BrokerAddress) -> String {
        address.to_string()
    }
}

impl TryFrom<String> for BrokerAddress {
    type Error = BrokerAddressError;

    fn try_from(text: String) -> Result<Self, BrokerAddressError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn addresses_have_a_host_and_a_port() {
        let cases = [
            ("kafka.example.com:9093", Some("kafka.example.com:9093")),
            (" kafka ", Some("kafka:9092")),
            ("[2001:db8::1]:9094", Some("[2001:db8::1]:9094")),
            ("10.0.0.1:0", None),
            ("kafka:", None),
            (":9092", None),
            ("https://kafka:9092", None),
            ("[::1", None),
            ("2001:db8::1", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let read = text.parse::<BrokerAddress>().ok();
            assert_eq!(
                read.map(|read| read.to_string()).as_deref(),
                expected,
                "{text}"
            );
        }
    }
}
