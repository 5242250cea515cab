//! The sealed entries as Iceberg tables, which other engines read with their own credentials.
//!
//! A table has one snapshot: the segments that readers of the log see now, where they lie. Nothing is
//! copied. Its metadata is written when it is asked for and the segments have changed. Metadata of
//! another state is deleted then, before the file of an expired segment is, and after an erasure: no
//! snapshot names a file with entries that are no longer in the log. Specification:
//! <https://iceberg.apache.org/spec/>.

mod avro;
mod manifest;
mod metadata;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use reeve_audit::{Obstacle, Tier};
use reeve_ledger::SegmentMeta;
use serde_json::Value;

use self::manifest::DataFile;
use self::metadata::{Snapshot, derived_id, snapshot_id, table_metadata};
use crate::archive::ArchivePlace;
use crate::entries::EntrySegments;
use crate::place::{Place, PlaceError};

/// Folder of the metadata, in the data directory and in the place of the warm tier.
const FOLDER: &str = "lake/iceberg";

/// A table over the segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IcebergTable {
    /// Hot and warm segments, for engines that reach the data directory.
    Entries,
    /// Warm segments, for engines that reach the place of the warm tier alone.
    EntriesWarm,
}

impl IcebergTable {
    /// Every table.
    pub const ALL: [IcebergTable; 2] = [IcebergTable::Entries, IcebergTable::EntriesWarm];

    /// Returns its name in the catalogue.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            IcebergTable::Entries => "entries",
            IcebergTable::EntriesWarm => "entries_warm",
        }
    }

    fn includes(self, segment: &SegmentMeta) -> bool {
        match segment.tier() {
            Tier::Hot => self == IcebergTable::Entries,
            Tier::Warm => true,
            // A cold segment leaves its place when its restore ends.
            Tier::Cold => false,
        }
    }
}

/// A table as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedTable {
    /// Address of its metadata.
    pub metadata_location: String,
    /// Metadata, as the specification has it.
    pub metadata: Value,
    /// Segments in it.
    pub segments: u64,
    /// Entries in it.
    pub entries: u64,
}

/// Writes the metadata of the tables.
#[derive(Debug)]
pub struct IcebergTables {
    data_dir: PathBuf,
    place: Place,
    warm: Option<Arc<dyn ArchivePlace>>,
    /// Name of the log, which tells its tables from those of other logs.
    origin: String,
    /// Held while metadata is written or deleted.
    changes: tokio::sync::Mutex<()>,
}

impl IcebergTables {
    /// Tables of a log over its segments.
    ///
    /// # Errors
    /// The data directory cannot be read.
    pub fn new(segments: &EntrySegments, origin: &str) -> Result<Self, Obstacle> {
        let root = segments.root();
        Ok(IcebergTables {
            data_dir: std::path::absolute(root).map_err(Obstacle::of)?,
            place: Place::local(root).map_err(Obstacle::of)?,
            warm: segments.tiers.places.of(Tier::Warm).cloned(),
            origin: origin.to_owned(),
            changes: tokio::sync::Mutex::default(),
        })
    }

    /// Returns the tables that there are: that of the warm tier where it has a place.
    pub fn tables(&self) -> impl Iterator<Item = IcebergTable> {
        let has_warm = self.warm.is_some();
        let tables = IcebergTable::ALL.into_iter();
        tables.filter(move |table| has_warm || *table == IcebergTable::Entries)
    }

    /// Returns a table over the segments that readers of the log see, with its metadata written.
    /// `shown` is asked while no metadata changes: a segment that expires meanwhile is not in it, or
    /// the deletion of the metadata that names it waits for this.
    ///
    /// # Errors
    /// The disk or the place of the warm tier failed.
    pub async fn publish(
        &self,
        table: IcebergTable,
        shown: impl Fn() -> Arc<Vec<SegmentMeta>>,
    ) -> Result<PublishedTable, Obstacle> {
        let _change = self.changes.lock().await;
        let shown = shown();
        let files = self.files(table, &shown)?;
        let id = self.snapshot(table, &shown)?;
        let metadata = self.metadata(table, id, &files)?;
        self.remove_others(table, Some(id)).await?;
        if !self.is_written(table, id).await? {
            self.write(table, id, &files, &metadata).await?;
        }

        let [_, _, name] = names(table, id);
        Ok(PublishedTable {
            metadata_location: self.uri(table, &name)?,
            metadata,
            segments: files.len() as u64,
            entries: files.iter().map(|data| data.rows).sum(),
        })
    }

    /// Deletes the metadata of every state other than the present one, in which readers see these
    /// segments.
    ///
    /// # Errors
    /// The disk or the place of the warm tier failed.
    pub async fn withdraw(
        &self,
        shown: impl Fn() -> Arc<Vec<SegmentMeta>>,
    ) -> Result<(), Obstacle> {
        let _change = self.changes.lock().await;
        let shown = shown();
        for table in self.tables() {
            // A state that cannot be published has no metadata. It must not keep an expired segment.
            let current = self.snapshot(table, &shown).ok();
            self.remove_others(table, current).await?;
        }
        Ok(())
    }

    /// Returns the metadata of a table with a snapshot.
    fn metadata(
        &self,
        table: IcebergTable,
        id: i64,
        files: &[DataFile],
    ) -> Result<Value, Obstacle> {
        let [_, list_name, _] = names(table, id);
        let snapshot = Snapshot {
            id,
            manifest_list: &self.uri(table, &list_name)?,
            files,
        };
        let table_id = derived_id(&[&self.origin, table.name()]);
        let location = self.uri(table, &format!("{FOLDER}/{}", table.name()))?;
        Ok(table_metadata(table_id, &location, &snapshot))
    }

