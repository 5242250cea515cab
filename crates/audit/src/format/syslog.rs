//! Syslog as RFC 5424 defines it, with structured data.
//!
//! The structured data holds the entry's plain fields, for routing and indexing; the message is the
//! whole entry as JSON in ASCII, so it needs no byte order mark. No record holds a control
//! character: a line is a message, whatever the log was told. Between records stands a newline (RFC
//! 6587, non-transparent framing) or, on request, each record's length before it (octet counting,
//! as RFC 5425 and RFC 6587 have it).

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write;
use std::str::FromStr;

use super::json;
use super::reduce::{FormatDetail, Limit, write_fitting};
use super::text::{cut, hex, push_escaped};
use super::{EntryView, FormatError, Written};
use crate::entry::{Severity, SubmitterField};
use crate::instant::format_instant;

/// Options of the syslog format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyslogOptions {
    /// HOSTNAME of the header.
    pub hostname: Hostname,
    /// Facility, 0 to 23; default 13, `log audit`. A larger one counts as 23.
    pub facility: u8,
    /// Enterprise number after the `@` in the names of structured data; default 32473, which RFC
    /// 5612 reserves for examples.
    pub enterprise: u32,
    pub framing: Framing,
    /// Largest size of a message, and the treatment of longer ones.
    pub limit: Limit,
}

/// Separation of records in a stream (RFC 6587).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Framing {
    /// A newline after each: for files and for `imfile`.
    #[default]
    Newline,
    /// The length and a space before each: for streams over TCP and TLS.
    OctetCounting,
}

/// Host name of a syslog header; default `-`, for none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hostname(String);

/// A host name that does not fit into a syslog header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a syslog host name has 1 to 255 printable ASCII characters and no space")]
pub struct HostnameError;

impl Default for SyslogOptions {
    fn default() -> Self {
        let (framing, limit) = (Framing::default(), Limit::default());
        Self {
            hostname: Hostname::default(),
            facility: 13,
            enterprise: 32_473,
            framing,
            limit,
        }
    }
}

impl Default for Hostname {
    fn default() -> Self {
        Self("-".to_owned())
    }
}

impl FromStr for Hostname {
    type Err = HostnameError;

    fn from_str(text: &str) -> Result<Self, HostnameError> {
        let sound =
            (1..=255).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        if sound {
            Ok(Self(text.to_owned()))
        } else {
            Err(HostnameError)
        }
    }
}

/// Writes one message in the framing of the options.
pub(super) fn write_entry(
    out: &mut impl Write,
    view: &EntryView<'_>,
    options: &SyslogOptions,
) -> Result<Written, FormatError> {
    let frame = |message: &str| match options.framing {
        Framing::Newline => format!("{message}\n").into_bytes(),
        Framing::OctetCounting => format!("{} {message}", message.len()).into_bytes(),
    };
    let spell = |detail| spell(view, options, detail);
    write_fitting(out, view.integrity.sequence, options.limit, spell, frame)
}

fn spell(view: &EntryView<'_>, options: &SyslogOptions, detail: FormatDetail) -> String {
    let entry = view.entry;
    let mut out = String::with_capacity(2048);
    let priority = u32::from(options.facility.min(23)) * 8 + severity(entry.severity);
    let event_type = entry.event_type.as_str();

    // Names of events are ASCII.
    let msgid = event_type.get(..32).unwrap_or(event_type);
    let at = format_instant(entry.timestamp);

    // Writing to a string does not fail.
    let _ = write!(
        out,
        "<{priority}>1 {at} {} reeve - {msgid} ",
        options.hostname.0
    );
    push_data(view, options.enterprise, detail, &mut out);
    if detail != FormatDetail::Cut {
        out.push(' ');
        out.push_str(&json::ascii(view, detail));
    }

    out
}

/// RFC 5424, 6.2.1: 2 critical, 3 error, 4 warning, 5 notice, 6 informational.
const fn severity(severity: Severity) -> u32 {
    match severity {
        Severity::Info => 6,
        Severity::Low => 5,
        Severity::Medium => 4,
        Severity::High => 3,
        Severity::Critical => 2,
    }
}

