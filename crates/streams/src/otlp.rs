//! An entry as a log record of OpenTelemetry. The body is the whole entry as JSON; attributes repeat
//! what receivers select by, under the names of the semantic conventions.

use jiff::Timestamp;
use reeve_audit::format::{EntryView, Format, FormatError};
use reeve_audit::{ActionStatus, Severity};
use reeve_estate::named;
use reeve_otlp::{
    AnyValue, KeyValue, LogRecord, Message as _, OtlpResource, OtlpScope, log_record,
};

named!(
    /// Encoding of log records.
    OtlpEncoding {
        Protobuf => "protobuf",
        Json => "json",
    }
);

/// Writes an entry in an encoding.
///
/// # Errors
/// The entry cannot be written as JSON.
pub(crate) fn otlp_record(
    encoding: OtlpEncoding,
    view: &EntryView<'_>,
) -> Result<Vec<u8>, FormatError> {
    let record = record(view)?;
    Ok(match encoding {
        OtlpEncoding::Protobuf => record.encode_to_vec(),
        OtlpEncoding::Json => log_record(&record).to_string().into_bytes(),
    })
}

/// Returns the program and the part of it that the log records come from.
#[must_use]
pub fn otlp_origin() -> (OtlpResource, OtlpScope) {
    let resource = OtlpResource {
        attributes: vec![
            KeyValue::text("service.name", "reeve"),
            KeyValue::text("service.version", env!("CARGO_PKG_VERSION")),
        ],
        ..OtlpResource::default()
    };
    let scope = OtlpScope {
        name: "reeve.audit".to_owned(),
        ..OtlpScope::default()
    };
    (resource, scope)
}

fn record(view: &EntryView<'_>) -> Result<LogRecord, FormatError> {
    let mut body = Vec::with_capacity(1536);
    Format::Json.write_entry(&mut body, view)?;
    if body.last() == Some(&b'\n') {
        body.pop();
    }

    let entry = view.entry;
    Ok(LogRecord {
        time_unix_nano: nanoseconds(entry.timestamp),
        observed_time_unix_nano: nanoseconds(view.recorded_at),
        severity_number: severity_number(entry.severity),
        severity_text: entry.severity.as_str().to_owned(),
        event_name: entry.event_type.as_str().to_owned(),
        body: Some(AnyValue::text(String::from_utf8_lossy(&body))),
        attributes: attributes(view),
        ..LogRecord::default()
    })
}

fn attributes(view: &EntryView<'_>) -> Vec<KeyValue> {
    let entry = view.entry;
    let (actor, resource, action) = (&entry.actor, &entry.resource, &entry.action);
    let address = actor.ip_address.map(|address| address.to_string());
    let outcome = action.status.map(|status| match status {
        ActionStatus::Success => "success",
        ActionStatus::Failed | ActionStatus::Denied => "failure",
        ActionStatus::Pending => "unknown",
    });
    let texts = [
        ("log.record.uid", Some(entry.event_id.as_str())),
        // Receivers that do not know the field of the name yet.
        ("event.name", Some(entry.event_type.as_str())),
        ("event.outcome", outcome),
        ("user.id", actor.id.as_deref()),
        ("user.email", actor.email.as_deref()),
        ("client.address", address.as_deref()),
        ("user_agent.original", actor.user_agent.as_deref()),
        ("session.id", actor.session_id.as_deref()),
        ("cloud.provider", resource.cloud_provider.as_deref()),
        ("cloud.account.id", resource.account_id.as_deref()),
        ("cloud.region", resource.region.as_deref()),
        ("reeve.resource.type", resource.kind.as_deref()),
        ("reeve.resource.id", resource.id.as_deref()),
        ("reeve.operation", action.operation.as_deref()),
    ];
    let texts = texts
        .into_iter()
        .filter_map(|(key, text)| Some(KeyValue::text(key, text?)));
    let sequence = i64::try_from(view.integrity.sequence).unwrap_or(i64::MAX);
    texts
        .chain([KeyValue::int("reeve.sequence", sequence)])
        .collect()
}

/// Times before 1970 have no number in OTLP.
fn nanoseconds(at: Timestamp) -> u64 {
    u64::try_from(at.as_nanosecond()).unwrap_or(0)
}

/// Numbers of OpenTelemetry's data model: info, warn, error and fatal.
const fn severity_number(severity: Severity) -> i32 {
    match severity {
        Severity::Info => 9,
        Severity::Low => 10,
        Severity::Medium => 13,
        Severity::High => 17,
        Severity::Critical => 21,
    }
}