    /// Writes manifest, manifest list and metadata of a snapshot, in this order: metadata that is
    /// there is whole.
    async fn write(
        &self,
        table: IcebergTable,
        id: i64,
        files: &[DataFile],
        metadata: &Value,
    ) -> Result<(), Obstacle> {
        let [manifest_name, list_name, metadata_name] = names(table, id);
        let manifest_uri = self.uri(table, &manifest_name)?;
        let manifest = manifest::manifest(id, files);
        let list = manifest::manifest_list(id, (&manifest_uri, manifest.len()), files);

        self.put(table, &manifest_name, manifest).await?;
        self.put(table, &list_name, list).await?;
        let bytes = metadata.to_string().into_bytes();
        self.put(table, &metadata_name, bytes).await
    }

    /// Returns `true` if the metadata of a snapshot was written whole.
    async fn is_written(&self, table: IcebergTable, id: i64) -> Result<bool, Obstacle> {
        let [_, _, name] = names(table, id);
        match (self.place.head(&name).await, table) {
            (Ok(_), IcebergTable::Entries) => Ok(true),
            // The copy in the place of the warm tier is written after the local one.
            (Ok(_), IcebergTable::EntriesWarm) => Ok(self.warm()?.size(&name).await?.is_some()),
            (Err(PlaceError::Missing(_)), _) => Ok(false),
            (Err(error), _) => Err(Obstacle::of(error)),
        }
    }

    /// Writes a file of the metadata to the local disk, which tells by it what may lie in the place
    /// of the warm tier, and then there.
    async fn put(&self, table: IcebergTable, name: &str, bytes: Vec<u8>) -> Result<(), Obstacle> {
        let put = self.place.put(name, Bytes::from(bytes)).await;
        put.map_err(Obstacle::of)?;
        match table {
            IcebergTable::Entries => Ok(()),
            IcebergTable::EntriesWarm => self.warm()?.put(name, &self.data_dir.join(name)).await,
        }
    }

    /// Deletes the metadata of a table but that of a snapshot. Local files go last.
    async fn remove_others(&self, table: IcebergTable, but: Option<i64>) -> Result<(), Obstacle> {
        let found = self.place.list(&folder(table)).await;
        let ids: BTreeSet<i64> = found
            .map_err(Obstacle::of)?
            .iter()
            .filter_map(|file| file.location.filename()?.split('.').next()?.parse().ok())
            .filter(|id| Some(*id) != but)
            .collect();

        for name in ids.into_iter().flat_map(|id| names(table, id)) {
            if table == IcebergTable::EntriesWarm {
                self.warm()?.delete(&name).await?;
            }
            self.place.delete(&name).await.map_err(Obstacle::of)?;
        }
        Ok(())
    }

    /// Returns the identifier of the snapshot of a table in which readers see these segments.
    fn snapshot(&self, table: IcebergTable, shown: &[SegmentMeta]) -> Result<i64, Obstacle> {
        let mut parts = vec![self.origin.clone(), table.name().to_owned()];
        for segment in shown.iter().filter(|segment| table.includes(segment)) {
            parts.extend([self.segment_uri(segment)?, segment.sha256.clone()]);
        }
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        Ok(snapshot_id(&parts))
    }

    fn files(&self, table: IcebergTable, shown: &[SegmentMeta]) -> Result<Vec<DataFile>, Obstacle> {
        let included = shown.iter().filter(|segment| table.includes(segment));
        included
            // An erasure may have taken every entry.
            .filter(|segment| segment.count > 0)
            .map(|segment| {
                Ok(DataFile {
                    uri: self.segment_uri(segment)?,
                    rows: segment.count,
                    bytes: segment.bytes,
                    sequences: (segment.first_sequence, segment.last_sequence),
                    timestamps_ms: (segment.min_timestamp_ms, segment.max_timestamp_ms),
                    recorded_ms: segment.max_recorded_at_ms.unwrap_or_default(),
                })
            })
            .collect()
    }

    fn segment_uri(&self, segment: &SegmentMeta) -> Result<String, Obstacle> {
        match segment.tier() {
            Tier::Hot => Ok(self.local_uri(&segment.path)),
            _ => Ok(uri_of(self.warm()?.address(), &segment.path)),
        }
    }

    /// Returns the address of a file of a table's metadata.
    fn uri(&self, table: IcebergTable, name: &str) -> Result<String, Obstacle> {
        match table {
            IcebergTable::Entries => Ok(self.local_uri(name)),
            IcebergTable::EntriesWarm => Ok(uri_of(self.warm()?.address(), name)),
        }
    }

    fn local_uri(&self, name: &str) -> String {
        uri_of(&self.data_dir.display().to_string(), name)
    }

    fn warm(&self) -> Result<&Arc<dyn ArchivePlace>, Obstacle> {
        self.warm.as_ref().ok_or_else(|| {
            Obstacle::of(
                "segments lie in the warm tier, for which the configuration names no place",
            )
        })
    }
}

fn folder(table: IcebergTable) -> String {
    format!("{FOLDER}/{}/metadata", table.name())
}

/// Returns the names of manifest, manifest list and metadata of a snapshot.
fn names(table: IcebergTable, id: i64) -> [String; 3] {
    ["manifest.avro", "snapshot.avro", "metadata.json"]
        .map(|kind| format!("{}/{id}.{kind}", folder(table)))
}

/// Returns the address of a file below a folder or bucket.
fn uri_of(address: &str, name: &str) -> String {
    match address.starts_with('/') {
        true => format!("file://{address}/{name}"),
        false => format!("{address}/{name}"),
    }
}
