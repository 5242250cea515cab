//! Formats of events, and their reading: bytes to drafts of entries or to reasons against them.
//!
//! A body is cut into events first, so that one that cannot be read does not keep the others from
//! being taken. `docs/formats/sources.md` has the table of every format.

mod azure;
mod github;
mod google;
mod kubernetes;
mod ocsf;
mod okta;
mod otlp;
mod syslog;

use std::collections::HashMap;

use jiff::Timestamp;
use reeve_audit::entry::SOURCE_ID_PREFIX;
use reeve_audit::json::{self, Numbers, ParseOptions};
use reeve_audit::{Draft, EventId, Json};
use reeve_connect_cloudtrail as cloudtrail;
use reeve_estate::named;
use sha2::{Digest as _, Sha256};

use crate::item::{Item, ItemClaim};
use crate::mapping::Mapping;
use crate::rejection::Rejection;

/// Events of one body at most.
pub const MAX_EVENTS: usize = 10_000;
/// Longest line of syslog, bytes.
pub(crate) const MAX_LINE_BYTES: usize = 64 << 10;

named!(
    /// Kind of a source: the format of its events.
    SourceKind {
        /// JSON of any form, with a mapping.
        Json => "json",
        /// Records of AWS CloudTrail.
        Cloudtrail => "cloudtrail",
        /// Audit events of Kubernetes, `audit.k8s.io/v1`.
        Kubernetes => "kubernetes",
        /// Messages of RFC 5424 or RFC 3164, one a line.
        Syslog => "syslog",
        /// Log records of OpenTelemetry, in JSON or protobuf.
        Otlp => "otlp",
        /// Events of the Open Cybersecurity Schema Framework.
        Ocsf => "ocsf",
        /// The System Log of Okta.
        Okta => "okta",
        /// The audit log of GitHub.
        Github => "github",
        /// The Activity Log of Azure.
        AzureActivity => "azure_activity",
        /// The audit logs of Google Cloud.
        GoogleAudit => "google_audit",
    }
);

/// Encoding of a body of OpenTelemetry; the other formats have one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    #[default]
    Text,
    Protobuf,
}

/// An event of a body: its bytes, and the draft that it is or the reason against it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadEvent {
    /// The event as it came.
    pub raw: Vec<u8>,
    pub draft: Result<Draft, Rejection>,
    /// Identifier that the entry gets when another one has its own: from the bytes of the event.
    pub digest_id: EventId,
    /// Members that no rule of the mapping reads, for a mapping that is tested.
    pub left_over: Vec<String>,
}

impl ReadEvent {
    /// Returns the event under an identifier of its own: what arrives without being sent again, as
    /// lines of syslog do, happened as often as it arrives.
    #[must_use]
    pub fn received_once(self, name: &str) -> ReadEvent {
        let fresh = id(name, EventId::fresh().as_str());
        let draft = self.draft.and_then(|draft| {
            let mut entry = draft.entry;
            entry.event_id = fresh.clone();
            Draft::from_entry(entry, draft.recorded_at).map_err(|errors| Rejection::of(&errors))
        });
        ReadEvent {
            draft,
            digest_id: fresh,
            ..self
        }
    }
}

/// Bytes of an event, and its claim.
type Read = (Vec<u8>, Result<Mapped, Rejection>);

enum Mapped {
    Claim(ItemClaim, Vec<String>),
    Entry(Box<reeve_audit::Entry>),
}

