//! Quarantine: events that could not become entries, until a person mends the mapping or drops them.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::rejection::Rejection;
use crate::source::LogSourceId;

/// Events of one source that are kept. A further one is answered to its sender and counted, and not
/// kept.
pub const MAX_QUARANTINED: u64 = 1_000;
/// Bytes of an event that are kept. A longer one cannot be retried.
pub(crate) const MAX_RAW_BYTES: usize = 256 << 10;

/// Identifier of an event in quarantine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct QuarantineId(pub String);

impl fmt::Display for QuarantineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An event that could not become an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuarantinedEvent {
    pub id: QuarantineId,
    pub source: LogSourceId,
    pub received_at: Timestamp,
    pub rejection: Rejection,
    /// The event as it came, or its beginning.
    pub raw: Vec<u8>,
    /// `false` if it was too long to be kept as a whole.
    pub is_whole: bool,
    /// Times that it was retried.
    pub attempts: u32,
}

impl QuarantinedEvent {
    pub(crate) fn new(
        source: &LogSourceId,
        raw: &[u8],
        rejection: Rejection,
        now: Timestamp,
    ) -> QuarantinedEvent {
        QuarantinedEvent {
            id: QuarantineId(uuid::Uuid::now_v7().to_string()),
            source: source.clone(),
            received_at: now,
            rejection,
            raw: raw[..raw.len().min(MAX_RAW_BYTES)].to_vec(),
            is_whole: raw.len() <= MAX_RAW_BYTES,
            attempts: 0,
        }
    }
}
