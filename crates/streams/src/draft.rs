//! A stream as it is sent, before it is checked.

use std::fmt;

use reeve_audit::query::Query;
use reeve_audit::{FieldCode, FieldError};

use crate::kafka::{KafkaCompression, KafkaKey, KafkaSasl};
use crate::otlp::OtlpEncoding;
use crate::settings::{HttpsBody, StreamFormat, StreamKind, StreamSettings};

/// Longest text of a setting, bytes.
const LONGEST: usize = 2_000;
/// Longest query, bytes.
const LONGEST_QUERY: usize = 4_000;
/// Name of the shared access policy that a new namespace has.
const ROOT_KEY: &str = "RootManageSharedAccessKey";
/// Port of syslog over TLS (RFC 5425).
const SYSLOG_TLS: u16 = 6514;
/// Port of syslog over TCP.
const SYSLOG_TCP: u16 = 514;

/// Settings of a stream as sent, before they are checked. Those of other kinds are refused.
#[derive(Debug, Clone, Default)]
pub struct StreamDraft {
    pub url: Option<String>,
    pub body: Option<String>,
    pub source_type: Option<String>,
    pub index: Option<String>,
    pub namespace: Option<String>,
    pub hub: Option<String>,
    pub key_name: Option<String>,
    pub account_id: Option<String>,
    pub region: Option<String>,
    pub bucket: Option<String>,
    pub source_name: Option<String>,
    pub access_key_id: Option<String>,
    pub endpoint: Option<String>,
    pub host: Option<String>,
    pub port: Option<u16>,
    pub tls: Option<bool>,
    pub hostname: Option<String>,
    pub brokers: Option<String>,
    pub topic: Option<String>,
    pub sasl: Option<String>,
    pub username: Option<String>,
    pub key: Option<String>,
    pub compression: Option<String>,
    pub encoding: Option<String>,
    pub header: Option<String>,
}

/// Reads the name of a stream.
///
/// # Errors
/// The name is empty, too long or has control characters.
pub fn read_name(name: &str) -> Result<String, FieldError> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > 100 || name.contains(char::is_control) {
        let message = "must have 1 to 100 characters on one line";
        return Err(FieldError::new("name", FieldCode::InvalidValue, message));
    }
    Ok(name.to_owned())
}

/// Reads the format of a stream: the usual one of the kind unless given.
///
/// # Errors
/// The kind does not take the format.
pub fn read_format(kind: StreamKind, given: Option<&str>) -> Result<StreamFormat, FieldError> {
    let formats = kind.formats();
    let Some(given) = given else {
        return Ok(formats.first().copied().unwrap_or(StreamFormat::Json));
    };
    let found = StreamFormat::parse(given).filter(|format| formats.contains(format));
    found.ok_or_else(|| {
        let names: Vec<&str> = formats.iter().map(|format| format.as_str()).collect();
        let message = format!("must be one of {} for {kind}", names.join(", "));
        FieldError::new("format", FieldCode::InvalidValue, message)
    })
}

/// Checks the query of a stream.
///
/// # Errors
/// The query cannot be read, or is too long.
pub fn read_query(query: &str) -> Result<String, FieldError> {
    let query = query.trim();
    if query.len() > LONGEST_QUERY {
        let message = format!("must have at most {LONGEST_QUERY} bytes");
        return Err(FieldError::new("query", FieldCode::TooLong, message));
    }
    if query.is_empty() {
        return Ok(String::new());
    }
    match Query::parse(query) {
        Ok(_) => Ok(query.to_owned()),
        Err(error) => Err(FieldError::new(
            "query",
            FieldCode::InvalidQuery,
            error.to_string(),
        )),
    }
}

/// Reader of the fields of one kind, which collects what is wrong.
struct Fields {
    errors: Vec<FieldError>,
}

impl Fields {
    fn wrong(&mut self, field: &str, code: FieldCode, message: &str) {
        self.errors.push(FieldError::new(field, code, message));
    }

    fn optional(
        &mut self,
        field: &str,
        value: Option<&String>,
        sound: fn(&str) -> bool,
    ) -> Option<String> {
        let value = value?.trim();
        if value.is_empty() {
            return None;
        }
        if value.len() > LONGEST || !sound(value) {
            let message = "has characters or a length that are not allowed here";
            self.wrong(field, FieldCode::InvalidValue, message);
        }
        Some(value.to_owned())
    }

