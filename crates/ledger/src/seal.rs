//! Sealing: moves what the write-ahead log holds into segments, tiles and the index of identifiers,
//! then lets go of its files.
//!
//! In this order, each step durable before the next: a new log file begins, segments, tiles, chain
//! points, identifiers, manifest, then readers see the segments instead of the tail, then the old
//! log files go. Until the manifest is in place nothing counts but the log, so an interruption at
//! any step loses and doubles nothing.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use jiff::tz::TimeZone;
use reeve_audit::{EventType, RetentionClass};
use tokio::task::JoinSet;

use crate::append::AppendError;
use crate::entry::StoredEntry;
use crate::fence::Fenced;
use crate::ids::{IdRecord, MarkClaim, SealedIds};
use crate::manifest::ManifestError;
use crate::manifest::journal::Seal;
use crate::segment::{SegmentError, SegmentMeta};
use crate::sequencer::Rotated;
use crate::sequencer::recent::{Generation, records};
use crate::shared::Shared;

/// Segments that are written at the same time: more would hold more memory and take the processors
/// from the appends.
const SEGMENTS_AT_ONCE: usize = 2;

/// Reason why nothing was sealed. The entries stay in the write-ahead log, and the next seal tries
/// again.
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
        /// Path of the file.
        path: String,
        /// Error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// The manifest would contradict itself; a programming error.
    #[error("sealing: {0}")]
    Manifest(#[from] ManifestError),
    /// Another server may write the log instead of this one.
    #[error("sealing: {0}")]
    Fenced(#[from] Fenced),
    /// The ledger was closed.
    #[error("the log is closed")]
    Closed,
}

/// Wraps an I/O error with its place.
fn at(path: &Path) -> impl FnOnce(std::io::Error) -> SealError {
    let path = path.display().to_string();
    move |source| SealError::Io { path, source }
}

/// Entries that one seal moves from the tail into segments.
struct Sealing {
    begin: u64,
    end: u64,
    entries: Vec<Arc<StoredEntry>>,
    last: Arc<StoredEntry>,
    recent: Vec<Generation>,
}

/// Seals the entries of the tail before the point where a file of the log begins. Returns how many.
pub(crate) async fn seal(shared: &Arc<Shared>, rotated: Rotated) -> Result<usize, SealError> {
    let Rotated { end, recent } = rotated;
    let tail = shared.view.read().tail.clone();
    let begin = tail.first_sequence();
    let entries: Vec<_> = tail
        .iter()
        .take_while(|entry| entry.sequence < end)
        .cloned()
        .collect();
    drop(tail);
    let Some(last) = entries.last().cloned() else {
        return Ok(0);
    };

    let sealed = entries.len();
    let sealing = Arc::new(Sealing {
        begin,
        end,
        entries,
        last,
        recent,
    });

    let hashes = {
        let (shared, sealing) = (shared.clone(), sealing.clone());
        tokio::task::spawn_blocking(move || {
            write_tiles(&shared, &sealing)?;
            write_ids(&shared, &sealing)
        })
    };

    let written = write_segments(shared, &sealing.entries).await;
    // Both are waited for, so that no seal writes after its end.
    let ids = hashes.await.map_err(|_| SealError::Closed)??;
    let (shared, written) = (shared.clone(), written?);
    let finish = move || {
        let before = shared.all_segments.read().clone();
        let segments = write_manifest(&shared, &sealing, &before, written)?;
        show(&shared, end, Arc::new(ids), segments);
        drop(sealing);
        merge_ids(&shared);
        Ok(sealed)
    };

    tokio::task::spawn_blocking(finish)
        .await
        .map_err(|_| SealError::Closed)?
}

/// One segment a retention class and month of expiry, of at most as many entries as make a seal due; two are written at
/// a time.
async fn write_segments(
    shared: &Arc<Shared>,
    entries: &[Arc<StoredEntry>],
) -> Result<Vec<SegmentMeta>, SealError> {
    let chosen = shared.classes.read().clone();
    let class_of = |event_type: &EventType| match &chosen {
        Some(classes) => classes(event_type),
        None => RetentionClass::for_event_type(event_type).id().to_owned(),
    };
    let mut classes: BTreeMap<(String, i16, i8), Vec<Arc<StoredEntry>>> = BTreeMap::new();
    for entry in entries {
        // A segment expires as a whole. An entry that is dated far ahead must not keep others.
        let clock = entry.recorded_at.max(entry.entry.timestamp);
        let day = clock.to_zoned(TimeZone::UTC).date();
        classes
            .entry((class_of(&entry.entry.event_type), day.year(), day.month()))
            .or_default()
            .push(entry.clone());
    }

    let most = shared.config.seal_after_entries.max(1);
    let mut writing = JoinSet::new();
    let mut written = Vec::new();

    for ((class, ..), entries) in classes {
        // A share of less than half a segment goes with the one before.
        let parts = ((entries.len() + most / 2) / most).max(1);
        for part in entries.chunks(entries.len().div_ceil(parts)) {
            if writing.len() >= SEGMENTS_AT_ONCE {
                written.extend(writing.join_next().await);
            }
            let (shared, class, part) = (shared.clone(), class.clone(), part.to_vec());
            writing.spawn(async move { shared.segments.write(&class, &part).await });
        }
    }

    // All are waited for whatever becomes of one, so that none writes when the next seal tries
    // again.
    written.extend(writing.join_all().await.into_iter().map(Ok));
    written
        .into_iter()
        .map(|done| Ok(done.map_err(|_| SealError::Closed)??))
        .collect()
}

fn write_tiles(shared: &Shared, sealing: &Sealing) -> Result<(), SealError> {
    let Sealing {
        begin,
        end,
        entries,
        ..
    } = sealing;

    let commitments = entries.iter().map(|entry| entry.commitment);
    shared
        .tiles
        .write(*begin, *end, commitments)
        .map_err(at(&shared.places.dir.join("commitments")))?;
    let before = |tile: u64| {
        let last = (tile * u64::from(reeve_tlog::TILE_WIDTH)).checked_sub(begin + 1)?;
        entries.get(last as usize).map(|entry| entry.hash)
    };

    let written = shared
        .chain
        .write(*begin, *end, before)
        .and_then(|()| shared.chain.attest(*end));
    written.map_err(at(&shared.places.chain()))
}

fn write_ids(shared: &Shared, sealing: &Sealing) -> Result<SealedIds, SealError> {
    let Sealing {
        begin,
        end,
        entries,
        recent,
        ..
    } = sealing;

    let ids = shared.ids.read().clone();
    let mut records = records(recent);
    if records.len() as u64 != end - begin {
        records = entries.iter().map(|entry| record(entry)).collect();
    }

    ids.with(*end, records).map_err(at(&shared.places.ids()))
}

/// Makes fewer and larger files of the index of identifiers, after the seal counts: the entries do
/// not wait for this.
fn merge_ids(shared: &Shared) {
    let ids = shared.ids.read().clone();
    let (ids, merged) = match ids.merged() {
        Ok(Some(merged)) => merged,
        Ok(None) => return,
        Err(error) => {
            tracing::warn!(%error, "the index of identifiers could not be merged; the next seal tries again");
            return;
        }
    };
    *shared.ids.write() = Arc::new(ids);

    for path in merged {
        if let Err(error) = shared.disk.remove(&path) {
            tracing::warn!(file = %path.display(), %error, "a merged file of identifiers could not be removed");
        }
    }
}

/// Returns the index record of an entry.
pub(crate) fn record(entry: &StoredEntry) -> IdRecord {
    let MarkClaim { key, mark, .. } =
        MarkClaim::of_stored(&mut entry.entry.clone(), entry.recorded_at);
    IdRecord {
        key,
        mark,
        sequence: entry.sequence,
        recorded_at: entry.recorded_at,
    }
}

fn write_manifest(
    shared: &Shared,
    sealing: &Sealing,
    before: &[SegmentMeta],
    mut written: Vec<SegmentMeta>,
) -> Result<Vec<SegmentMeta>, SealError> {
    let path = shared.places.manifest();
    let Sealing { end, last, .. } = sealing;
    let reader = shared.tiles.reader(shared.tiles.size());
    let root = reeve_tlog::tree_root(&reader, *end)
        .map_err(|error| at(&path)(std::io::Error::other(error.to_string())))?;
    written.sort_by(|a, b| (a.first_sequence, &a.class).cmp(&(b.first_sequence, &b.class)));
    let seal = Seal {
        sealed_size: *end,
        root,
        chain_hash: last.hash,
        segments: written,
    };

    let mut journal = shared.journal.lock();
    // A server that was replaced while it wrote segments must not name them over those of the next
    // one.
    shared.config.fence.check()?;
    journal
        .as_mut()
        .ok_or(SealError::Closed)?
        .append(&seal, before)?;

    Ok(before.iter().chain(&seal.segments).cloned().collect())
}

/// Lets readers see the segments instead of the entries of the tail, all at once.
fn show(shared: &Shared, end: u64, ids: Arc<SealedIds>, segments: Vec<SegmentMeta>) {
    shared.tiles.forget(end);
    *shared.ids.write() = ids;
    let tail = shared.view.read().tail.clone();
    let weight = tail.weight_before(end);
    drop(tail);
    let mut dropped = None;
    shared.show_segments(Some(segments), |shown| {
        let mut view = shared.view.write();
        view.show(shown);
        dropped = Some(view.tail.drop_before(end, weight));
    });
    shared.sealed.notify_waiters();
    drop(dropped);
}
