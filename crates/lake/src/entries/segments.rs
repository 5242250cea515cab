//! Segments on disk: written durably once, checked before they are read, read whole or by
//! condition.

use std::collections::{HashMap, HashSet};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::AsArray;
use arrow::datatypes::Int64Type;
use async_trait::async_trait;
use bytes::Bytes;
use datafusion_execution::SendableRecordBatchStream;
use datafusion_expr::Expr;
use datafusion_physical_plan::stream::RecordBatchStreamAdapter;
use futures::{StreamExt as _, TryStreamExt};
use object_store::ObjectMeta;
use parking_lot::Mutex;
use parquet::arrow::arrow_reader::RowSelection;
use reeve_audit::Tier;
use reeve_ledger::{
    Attestor, SealedEntry, SegmentContent, SegmentError, SegmentMeta, SegmentStore, StoredEntry,
};
use sha2::{Digest, Sha256};

use super::columns::texts;
use super::content::content;
use super::decode::{sealed, sealed_columns};
use super::encode::encode;
use super::faults::{damaged, failed, io};
use super::fetched::{FetchedEntries, InUse};
use super::index::{Shelf, build, rows_of};
use super::rows::Footers;
use super::scan::{EntryScanner, message};
use super::schema::SEQUENCE;
use super::tiers::{TierPlaces, Tiers};
use crate::place::{Place, PlaceError, blocking, path_segment};

/// The folder of the table in the data directory.
const FOLDER: &str = "lake/entries";

/// Keeps sealed entries on a local disk.
#[derive(Debug)]
pub struct EntrySegments {
    place: Place,
    pub(crate) tiers: Tiers,
    scanner: EntryScanner,
    pub(super) shelf: Shelf,
    root: PathBuf,
    footers: Footers,
    /// Files whose hash was compared, as they looked then.
    checked: Mutex<HashMap<String, (ObjectMeta, Looks)>>,
    /// Files found at start that nothing has claimed yet.
    leftovers: Mutex<HashSet<String>>,
    /// Segments that count, once the ledger has published them.
    pub(super) published: Mutex<Option<Arc<Vec<SegmentMeta>>>>,
}

impl EntrySegments {
    /// Opens the table in the data directory, making it when it is not there.
    pub async fn open(data_dir: &Path) -> Result<Self, SegmentError> {
        let place = Place::local(data_dir).map_err(failed)?;
        let found = place.list(FOLDER).await.map_err(failed)?;
        let scanner = EntryScanner::new(&place).map_err(|error| io(FOLDER, message(&error)))?;

        Ok(EntrySegments {
            place,
            tiers: Tiers::open(data_dir, TierPlaces::default(), 0)?,
            scanner,
            shelf: Shelf::new(data_dir),
            root: data_dir.to_path_buf(),
            footers: Footers::default(),
            checked: Mutex::default(),
            leftovers: Mutex::new(
                found
                    .into_iter()
                    .map(|meta| meta.location.to_string())
                    .collect(),
            ),
            published: Mutex::default(),
        })
    }

    /// Returns the data directory.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Deletes files that an interrupted seal left behind: there at start, never published, not
    /// written since. Does nothing until the ledger has published its segments. Returns how many
    /// files went.
    pub async fn sweep(&self) -> Result<usize, SegmentError> {
        let Some(published) = self.published.lock().clone() else {
            return Ok(0);
        };

        let doomed: Vec<String> = {
            let mut leftovers = self.leftovers.lock();
            for segment in published.iter() {
                leftovers.remove(&segment.path);
            }
            leftovers.drain().collect()
        };

        for path in &doomed {
            tracing::warn!(file = %path, "removing a segment that no seal finished");
            self.place.delete(path).await.map_err(failed)?;
        }

        Ok(doomed.len())
    }

    /// Makes sure that a segment is there and as long as it was written, or is known to be what was
    /// written. This is enough where its index answers and none of its rows are read. A farther tier
    /// is not asked: it is when rows are read.
    pub(super) fn present(&self, segment: &SegmentMeta) -> Result<(), SegmentError> {
        if segment.tier() != Tier::Hot {
            return Ok(());
        }
        match looks(&self.root.join(&segment.path)) {
            None => Err(damaged(&segment.path, "the file is missing")),
            Some((size, ..)) if size != segment.bytes => {
                Err(damaged(&segment.path, of_length(size, segment)))
            }
            Some(_) => Ok(()),
        }
    }

