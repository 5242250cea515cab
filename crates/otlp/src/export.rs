//! Requests to export logs, put together from records that are written already, and the answers.

use prost::Message;
use serde::Deserialize;
use serde_json::Value;

use crate::json::{resource_members, scope_members};
use crate::message::{ErrorStatus, ExportAnswer, OtlpResource, OtlpScope, PartialSuccess};

/// `ResourceLogs` whose lists hold messages that are written already: a message inside another is
/// its bytes after their length.
#[derive(Clone, PartialEq, Message)]
struct WrittenResourceLogs {
    #[prost(message, optional, tag = "1")]
    resource: Option<OtlpResource>,
    #[prost(message, repeated, tag = "2")]
    scope_logs: Vec<WrittenScopeLogs>,
}

#[derive(Clone, PartialEq, Message)]
struct WrittenScopeLogs {
    #[prost(message, optional, tag = "1")]
    scope: Option<OtlpScope>,
    #[prost(bytes = "vec", repeated, tag = "2")]
    log_records: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
struct WrittenRequest {
    #[prost(message, repeated, tag = "1")]
    resource_logs: Vec<WrittenResourceLogs>,
}

/// Returns a request in protobuf. `records` are messages `LogRecord`.
#[must_use]
pub fn protobuf_request(
    resource: OtlpResource,
    scope: OtlpScope,
    records: Vec<Vec<u8>>,
) -> Vec<u8> {
    let logs = WrittenResourceLogs {
        resource: Some(resource),
        scope_logs: vec![WrittenScopeLogs {
            scope: Some(scope),
            log_records: records,
        }],
    };
    let request = WrittenRequest {
        resource_logs: vec![logs],
    };
    request.encode_to_vec()
}

/// Returns a request in JSON. `records` are log records in JSON.
#[must_use]
pub fn json_request(resource: &OtlpResource, scope: &OtlpScope, records: &[&[u8]]) -> Vec<u8> {
    let (resource, scope) = (resource_members(resource), scope_members(scope));
    let mut body = format!(
        "{{\"resourceLogs\":[{{\"resource\":{resource},\"scopeLogs\":[{{\"scope\":{scope},\"logRecords\":["
    )
    .into_bytes();
    body.extend_from_slice(&records.join(&b','));
    body.extend_from_slice(b"]}]}]}");
    body
}

/// Reads the answer to a request that was a success. An empty body is a full success.
///
/// # Errors
/// It is not such an answer.
pub fn partial_success(body: &[u8], is_json: bool) -> Result<PartialSuccess, AnswerError> {
    if body.is_empty() {
        return Ok(PartialSuccess::default());
    }
    let answer = if is_json {
        let answer: JsonAnswer = serde_json::from_slice(body).map_err(|_| AnswerError)?;
        let partial = answer.partial_success.unwrap_or_default();
        let rejected = match &partial.rejected_log_records {
            Value::Null => 0,
            Value::String(text) => text.parse().map_err(|_| AnswerError)?,
            number => number.as_i64().ok_or(AnswerError)?,
        };
        return Ok(PartialSuccess {
            rejected_log_records: rejected,
            error_message: partial.error_message,
        });
    } else {
        ExportAnswer::decode(body).map_err(|_| AnswerError)?
    };
    Ok(answer.partial_success.unwrap_or_default())
}

/// Returns the message of an answer that was no success, if it is one of the protocol.
#[must_use]
pub fn error_message(body: &[u8], is_json: bool) -> Option<String> {
    let message = if is_json {
        let status: Value = serde_json::from_slice(body).ok()?;
        status.get("message")?.as_str()?.to_owned()
    } else {
        ErrorStatus::decode(body).ok()?.message
    };
    (!message.is_empty()).then_some(message)
}

/// Answer that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the answer is not one of OTLP")]
pub struct AnswerError;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct JsonAnswer {
    partial_success: Option<JsonPartialSuccess>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct JsonPartialSuccess {
    /// A whole number of 64 bits is text in this form; some receivers write a number.
    rejected_log_records: Value,
    error_message: String,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;
    use crate::message::{KeyValue, LogRecord};
    use crate::{as_json, log_record};

    #[test]
    fn both_forms_of_a_request_say_the_same() {
        let record = LogRecord {
            time_unix_nano: 1_795_860_000_123_456_789,
            severity_number: 17,
            attributes: vec![KeyValue::text("a", "b"), KeyValue::int("n", 7)],
            ..LogRecord::default()
        };
        let resource = OtlpResource {
            attributes: vec![KeyValue::text("service.name", "reeve")],
            ..OtlpResource::default()
        };
        let scope = OtlpScope {
            name: "reeve.audit".to_owned(),
            ..OtlpScope::default()
        };
        let written = log_record(&record).to_string();
        let records = [written.as_bytes(), written.as_bytes()];
        let from_json: Value =
            serde_json::from_slice(&json_request(&resource, &scope, &records)).unwrap();
        let records = vec![record.encode_to_vec(); 2];
        let from_protobuf = as_json(&protobuf_request(resource, scope, records)).unwrap();
        assert_eq!(from_json, from_protobuf);
        assert_eq!(
            from_json["resourceLogs"][0]["scopeLogs"][0]["logRecords"][1],
            json!({
                "timeUnixNano": "1795860000123456789", "severityNumber": 17,
                "attributes": [{ "key": "a", "value": { "stringValue": "b" } },
                    { "key": "n", "value": { "intValue": "7" } }]
            })
        );
    }

    #[test]
    fn answers_are_read_in_both_forms() {
        let partial = PartialSuccess {
            rejected_log_records: 3,
            error_message: "too old".to_owned(),
        };
        let answer = ExportAnswer {
            partial_success: Some(partial.clone()),
        };
        assert_eq!(
            partial_success(&answer.encode_to_vec(), false).unwrap(),
            partial
        );
        for number in [json!("3"), json!(3)] {
            let body = json!({ "partialSuccess": { "rejectedLogRecords": number, "errorMessage": "too old" } });
            assert_eq!(
                partial_success(body.to_string().as_bytes(), true).unwrap(),
                partial
            );
        }
        for (body, is_json) in [(&b""[..], false), (b"", true), (b"{}", true)] {
            assert_eq!(
                partial_success(body, is_json).unwrap(),
                PartialSuccess::default()
            );
        }
        assert!(partial_success(b"ok", true).is_err() && partial_success(b"\xff", false).is_err());
        let refusal = ErrorStatus {
            code: 3,
            message: "no".to_owned(),
        };
        assert_eq!(
            error_message(&refusal.encode_to_vec(), false).as_deref(),
            Some("no")
        );
        assert_eq!(
            error_message(b"{\"message\":\"no\"}", true).as_deref(),
            Some("no")
        );
        assert_eq!(error_message(b"<html>", true), None);
    }
}
