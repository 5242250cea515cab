//! In-memory segments that survive a crash, with injected failures.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use reeve_audit::Tier;
use reeve_ledger::{SealedEntry, SegmentError, SegmentMeta, SegmentStore, StoredEntry};

/// Asked before each write: why it fails, if it does.
type Gate = Box<dyn Fn() -> Result<(), String> + Send + Sync>;

#[derive(Default)]
pub(crate) struct MemorySegments {
    written: Mutex<BTreeMap<String, Vec<SealedEntry>>>,
    /// Copies in the farther tiers.
    copies: Mutex<BTreeMap<(Tier, String), Vec<SealedEntry>>>,
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

    /// The rows that a segment has in a tier; `None` where it has no file.
    pub(crate) fn rows_in(&self, tier: Tier, path: &str) -> Option<Vec<SealedEntry>> {
        match tier {
            Tier::Hot => self.read_rows(path),
            _ => self.copies.lock().get(&(tier, path.to_owned())).cloned(),
        }
    }

    fn ask(&self, path: &str) -> Result<(), SegmentError> {
        let asked = self.gate.lock().as_ref().map_or(Ok(()), |gate| gate());
        asked.map_err(|message| SegmentError::Io {
            path: path.to_owned(),
            message,
        })
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

impl MemorySegments {
    fn put(
        &self,
        class: &str,
        path: String,
        range: (u64, u64),
        entries: &[Arc<StoredEntry>],
    ) -> Result<SegmentMeta, SegmentError> {
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
            first_sequence: range.0,
            last_sequence: range.1,
            count: entries.len() as u64,
            bytes: 1,
            sha256: String::new(),
            min_timestamp_ms: times.clone().min().unwrap_or_default(),
            max_timestamp_ms: times.max().unwrap_or_default(),
            max_recorded_at_ms: entries
                .iter()
                .map(|entry| entry.recorded_at.as_millisecond())
                .max(),
            expired: None,
            erased: Vec::new(),
            moved: None,
        })
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
        self.put(class, path, (first, last), entries)
    }

    async fn rewrite(
        &self,
        segment: &SegmentMeta,
        entries: &[Arc<StoredEntry>],
    ) -> Result<SegmentMeta, SegmentError> {
        let path = segment.path_after(segment.erased.len() + 1);
        let range = (segment.first_sequence, segment.last_sequence);
        let written = self.put(&segment.class, path, range, entries)?;
        Ok(SegmentMeta {
            erased: segment.erased.clone(),
            ..written
        })
    }

    async fn read(&self, segment: &SegmentMeta) -> Result<Vec<SealedEntry>, SegmentError> {
        let (path, message) = (segment.path.clone(), "no such segment".to_owned());
        let missing = || match segment.tier() {
            Tier::Hot => SegmentError::Io { path, message },
            _ => SegmentError::Away { path, message },
        };
        self.rows_in(segment.tier(), &segment.path)
            .ok_or_else(missing)
    }

    async fn is_gone(&self, segment: &SegmentMeta) -> Result<bool, SegmentError> {
        let there = self.rows_in(segment.tier(), &segment.path);
        Ok(segment.tier() != Tier::Hot && there.is_none())
    }

    async fn copy(&self, segment: &SegmentMeta, to: Tier) -> Result<(), SegmentError> {
        self.ask(&segment.path)?;
        let rows = self.read(segment).await?;
        self.copies.lock().insert((to, segment.path.clone()), rows);
        self.ask(&segment.path)
    }

    async fn withdraw(&self, segment: &SegmentMeta) -> Result<(), SegmentError> {
        self.ask(&segment.path)?;
        self.copies
            .lock()
            .retain(|(tier, path), _| *path != segment.path || *tier <= segment.tier());
        self.ask(&segment.path)
    }

    async fn leave(&self, segment: &SegmentMeta, tier: Tier) -> Result<u64, SegmentError> {
        self.ask(&segment.path)?;
        let gone = match tier {
            Tier::Hot => self.written.lock().remove(&segment.path),
            _ => self.copies.lock().remove(&(tier, segment.path.clone())),
        };
        self.ask(&segment.path)?;
        Ok(gone.map_or(0, |_| segment.bytes))
    }

    async fn remove(&self, segment: &SegmentMeta) -> Result<u64, SegmentError> {
        if let Some(gate) = self.gate.lock().as_ref() {
            gate().map_err(|message| SegmentError::Io {
                path: segment.path.clone(),
                message,
            })?;
        }
        let named = |tier: Tier| {
            let moved = segment.moved.as_ref();
            moved.is_some_and(|moved| moved.tier == tier || moved.leaving == Some(tier))
        };
        self.copies
            .lock()
            .retain(|(tier, path), _| *path != segment.path || !named(*tier));
        let gone = self.written.lock().remove(&segment.path);
        Ok(gone.map_or(0, |_| segment.bytes))
    }

    fn publish(&self, segments: Arc<Vec<SegmentMeta>>) {
        *self.published.lock() = segments;
    }
}
