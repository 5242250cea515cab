//! The messages of OTLP logs in protobuf, as far as log records need them
//! (`opentelemetry/proto/logs/v1/logs.proto`), and their JSON form.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prost::Message;
use serde_json::{Map, Value, json};

/// Depth of values inside values that is read.
const MAX_DEPTH: usize = 32;

/// A request to export logs.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ExportRequest {
    #[prost(message, repeated, tag = "1")]
    resource_logs: Vec<ResourceLogs>,
}

#[derive(Clone, PartialEq, Message)]
struct ResourceLogs {
    #[prost(message, optional, tag = "1")]
    resource: Option<Resource>,
    #[prost(message, repeated, tag = "2")]
    scope_logs: Vec<ScopeLogs>,
    #[prost(string, tag = "3")]
    schema_url: String,
}

#[derive(Clone, PartialEq, Message)]
struct Resource {
    #[prost(message, repeated, tag = "1")]
    attributes: Vec<KeyValue>,
    #[prost(uint32, tag = "2")]
    dropped_attributes_count: u32,
}

#[derive(Clone, PartialEq, Message)]
struct ScopeLogs {
    #[prost(message, optional, tag = "1")]
    scope: Option<Scope>,
    #[prost(message, repeated, tag = "2")]
    log_records: Vec<LogRecord>,
    #[prost(string, tag = "3")]
    schema_url: String,
}

#[derive(Clone, PartialEq, Message)]
struct Scope {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    version: String,
    #[prost(message, repeated, tag = "3")]
    attributes: Vec<KeyValue>,
    #[prost(uint32, tag = "4")]
    dropped_attributes_count: u32,
}

#[derive(Clone, PartialEq, Message)]
struct LogRecord {
    #[prost(fixed64, tag = "1")]
    time_unix_nano: u64,
    #[prost(int32, tag = "2")]
    severity_number: i32,
    #[prost(string, tag = "3")]
    severity_text: String,
    #[prost(message, optional, tag = "5")]
    body: Option<AnyValue>,
    #[prost(message, repeated, tag = "6")]
    attributes: Vec<KeyValue>,
    #[prost(uint32, tag = "7")]
    dropped_attributes_count: u32,
    #[prost(fixed32, tag = "8")]
    flags: u32,
    #[prost(bytes = "vec", tag = "9")]
    trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "10")]
    span_id: Vec<u8>,
    #[prost(fixed64, tag = "11")]
    observed_time_unix_nano: u64,
    #[prost(string, tag = "12")]
    event_name: String,
}

