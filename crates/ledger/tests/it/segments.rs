//! In-memory segments that survive a crash, with injected failures.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use reeve_ledger::{SealedEntry, SegmentError, SegmentMeta, SegmentStore, StoredEntry};

/// Asked before each write: why it fails, if it does.
type Gate = Box<dyn Fn() -> Result<(), String> + Send + Sync>;

#[derive(Default)]
pub(crate) struct MemorySegments {
    written: Mutex<BTreeMap<String, Vec<SealedEntry>>>,
    published: Mutex<Arc<Vec<SegmentMeta>>>,
    gate: Mutex<Option<Gate>>,
}

impl MemorySegments {
    pub(crate) fn new() -> Arc<MemorySegments> {
        Arc::default()
    }

    /// From now on every write asks first.
    pub(crate) fn gate(&self, gate: impl Fn() -> Result<(), String> + Send + Sync + 'static) {
        *self.gate.lock() = Some(Box::new(gate));
    }

    pub(crate) fn ungate(&self) {
        *self.gate.lock() = None;
    }

    /// The rows that a segment has; `None` once it was removed.
    pub(crate) fn read_rows(&self, path: &str) -> Option<Vec<SealedEntry>> {
        self.written.lock().get(path).cloned()
    }

    pub(crate) fn published(&self) -> Arc<Vec<SegmentMeta>> {
        self.published.lock().clone()
    }

    /// Changes a stored entry, as an intruder would.
    pub(crate) fn tamper(&self, sequence: u64, change: impl Fn(&mut SealedEntry)) {
        let mut written = self.written.lock();
        written
            .values_mut()
            .flatten()
            .filter(|entry| entry.sequence == sequence)
            .for_each(change);
    }
}

#[async_trait]
impl SegmentStore for MemorySegments {
    async fn write(
        &self,
        class: &str,
        entries: &[Arc<StoredEntry>],
    ) -> Result<SegmentMeta, SegmentError> {
        let (first, last) = (entries[0].sequence, entries[entries.len() - 1].sequence);
        let path = format!("lake/entries/{class}/{first:020}-{last:020}.parquet");

        if let Some(gate) = self.gate.lock().as_ref() {
            gate().map_err(|message| SegmentError::Io {
                path: path.clone(),
                message,
            })?;
        }

        assert!(
            entries
                .windows(2)
                .all(|pair| pair[0].sequence < pair[1].sequence)
        );

        let rows = entries.iter().map(|entry| SealedEntry {
            sequence: entry.sequence,
            salt: entry.salt,
            canonical: entry.canonical.clone(),
        });
        self.written.lock().insert(path.clone(), rows.collect());
        let times = entries
            .iter()
            .map(|entry| entry.entry.timestamp.as_millisecond());

        Ok(SegmentMeta {
            path,
            class: class.to_owned(),
            first_sequence: first,
            last_sequence: last,
            count: entries.len() as u64,
            bytes: 1,
            sha256: String::new(),
            min_timestamp_ms: times.clone().min().unwrap(),
            max_timestamp_ms: times.max().unwrap(),
            max_recorded_at_ms: entries
                .iter()
                .map(|entry| entry.recorded_at.as_millisecond())
                .max(),
            expired: None,
        })
    }

    async fn read(&self, segment: &SegmentMeta) -> Result<Vec<SealedEntry>, SegmentError> {
        let missing = || SegmentError::Io {
            path: segment.path.clone(),
            message: "no such segment".into(),
        };
        self.written
            .lock()
            .get(&segment.path)
            .cloned()
            .ok_or_else(missing)
    }

    async fn remove(&self, segment: &SegmentMeta) -> Result<u64, SegmentError> {
        if let Some(gate) = self.gate.lock().as_ref() {
            gate().map_err(|message| SegmentError::Io {
                path: segment.path.clone(),
                message,
            })?;
        }
        let gone = self.written.lock().remove(&segment.path);
        Ok(gone.map_or(0, |_| segment.bytes))
    }

    fn publish(&self, segments: Arc<Vec<SegmentMeta>>) {
        *self.published.lock() = segments;
    }
}
