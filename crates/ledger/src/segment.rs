//! The port that keeps sealed entries.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use reeve_audit::{Entry, Tier};
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
    /// Latest `recorded_at` of its entries; `None` in records of version 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_recorded_at_ms: Option<i64>,
    /// Mark that its entries expired and that its file may be gone; `None` while they are in the
    /// log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expired: Option<Expired>,
    /// Erasures that took entries out of it, in their order. The file was written anew each time;
    /// sequences, path and times are those of the newest file, its range is that of the seal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub erased: Vec<Erased>,
    /// Mark that its file lies in another tier than the local disk; `None` while it is hot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<Moved>,
}

/// Erasure of entries of a segment: its tombstone in the log, and their sequences.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Erased {
    /// Sequence of the entry `ledger.erase` about it.
    pub entry: u64,
    /// Identifier of the request that it carries out.
    pub request: String,
    /// First and last sequence of each run of erased entries, ascending.
    pub sequences: Vec<(u64, u64)>,
    /// Tier in which the file before lay, and may lie until it is deleted; `None` is the local disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<Tier>,
}

impl Erased {
    /// Returns the number of erased entries.
    pub fn count(&self) -> u64 {
        let runs = self.sequences.iter();
        runs.map(|(first, last)| last.saturating_sub(*first).saturating_add(1))
            .fold(0, u64::saturating_add)
    }

    /// Returns `true` if the entry with this sequence was erased.
    pub fn includes(&self, sequence: u64) -> bool {
        let after = self
            .sequences
            .partition_point(|(first, _)| *first <= sequence);
        let run = after.checked_sub(1).and_then(|at| self.sequences.get(at));
        run.is_some_and(|(_, last)| sequence <= *last)
    }
}

/// Mark of a segment that was moved to another tier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moved {
    /// Tier in which its file lies, verified there.
    pub tier: Tier,
    /// Sequence of the entry `ledger.move` about it.
    pub entry: u64,
    /// Tier in which the file from before may still lie; `None` once it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaving: Option<Tier>,
    /// Its content, so that its retention is decided without fetching it.
    pub content: SegmentContent,
}

/// Mark of an expired segment: its tombstone in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expired {
    /// Sequence of the entry `ledger.expire` about it.
    pub entry: u64,
    /// Version of the policies that allowed it.
    pub policy_version: u64,
    /// Sequence of the entry `ledger.free` about the deletion of its file; `None` until the file is
    /// gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freed: Option<u64>,
}

/// Content of a segment, as far as its retention depends on it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SegmentContent {
    /// Number of entries by event type.
    pub event_types: BTreeMap<String, u64>,
    /// Latest `timestamp`, ms since the epoch.
    pub max_timestamp_ms: i64,
    /// Latest `recorded_at`.
    pub max_recorded_at_ms: i64,
}

impl SegmentContent {
    /// Adds entries of a type.
    pub fn add(&mut self, event_type: &str, count: u64) {
        match self.event_types.get_mut(event_type) {
            Some(known) => *known += count,
            None => {
                self.event_types.insert(event_type.to_owned(), count);
            }
        }
    }

    /// Adds the times of an entry, ms since the epoch.
    pub fn date(&mut self, timestamp_ms: i64, recorded_at_ms: i64) {
        let first = self.max_recorded_at_ms == 0 && self.max_timestamp_ms == 0;
        if first {
            (self.max_timestamp_ms, self.max_recorded_at_ms) = (timestamp_ms, recorded_at_ms);
        }
        self.max_timestamp_ms = self.max_timestamp_ms.max(timestamp_ms);
        self.max_recorded_at_ms = self.max_recorded_at_ms.max(recorded_at_ms);
    }
}

/// End of the name of a segment's file.
const FILE_END: &str = ".parquet";

impl SegmentMeta {
    /// Returns the number of entries that were erased from it.
    pub fn erased_count(&self) -> u64 {
        let counts = self.erased.iter().map(Erased::count);
        counts.fold(0, u64::saturating_add)
    }

    /// Returns the number of entries that were sealed into it, erased ones too.
    pub fn sealed_count(&self) -> u64 {
        self.count.saturating_add(self.erased_count())
    }

    /// Returns the path of the file that the segment has after this many erasures:
    /// `<first>-<last>.parquet`, then `<first>-<last>.1.parquet`, and so on.
    pub fn path_after(&self, erasures: usize) -> String {
        let stem = self.path.strip_suffix(FILE_END).unwrap_or(&self.path);
        let stem = match self.erased.len() {
            0 => stem,
            before => stem.strip_suffix(&format!(".{before}")).unwrap_or(stem),
        };
        match erasures {
            0 => format!("{stem}{FILE_END}"),
            _ => format!("{stem}.{erasures}{FILE_END}"),
        }
    }