/// Reads the events of a body. `name` is the source's, in whose space the identifiers are.
///
/// # Errors
/// No event can be told in the body, or it has too many.
pub fn read(
    name: &str,
    (kind, mapping): (SourceKind, Option<&Mapping>),
    (body, encoding): (&[u8], Encoding),
    now: Timestamp,
) -> Result<Vec<ReadEvent>, Rejection> {
    let events = match kind {
        SourceKind::Syslog => lines(body, now),
        SourceKind::Otlp => of_otlp(body, encoding)?,
        SourceKind::Cloudtrail => pieces(body, &["Records", "Events"], &of_cloudtrail),
        SourceKind::Json => {
            let empty = Mapping::default();
            let mapping = mapping.unwrap_or(&empty);
            let items: Vec<&str> = mapping.items.as_deref().into_iter().collect();
            pieces(body, &items, &|text| {
                let claim = mapping.map(Item::read(text)?)?;
                let left_over = mapping.left_over(&claim);
                Ok(Mapped::Claim(claim, left_over))
            })
        }
        SourceKind::Kubernetes => pieces(body, &["items"], &mapper(kubernetes::map)),
        SourceKind::Ocsf => pieces(body, &["events", "findings"], &mapper(ocsf::map)),
        SourceKind::Okta => pieces(unwrapped(body, "data"), &["events"], &mapper(okta::map)),
        SourceKind::Github => pieces(body, &[], &mapper(github::map)),
        SourceKind::AzureActivity => pieces(body, &["records", "value"], &mapper(azure::map)),
        SourceKind::GoogleAudit => pieces(body, &["entries"], &mapper(google::map)),
    };
    if events.is_empty() {
        return Err(Rejection::new("", "the body has no event"));
    }
    if events.len() > MAX_EVENTS {
        let message = format!("the body has more than {MAX_EVENTS} events; send it in parts");
        return Err(Rejection::new("", message));
    }

    let mut seen = HashMap::new();
    Ok(events
        .into_iter()
        .map(|(raw, mapped)| event(name, raw, mapped, &mut seen, now))
        .collect())
}

/// Reads a sample, as a source with this mapping would.
///
/// # Errors
/// As [`read`].
pub fn preview(
    kind: SourceKind,
    mapping: Option<&Mapping>,
    sample: &[u8],
    now: Timestamp,
) -> Result<Vec<ReadEvent>, Rejection> {
    read("preview", (kind, mapping), (sample, Encoding::Text), now)
}

fn mapper(
    map: fn(Item) -> Result<ItemClaim, Rejection>,
) -> impl Fn(&[u8]) -> Result<Mapped, Rejection> {
    move |text| Ok(Mapped::Claim(map(Item::read(text)?)?, Vec::new()))
}

/// Cuts a JSON body into events and maps each.
fn pieces(
    body: &[u8],
    members: &[&str],
    map: &dyn Fn(&[u8]) -> Result<Mapped, Rejection>,
) -> Vec<Read> {
    let mut read = Vec::new();
    for piece in cloudtrail::Splitter::new(body, members) {
        match piece {
            Ok(piece) => {
                let mapped = map(&piece.text);
                read.push((piece.text, mapped));
            }
            Err(error) => {
                let from = match &error {
                    cloudtrail::SplitError::Syntax { offset, .. }
                    | cloudtrail::SplitError::Truncated { offset }
                    | cloudtrail::SplitError::TooLarge { offset } => *offset,
                    cloudtrail::SplitError::Io(_) => 0,
                };
                let from = usize::try_from(from).unwrap_or_default().min(body.len());
                let message = format!("not JSON from here on: {error}");
                read.push((body[from..].to_vec(), Err(Rejection::new("", message))));
            }
        }
        if read.len() > MAX_EVENTS {
            break;
        }
    }
    read
}

/// Returns the text of a member of a body that is an object with it, as event hooks of Okta wrap
/// their events; else the body.
fn unwrapped<'b>(body: &'b [u8], member: &str) -> &'b [u8] {
    let whole: Result<HashMap<String, &serde_json::value::RawValue>, _> =
        serde_json::from_slice(body);
    match whole.ok().and_then(|members| members.get(member).copied()) {
        Some(inner) if inner.get().starts_with('{') => inner.get().as_bytes(),
        _ => body,
    }
}

fn of_cloudtrail(text: &[u8]) -> Result<Mapped, Rejection> {
    let record = cloudtrail::CloudtrailRecord::parse(text)
        .map_err(|error| Rejection::new("", error.to_string()))?;
    Ok(Mapped::Entry(Box::new(cloudtrail::map_record(record))))
}

