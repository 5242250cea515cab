//! Integrations of the log on the wire: streams out, and sources in where both are listed.

use jiff::Timestamp;
use reeve_streams::{
    BrokerAddress, DeadLetter, Stream, StreamDraft, StreamHealth, StreamLag, StreamSettings,
    StreamState,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::time;
use crate::wire::form::enumeration::{
    self, IntegrationDirection, IntegrationHealth, StreamEntryFormat, StreamReceiverType,
};
use crate::wire::log_source::LogSourceBody;

/// Settings of a receiver; which ones depends on its type.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamSettingsBody {
    /// `https`: address of the endpoint. `splunk_hec`, `otlp`: address of the collector.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// `https`: `ndjson` (default) or `json_array`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<enumeration::StreamBodyForm>)]
    pub body: Option<String>,
    /// `splunk_hec`: source type of the events; `reeve:audit` unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_type: Option<String>,
    /// `splunk_hec`: index of the events; the token's default unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// Namespace, of `event_hub`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Name of the hub, of `event_hub`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hub: Option<String>,
    /// `event_hub`: name of the shared access policy; `RootManageSharedAccessKey` unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_name: Option<String>,
    /// `security_lake`: number of the account, 12 digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_id: Option<String>,
    /// Region of the bucket, of `security_lake`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Bucket of the lake, of `security_lake`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bucket: Option<String>,
    /// `security_lake`: beginning of the names of the custom sources, at most 12 characters; `reeve` unless
    /// given. Each class has a source of its own: `reeve_api`, `reeve_auth`, `reeve_account`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_name: Option<String>,
    /// `security_lake`: access key; left out, the credentials of the machine that Reeve runs on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_key_id: Option<String>,
    /// `event_hub`, `security_lake`: another endpoint than the provider's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// Host name or address, of `syslog`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// `syslog`: port; 6514 for TLS and 514 for TCP unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// `syslog`, `kafka`: TLS, unless `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<bool>,
    /// `syslog`: host name in the messages; `-` unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    /// `kafka`: brokers to ask first, `HOST:PORT`, separated by commas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brokers: Option<String>,
    /// Topic, of `kafka`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// `kafka`: authentication; `none` unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<enumeration::KafkaAuthentication>)]
    pub sasl: Option<String>,
    /// `kafka`: user of the authentication; `$ConnectionString` for Azure Event Hubs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// `kafka`: key of a record; `event_id` unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<enumeration::KafkaRecordKey>)]
    pub key: Option<String>,
    /// `kafka`: compression of a batch; `none` unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<enumeration::KafkaBatchCompression>)]
    pub compression: Option<String>,
    /// `otlp`: encoding of the log records; `protobuf` unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<enumeration::OtlpLogEncoding>)]
    pub encoding: Option<String>,
    /// `otlp`: name of the header with the secret; `Authorization` unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
}

/// A failure to send.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IntegrationFailureBody {
    pub at: String,
    /// Answer of the receiver, or the reason why there was none.
    pub message: String,
    /// `true` if only a person can end it: a wrong token, an unknown index.
    pub needs_person: bool,
}

/// Course of a stream.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IntegrationStatusBody {
    pub health: IntegrationHealth,
    /// The next sequence that the receiver has not confirmed.
    pub cursor: u64,
    /// Entries of the log that the stream has not looked at or not sent.
    pub lag_entries: u64,
    /// Age of the oldest of them, seconds.
    pub lag_s: f64,
    /// Entries of the last minute, per second.
    pub entries_per_s: f64,
    /// Entries that the receiver confirmed, repeated ones included.
    pub sent_entries: u64,
    /// Batches that the receiver confirmed.
    pub sent_batches: u64,
    /// Bytes of the confirmed records.
    pub sent_bytes: u64,
    /// Entries that the receiver refused and that wait for a person.
    pub dead_letters: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_sent_at: Option<String>,
    /// Failures since the last success.
    pub failures: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<String>,
    /// Time before which nothing is tried again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<String>,
    /// The last failure, also one that is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_failure: Option<IntegrationFailureBody>,
}

/// An integration of the log, without its secret.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IntegrationBody {
    pub id: String,
    pub name: String,
    pub direction: IntegrationDirection,
    #[serde(rename = "type")]
    pub kind: StreamReceiverType,
    pub settings: StreamSettingsBody,
    /// Place of the receiver, for people.
    pub receiver: String,
    pub format: StreamEntryFormat,
    /// Query that selects entries; empty selects all.
    pub query: String,
    pub paused: bool,
    /// `false` if receivers of the type confirm nothing: what was being written when a connection broke
    /// may be lost, and a replay sends it again.
    pub is_confirmed: bool,
    pub has_secret: bool,
    pub status: IntegrationStatusBody,
    /// Person who made it.
    pub created_by: String,
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
    /// Grows by one with every change.
    pub version: u64,
}

