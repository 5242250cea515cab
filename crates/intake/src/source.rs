//! Source of entries: another system, with its format, its token and its course.

use std::fmt;

use jiff::{SignedDuration, Timestamp};
use reeve_access::{EventTypePattern, event_type_pattern};
use reeve_audit::{EventType, FieldCode, FieldError};
use reeve_estate::named;
use serde::{Deserialize, Serialize};

use crate::format::SourceKind;
use crate::mapping::Mapping;
use crate::rejection::Rejection;
use crate::rhythm::IntakeRhythm;

/// Prefix of the tokens that sources push with.
pub const TOKEN_PREFIX: &str = "rvl_";
/// Time after the end of the newest digest at which the next one is late: digests are hourly, and are
/// delivered up to an hour after their end.
const DIGEST_LATE: SignedDuration = SignedDuration::from_mins(150);
/// Longest name, in characters.
const MAX_NAME: usize = 40;

/// Identifier of a source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LogSourceId(pub String);

impl fmt::Display for LogSourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Another system whose events become entries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogSource {
    pub id: LogSourceId,
    /// Name in the identifiers of its entries and in the path that it pushes to. It never changes.
    pub name: String,
    pub kind: SourceKind,
    /// Rules, for kind `json`.
    #[serde(default)]
    pub mapping: Option<Mapping>,
    /// Event types that it may write, as `authentication.*`; none for all that sources may write.
    #[serde(default)]
    pub event_types: Vec<String>,
    /// Queue that names its files, for kind `cloudtrail`.
    #[serde(default)]
    pub queue: Option<QueueSettings>,
    /// Silence after which it is reported, seconds; without it the rhythm is learned.
    #[serde(default)]
    pub max_silence_s: Option<u32>,
    /// `false` if nothing is taken from it.
    pub enabled: bool,
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Grows by one with every change.
    pub version: u64,
}

/// Queue of SQS with notices about files in S3.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueSettings {
    /// Connection with whose credentials the queue and the files are read.
    pub connection: String,
    pub url: String,
    /// `true` if the trail writes digests, so that a missing one is noticed.
    #[serde(default)]
    pub digests: bool,
}

named!(
    /// State of a source as a person should see it.
    SourceHealth {
        /// It was made and has sent nothing yet.
        Waiting => "waiting",
        Healthy => "healthy",
        /// It has been silent for longer than its rhythm explains.
        Silent => "silent",
        /// Its last body, file or reading failed, or events are in quarantine.
        Degraded => "degraded",
        /// A person paused it.
        Paused => "paused",
    }
);

/// Course of a source: what came, and what is learned from it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SourceProgress {
    /// Entries that are new in the log.
    pub accepted: u64,
    /// Events whose entries were there.
    pub duplicates: u64,
    /// Events that could not become entries.
    pub rejected: u64,
    /// Arrival of the last body.
    pub last_received_at: Option<Timestamp>,
    /// Time of the newest event.
    pub last_event_at: Option<Timestamp>,
    /// Delay of the last event between its time and its arrival.
    pub lag_ms: Option<u64>,
    pub last_error: Option<String>,
    pub last_error_at: Option<Timestamp>,
    pub rhythm: IntakeRhythm,
    /// Start of the silence that was reported.
    pub silent_since: Option<Timestamp>,
    /// Last time at which rejections were recorded in the log.
    pub rejections_recorded_at: Option<Timestamp>,
    /// Rejections since then.
    pub rejections_unrecorded: u64,
    /// Hour of the newest digest of a trail.
    #[serde(default)]
    pub last_digest_at: Option<Timestamp>,
    /// Digests that were valid.
    #[serde(default)]
    pub digests_valid: u64,
}

impl LogSource {
    /// Returns the time from which the source's silence is reported.
    #[must_use]
    pub fn silent_after(&self, progress: &SourceProgress) -> Option<Timestamp> {
        let most = self
            .max_silence_s
            .map(|most| SignedDuration::from_secs(most.into()));
        progress.rhythm.silent_after(most)
    }

    /// Returns `true` if the trail's digests are expected and none came for too long. The newest ones
    /// are noticed by this alone: a chain without them verifies.
    pub(crate) fn misses_digests(&self, progress: &SourceProgress, now: Timestamp) -> bool {
        let expects = self.queue.as_ref().is_some_and(|queue| queue.digests);
        let newest = progress.last_digest_at.unwrap_or(self.updated_at);
        expects && now.duration_since(newest) > DIGEST_LATE
    }

    /// Returns the reason for which the source may not write an event type.
    pub(crate) fn refuses(&self, event_type: &EventType) -> Option<Rejection> {
        let patterns = EventTypePattern::parse_all(&self.event_types).ok()?;
        if event_type_pattern::allows(&patterns, event_type) {
            return None;
        }
        let allowed = self.event_types.join(", ");
        let message = format!("the source may write {allowed}, not {event_type}");
        Some(Rejection::new("event_type", message))
    }
}

impl SourceProgress {
    /// Notes a failure that a person should see.
    pub fn fail(&mut self, error: String, now: Timestamp) {
        self.last_error = Some(error);
        self.last_error_at = Some(now);
    }

    /// Returns the state of the source. `quarantined` is the number of its events in quarantine.
    #[must_use]
    pub fn health(&self, source: &LogSource, quarantined: u64) -> SourceHealth {
        let failed_last =
            self.last_error_at.is_some() && self.last_error_at >= self.last_received_at;
        match () {
            () if !source.enabled => SourceHealth::Paused,
            () if self.silent_since.is_some() => SourceHealth::Silent,
            () if failed_last || quarantined > 0 => SourceHealth::Degraded,
            () if self.last_received_at.is_none() => SourceHealth::Waiting,
            () => SourceHealth::Healthy,
        }
    }
}

/// Reads the silence after which a source is reported.
///
/// # Errors
/// It is not from 5 seconds to 30 days.
pub fn read_silence(seconds: u32) -> Result<u32, FieldError> {
    if (5..=30 * 86_400).contains(&seconds) {
        return Ok(seconds);
    }
    let message = "must be a number of seconds from 5 to 2592000";
    Err(FieldError::new(
        "max_silence_s",
        FieldCode::InvalidValue,
        message,
    ))
}

/// Reads the name of a source.
///
/// # Errors
/// It has other characters than `a-z`, `0-9` and `-`, or too many.
pub fn read_name(name: &str) -> Result<String, FieldError> {
    let name = name.trim();
    let is_sound = (1..=MAX_NAME).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        && !name.starts_with('-');
    if is_sound {
        return Ok(name.to_owned());
    }
    let message = format!("must have 1 to {MAX_NAME} of the characters a-z, 0-9 and -");
    Err(FieldError::new("name", FieldCode::InvalidValue, message))
}
