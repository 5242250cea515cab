//! The port that keeps sealed entries.

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::attest::Attestor;
use crate::entry::{SealedEntry, StoredEntry};

/// A sealed segment, as the manifest lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentMeta {
    /// Path below the data directory, with `/`.
    pub path: String,
    /// Retention class of all its entries.
    pub class: String,
    /// First sequence in it.
    pub first_sequence: u64,
    /// Last sequence in the segment. Sequences between first and last may be in segments of other
    /// classes.
    pub last_sequence: u64,
    /// Number of its entries.
    pub count: u64,
    /// Size of the file, bytes.
    pub bytes: u64,
    /// SHA-256 of the file, hex.
    pub sha256: String,
    /// Earliest `timestamp`, ms since the epoch.
    pub min_timestamp_ms: i64,
    /// Latest `timestamp` of its entries.
    pub max_timestamp_ms: i64,
}

/// Reason why a segment was not written or read.
#[derive(Debug, thiserror::Error)]
pub enum SegmentError {
    /// The disk or object store failed.
    #[error("segment {path}: {message}")]
    Io {
        /// Path of the segment.
        path: String,
        /// Error of the store.
        message: String,
    },
    /// The segment is not what was written.
    #[error("segment {path} is damaged: {message}")]
    Damaged {
        /// Path of the segment.
        path: String,
        /// Description of the damage.
        message: String,
    },
}

/// Keeps sealed entries. Implemented by `lake`.
#[async_trait]
pub trait SegmentStore: Send + Sync {
    /// Writes one immutable segment, durable when this returns. Entries are of one class, ordered
    /// by sequence. A seal that was interrupted may have written the same path before: it is
    /// replaced.
    async fn write(
        &self,
        class: &str,
        entries: &[Arc<StoredEntry>],
    ) -> Result<SegmentMeta, SegmentError>;
    /// Reads a whole segment back, in order. The ledger asks for it only when it rebuilds its index
    /// of identifiers.
    async fn read(&self, segment: &SegmentMeta) -> Result<Vec<SealedEntry>, SegmentError>;
    /// Gives the store the log's signature over what it derives from segments, before any segment
    /// is published. What the store searches with and finds on the disk must be attested; what is
    /// not is derived anew.
    fn attested_by(&self, _attestor: Arc<Attestor>) {}
    /// Tells the store which segments count from now on (at start and after each seal), just before
    /// `Ledger::view` shows them. Readers go by the view, whose segments and tail belong together;
    /// this is for opening files and building indexes ahead. Files that are not listed are
    /// leftovers of an interrupted seal and may be deleted at start.
    fn publish(&self, segments: Arc<Vec<SegmentMeta>>);
}