/// An integration of either direction.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(untagged)]
pub enum DirectedIntegrationBody {
    /// `out`: a stream to another platform.
    Stream(Box<IntegrationBody>),
    /// `in`: a source of entries, as `audit-logs/sources` has it.
    Source(Box<LogSourceBody>),
}

/// Course of an integration of either direction.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(untagged)]
pub enum DirectedStatusBody {
    /// `out`: a stream to another platform.
    Stream(Box<IntegrationStatusBody>),
    /// `in`: a source of entries; its counts are its members.
    Source(Box<LogSourceBody>),
}

/// A stream to add.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IntegrationCreate {
    /// 1 to 100 characters, unlike every other's.
    pub name: String,
    #[serde(rename = "type")]
    pub kind: StreamReceiverType,
    #[serde(default)]
    pub settings: StreamSettingsBody,
    /// Form of the entries; the usual one of the type unless given.
    #[schema(value_type = Option<enumeration::StreamEntryFormat>)]
    pub format: Option<String>,
    /// Query that selects entries; all unless given.
    #[serde(default)]
    pub query: String,
    /// `true` to send nothing until it is resumed.
    #[serde(default)]
    pub paused: bool,
    /// First sequence to send; new entries alone unless given.
    pub start_sequence: Option<u64>,
    /// `https`: value of the `Authorization` header. `splunk_hec`: collector token. `event_hub`:
    /// shared access key. `security_lake`: secret access key. `kafka`: password of the user. `otlp`: value of
    /// the header.
    #[serde(default)]
    #[schema(write_only)]
    pub secret: String,
}

/// A change of an integration; what is left out stays. The type stays as it is.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IntegrationPatch {
    pub name: Option<String>,
    /// All settings anew. Another receiver needs the secret again.
    pub settings: Option<StreamSettingsBody>,
    #[schema(value_type = Option<enumeration::StreamEntryFormat>)]
    pub format: Option<String>,
    pub query: Option<String>,
    #[schema(write_only)]
    pub secret: Option<String>,
    /// The version that was read; another is a conflict.
    pub version: Option<u64>,
}

/// Position to send from again.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IntegrationReplay {
    /// First sequence to send, at most the end of the log.
    pub sequence: u64,
}

/// Outcome of a test, or of sending a dead letter again.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IntegrationTestBody {
    /// `true` if the receiver took the entry.
    pub delivered: bool,
    /// Answer of the receiver, or the reason why there was none; absent after a success.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// An entry that a receiver refused. The entry itself is in the log.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DeadLetterBody {
    /// Position of the entry in the log.
    pub sequence: u64,
    pub event_id: String,
    /// Answer of the receiver.
    pub reason: String,
    pub refused_at: String,
    /// Times that it was sent again and refused.
    pub replays: u32,
}

/// Filter of integrations.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct IntegrationListParams {
    /// At most this many (1 to 1000).
    #[param(default = 50, minimum = 1, maximum = 1000)]
    pub limit: Option<u32>,
    /// After skipping this many.
    #[param(default = 0)]
    pub offset: Option<u64>,
    /// `next_cursor` of the page before. Not together with `offset`.
    pub cursor: Option<String>,
    /// `out` for streams, `in` for sources.
    pub direction: Option<String>,
}

impl StreamSettingsBody {
    /// Returns the settings as they are read.
    #[must_use]
    pub fn draft(self) -> StreamDraft {
        StreamDraft {
            url: self.url,
            body: self.body,
            source_type: self.source_type,
            index: self.index,
            namespace: self.namespace,
            hub: self.hub,
            key_name: self.key_name,
            account_id: self.account_id,
            region: self.region,
            bucket: self.bucket,
            source_name: self.source_name,
            access_key_id: self.access_key_id,
            endpoint: self.endpoint,
            host: self.host,
            port: self.port,
            tls: self.tls,
            hostname: self.hostname,
            brokers: self.brokers,
            topic: self.topic,
            sasl: self.sasl,
            username: self.username,
            key: self.key,
            compression: self.compression,
            encoding: self.encoding,
            header: self.header,
        }
    }