fn push_data(view: &EntryView<'_>, enterprise: u32, detail: FormatDetail, out: &mut String) {
    let (entry, proof) = (view.entry, view.integrity);
    let (actor, on, action) = (&entry.actor, &entry.resource, &entry.action);
    let mut element = |name: &str, values: &[(&str, Option<Cow<'_, str>>)]| {
        push_element(name, enterprise, values, detail, out);
    };

    element(
        "entry",
        &[
            ("event_id", Some(entry.event_id.as_str().into())),
            ("event_type", Some(entry.event_type.as_str().into())),
            ("category", Some(entry.category().into())),
            ("severity", Some(entry.severity.as_str().into())),
            ("recorded_at", Some(format_instant(view.recorded_at).into())),
            (
                "request_id",
                entry.metadata.request_id.as_deref().map(Cow::from),
            ),
            ("reduced", detail.left_out().map(Cow::from)),
        ],
    );

    element(
        "actor",
        &[
            ("type", actor.kind.map(|kind| kind.as_str().into())),
            ("id", actor.id.as_deref().map(Cow::from)),
            ("email", actor.email.as_deref().map(Cow::from)),
            (
                "ip_address",
                actor.ip_address.map(|ip| ip.to_string().into()),
            ),
            ("user_agent", actor.user_agent.as_deref().map(Cow::from)),
            ("session_id", actor.session_id.as_deref().map(Cow::from)),
        ],
    );

    element(
        "resource",
        &[
            ("type", on.kind.as_deref().map(Cow::from)),
            ("id", on.id.as_deref().map(Cow::from)),
            (
                "cloud_provider",
                on.cloud_provider.as_deref().map(Cow::from),
            ),
            ("account_id", on.account_id.as_deref().map(Cow::from)),
            ("region", on.region.as_deref().map(Cow::from)),
        ],
    );

    element(
        "action",
        &[
            ("operation", action.operation.as_deref().map(Cow::from)),
            ("status", action.status.map(|status| status.as_str().into())),
            ("method", action.method.map(|method| method.as_str().into())),
        ],
    );

    let by = |field| {
        entry
            .submitted_by
            .as_deref()
            .and_then(|submitter| submitter.text(field))
    };

    element(
        "submitter",
        &SubmitterField::ALL.map(|field| (field.member(), by(field))),
    );
    element(
        "integrity",
        &[
            ("sequence", Some(proof.sequence.to_string().into())),
            ("commitment", Some(hex(&proof.commitment).into())),
            ("leaf_hash", Some(hex(&proof.leaf_hash).into())),
            ("previous_hash", Some(hex(&proof.previous_hash).into())),
            ("hash", Some(hex(&proof.hash).into())),
        ],
    );
}

/// `[name@number field="value" ...]`, or nothing when no field has a value. Hashes and ids are
/// never cut: only texts are long enough for it, and an `event_id` keeps its length because it
/// names the entry.
fn push_element(
    name: &str,
    enterprise: u32,
    values: &[(&str, Option<Cow<'_, str>>)],
    detail: FormatDetail,
    out: &mut String,
) {
    if values.iter().all(|(_, value)| value.is_none()) {
        return;
    }

    let _ = write!(out, "[{name}@{enterprise}");
    for (field, value) in values {
        let Some(value) = value else { continue };
        let keeps = detail != FormatDetail::Cut || *field == "event_id" || name == "integrity";
        let value = if keeps {
            value.as_ref().into()
        } else {
            cut(value, FormatDetail::KEPT)
        };
        let _ = write!(out, " {field}=\"");
        push_value(&value, out);
        out.push('"');
    }

    out.push(']');
}

/// Escapes `"`, `\` and `]` (RFC 5424, 6.3.3), and control characters as JSON escapes.
fn push_value(value: &str, out: &mut String) {
    value
        .chars()
        .for_each(|c| push_escaped(c, &['"', '\\', ']'], out));
}
