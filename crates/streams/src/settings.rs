//! Kinds of receivers, and the settings of each.

use reeve_estate::named;
use serde::{Deserialize, Serialize};

use crate::kafka::{BrokerAddress, KafkaCompression, KafkaKey, KafkaSasl};
use crate::otlp::OtlpEncoding;

named!(
    /// Direction of an integration, seen from Reeve.
    Direction {
        /// Entries go to another platform.
        Out => "out",
        /// Entries come from another platform.
        In => "in",
    }
);

named!(
    /// Kind of a receiver.
    StreamKind {
        /// Any HTTPS endpoint that takes JSON.
        Https => "https",
        /// Splunk, or what speaks the protocol of its HTTP Event Collector.
        SplunkHec => "splunk_hec",
        /// Azure Event Hubs, over HTTPS.
        EventHub => "event_hub",
        /// Amazon Security Lake.
        SecurityLake => "security_lake",
        /// A syslog server, over TLS or TCP.
        Syslog => "syslog",
        /// A topic of Apache Kafka, or of what speaks its protocol.
        Kafka => "kafka",
        /// A receiver of OpenTelemetry's logs, over OTLP/HTTP.
        Otlp => "otlp",
    }
);

named!(
    /// Form of an entry in a stream.
    StreamFormat {
        /// The entry as the HTTP interface shows it.
        Json => "json",
        /// ArcSight Common Event Format.
        Cef => "cef",
        /// Syslog message (RFC 5424).
        Syslog => "syslog",
        /// Class of the Open Cybersecurity Schema Framework 1.3.0, as JSON.
        Ocsf => "ocsf",
        /// Log record of OpenTelemetry.
        Otlp => "otlp",
    }
);

named!(
    /// Form of the body that an HTTPS endpoint takes.
    HttpsBody {
        /// One record a line.
        Lines => "ndjson",
        /// One JSON array.
        Array => "json_array",
    }
);

/// Settings of a receiver without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StreamSettings {
    /// HTTPS endpoint. The secret is the value of the `Authorization` header; empty sends none.
    Https { url: String, body: HttpsBody },
    /// Splunk. The secret is the collector token.
    SplunkHec {
        /// Address of the collector; without a path, `/services/collector/event` is added.
        url: String,
        source_type: String,
        /// Index of the events; the token's default where it is `None`.
        index: Option<String>,
    },
    /// Azure Event Hubs. The secret is the shared access key.
    EventHub {
        namespace: String,
        hub: String,
        /// Name of the shared access policy.
        key_name: String,
        /// Another endpoint than `https://NAMESPACE.servicebus.windows.net`.
        endpoint: Option<String>,
    },
    /// Amazon Security Lake. The secret is the secret access key.
    SecurityLake {
        account_id: String,
        region: String,
        bucket: String,
        /// Beginning of the names of the custom sources: each class has a source of its own.
        source_name: String,
        /// Another endpoint than AWS's own.
        endpoint: Option<String>,
        access_key_id: Option<String>,
    },
    /// Syslog server. It has no secret.
    Syslog {
        host: String,
        port: u16,
        /// `true` for TLS (RFC 5425); `false` for TCP in the clear (RFC 6587).
        tls: bool,
        /// HOSTNAME of the messages; `-` where it is `None`.
        hostname: Option<String>,
    },
    /// Topic of Kafka. The secret is the password of `username`.
    Kafka {
        /// Brokers that are asked first; the others are learned from them.
        brokers: Vec<BrokerAddress>,
        topic: String,
        tls: bool,
        sasl: KafkaSasl,
        /// User of the authentication; `None` without one.
        username: Option<String>,
        key: KafkaKey,
        compression: KafkaCompression,
    },
    /// Receiver of OpenTelemetry's logs. The secret is the value of `header`; empty sends none.
    Otlp {
        /// Address; without a path, `/v1/logs` is added.
        url: String,
        encoding: OtlpEncoding,
        /// Name of the header with the secret.
        header: String,
    },
}

impl StreamSettings {
    /// Returns the kind of the receiver.
    #[must_use]
    pub const fn kind(&self) -> StreamKind {
        match self {
            Self::Https { .. } => StreamKind::Https,
            Self::SplunkHec { .. } => StreamKind::SplunkHec,
            Self::EventHub { .. } => StreamKind::EventHub,
            Self::SecurityLake { .. } => StreamKind::SecurityLake,
            Self::Syslog { .. } => StreamKind::Syslog,
            Self::Kafka { .. } => StreamKind::Kafka,
            Self::Otlp { .. } => StreamKind::Otlp,
        }
    }

    /// Returns the address that a person gave, with the name of its field.
    #[must_use]
    pub fn address(&self) -> Option<(&'static str, &str)> {
        match self {
            Self::Https { url, .. } | Self::SplunkHec { url, .. } | Self::Otlp { url, .. } => {
                Some(("url", url))
            }
            Self::EventHub { endpoint, .. } | Self::SecurityLake { endpoint, .. } => {
                endpoint.as_deref().map(|endpoint| ("endpoint", endpoint))
            }
            Self::Syslog { .. } | Self::Kafka { .. } => None,
        }
    }

    /// Returns the place of the receiver, for people. A query of an address may carry keys, so it is
    /// left out.
    #[must_use]
    pub fn receiver(&self) -> String {
        match self {
            Self::Https { url, .. } | Self::SplunkHec { url, .. } | Self::Otlp { url, .. } => {
                url.split(['?', '#']).next().unwrap_or_default().to_owned()
            }
            Self::EventHub { namespace, hub, .. } => format!("{namespace}/{hub}"),
            Self::SecurityLake {
                bucket,
                source_name,
                ..
            } => format!("s3://{bucket}/ext/{source_name}"),
            Self::Syslog { host, port, .. } => format!("{host}:{port}"),
            Self::Kafka { brokers, topic, .. } => match brokers.first() {
                Some(broker) => format!("{broker}/{topic}"),
                None => topic.clone(),
            },
        }
    }

    /// Returns `true` if the receiver needs a secret.
    #[must_use]
    pub fn needs_secret(&self) -> bool {
        match self {
            Self::SplunkHec { .. } | Self::EventHub { .. } => true,
            Self::Kafka { sasl, .. } => *sasl != KafkaSasl::None,
            Self::Https { .. }
            | Self::SecurityLake { .. }
            | Self::Syslog { .. }
            | Self::Otlp { .. } => false,
        }
    }
}

impl StreamFormat {
    /// Returns `true` if a record is one JSON value.
    #[must_use]
    pub const fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::Ocsf)
    }
}

impl StreamKind {
    /// Returns `true` if receivers of the kind confirm what they have taken.
    #[must_use]
    pub const fn is_confirmed(self) -> bool {
        !matches!(self, Self::Syslog)
    }

    /// Returns the formats that receivers of the kind take, the usual one first.
    #[must_use]
    pub const fn formats(self) -> &'static [StreamFormat] {
        match self {
            Self::Https | Self::SplunkHec | Self::EventHub | Self::Kafka => &[
                StreamFormat::Json,
                StreamFormat::Ocsf,
                StreamFormat::Cef,
                StreamFormat::Syslog,
            ],
            Self::SecurityLake => &[StreamFormat::Ocsf],
            Self::Otlp => &[StreamFormat::Otlp],
            Self::Syslog => &[StreamFormat::Syslog, StreamFormat::Cef],
        }
    }
}