#[derive(Clone, PartialEq, Message)]
struct KeyValue {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(message, optional, tag = "2")]
    value: Option<AnyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct AnyValue {
    #[prost(oneof = "Content", tags = "1, 2, 3, 4, 5, 6, 7")]
    content: Option<Content>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum Content {
    #[prost(string, tag = "1")]
    Text(String),
    #[prost(bool, tag = "2")]
    Bool(bool),
    #[prost(int64, tag = "3")]
    Int(i64),
    #[prost(double, tag = "4")]
    Double(f64),
    #[prost(message, tag = "5")]
    Array(ArrayValue),
    #[prost(message, tag = "6")]
    List(KeyValueList),
    #[prost(bytes = "vec", tag = "7")]
    Bytes(Vec<u8>),
}

#[derive(Clone, PartialEq, Message)]
struct ArrayValue {
    #[prost(message, repeated, tag = "1")]
    values: Vec<AnyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct KeyValueList {
    #[prost(message, repeated, tag = "1")]
    values: Vec<KeyValue>,
}

/// Reads a request in protobuf into its JSON form.
///
/// # Errors
/// It is not such a message.
pub(crate) fn as_json(body: &[u8]) -> Result<Value, prost::DecodeError> {
    let request = ExportRequest::decode(body)?;
    let logs: Vec<Value> = request.resource_logs.iter().map(resource_logs).collect();
    Ok(json!({ "resourceLogs": logs }))
}

fn resource_logs(logs: &ResourceLogs) -> Value {
    let mut members = Map::new();
    if let Some(resource) = &logs.resource {
        let mut inner = Map::new();
        attributes(
            &mut inner,
            &resource.attributes,
            resource.dropped_attributes_count,
        );
        members.insert("resource".to_owned(), inner.into());
    }
    let scopes: Vec<Value> = logs.scope_logs.iter().map(scope_logs).collect();
    members.insert("scopeLogs".to_owned(), scopes.into());
    text(&mut members, "schemaUrl", &logs.schema_url);
    members.into()
}

fn scope_logs(logs: &ScopeLogs) -> Value {
    let mut members = Map::new();
    if let Some(scope) = &logs.scope {
        let mut inner = Map::new();
        text(&mut inner, "name", &scope.name);
        text(&mut inner, "version", &scope.version);
        attributes(
            &mut inner,
            &scope.attributes,
            scope.dropped_attributes_count,
        );
        members.insert("scope".to_owned(), inner.into());
    }
    let records: Vec<Value> = logs.log_records.iter().map(log_record).collect();
    members.insert("logRecords".to_owned(), records.into());
    text(&mut members, "schemaUrl", &logs.schema_url);
    members.into()
}

fn log_record(record: &LogRecord) -> Value {
    let mut members = Map::new();
    for (name, time) in [
        ("timeUnixNano", record.time_unix_nano),
        ("observedTimeUnixNano", record.observed_time_unix_nano),
    ] {
        if time != 0 {
            members.insert(name.to_owned(), time.to_string().into());
        }
    }
    if record.severity_number != 0 {
        members.insert("severityNumber".to_owned(), record.severity_number.into());
    }
    text(&mut members, "severityText", &record.severity_text);
    text(&mut members, "eventName", &record.event_name);
    if let Some(body) = &record.body {
        members.insert("body".to_owned(), value(body, MAX_DEPTH));
    }
    attributes(
        &mut members,
        &record.attributes,
        record.dropped_attributes_count,
    );
    if record.flags != 0 {
        members.insert("flags".to_owned(), record.flags.into());
    }
    text(&mut members, "traceId", &hex::encode(&record.trace_id));
    text(&mut members, "spanId", &hex::encode(&record.span_id));
    members.into()
}

fn text(members: &mut Map<String, Value>, name: &str, text: &str) {
    if !text.is_empty() {
        members.insert(name.to_owned(), text.into());
    }
}

fn attributes(members: &mut Map<String, Value>, pairs: &[KeyValue], dropped: u32) {
    if !pairs.is_empty() {
        members.insert("attributes".to_owned(), pairs_of(pairs, MAX_DEPTH));
    }
    if dropped != 0 {
        members.insert("droppedAttributesCount".to_owned(), dropped.into());
    }
}

fn pairs_of(pairs: &[KeyValue], depth: usize) -> Value {
    let pairs = pairs.iter().map(|pair| {
        let inner = pair
            .value
            .as_ref()
            .map_or(Value::Null, |inner| value(inner, depth));
        json!({ "key": pair.key, "value": inner })
    });
    pairs.collect()
}

/// Values that are nested deeper than is read become `null`; prost itself refuses 100 levels.
fn value(value_of: &AnyValue, depth: usize) -> Value {
    let Some(content) = value_of.content.as_ref().filter(|_| depth > 0) else {
        return Value::Null;
    };
    match content {
        Content::Text(text) => json!({ "stringValue": text }),
        Content::Bool(value) => json!({ "boolValue": value }),
        Content::Int(number) => json!({ "intValue": number.to_string() }),
        Content::Double(number) => json!({ "doubleValue": number }),
        Content::Bytes(bytes) => json!({ "bytesValue": STANDARD.encode(bytes) }),
        Content::Array(list) => {
            let values: Vec<Value> = list
                .values
                .iter()
                .map(|one| value(one, depth - 1))
                .collect();
            json!({ "arrayValue": { "values": values } })
        }
        Content::List(list) => {
            json!({ "kvlistValue": { "values": pairs_of(&list.values, depth - 1) } })
        }
    }
}

#[cfg(test)]
pub(crate) fn sample() -> Vec<u8> {
    let attribute = |key: &str, content: Content| KeyValue {
        key: key.to_owned(),
        value: Some(AnyValue {
            content: Some(content),
        }),
    };
    let record = LogRecord {
        time_unix_nano: 1_795_860_000_123_456_789,
        severity_number: 17,
        attributes: vec![
            attribute("event.name", Content::Text("user.login".to_owned())),
            attribute("tries", Content::Int(3)),
        ],
        trace_id: vec![0x5b, 0x8e],
        ..LogRecord::default()
    };
    let logs = ResourceLogs {
        scope_logs: vec![ScopeLogs {
            log_records: vec![record],
            ..ScopeLogs::default()
        }],
        ..ResourceLogs::default()
    };
    ExportRequest {
        resource_logs: vec![logs],
    }
    .encode_to_vec()
}
