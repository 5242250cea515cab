//! An entry in the form that a receiver takes.

use jiff::Timestamp;
use reeve_audit::format::{
    CefOptions, EntryView, Format, FormatError, Framing, Hostname, Limit, Oversize, SyslogOptions,
};

use crate::ocsf::ocsf_event;
use crate::otlp::otlp_record;
use crate::settings::{StreamFormat, StreamSettings};

/// An entry in the form that a receiver takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamRecord {
    /// Position in the log.
    pub sequence: u64,
    pub event_id: String,
    /// Resource that the entry is about.
    pub resource_id: Option<String>,
    /// Time at which the event happened.
    pub timestamp: Timestamp,
    /// Time at which Reeve received the entry.
    pub recorded_at: Timestamp,
    /// The record without a separator at its end.
    pub body: Vec<u8>,
}

impl StreamRecord {
    /// Writes an entry in a format.
    ///
    /// # Errors
    /// The entry cannot be written in the format.
    pub fn write(
        settings: &StreamSettings,
        format: StreamFormat,
        view: &EntryView<'_>,
    ) -> Result<StreamRecord, FormatError> {
        let mut body = Vec::with_capacity(1536);
        match (text_format(settings, format), settings) {
            (Some(format), _) => drop(format.write_entry(&mut body, view)?),
            (None, StreamSettings::Otlp { encoding, .. }) => body = otlp_record(*encoding, view)?,
            (None, _) => body.extend_from_slice(ocsf_event(view).to_string().as_bytes()),
        }
        // A message of protobuf may end with any byte.
        if body.last() == Some(&b'\n') && format != StreamFormat::Otlp {
            body.pop();
        }

        Ok(StreamRecord {
            sequence: view.integrity.sequence,
            event_id: view.entry.event_id.as_str().to_owned(),
            resource_id: view.entry.resource.id.clone(),
            timestamp: view.entry.timestamp,
            recorded_at: view.recorded_at,
            body,
        })
    }
}

/// Returns the writer of a format; `None` for OCSF and log records. A syslog record has no frame: the connection adds
/// it.
fn text_format(settings: &StreamSettings, format: StreamFormat) -> Option<Format> {
    let limit = Limit {
        bytes: Some(Limit::USUAL_BYTES),
        oversize: Oversize::Reduce,
    };
    Some(match format {
        StreamFormat::Ocsf | StreamFormat::Otlp => return None,
        StreamFormat::Json => Format::Json,
        StreamFormat::Cef => Format::Cef(CefOptions { limit }),
        StreamFormat::Syslog => Format::Syslog(SyslogOptions {
            hostname: hostname(settings),
            framing: Framing::Newline,
            limit,
            ..SyslogOptions::default()
        }),
    })
}

fn hostname(settings: &StreamSettings) -> Hostname {
    match settings {
        StreamSettings::Syslog {
            hostname: Some(hostname),
            ..
        } => hostname.parse().unwrap_or_default(),
        _ => Hostname::default(),
    }
}