fn lines(body: &[u8], now: Timestamp) -> Vec<Read> {
    let lines = body.split(|byte| *byte == b'\n' || *byte == 0);
    lines
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .filter(|line| !line.iter().all(u8::is_ascii_whitespace))
        .take(MAX_EVENTS + 1)
        .map(|line| {
            if line.len() > MAX_LINE_BYTES {
                let message = format!("a line may have {MAX_LINE_BYTES} bytes");
                return (line.to_vec(), Err(Rejection::new("", message)));
            }
            let claim = syslog::map(line, now);
            (
                line.to_vec(),
                claim.map(|claim| Mapped::Claim(claim, Vec::new())),
            )
        })
        .collect()
}

fn of_otlp(body: &[u8], encoding: Encoding) -> Result<Vec<Read>, Rejection> {
    let request = match encoding {
        Encoding::Protobuf => {
            let read = reeve_otlp::as_json(body);
            let wrong = |error: reeve_otlp::DecodeError| Rejection::new("", error.to_string());
            Json::from(read.map_err(wrong)?)
        }
        Encoding::Text => {
            let options = ParseOptions {
                numbers: Numbers::KeepAsText,
                ..ParseOptions::default()
            };
            let parsed = json::parse_with(body, &options);
            parsed
                .map_err(|error| Rejection::new("", error.to_string()))?
                .value
        }
    };
    let records = otlp::records(&request)?;
    Ok(records
        .into_iter()
        .map(|members| {
            let raw = Json::Object(members.clone()).to_canonical();
            let claim = otlp::map(Item::of(members));
            (raw, claim.map(|claim| Mapped::Claim(claim, Vec::new())))
        })
        .collect())
}

fn event(
    name: &str,
    raw: Vec<u8>,
    mapped: Result<Mapped, Rejection>,
    seen: &mut HashMap<[u8; 32], u32>,
    now: Timestamp,
) -> ReadEvent {
    // The same line twice in a body happened twice; the same body again did not.
    let plain: [u8; 32] = Sha256::digest(&raw).into();
    let times = seen.entry(plain).or_default();
    *times += 1;
    let digest = if *times == 1 {
        hex::encode(plain)
    } else {
        hex::encode(
            Sha256::new()
                .chain_update(plain)
                .chain_update(times.to_be_bytes())
                .finalize(),
        )
    };
    let digest_id = id(name, &digest);

    let mut left_over = Vec::new();
    let draft = mapped.and_then(|mapped| match mapped {
        Mapped::Claim(claim, left) => {
            left_over = left;
            let id = claim.native_id.as_deref().map(|native| id(name, native));
            let id = id.unwrap_or_else(|| digest_id.clone());
            let mut members = claim.members;
            members.insert("event_id", id.as_str());
            Draft::from_json(Json::Object(members), now).map_err(|errors| Rejection::of(&errors))
        }
        Mapped::Entry(entry) => of_entry(name, *entry, now),
    });
    ReadEvent {
        raw,
        draft,
        digest_id,
        left_over,
    }
}

/// Puts an entry of CloudTrail into the space of its source. The record's own identifier stays with
/// the rest of the record.
fn of_entry(name: &str, entry: reeve_audit::Entry, now: Timestamp) -> Result<Draft, Rejection> {
    let own = id(name, entry.event_id.as_str());
    let is_derived = entry.event_id.as_str().starts_with("cloudtrail-");
    let mut entry = if is_derived {
        entry
    } else {
        cloudtrail::with_distinct_id(entry)
    };
    entry.event_id = own;
    Draft::from_entry(entry, now).map_err(|errors| Rejection::of(&errors))
}

/// Returns the identifier of an entry: the source's own of the event where it can be one, else its
/// digest.
fn id(name: &str, native: &str) -> EventId {
    EventId::new(format!("{SOURCE_ID_PREFIX}{name}/{native}")).unwrap_or_else(|_| {
        let digest = hex::encode(Sha256::digest(native));
        EventId::new(format!("{SOURCE_ID_PREFIX}{name}/{digest}"))
            .unwrap_or_else(|_| EventId::fresh())
    })
}

#[cfg(test)]
mod tests;
