//! Sources of entries on the wire.

use std::collections::BTreeMap;

use reeve_intake::{
    EventOutcome, FieldRule, LogSource, Mapping, QuarantinedEvent, QueueSettings, ReadEvent,
    Received, SourceKind, SourceProgress,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::time;
use crate::wire::form::enumeration::{IntegrationDirection, LogSourceHealth, LogSourceKind};

/// Path that a source pushes to, without its name.
const PUSH_PATH: &str = "/api/v1/audit-logs/incoming/";
/// Bytes of an event in quarantine that a list shows.
const SHOWN_BYTES: usize = 4_096;

/// A source of entries, without its token.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct LogSourceBody {
    pub id: String,
    pub name: String,
    /// `in`: entries come from it.
    pub direction: IntegrationDirection,
    pub kind: LogSourceKind,
    pub enabled: bool,
    pub health: LogSourceHealth,
    /// Path that it pushes to.
    pub push_path: String,
    /// Rules, for kind `json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mapping: Option<MappingBody>,
    /// Event types that it may write; none for all that sources may write.
    pub event_types: Vec<String>,
    /// Queue that names its files, for kind `cloudtrail`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<SourceQueueBody>,
    /// Silence after which it is reported, seconds; without it the rhythm is learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_silence_s: Option<u32>,
    /// Entries that it added.
    pub accepted: u64,
    /// Events whose entries were in the log.
    pub duplicates: u64,
    /// Events that could not become entries.
    pub rejected: u64,
    /// Events in quarantine.
    pub quarantined: u64,
    /// Time of the newest event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_event_at: Option<String>,
    /// Arrival of the last body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_received_at: Option<String>,
    /// Delay of the newest event of the last body between its time and its arrival.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lag_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error_at: Option<String>,
    /// Start of the silence, while it is silent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silent_since: Option<String>,
    /// Time from which silence would be reported, once its rhythm is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silent_after: Option<String>,
    /// Time of the newest valid digest, for a trail with digests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_digest_at: Option<String>,
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
    /// Grows by one with every change.
    pub version: u64,
}

/// A source with its token, which is shown this once.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct LogSourceTokenBody {
    #[serde(flatten)]
    pub source: LogSourceBody,
    /// Token (`rvl_...`) that it sends as `Authorization: Bearer`.
    pub token: String,
}

/// A source to add.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LogSourceCreate {
    /// 1 to 40 of the characters `a-z`, `0-9` and `-`. It never changes: it is part of the
    /// identifiers of the entries.
    pub name: String,
    pub kind: LogSourceKind,
    /// Rules, for kind `json`, which needs them.
    pub mapping: Option<MappingBody>,
    /// Event types that it may write, such as `authentication.*`.
    #[serde(default)]
    pub event_types: Vec<String>,
    /// Queue that names its files, for kind `cloudtrail`.
    pub queue: Option<SourceQueueBody>,
    /// Silence after which it is reported, 5 to 2592000 seconds; without it the rhythm is learned.
    pub max_silence_s: Option<u32>,
    /// On unless said otherwise.
    pub enabled: Option<bool>,
}

/// A change of a source; what is left out stays.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LogSourcePatch {
    pub mapping: Option<MappingBody>,
    pub event_types: Option<Vec<String>>,
    pub queue: Option<SourceQueueBody>,
    /// Silence after which it is reported, 5 to 2592000 seconds.
    pub max_silence_s: Option<u32>,
    pub enabled: Option<bool>,
    /// The version that was read; another is a conflict.
    pub version: Option<u64>,
}

/// Queue of SQS with notices about files in S3.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceQueueBody {
    /// Identifier of the connection with whose credentials the queue and the files are read.
    pub connection: String,
    /// Address of the queue.
    pub url: String,
    /// `true` if the trail writes digests: they are verified, and a missing one is noticed.
    #[serde(default)]
    pub digests: bool,
}

/// Mapping of JSON events.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MappingBody {
    /// Member of the body that holds the list of events; without it the body is the event, a list, or
    /// one event a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<String>,
    /// Rules by member of the entry, such as `actor.id`.
    pub fields: BTreeMap<String, FieldRuleBody>,
}