    /// Makes sure that a segment is there and is what was written. The whole file is hashed the
    /// first time and whenever its size or time has changed; otherwise this costs one look at the
    /// folder. A segment of a farther tier is fetched.
    pub(super) async fn verified(&self, segment: &SegmentMeta) -> Result<LocalFile, SegmentError> {
        if segment.tier() == Tier::Hot {
            let meta = self.checked(segment, &segment.path).await?;
            return Ok(LocalFile { meta, used: None });
        }

        let (used, is_new) = self.tiers.obtain(segment).await?;
        let name = FetchedEntries::name(&segment.path);
        if is_new {
            let found = self.place.head(&name).await.map_err(failed)?;
            let looks = looks(&self.root.join(&name));
            self.checked
                .lock()
                .insert(segment.path.clone(), (found, looks));
        }
        match self.checked(segment, &name).await {
            Ok(meta) => Ok(LocalFile {
                meta,
                used: Some(used),
            }),
            Err(error) => {
                // The copy was changed here; the next use fetches the segment anew.
                let forgotten = self.tiers.fetched.forget(&segment.path);
                forgotten.map_err(|error| io(&segment.path, error.to_string()))?;
                Err(error)
            }
        }
    }

    /// Makes sure that the file of a segment, under a name below the data directory, is what was
    /// written.
    async fn checked(&self, segment: &SegmentMeta, name: &str) -> Result<ObjectMeta, SegmentError> {
        let path = &segment.path;
        let now = looks(&self.root.join(name));
        if let Some((found, then)) = self.checked.lock().get(path)
            && now.is_some()
            && *then == now
        {
            return Ok(found.clone());
        }

        let found = match self.place.head(name).await {
            Ok(found) => found,
            Err(PlaceError::Missing(_)) => return Err(damaged(path, "the file is missing")),
            Err(error) => return Err(failed(error)),
        };

        if found.size != segment.bytes {
            return Err(damaged(path, of_length(found.size, segment)));
        }

        let bytes = self.place.get(name).await.map_err(failed)?;
        let digest = blocking(path, move || hex::encode(Sha256::digest(&bytes)))
            .await
            .map_err(failed)?;

        if digest != segment.sha256 {
            return Err(damaged(
                path,
                "its bytes are not those that were sealed (SHA-256 differs)",
            ));
        }

        self.checked
            .lock()
            .insert(path.clone(), (found.clone(), now));
        Ok(found)
    }

