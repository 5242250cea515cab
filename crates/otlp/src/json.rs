//! The JSON form of OTLP's messages: names in camel case, whole numbers of 64 bits as text,
//! identifiers as hexadecimal digits.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prost::Message as _;
use serde_json::{Map, Value, json};

use crate::message::{
    AnyValue, ExportRequest, KeyValue, LogRecord, OtlpContent, OtlpResource, OtlpScope,
    ResourceLogs, ScopeLogs,
};

/// Depth of values inside values that is read.
const MAX_DEPTH: usize = 32;

/// Reads a request in protobuf into its JSON form.
///
/// # Errors
/// It is not such a message.
pub fn as_json(body: &[u8]) -> Result<Value, prost::DecodeError> {
    let request = ExportRequest::decode(body)?;
    let logs: Vec<Value> = request.resource_logs.iter().map(resource_logs).collect();
    Ok(json!({ "resourceLogs": logs }))
}

fn resource_logs(logs: &ResourceLogs) -> Value {
    let mut members = Map::new();
    if let Some(resource) = &logs.resource {
        members.insert("resource".to_owned(), resource_members(resource));
    }
    let scopes: Vec<Value> = logs.scope_logs.iter().map(scope_logs).collect();
    members.insert("scopeLogs".to_owned(), scopes.into());
    text(&mut members, "schemaUrl", &logs.schema_url);
    members.into()
}

fn scope_logs(logs: &ScopeLogs) -> Value {
    let mut members = Map::new();
    if let Some(scope) = &logs.scope {
        members.insert("scope".to_owned(), scope_members(scope));
    }
    let records: Vec<Value> = logs.log_records.iter().map(log_record).collect();
    members.insert("logRecords".to_owned(), records.into());
    text(&mut members, "schemaUrl", &logs.schema_url);
    members.into()
}

pub(crate) fn resource_members(resource: &OtlpResource) -> Value {
    let mut members = Map::new();
    let dropped = resource.dropped_attributes_count;
    attributes(&mut members, &resource.attributes, dropped);
    members.into()
}

pub(crate) fn scope_members(scope: &OtlpScope) -> Value {
    let mut members = Map::new();
    text(&mut members, "name", &scope.name);
    text(&mut members, "version", &scope.version);
    let dropped = scope.dropped_attributes_count;
    attributes(&mut members, &scope.attributes, dropped);
    members.into()
}

/// Returns the JSON form of a log record.
#[must_use]
pub fn log_record(record: &LogRecord) -> Value {
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
        OtlpContent::Text(text) => json!({ "stringValue": text }),
        OtlpContent::Bool(value) => json!({ "boolValue": value }),
        OtlpContent::Int(number) => json!({ "intValue": number.to_string() }),
        OtlpContent::Double(number) => json!({ "doubleValue": number }),
        OtlpContent::Bytes(bytes) => json!({ "bytesValue": STANDARD.encode(bytes) }),
        OtlpContent::Array(list) => {
            let values: Vec<Value> = list
                .values
                .iter()
                .map(|one| value(one, depth - 1))
                .collect();
            json!({ "arrayValue": { "values": values } })
        }
        OtlpContent::List(list) => {
            json!({ "kvlistValue": { "values": pairs_of(&list.values, depth - 1) } })
        }
    }
}