/// Rule for one member of the entry: the first that gives a value among paths, template and value.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FieldRuleBody {
    /// Dotted paths of members of the event; the first that has a value is read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Text with paths in braces, as `{category}.{action}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// Constant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Values by the text that was read; a text that is not in the table stays.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub table: BTreeMap<String, String>,
}

/// A sample to read as a source would.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SourcePreviewInput {
    pub kind: LogSourceKind,
    /// Rules, for kind `json`.
    pub mapping: Option<MappingBody>,
    /// A body, as the source sends it.
    pub sample: String,
}

/// A sample for a source that exists.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceTestInput {
    /// A body, as the source sends it.
    pub sample: String,
}

/// Reading of a sample. Nothing is written.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SourcePreviewBody {
    /// The first events of the sample.
    pub items: Vec<PreviewedEventBody>,
    /// Events of the sample in all.
    pub total: u64,
}

/// An event of a sample: the entry that it would be, or the reason against it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PreviewedEventBody {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejection: Option<RejectionBody>,
    /// Members of the event that no rule reads. They are kept under `metadata.item`.
    pub left_over: Vec<String>,
}

/// Reason why an event is not an entry.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RejectionBody {
    /// Field of the entry or member of the event; empty for the event as a whole.
    pub field: String,
    pub message: String,
}

/// An event that could not become an entry.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct QuarantinedEventBody {
    pub id: String,
    pub received_at: String,
    pub rejection: RejectionBody,
    /// The event as it came: its first 4,096 bytes, what is not UTF-8 replaced.
    pub sample: String,
    pub bytes: u64,
    /// `false` if it was too long to be kept as a whole; such a one cannot be retried.
    pub is_whole: bool,
    /// Times that it was retried.
    pub attempts: u32,
}

/// Answer to a push.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IncomingBody {
    pub accepted: u64,
    pub duplicates: u64,
    pub rejected: u64,
    /// Rejected events that were kept in quarantine; fewer than were rejected if it is full.
    pub quarantined: u64,
    /// Outcome of each event, in their order.
    pub items: Vec<EventOutcomeBody>,
    /// The same for exporters of OpenTelemetry.
    #[serde(rename = "partialSuccess", skip_serializing_if = "Option::is_none")]
    pub partial_success: Option<PartialSuccessBody>,
}

/// Answer of OTLP about records that were not taken.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PartialSuccessBody {
    pub rejected_log_records: u64,
    pub error_message: String,
}

/// Outcome of one event.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EventOutcomeBody {
    /// `accepted`, `duplicate` or `rejected`.
    pub status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
    /// Place of the entry in the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejection: Option<RejectionBody>,
}

impl LogSourceBody {
    /// Converts a source with its course.
    #[must_use]
    pub fn new(source: &LogSource, progress: &SourceProgress, quarantined: u64) -> LogSourceBody {
        LogSourceBody {
            id: source.id.0.clone(),
            name: source.name.clone(),
            direction: reeve_streams::Direction::In.into(),
            kind: source.kind.into(),
            enabled: source.enabled,
            health: progress.health(source, quarantined).into(),
            push_path: format!("{PUSH_PATH}{}", source.name),
            mapping: source.mapping.as_ref().map(MappingBody::from),
            event_types: source.event_types.clone(),
            queue: source.queue.as_ref().map(SourceQueueBody::from),
            max_silence_s: source.max_silence_s,
            accepted: progress.accepted,
            duplicates: progress.duplicates,
            rejected: progress.rejected,
            quarantined,
            last_event_at: progress.last_event_at.map(time::text),
            last_received_at: progress.last_received_at.map(time::text),
            lag_ms: progress.lag_ms,
            last_error: progress.last_error.clone(),
            last_error_at: progress.last_error_at.map(time::text),
            silent_since: progress.silent_since.map(time::text),
            silent_after: source.silent_after(progress).map(time::text),
            last_digest_at: progress.last_digest_at.map(time::text),
            created_at: time::text(source.created_at),
            updated_at: time::text(source.updated_at),
            version: source.version,
        }
    }
}