    /// The rows of a segment, or some of them, that meet all conditions, ascending by sequence.
    pub(super) async fn scan(
        &self,
        segment: &SegmentMeta,
        rows: Option<RowSelection>,
        conditions: &[Expr],
        columns: &[usize],
    ) -> Result<SendableRecordBatchStream, SegmentError> {
        let file = self.verified(segment).await?;
        let rows = self
            .scanner
            .open(file.meta, rows, conditions, columns)
            .map_err(|error| damaged(&segment.path, message(&error)))?;
        let Some(used) = file.used else {
            return Ok(rows);
        };
        // A fetched file is not removed while it is read.
        let schema = rows.schema();
        let held = rows.inspect(move |_| {
            let _ = &used;
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, held)))
    }

    /// The entries in these rows of a segment, which ascend, as they were sealed.
    pub(super) async fn rows(
        &self,
        segment: &SegmentMeta,
        rows: &[usize],
    ) -> Result<Vec<SealedEntry>, SegmentError> {
        let file = self.verified(segment).await?;
        let read = self.footers.read(&self.root, &file.meta, rows);
        if let Some(entries) = read.map_err(|error| damaged(&segment.path, error.to_string()))? {
            return Ok(entries);
        }

        let ranges = rows.iter().map(|&row| row..row + 1);
        let chosen = RowSelection::from_consecutive_ranges(ranges, segment.count as usize);
        self.sealed(segment, Some(chosen), &[]).await
    }

    /// Entries of a segment that meet all conditions, as they were sealed.
    pub(super) async fn sealed(
        &self,
        segment: &SegmentMeta,
        rows: Option<RowSelection>,
        conditions: &[Expr],
    ) -> Result<Vec<SealedEntry>, SegmentError> {
        let mut stream = self
            .scan(segment, rows, conditions, &sealed_columns())
            .await?;
        let mut entries = Vec::new();
        while let Some(batch) = stream
            .try_next()
            .await
            .map_err(|error| damaged(&segment.path, message(&error)))?
        {
            sealed(&batch, &mut entries);
        }

        Ok(entries)
    }

    /// Sequences of the entries of a segment, ascending. The bytes are those that were sealed, or
    /// this fails.
    ///
    /// # Errors
    /// The segment is missing or is not what was written.
    pub async fn sequences(&self, segment: &SegmentMeta) -> Result<Vec<u64>, SegmentError> {
        let mut stream = self.scan(segment, None, &[], &[SEQUENCE]).await?;
        let mut sequences = Vec::new();
        while let Some(batch) = stream
            .try_next()
            .await
            .map_err(|error| damaged(&segment.path, message(&error)))?
        {
            let column = batch.column(0).as_primitive_opt::<Int64Type>();
            let column = column.ok_or_else(|| damaged(&segment.path, "it has no sequences"))?;
            sequences.extend(column.values().iter().map(|one| one.cast_unsigned()));
        }
        Ok(sequences)
    }

    /// Removes the local copy of a segment of a farther tier, and its index.
    ///
    /// # Errors
    /// A file cannot be removed.
    pub fn put_away(&self, segment: &SegmentMeta) -> Result<(), SegmentError> {
        let path = &segment.path;
        let removed = self
            .tiers
            .fetched
            .forget(path)
            .and_then(|()| self.shelf.remove(path).map(|_| ()));
        removed.map_err(|error| io(path, error.to_string()))
    }

    /// Removes the local copy of a segment that its tier no longer has, and its index.
    async fn remove_copy(&self, path: &str) -> Result<(), SegmentError> {
        let removed = self.tiers.fetched.remove(path).await;
        let removed = removed.and_then(|()| self.shelf.remove(path).map(|_| ()));
        removed.map_err(|error| io(path, error.to_string()))
    }

    /// Deletes the file of a segment; gone for good when this returns. Returns its bytes.
    async fn delete_local(&self, path: &str) -> Result<u64, SegmentError> {
        let found = match self.place.head(path).await {
            Ok(found) => found.size,
            Err(PlaceError::Missing(_)) => 0,
            Err(error) => return Err(failed(error)),
        };
        self.place.delete(path).await.map_err(failed)?;
        // The entry about it may not be ahead of the folder.
        if let Some(folder) = self.root.join(path).parent().filter(|path| path.exists()) {
            let synced = std::fs::File::open(folder).and_then(|folder| folder.sync_all());
            synced.map_err(|error| io(path, error.to_string()))?;
        }
        Ok(found)
    }

    /// Encodes and indexes entries on a thread for such work.
    async fn build(
        &self,
        class: &str,
        path: &str,
        entries: &[Arc<StoredEntry>],
        (first_sequence, last_sequence): (u64, u64),
    ) -> Result<BuiltSegment, SegmentError> {
        let (class, name, entries) = (class.to_owned(), path.to_owned(), entries.to_vec());
        let attest = self.shelf.attest(path, last_sequence);
        let built = blocking(path, move || {
            let texts = texts(&entries);
            let bytes = encode(&class, (first_sequence, last_sequence), &entries, &texts)
                .map_err(|error| io(&name, error.to_string()))?;
            let digest: [u8; 32] = Sha256::digest(&bytes).into();
            let index = build(
                &rows_of(entries.iter().map(AsRef::as_ref)),
                &digest,
                &attest,
            );
            Ok(BuiltSegment {
                bytes: bytes.into(),
                sha256: hex::encode(digest),
                index,
            })
        });

        built.await.map_err(failed)?
    }
}

/// A file of the local disk that is known to be a segment.
pub(super) struct LocalFile {
    meta: ObjectMeta,
    /// Use of a fetched file.
    used: Option<InUse>,
}