    /// Returns the tier that its file is read from.
    pub fn tier(&self) -> Tier {
        self.moved.as_ref().map_or(Tier::Hot, |moved| moved.tier)
    }

    /// Returns the tier that its file from before a move may still lie in.
    pub(crate) fn leaving(&self) -> Option<Tier> {
        self.moved.as_ref().and_then(|moved| moved.leaving)
    }

    /// Key of the order of the manifest.
    pub(crate) fn order(&self) -> (u64, &str) {
        (self.first_sequence, &self.class)
    }

    /// Returns `true` if both describe the same segment, expired or not, wherever it lies.
    pub(crate) fn is_same_segment(&self, other: &SegmentMeta) -> bool {
        let live = |segment: &SegmentMeta| SegmentMeta {
            expired: None,
            moved: None,
            ..segment.clone()
        };
        live(self) == live(other)
    }
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
    /// The place of a farther tier does not answer, or does not have the segment.
    #[error("segment {path}: {message}")]
    Away {
        /// Path of the segment.
        path: String,
        /// Tier, place and fault.
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
    /// Writes a segment anew with these of its entries, maybe none, to the local disk, whatever tier
    /// its present file lies in; durable when this returns. The path is that after one more erasure
    /// ([`SegmentMeta::path_after`]); what an interrupted attempt left there is replaced. Range,
    /// class and erasures of the answer are those of the segment given.
    async fn rewrite(
        &self,
        segment: &SegmentMeta,
        entries: &[Arc<StoredEntry>],
    ) -> Result<SegmentMeta, SegmentError>;
    /// Reads a whole segment back, in order. The ledger asks for it only when it rebuilds its index
    /// of identifiers.
    async fn read(&self, segment: &SegmentMeta) -> Result<Vec<SealedEntry>, SegmentError>;
    /// Returns `true` if the place of a farther tier answers and does not have the file of a segment.
    /// Stores of one place have none.
    async fn is_gone(&self, _segment: &SegmentMeta) -> Result<bool, SegmentError> {
        Ok(false)
    }
    /// Counts the event types of a segment and finds its latest times. The bytes are those that were
    /// sealed, or this fails.
    async fn content(&self, segment: &SegmentMeta) -> Result<SegmentContent, SegmentError> {
        let mut content = SegmentContent::default();
        for row in self.read(segment).await? {
            let read = Entry::from_canonical(&row.canonical);
            let (entry, recorded_at) = read.map_err(|error| SegmentError::Damaged {
                path: segment.path.clone(),
                message: error.to_string(),
            })?;
            content.add(entry.event_type.as_str(), 1);
            content.date(
                entry.timestamp.as_millisecond(),
                recorded_at.as_millisecond(),
            );
        }
        Ok(content)
    }
    /// Copies a segment into another tier and reads the copy back: it is there and has the bytes
    /// that were sealed when this returns. A copy that an interruption left there is kept or
    /// replaced; a file of another log is not. Stores of one place refuse.
    async fn copy(&self, segment: &SegmentMeta, to: Tier) -> Result<(), SegmentError> {
        Err(SegmentError::Io {
            path: segment.path.clone(),
            message: format!("no place is configured for the {to} tier"),
        })
    }
    /// Deletes copies that interrupted moves of a segment left in the tiers beyond its own, before it
    /// is written anew; gone for good when this returns. A file that is not such a copy is an error.
    /// Stores of one place have none.
    async fn withdraw(&self, _segment: &SegmentMeta) -> Result<(), SegmentError> {
        Ok(())
    }
    /// Deletes the file that a segment has in a tier that it has left, and local copies of it; gone
    /// for good when this returns. Returns its bytes, 0 if it was gone before.
    async fn leave(&self, segment: &SegmentMeta, tier: Tier) -> Result<u64, SegmentError> {
        Err(SegmentError::Io {
            path: segment.path.clone(),
            message: format!("no place is configured for the {tier} tier"),
        })
    }
    /// Deletes an expired segment, in whatever tiers it lies, with everything that was derived from
    /// it; gone for good when this returns. Returns the bytes that its files had, 0 for what was
    /// gone before.
    async fn remove(&self, segment: &SegmentMeta) -> Result<u64, SegmentError>;
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