    /// Reads a name of a table; the usual value unless given.
    fn one_of<T: Copy + fmt::Display + 'static>(
        &mut self,
        field: &str,
        given: Option<&String>,
        (all, usual): (&'static [T], T),
    ) -> T {
        let Some(given) = given else { return usual };
        let found = all.iter().find(|value| value.to_string() == given.trim());
        found.copied().unwrap_or_else(|| {
            let names: Vec<String> = all.iter().map(T::to_string).collect();
            let message = format!("must be one of {}", names.join(", "));
            self.wrong(field, FieldCode::InvalidValue, &message);
            usual
        })
    }

    fn needed(&mut self, field: &str, value: Option<&String>, sound: fn(&str) -> bool) -> String {
        self.optional(field, value, sound).unwrap_or_else(|| {
            let message = "is required for this kind of stream";
            self.wrong(field, FieldCode::MissingField, message);
            String::new()
        })
    }
}

impl StreamDraft {
    /// Checks the settings of a kind.
    ///
    /// # Errors
    /// Every failing field with a code and a reason.
    pub fn read(&self, kind: StreamKind) -> Result<StreamSettings, Vec<FieldError>> {
        let mut fields = Fields { errors: Vec::new() };
        for (field, is_given) in self.given() {
            if is_given && !fields_of(kind).contains(&field) {
                let message = format!("is not a setting of {kind}");
                fields.wrong(field, FieldCode::UnknownField, &message);
            }
        }

        let settings = match kind {
            StreamKind::Https => StreamSettings::Https {
                url: fields.needed("url", self.url.as_ref(), is_line),
                body: self.body(&mut fields),
            },
            StreamKind::SplunkHec => StreamSettings::SplunkHec {
                url: fields.needed("url", self.url.as_ref(), is_line),
                source_type: fields
                    .optional("source_type", self.source_type.as_ref(), is_line)
                    .unwrap_or_else(|| "reeve:audit".to_owned()),
                index: fields.optional("index", self.index.as_ref(), is_name),
            },
            StreamKind::EventHub => StreamSettings::EventHub {
                namespace: fields.needed("namespace", self.namespace.as_ref(), is_name),
                hub: fields.needed("hub", self.hub.as_ref(), is_name),
                key_name: fields
                    .optional("key_name", self.key_name.as_ref(), is_name)
                    .unwrap_or_else(|| ROOT_KEY.to_owned()),
                endpoint: fields.optional("endpoint", self.endpoint.as_ref(), is_line),
            },
            StreamKind::SecurityLake => self.lake(&mut fields),
            StreamKind::Syslog => self.syslog(&mut fields),
            StreamKind::Kafka => self.kafka(&mut fields),
            StreamKind::Otlp => StreamSettings::Otlp {
                url: fields.needed("url", self.url.as_ref(), is_line),
                encoding: fields.one_of(
                    "encoding",
                    self.encoding.as_ref(),
                    (OtlpEncoding::ALL, OtlpEncoding::Protobuf),
                ),
                header: fields
                    .optional("header", self.header.as_ref(), is_header)
                    .unwrap_or_else(|| "Authorization".to_owned()),
            },
        };

        if fields.errors.is_empty() {
            Ok(settings)
        } else {
            Err(fields.errors)
        }
    }

    fn body(&self, fields: &mut Fields) -> HttpsBody {
        let bodies = (HttpsBody::ALL, HttpsBody::Lines);
        fields.one_of("body", self.body.as_ref(), bodies)
    }

    fn lake(&self, fields: &mut Fields) -> StreamSettings {
        StreamSettings::SecurityLake {
            account_id: fields.needed("account_id", self.account_id.as_ref(), is_account),
            region: fields.needed("region", self.region.as_ref(), is_name),
            bucket: fields.needed("bucket", self.bucket.as_ref(), is_name),
            source_name: fields
                .optional("source_name", self.source_name.as_ref(), is_source)
                .unwrap_or_else(|| "reeve".to_owned()),
            endpoint: fields.optional("endpoint", self.endpoint.as_ref(), is_line),
            access_key_id: fields.optional("access_key_id", self.access_key_id.as_ref(), is_name),
        }
    }