impl EntrySegments {
    /// Writes a segment of this range to a path.
    async fn put(
        &self,
        class: &str,
        path: String,
        range: (u64, u64),
        entries: &[Arc<StoredEntry>],
    ) -> Result<SegmentMeta, SegmentError> {
        let times = || {
            entries
                .iter()
                .map(|entry| entry.entry.timestamp.as_millisecond())
        };

        let (min_timestamp_ms, max_timestamp_ms) = (
            times().min().unwrap_or_default(),
            times().max().unwrap_or_default(),
        );
        let built = self.build(class, &path, entries, range).await?;
        let size = built.bytes.len() as u64;
        self.leftovers.lock().remove(&path);
        self.place.put(&path, built.bytes).await.map_err(failed)?;
        let written = self.place.head(&path).await.map_err(failed)?;
        self.checked
            .lock()
            .insert(path.clone(), (written, looks(&self.root.join(&path))));

        // Without its index a segment is searched more slowly, and a later search has it built.
        if let Err(error) = self.shelf.put(&path, &built.index) {
            tracing::warn!(segment = %path, %error, "the index of a segment was not written");
        }

        Ok(SegmentMeta {
            path,
            class: class.to_owned(),
            first_sequence: range.0,
            last_sequence: range.1,
            count: entries.len() as u64,
            bytes: size,
            sha256: built.sha256,
            min_timestamp_ms,
            max_timestamp_ms,
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

/// A segment before it is written.
struct BuiltSegment {
    bytes: Bytes,
    sha256: String,
    index: Vec<u8>,
}

#[async_trait]
impl SegmentStore for EntrySegments {
    async fn write(
        &self,
        class: &str,
        entries: &[Arc<StoredEntry>],
    ) -> Result<SegmentMeta, SegmentError> {
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else {
            return Err(io(
                FOLDER,
                format!("a segment of class {class} without entries"),
            ));
        };

        let (first_sequence, last_sequence) = (first.sequence, last.sequence);
        let path = format!(
            "{FOLDER}/{}/{first_sequence:020}-{last_sequence:020}.parquet",
            path_segment(class)
        );
        self.put(class, path, (first_sequence, last_sequence), entries)
            .await
    }

    async fn rewrite(
        &self,
        segment: &SegmentMeta,
        entries: &[Arc<StoredEntry>],
    ) -> Result<SegmentMeta, SegmentError> {
        let path = segment.path_after(segment.erased.len() + 1);
        let range = (segment.first_sequence, segment.last_sequence);
        let written = self.put(&segment.class, path, range, entries).await?;
        Ok(SegmentMeta {
            erased: segment.erased.clone(),
            ..written
        })
    }

    async fn read(&self, segment: &SegmentMeta) -> Result<Vec<SealedEntry>, SegmentError> {
        let entries = self.sealed(segment, None, &[]).await?;
        let ordered = entries.is_sorted_by(|a, b| a.sequence < b.sequence);
        let ends = entries
            .first()
            .zip(entries.last())
            .map(|(first, last)| (first.sequence, last.sequence));
        let range = (segment.first_sequence, segment.last_sequence);
        // An erasure may have taken the first or the last one, or all of them.
        let is_within = match ends {
            Some(ends) if segment.erased.is_empty() => ends == range,
            Some(ends) => range.0 <= ends.0 && ends.1 <= range.1,
            None => !segment.erased.is_empty(),
        };
        if entries.len() as u64 != segment.count || !ordered || !is_within {
            return Err(damaged(
                &segment.path,
                format!(
                    "it does not hold the {} entries that were sealed",
                    segment.count
                ),
            ));
        }

        Ok(entries)
    }

    async fn is_gone(&self, segment: &SegmentMeta) -> Result<bool, SegmentError> {
        self.tiers.is_gone(segment).await
    }

    async fn content(&self, segment: &SegmentMeta) -> Result<SegmentContent, SegmentError> {
        content(self, segment).await
    }

    async fn copy(&self, segment: &SegmentMeta, to: Tier) -> Result<(), SegmentError> {
        let file = self.verified(segment).await?;
        let local = self.root.join(file.meta.location.as_ref());
        self.tiers.put(segment, to, &local).await
    }

    async fn withdraw(&self, segment: &SegmentMeta) -> Result<(), SegmentError> {
        self.tiers.withdraw(segment).await
    }

    async fn leave(&self, segment: &SegmentMeta, tier: Tier) -> Result<u64, SegmentError> {
        let path = &segment.path;
        if tier != Tier::Hot {
            let bytes = self.tiers.delete(segment, tier).await?;
            self.remove_copy(path).await?;
            return Ok(bytes);
        }

        self.checked.lock().remove(path);
        let mut bytes = self.delete_local(path).await?;
        if segment.tier() == Tier::Cold {
            let index = self.shelf.remove(path);
            bytes += index.map_err(|error| io(path, error.to_string()))?;
        }
        Ok(bytes)
    }

    async fn remove(&self, segment: &SegmentMeta) -> Result<u64, SegmentError> {
        let path = &segment.path;
        self.checked.lock().remove(path);
        let mut freed = self
            .shelf
            .remove(path)
            .map_err(|error| io(path, error.to_string()))?;
        if let Some(moved) = &segment.moved {
            let farther = moved.leaving.filter(|tier| *tier != Tier::Hot);
            for tier in [Some(moved.tier), farther].into_iter().flatten() {
                freed += self.tiers.delete(segment, tier).await?;
            }
            self.remove_copy(path).await?;
        }
        freed += self.delete_local(path).await?;
        Ok(freed)
    }

    fn attested_by(&self, attestor: Arc<Attestor>) {
        self.shelf.attested_by(attestor);
    }

    fn publish(&self, segments: Arc<Vec<SegmentMeta>>) {
        let paths: HashSet<&str> = segments
            .iter()
            .map(|segment| segment.path.as_str())
            .collect();
        self.checked
            .lock()
            .retain(|path, _| paths.contains(path.as_str()));
        self.shelf.keep(&segments);
        *self.published.lock() = Some(segments);
    }
}

/// Size, time of the last change in seconds and nanoseconds, and inode of a file; `None` if there
/// is none.
type Looks = Option<(u64, i64, i64, u64)>;

fn looks(path: &Path) -> Looks {
    let found = std::fs::metadata(path).ok()?;
    Some((found.len(), found.mtime(), found.mtime_nsec(), found.ino()))
}

fn of_length(size: u64, segment: &SegmentMeta) -> String {
    format!("it has {size} bytes instead of {}", segment.bytes)
}
