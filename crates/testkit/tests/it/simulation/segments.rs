//! Segments that fail with the simulated disk: in memory, or real ones of the lake in a folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use reeve_lake::EntrySegments;
use reeve_ledger::{Attestor, SealedEntry, SegmentError, SegmentMeta, SegmentStore, StoredEntry};

use super::disk::SimulatedDisk;

/// Sealed entries by segment, kept beyond the end of the simulated process.
pub(crate) type Rows = Arc<Mutex<BTreeMap<String, Vec<SealedEntry>>>>;

pub(crate) struct Segments {
    disk: SimulatedDisk,
    home: PathBuf,
    rows: Rows,
    lake: Option<EntrySegments>,
}

impl Segments {
    pub(crate) fn in_memory(disk: &SimulatedDisk, home: &Path, rows: &Rows) -> Arc<Segments> {
        Arc::new(Segments {
            disk: disk.clone(),
            home: home.to_owned(),
            rows: rows.clone(),
            lake: None,
        })
    }

    pub(crate) async fn in_lake(disk: &SimulatedDisk, home: &Path) -> Arc<Segments> {
        let lake = Some(EntrySegments::open(home).await.unwrap());
        Arc::new(Segments {
            disk: disk.clone(),
            home: home.to_owned(),
            rows: Rows::default(),
            lake,
        })
    }

    /// A step of the disk, on a thread that may wait.
    async fn step(&self, what: &'static str, path: &str) -> Result<(), SegmentError> {
        let (disk, at) = (self.disk.clone(), self.home.join(path));
        let done = tokio::task::spawn_blocking(move || disk.other_step(what, &at))
            .await
            .unwrap();
        done.map_err(|error| SegmentError::Io {
            path: path.to_owned(),
            message: error.to_string(),
        })
    }

    fn keep(&self, path: &str, entries: &[Arc<StoredEntry>]) {
        let rows = entries.iter().map(|entry| SealedEntry {
            sequence: entry.sequence,
            salt: entry.salt,
            canonical: entry.canonical.clone(),
        });
        self.rows.lock().insert(path.to_owned(), rows.collect());
    }
}

#[async_trait]
impl SegmentStore for Segments {
    async fn write(
        &self,
        class: &str,
        entries: &[Arc<StoredEntry>],
    ) -> Result<SegmentMeta, SegmentError> {
        assert!(
            entries
                .windows(2)
                .all(|pair| pair[0].sequence < pair[1].sequence)
        );

        let (first, last) = (entries[0].sequence, entries[entries.len() - 1].sequence);
        let path = format!("lake/entries/{class}/{first:020}-{last:020}.parquet");

        if let Err(error) = self.step("write segment", &path).await {
            // Half a file may be left behind.
            if self.lake.is_some() && first % 2 == 0 && self.disk.crashed() {
                let half = self.home.join(&path);
                std::fs::create_dir_all(half.parent().unwrap()).unwrap();
                std::fs::write(half, b"PAR1 and no more").unwrap();
            }
            return Err(error);
        }

        let meta = match &self.lake {
            Some(lake) => lake.write(class, entries).await?,
            None => {
                self.keep(&path, entries);
                let times = entries
                    .iter()
                    .map(|entry| entry.entry.timestamp.as_millisecond());
                SegmentMeta {
                    path: path.clone(),
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
                    erased: Vec::new(),
                    moved: None,
                }
            }
        };

        self.step("segment written", &path).await?;
        Ok(meta)
    }

    async fn rewrite(
        &self,
        segment: &SegmentMeta,
        entries: &[Arc<StoredEntry>],
    ) -> Result<SegmentMeta, SegmentError> {
        self.step("write segment", &segment.path).await?;
        let meta = match &self.lake {
            Some(lake) => lake.rewrite(segment, entries).await?,
            None => {
                let path = segment.path_after(segment.erased.len() + 1);
                self.keep(&path, entries);
                SegmentMeta {
                    path,
                    count: entries.len() as u64,
                    moved: None,
                    ..segment.clone()
                }
            }
        };
        self.step("segment written", &meta.path).await?;
        Ok(meta)
    }

    async fn read(&self, segment: &SegmentMeta) -> Result<Vec<SealedEntry>, SegmentError> {
        match &self.lake {
            Some(lake) => lake.read(segment).await,
            None => {
                let missing = || SegmentError::Io {
                    path: segment.path.clone(),
                    message: "no such segment".into(),
                };
                self.rows
                    .lock()
                    .get(&segment.path)
                    .cloned()
                    .ok_or_else(missing)
            }
        }
    }

    async fn remove(&self, segment: &SegmentMeta) -> Result<u64, SegmentError> {
        self.step("remove segment", &segment.path).await?;
        let freed = match &self.lake {
            Some(lake) => lake.remove(segment).await?,
            None => self
                .rows
                .lock()
                .remove(&segment.path)
                .map_or(0, |_| segment.bytes),
        };
        self.step("segment removed", &segment.path).await?;
        Ok(freed)
    }

    fn attested_by(&self, attestor: Arc<Attestor>) {
        if let Some(lake) = &self.lake {
            lake.attested_by(attestor);
        }
    }

    fn publish(&self, segments: Arc<Vec<SegmentMeta>>) {
        if let Some(lake) = &self.lake {
            lake.publish(segments);
        }
    }
}