impl From<&Mapping> for MappingBody {
    fn from(mapping: &Mapping) -> Self {
        let rule = |rule: &FieldRule| FieldRuleBody {
            paths: rule.paths.clone(),
            template: rule.template.clone(),
            value: rule.value.clone(),
            table: rule.table.clone(),
        };
        let fields = mapping.fields.iter();
        MappingBody {
            items: mapping.items.clone(),
            fields: fields
                .map(|(field, one)| (field.clone(), rule(one)))
                .collect(),
        }
    }
}

impl From<MappingBody> for Mapping {
    fn from(body: MappingBody) -> Self {
        let rule = |rule: FieldRuleBody| FieldRule {
            paths: rule.paths,
            template: rule.template,
            value: rule.value,
            table: rule.table,
        };
        let fields = body.fields.into_iter();
        Mapping {
            items: body.items,
            fields: fields.map(|(field, one)| (field, rule(one))).collect(),
        }
    }
}

impl From<&QueueSettings> for SourceQueueBody {
    fn from(queue: &QueueSettings) -> Self {
        SourceQueueBody {
            connection: queue.connection.clone(),
            url: queue.url.clone(),
            digests: queue.digests,
        }
    }
}

impl From<&reeve_intake::Rejection> for RejectionBody {
    fn from(rejection: &reeve_intake::Rejection) -> Self {
        RejectionBody {
            field: rejection.field.clone(),
            message: rejection.message.clone(),
        }
    }
}

impl PreviewedEventBody {
    /// Converts an event of a sample.
    #[must_use]
    pub fn new(event: &ReadEvent) -> PreviewedEventBody {
        let entry = event.draft.as_ref().ok().map(|draft| {
            let mut entry = serde_json::to_value(draft.entry.to_json(draft.recorded_at));
            if let Ok(Value::Object(members)) = &mut entry {
                // Its place in the log is not known, and its identifier is in the source's space.
                members.remove("recorded_at");
                members.remove("event_id");
            }
            entry.unwrap_or_default()
        });
        PreviewedEventBody {
            entry,
            rejection: event.draft.as_ref().err().map(RejectionBody::from),
            left_over: event.left_over.clone(),
        }
    }
}

impl From<&QuarantinedEvent> for QuarantinedEventBody {
    fn from(event: &QuarantinedEvent) -> Self {
        let shown = &event.raw[..event.raw.len().min(SHOWN_BYTES)];
        QuarantinedEventBody {
            id: event.id.0.clone(),
            received_at: time::text(event.received_at),
            rejection: RejectionBody::from(&event.rejection),
            sample: String::from_utf8_lossy(shown).into_owned(),
            bytes: event.raw.len() as u64,
            is_whole: event.is_whole,
            attempts: event.attempts,
        }
    }
}

impl From<&EventOutcome> for EventOutcomeBody {
    fn from(outcome: &EventOutcome) -> Self {
        let (status, event_id, sequence, rejection) = match outcome {
            EventOutcome::Accepted { event_id, sequence } => {
                ("accepted", Some(event_id.clone()), Some(*sequence), None)
            }
            EventOutcome::Duplicate { event_id, sequence } => {
                ("duplicate", Some(event_id.clone()), *sequence, None)
            }
            EventOutcome::Rejected(rejection) => ("rejected", None, None, Some(rejection.into())),
        };
        EventOutcomeBody {
            status: status.to_owned(),
            event_id,
            sequence,
            rejection,
        }
    }
}

impl IncomingBody {
    /// Converts the answer to a push of a source of this kind.
    #[must_use]
    pub fn new(received: &Received, kind: SourceKind) -> IncomingBody {
        let (accepted, duplicates, rejected) = received.counts();
        let first = received.outcomes.iter().find_map(|outcome| match outcome {
            EventOutcome::Rejected(rejection) => Some(rejection.to_string()),
            _ => None,
        });
        IncomingBody {
            accepted,
            duplicates,
            rejected,
            quarantined: received.quarantined,
            items: received
                .outcomes
                .iter()
                .map(EventOutcomeBody::from)
                .collect(),
            partial_success: (kind == SourceKind::Otlp).then(|| PartialSuccessBody {
                rejected_log_records: rejected,
                error_message: first.unwrap_or_default(),
            }),
        }
    }
}