    fn syslog(&self, fields: &mut Fields) -> StreamSettings {
        let tls = self.tls.unwrap_or(true);
        StreamSettings::Syslog {
            host: fields.needed("host", self.host.as_ref(), is_host),
            port: self
                .port
                .unwrap_or(if tls { SYSLOG_TLS } else { SYSLOG_TCP }),
            tls,
            hostname: fields.optional("hostname", self.hostname.as_ref(), is_name),
        }
    }

    fn kafka(&self, fields: &mut Fields) -> StreamSettings {
        let given = fields.needed("brokers", self.brokers.as_ref(), is_line);
        let mut brokers = Vec::new();
        for address in given
            .split(',')
            .map(str::trim)
            .filter(|text| !text.is_empty())
        {
            match address.parse() {
                Ok(broker) => brokers.push(broker),
                Err(error) => {
                    let message = format!("{address}: {error}");
                    fields.wrong("brokers", FieldCode::InvalidValue, &message);
                }
            }
        }
        let mechanisms = (KafkaSasl::ALL, KafkaSasl::None);
        let sasl = fields.one_of("sasl", self.sasl.as_ref(), mechanisms);
        let username = match sasl {
            KafkaSasl::None => fields.optional("username", self.username.as_ref(), is_visible),
            _ => Some(fields.needed("username", self.username.as_ref(), is_visible)),
        };
        StreamSettings::Kafka {
            brokers,
            topic: fields.needed("topic", self.topic.as_ref(), is_topic),
            tls: self.tls.unwrap_or(true),
            sasl,
            username,
            key: fields.one_of("key", self.key.as_ref(), (KafkaKey::ALL, KafkaKey::EventId)),
            compression: fields.one_of(
                "compression",
                self.compression.as_ref(),
                (KafkaCompression::ALL, KafkaCompression::None),
            ),
        }
    }

    /// Every field with its name, and `true` where it is given.
    fn given(&self) -> [(&'static str, bool); 25] {
        [
            ("url", self.url.is_some()),
            ("body", self.body.is_some()),
            ("source_type", self.source_type.is_some()),
            ("index", self.index.is_some()),
            ("namespace", self.namespace.is_some()),
            ("hub", self.hub.is_some()),
            ("key_name", self.key_name.is_some()),
            ("account_id", self.account_id.is_some()),
            ("region", self.region.is_some()),
            ("bucket", self.bucket.is_some()),
            ("source_name", self.source_name.is_some()),
            ("access_key_id", self.access_key_id.is_some()),
            ("endpoint", self.endpoint.is_some()),
            ("host", self.host.is_some()),
            ("port", self.port.is_some()),
            ("tls", self.tls.is_some()),
            ("hostname", self.hostname.is_some()),
            ("brokers", self.brokers.is_some()),
            ("topic", self.topic.is_some()),
            ("sasl", self.sasl.is_some()),
            ("username", self.username.is_some()),
            ("key", self.key.is_some()),
            ("compression", self.compression.is_some()),
            ("encoding", self.encoding.is_some()),
            ("header", self.header.is_some()),
        ]
    }
}

/// Returns the settings that a kind has.
const fn fields_of(kind: StreamKind) -> &'static [&'static str] {
    match kind {
        StreamKind::Https => &["url", "body"],
        StreamKind::SplunkHec => &["url", "source_type", "index"],
        StreamKind::EventHub => &["namespace", "hub", "key_name", "endpoint"],
        StreamKind::SecurityLake => &[
            "account_id",
            "region",
            "bucket",
            "source_name",
            "endpoint",
            "access_key_id",
        ],
        StreamKind::Syslog => &["host", "port", "tls", "hostname"],
        StreamKind::Kafka => &[
            "brokers",
            "topic",
            "tls",
            "sasl",
            "username",
            "key",
            "compression",
        ],
        StreamKind::Otlp => &["url", "encoding", "header"],
    }
}

fn is_line(text: &str) -> bool {
    !text.contains(char::is_control)
}