    fn new(settings: &StreamSettings) -> Self {
        let none = Self::default();
        match settings.clone() {
            StreamSettings::Https { url, body } => Self {
                url: Some(url),
                body: Some(body.as_str().to_owned()),
                ..none
            },
            StreamSettings::SplunkHec {
                url,
                source_type,
                index,
            } => Self {
                url: Some(url),
                source_type: Some(source_type),
                index,
                ..none
            },
            StreamSettings::EventHub {
                namespace,
                hub,
                key_name,
                endpoint,
            } => Self {
                namespace: Some(namespace),
                hub: Some(hub),
                key_name: Some(key_name),
                endpoint,
                ..none
            },
            StreamSettings::SecurityLake {
                account_id,
                region,
                bucket,
                source_name,
                endpoint,
                access_key_id,
            } => Self {
                account_id: Some(account_id),
                region: Some(region),
                bucket: Some(bucket),
                source_name: Some(source_name),
                endpoint,
                access_key_id,
                ..none
            },
            StreamSettings::Syslog {
                host,
                port,
                tls,
                hostname,
            } => Self {
                host: Some(host),
                port: Some(port),
                tls: Some(tls),
                hostname,
                ..none
            },
            StreamSettings::Kafka {
                brokers,
                topic,
                tls,
                sasl,
                username,
                key,
                compression,
            } => Self {
                brokers: Some(joined(&brokers)),
                topic: Some(topic),
                tls: Some(tls),
                sasl: Some(sasl.as_str().to_owned()),
                username,
                key: Some(key.as_str().to_owned()),
                compression: Some(compression.as_str().to_owned()),
                ..none
            },
            StreamSettings::Otlp {
                url,
                encoding,
                header,
            } => Self {
                url: Some(url),
                encoding: Some(encoding.as_str().to_owned()),
                header: Some(header),
                ..none
            },
        }
    }
}

fn joined(brokers: &[BrokerAddress]) -> String {
    let names: Vec<String> = brokers.iter().map(BrokerAddress::to_string).collect();
    names.join(",")
}

/// Seconds with milliseconds.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

impl IntegrationStatusBody {
    /// Converts the course of a stream.
    #[must_use]
    pub fn new(
        stream: &Stream,
        state: &StreamState,
        lag: &StreamLag,
        dead_letters: u64,
        now: Timestamp,
    ) -> Self {
        IntegrationStatusBody {
            health: StreamHealth::of(stream, state, lag).into(),
            cursor: state.cursor,
            lag_entries: lag.entries,
            lag_s: rounded(lag.age.map_or(0.0, |age| age.as_secs_f64().max(0.0))),
            entries_per_s: rounded(state.throughput.per_second(now)),
            sent_entries: state.sent_entries,
            sent_batches: state.sent_batches,
            sent_bytes: state.sent_bytes,
            dead_letters,
            last_sent_at: state.last_sent_at.map(time::text),
            failures: state.failures,
            failing_since: state.failing_since.map(time::text),
            retry_at: state.retry_at.filter(|at| *at > now).map(time::text),
            last_failure: state
                .last_failure
                .as_ref()
                .map(|failure| IntegrationFailureBody {
                    at: time::text(failure.at),
                    message: failure.message.clone(),
                    needs_person: failure.needs_person,
                }),
        }
    }
}

impl IntegrationBody {
    /// Converts a stream with its course.
    #[must_use]
    pub fn new(stream: &Stream, has_secret: bool, status: IntegrationStatusBody) -> Self {
        let kind = stream.settings.kind();
        IntegrationBody {
            id: stream.id.0.clone(),
            name: stream.name.clone(),
            direction: reeve_streams::Direction::Out.into(),
            kind: kind.into(),
            settings: StreamSettingsBody::new(&stream.settings),
            receiver: stream.settings.receiver(),
            format: stream.format.into(),
            query: stream.query.clone(),
            paused: stream.paused,
            is_confirmed: kind.is_confirmed(),
            has_secret,
            status,
            created_by: stream.created_by.clone(),
            created_at: time::text(stream.created_at),
            updated_at: time::text(stream.updated_at),
            version: stream.version,
        }
    }
}

impl From<&DeadLetter> for DeadLetterBody {
    fn from(letter: &DeadLetter) -> Self {
        DeadLetterBody {
            sequence: letter.sequence,
            event_id: letter.event_id.clone(),
            reason: letter.reason.clone(),
            refused_at: time::text(letter.refused_at),
            replays: letter.replays,
        }
    }
}
