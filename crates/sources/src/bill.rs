//! Bill sources: buckets that a cloud exports FOCUS files to.
//!
//! A cloud restates a month by replacing its objects. So the files of a source are the objects that
//! the bucket has now: new ones are read, and those that are gone are dropped.

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_audit::{FieldCode, FieldError};
use reeve_estate::{ConnectionId, StoreError};
use serde::{Deserialize, Serialize};

/// Longest prefix that is accepted, in bytes.
const MAX_PREFIX: usize = 900;

/// Identifier of a bill source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BillSourceId(pub String);

impl std::fmt::Display for BillSourceId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A bucket with bills.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BillSource {
    /// Identifier of the source.
    pub id: BillSourceId,
    /// Name for display.
    pub name: String,
    /// Connection whose credentials and endpoint the bucket is read with.
    pub connection: ConnectionId,
    /// Name of the bucket.
    pub bucket: String,
    /// Beginning of the objects' names; may be empty.
    pub prefix: String,
    /// Region of the bucket.
    pub region: String,
    /// `false` if nothing is read from it.
    pub enabled: bool,
    /// Creation time of the source.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Grows by one with every change.
    pub version: u64,
}

/// Result of one sync.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BillSync {
    /// Start of the sync.
    pub started_at: Timestamp,
    /// End of the sync.
    pub finished_at: Timestamp,
    /// Bills that the bucket has.
    pub bills: u64,
    /// Bills that were read, because they are new or were restated.
    pub read: u64,
    /// Files that were dropped, because their objects are gone or were restated.
    pub dropped: u64,
    /// Bytes that were read.
    pub bytes: u64,
    /// Time of the newest object.
    pub newest_at: Option<Timestamp>,
    /// `true` if the account denied a call.
    pub denied: bool,
    /// Failures as sentences for people.
    pub problems: Vec<String>,
}

/// Bill sources and their last syncs.
#[async_trait]
pub trait BillSourceStore: Send + Sync {
    async fn bill_source_insert(&self, source: &BillSource) -> Result<(), StoreError>;
    /// Replaces a source whose stored version is one less.
    async fn bill_source_update(&self, source: &BillSource) -> Result<(), StoreError>;
    async fn bill_source_delete(&self, id: &BillSourceId) -> Result<(), StoreError>;
    /// Returns a source with its last sync.
    async fn bill_source_get(
        &self,
        id: &BillSourceId,
    ) -> Result<(BillSource, Option<BillSync>), StoreError>;
    /// Returns all sources with their last syncs, oldest first.
    async fn bill_source_list(&self) -> Result<Vec<(BillSource, Option<BillSync>)>, StoreError>;
    /// Writes the last sync of a source; one that is gone is left alone.
    async fn bill_source_sync_put(
        &self,
        id: &BillSourceId,
        sync: &BillSync,
    ) -> Result<(), StoreError>;
}

/// Reads the name of a bucket.
///
/// # Errors
/// S3 allows no such name.
pub fn read_bucket(text: &str) -> Result<String, FieldError> {
    let text = text.trim();
    let plain = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.')
    };

    let ends = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
    if (3..=63).contains(&text.len())
        && text.bytes().all(plain)
        && ends(text.bytes().next())
        && ends(text.bytes().last())
    {
        return Ok(text.to_owned());
    }

    Err(FieldError::new(
        "bucket",
        FieldCode::InvalidValue,
        format!("{text:?} is not the name of a bucket"),
    ))
}

/// Reads the beginning of the objects' names.
///
/// # Errors
/// It is too long or has control characters.
pub fn read_prefix(text: &str) -> Result<String, FieldError> {
    let text = text.trim().trim_start_matches('/');
    if text.len() > MAX_PREFIX || text.contains(char::is_control) {
        let message = format!("must have at most {MAX_PREFIX} bytes without control characters");
        return Err(FieldError::new("prefix", FieldCode::InvalidValue, message));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_of_buckets_and_prefixes() {
        assert_eq!(read_bucket(" acme-bills.2026 ").unwrap(), "acme-bills.2026");
        for text in [
            "",
            "ab",
            "Acme",
            "acme_bills",
            "-acme",
            "acme/",
            &"a".repeat(64),
        ] {
            assert_eq!(read_bucket(text).unwrap_err().path, "bucket", "{text}");
        }

        assert_eq!(read_prefix("/exports/focus/").unwrap(), "exports/focus/");
        assert!(read_prefix(&"a".repeat(MAX_PREFIX + 1)).is_err() && read_prefix("a\nb").is_err());
    }
}