/// Returns `true` for visible ASCII characters.
fn is_visible(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Returns `true` for names of headers that carry a key: none that say what the body is.
fn is_header(text: &str) -> bool {
    let own = [
        "content-type",
        "content-encoding",
        "content-length",
        "host",
        "transfer-encoding",
    ];
    text.len() <= 100
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        && !own.iter().any(|name| text.eq_ignore_ascii_case(name))
}

/// Returns `true` for names of topics, by Kafka's own rule.
fn is_topic(text: &str) -> bool {
    text.len() <= 249 && text != "." && text != ".." && is_name(&text.replace("..", "."))
}

/// Returns `true` for names of namespaces, hubs, policies, indexes, regions, buckets and keys.
fn is_name(text: &str) -> bool {
    text.len() <= 255
        && !text.contains("..")
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

/// Returns `true` for host names and addresses.
fn is_host(text: &str) -> bool {
    text.len() <= 255
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b':'))
}

/// Returns `true` for the number of an account of AWS.
fn is_account(text: &str) -> bool {
    text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns `true` for names of custom sources: Security Lake takes 20 characters, of which a class has
/// eight.
fn is_source(text: &str) -> bool {
    text.len() <= 12 && is_name(text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn errors(kind: StreamKind, draft: &StreamDraft) -> Vec<String> {
        let errors = draft.read(kind).unwrap_err();
        errors
            .iter()
            .map(|error| format!("{} {}", error.path, error.code.as_str()))
            .collect()
    }

    #[test]
    fn every_kind_names_what_it_needs() {
        let empty = StreamDraft::default();
        let cases: [(StreamKind, &[&str]); 7] = [
            (StreamKind::Https, &["url"]),
            (StreamKind::SplunkHec, &["url"]),
            (StreamKind::EventHub, &["namespace", "hub"]),
            (
                StreamKind::SecurityLake,
                &["account_id", "region", "bucket"],
            ),
            (StreamKind::Syslog, &["host"]),
            (StreamKind::Kafka, &["brokers", "topic"]),
            (StreamKind::Otlp, &["url"]),
        ];
        for (kind, needed) in cases {
            let expected: Vec<String> = needed
                .iter()
                .map(|field| format!("{field} missing_field"))
                .collect();
            assert_eq!(errors(kind, &empty), expected, "{kind}");
        }
    }

    #[test]
    fn settings_of_other_kinds_and_wrong_values_are_named() {
        let draft = StreamDraft {
            account_id: Some("12".to_owned()),
            region: Some("eu-central-1".to_owned()),
            bucket: Some("a/b".to_owned()),
            host: Some("h".to_owned()),
            ..StreamDraft::default()
        };
        assert_eq!(
            errors(StreamKind::SecurityLake, &draft),
            [
                "host unknown_field",
                "account_id invalid_value",
                "bucket invalid_value"
            ]
        );
    }

    #[test]
    fn kafka_names_its_brokers_and_its_user() {
        let draft = StreamDraft {
            brokers: Some("a:9092, b".to_owned()),
            topic: Some("audit.log".to_owned()),
            sasl: Some("scram_sha_512".to_owned()),
            ..StreamDraft::default()
        };
        assert_eq!(
            errors(StreamKind::Kafka, &draft),
            ["username missing_field"]
        );
        let known = StreamDraft {
            username: Some("$ConnectionString".to_owned()),
            ..draft.clone()
        };
        let settings = known.read(StreamKind::Kafka).unwrap();
        assert_eq!(settings.receiver(), "a:9092/audit.log");
        assert!(settings.needs_secret());
        let wrong = StreamDraft {
            brokers: Some("a:9092,kafka://b".to_owned()),
            topic: Some("..".to_owned()),
            key: Some("name".to_owned()),
            sasl: None,
            ..draft
        };
        assert_eq!(
            errors(StreamKind::Kafka, &wrong),
            [
                "brokers invalid_value",
                "topic invalid_value",
                "key invalid_value"
            ]
        );
    }

    #[test]
    fn formats_are_those_of_the_kind() {
        assert_eq!(
            read_format(StreamKind::SecurityLake, None).unwrap(),
            StreamFormat::Ocsf
        );
        assert!(read_format(StreamKind::SecurityLake, Some("cef")).is_err());
        assert_eq!(
            read_format(StreamKind::Syslog, Some("cef")).unwrap(),
            StreamFormat::Cef
        );
    }
}
