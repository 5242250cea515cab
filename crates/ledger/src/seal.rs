//! Sealing: moves what the write-ahead log holds into segments, tiles and the index of identifiers, then lets go of its files.
//!
//! In this order, each step durable before the next: a new log file begins, segments, tiles, chain points, identifiers,
//! manifest, then readers see the segments instead of the tail, then the old log files go. Until the manifest is in place
//! nothing counts but the log, so an interruption at any step loses and doubles nothing.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use reeve_audit::RetentionClass;

use crate::append::AppendError;
use crate::entry::StoredEntry;
use crate::ids::{Claim, Record, SealedIds};
use crate::manifest::{Manifest, ManifestError};
use crate::segment::{SegmentError, SegmentMeta};
use crate::shared::Shared;

/// Why nothing was sealed. The entries stay in the write-ahead log, and the next seal tries again.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// The log could not begin a new file.
    #[error("sealing: {0}")]
    Rotate(#[source] AppendError),
    /// A segment was not written.
    #[error("sealing")]
    Segment(#[from] SegmentError),
    /// Tiles, chain points, identifiers or the manifest were not written.
    #[error("sealing: {path}: {source}")]
    Io {
        /// Where.
        path: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The manifest would contradict itself; a programming error.
    #[error("sealing: {0}")]
    Manifest(#[from] ManifestError),
    /// The ledger was closed.
    #[error("the log is closed")]
    Closed,
}

/// Wraps an I/O error with its place.
fn at(path: &Path) -> impl FnOnce(std::io::Error) -> SealError {
    let path = path.display().to_string();
    move |source| SealError::Io { path, source }
}

/// Seals the entries of the tail before `end`, where a file of the log begins. Returns how many.
pub(crate) async fn seal(shared: &Arc<Shared>, end: u64) -> Result<usize, SealError> {
    let view = shared.view.read().clone();
    let begin = view.tail.first_sequence();
    let entries: Vec<_> = view.tail.iter().take_while(|entry| entry.sequence < end).cloned().collect();
    let Some(last) = entries.last().cloned() else {
        return Ok(0);
    };
    let written = write_segments(shared, &entries).await?;
    let sealed = entries.len();
    let shared = shared.clone();
    let finish = move || {
        write_tiles(&shared, begin, end, &entries)?;
        let (ids, merged) = write_ids(&shared, end, &entries)?;
        let segments = write_manifest(&shared, end, &last, &view.segments, written)?;
        show(&shared, end, Arc::new(ids), segments);
        for path in merged {
            if let Err(error) = shared.disk.remove(&path) {
                tracing::warn!(file = %path.display(), %error, "a merged file of identifiers could not be removed");
            }
        }
        Ok(sealed)
    };
    tokio::task::spawn_blocking(finish).await.map_err(|_| SealError::Closed)?
}

/// One segment a retention class, of at most as many entries as make a seal due.
async fn write_segments(shared: &Shared, entries: &[Arc<StoredEntry>]) -> Result<Vec<SegmentMeta>, SealError> {
    let mut classes: BTreeMap<&'static str, Vec<Arc<StoredEntry>>> = BTreeMap::new();
    for entry in entries {
        classes.entry(RetentionClass::of(&entry.entry.event_type).id()).or_default().push(entry.clone());
    }
    let most = shared.config.seal_after_entries.max(1);
    let mut written = Vec::new();
    for (class, entries) in classes {
        // A share of less than half a segment goes with the one before.
        let parts = ((entries.len() + most / 2) / most).max(1);
        for part in entries.chunks(entries.len().div_ceil(parts)) {
            written.push(shared.segments.write(class, part).await?);
        }
    }
    Ok(written)
}

fn write_tiles(shared: &Shared, begin: u64, end: u64, entries: &[Arc<StoredEntry>]) -> Result<(), SealError> {
    shared.tiles.write(begin, end).map_err(at(&shared.places.dir.join("tile")))?;
    let before = |tile: u64| {
        let last = (tile * u64::from(reeve_tlog::TILE_WIDTH)).checked_sub(begin + 1)?;
        entries.get(last as usize).map(|entry| entry.hash)
    };
    shared.chain.write(begin, end, before).map_err(at(&shared.places.chain()))
}

fn write_ids(
    shared: &Shared,
    end: u64,
    entries: &[Arc<StoredEntry>],
) -> Result<(SealedIds, Vec<std::path::PathBuf>), SealError> {
    let ids = shared.ids.read().clone();
    ids.with(end, entries.iter().map(|entry| record(entry)).collect()).map_err(at(&shared.places.ids()))
}

/// What the index keeps of an entry.
pub(crate) fn record(entry: &StoredEntry) -> Record {
    let Claim { key, mark, .. } = Claim::of_stored(&mut entry.entry.clone(), entry.recorded_at);
    Record { key, mark, sequence: entry.sequence, recorded_at: entry.recorded_at }
}

fn write_manifest(
    shared: &Shared,
    end: u64,
    last: &StoredEntry,
    before: &[SegmentMeta],
    written: Vec<SegmentMeta>,
) -> Result<Vec<SegmentMeta>, SealError> {
    let path = shared.places.manifest();
    let reader = shared.tiles.reader(shared.tiles.size());
    let root =
        reeve_tlog::tree_root(&reader, end).map_err(|error| at(&path)(std::io::Error::other(error.to_string())))?;
    let mut segments = before.to_vec();
    segments.extend(written);
    segments.sort_by(|a, b| (a.first_sequence, &a.class).cmp(&(b.first_sequence, &b.class)));
    let manifest = Manifest {
        origin: shared.config.origin.clone(),
        sealed_size: end,
        root,
        chain_hash: last.hash,
        edge: shared.tiles.commitments_beyond(end).map_err(at(&path))?,
        segments,
    };
    // What would not be accepted at the next start is not written.
    Manifest::decode(&manifest.encode()?)?;
    manifest.write(shared.disk.as_ref(), &path)?;
    Ok(manifest.segments)
}

/// Lets readers see the segments instead of the entries of the tail, all at once.
fn show(shared: &Shared, end: u64, ids: Arc<SealedIds>, segments: Vec<SegmentMeta>) {
    let segments = Arc::new(segments);
    shared.tiles.forget(end);
    *shared.ids.write() = ids;
    shared.segments.publish(segments.clone());
    let mut view = shared.view.write();
    view.segments = segments;
    view.tail.drop_before(end);
}
