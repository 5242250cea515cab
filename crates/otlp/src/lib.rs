//! Log records of OpenTelemetry as OTLP carries them over HTTP, in protobuf and JSON
//! (<https://opentelemetry.io/docs/specs/otlp/>): sources of entries read them, streams write them.
//!
//! Protobuf is read without code of other crates than `prost`; gRPC is not spoken.

mod export;
mod json;
mod message;

pub use export::{AnswerError, error_message, json_request, partial_success, protobuf_request};
pub use json::{as_json, log_record};
pub use message::{
    AnyValue, ArrayValue, ErrorStatus, ExportAnswer, ExportRequest, KeyValue, KeyValueList,
    LogRecord, OtlpContent, OtlpResource, OtlpScope, PartialSuccess, ResourceLogs, ScopeLogs,
};
/// Encoding and decoding of the messages.
pub use prost::{DecodeError, Message};
