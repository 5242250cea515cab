//! A stream as a person defines it.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::settings::{StreamFormat, StreamSettings};

/// Identifier of a stream, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StreamId(pub String);

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Secret of a stream: a token or a key. It is sealed before it is kept and never shown.
#[derive(Clone, Default)]
pub struct StreamSecret(pub String);

impl fmt::Debug for StreamSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StreamSecret(..)")
    }
}

/// A stream without its secret. It reads the whole log, whoever made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream {
    pub id: StreamId,
    /// Unique among all streams.
    pub name: String,
    pub settings: StreamSettings,
    pub format: StreamFormat,
    /// Query that selects entries; empty selects all.
    pub query: String,
    /// `true` if nothing is sent until a person resumes it.
    pub paused: bool,
    /// E-mail address or name of the person who made it.
    pub created_by: String,
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Grows by one with every change.
    pub version: u64,
}
