//! Puts an open ledger together from what recovery found.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use parking_lot::{Mutex, RwLock};
use reeve_audit::{Entry, Obstacle};
use reeve_tlog::{Commitment, Hash, NoteSigner, commitment};
use tokio::sync::Notify;

use crate::config::{Config, Places};
use crate::disk::Disk;
use crate::entry::SealedEntry;
use crate::ids::{IdRecord, MarkClaim, SealedIds};
use crate::manifest::Manifest;
use crate::manifest::journal::Journal;
use crate::open_error::OpenError;
use crate::queue::Room;
use crate::recover::{Recovered, manifest_error, recover, remove_unsigned_manifest};
use crate::segment::{SegmentError, SegmentStore};
use crate::sequencer::recent::Recents;
use crate::sequencer::{Command, Sequencer};
use crate::shared::{LedgerHead, Shared};
use crate::tail::{LogView, Tail};
use crate::wal::{Wal, WriteFailure};

/// Identifiers are rebuilt for this many entries at a time.
const REBUILD_ENTRIES: u64 = 1 << 20;

/// Opens a log up to the point where its sequencer can run.
pub(crate) async fn open(
    disk: Arc<dyn Disk>,
    config: Config,
    signer: NoteSigner,
    segments: Arc<dyn SegmentStore>,
    commands: Receiver<Command>,
) -> Result<Sequencer, OpenError> {
    let signer = Arc::new(signer);
    let blocking = {
        let (disk, config, signer) = (disk.clone(), config.clone(), signer.clone());
        tokio::task::spawn_blocking(move || recover(&disk, &config, &signer))
    };
    let found = blocking
        .await
        .map_err(|error| OpenError::Thread(error.to_string()))??;
    segments.attested_by(found.attestor.clone());
    let ids = open_ids(&disk, &config, &found, segments.as_ref()).await?;
    let newest = newest_time(&found, &ids);
    let Recovered {
        lock,
        epochs,
        attestor,
        manifest,
        journal,
        unsigned,
        tiles,
        chain,
        chain_hash,
        ..
    } = found;

    let Recovered {
        note,
        entries,
        records,
        mut wal,
        anchor,
        ..
    } = found;

    let (size, root) = (tiles.size(), tiles.root());
    begin_file(&mut wal, &config, size, chain_hash)?;
    let recent = Recents::from_records(records);
    let mut tail = Tail::starting_at(manifest.sealed_size);
    tail.extend(entries);
    let all_segments = manifest.segments;
    let view = LogView {
        segments: Arc::default(),
        archived: Arc::default(),
        tail,
    };
    tracing::info!(origin = %config.origin, size, unsealed = view.tail.len(), %root, "the log is open");
    let shared = Shared {
        places: Places::new(&config),
        disk,
        segments,
        signer: RwLock::new(signer),
        epochs: RwLock::new(epochs),
        attestor,
        rotating: tokio::sync::Mutex::new(()),
        cosigned: RwLock::new(None),
        deliveries: Mutex::default(),
        tiles,
        chain,
        journal: Mutex::new(journal),
        unsigned,
        newest_at_open: newest,
        view: RwLock::new(view),
        all_segments: RwLock::default(),
        deadlines: RwLock::default(),
        removed: Mutex::default(),
        classes: RwLock::new(None),
        head: RwLock::new(LedgerHead {
            size,
            root,
            chain_hash,
            note: note.into(),
        }),
        ids: RwLock::new(Arc::new(ids)),
        room: Room::new(config.queue_capacity_bytes),
        live: Shared::live(),
        fault: Mutex::new(None),
        anchor_fault: Mutex::new(None),
        seal_due: Notify::new(),
        sealed: Notify::new(),
        config,
    };

    shared.show_segments(Some(all_segments), |shown| {
        shared.view.write().show(shown);
    });
    if let Some(ahead) = shared.clock_fault() {
        tracing::warn!("{ahead}");
    }

    crate::cosign::restore(&shared);
    let cared = shared.config.clock.elapsed();
    Ok(Sequencer {
        shared: Arc::new(shared),
        commands,
        wal,
        anchor,
        recent,
        _lock: lock,
        published: None,
        unpublished: false,
        cared,
    })
}

/// Signs the manifest of an earlier version, which was accepted, by making a journal that begins
/// with it.
pub(crate) fn sign_manifest(shared: &Shared) -> Result<(), OpenError> {
    let path = shared.places.manifest();
    let unsigned = Manifest::read(shared.disk.as_ref(), &shared.places.unsigned_manifest());
    let manifest = unsigned.map_err(|error| manifest_error(&path, error))?;
    let manifest = manifest.unwrap_or_else(|| Manifest::empty(&shared.config.origin));

    if manifest.segments != *shared.all_segments.read().as_ref() {
        let cause = "the manifest was changed after it was read".into();
        return Err(OpenError::Forged {
            path: shared.places.unsigned_manifest(),
            cause,
        });
    }

    let journal = Journal::create(&shared.disk, &path, &shared.attestor, &manifest);
    *shared.journal.lock() = Some(journal.map_err(|error| manifest_error(&path, error))?);
    remove_unsigned_manifest(shared.disk.as_ref(), &shared.places);
    Ok(())
}

/// Greatest `recorded_at` of the log, ms since the epoch; 0 in an empty log.
fn newest_time(found: &Recovered, ids: &SealedIds) -> i64 {
    let unsealed = found
        .entries
        .iter()
        .map(|entry| entry.recorded_at.as_millisecond());
    unsealed.chain(ids.newest_time()).max().unwrap_or(0)
}

/// Begins a file of the write-ahead log in the name of this writer, if it has a number.
fn begin_file(
    wal: &mut Wal,
    config: &Config,
    size: u64,
    chain_hash: Hash,
) -> Result<(), OpenError> {
    let epoch = config.fence.epoch();
    if epoch == 0 {
        return Ok(());
    }

    let path = wal.path().to_owned();
    wal.begin(size, chain_hash, epoch)
        .map_err(|failure| match failure {
            WriteFailure::Undone(source) | WriteFailure::Unknown(_, source) => {
                OpenError::io(&path, "following")(source)
            }
        })
}

/// Opens the index of identifiers and adds what it lacks of the sealed entries, out of the
/// segments.
async fn open_ids(
    disk: &Arc<dyn Disk>,
    config: &Config,
    found: &Recovered,
    segments: &dyn SegmentStore,
) -> Result<SealedIds, OpenError> {
    let dir = Places::new(config).ids();
    let Recovered {
        manifest,
        tiles,
        attestor,
        ..
    } = found;

    let sealed_size = manifest.sealed_size;
    disk.create_dirs(&dir)
        .map_err(OpenError::io(&dir, "creating"))?;
    let mut ids = SealedIds::open(disk.clone(), attestor.clone(), &dir, sealed_size)
        .map_err(OpenError::io(&dir, "reading"))?;

    while ids.end() < sealed_size {
        let (begin, end) = (ids.end(), sealed_size.min(ids.end() + REBUILD_ENTRIES));
        tracing::info!(begin, end, "rebuilding the index of identifiers");
        let commitments = tiles
            .commitments(begin, end)
            .map_err(OpenError::io(&dir, "reading the commitments for"))?;
        let (mut records, mut expired) = (Vec::new(), 0);
        for segment in &manifest.segments {
            if segment.first_sequence < end && segment.last_sequence >= begin {
                // Its identifiers are gone with it: an entry that is sent again is a new one.
                if segment.expired.is_some() {
                    expired += segment.sealed_count();
                    continue;
                }
                let read = segments.read(segment).await;
                // A restored backup lists files that the log deleted from their tier after it. A
                // search names them, so the start is not refused for the identifiers alone.
                if matches!(read, Err(SegmentError::Away { .. }))
                    && segments.is_gone(segment).await?
                {
                    tracing::warn!(segment = %segment.path, "a segment is gone from its tier; its entries are taken for new ones when they are sent again");
                    expired += segment.sealed_count();
                    continue;
                }
                let rows = read?;
                expired += segment.erased_count();
                for row in rows
                    .iter()
                    .filter(|row| (begin..end).contains(&row.sequence))
                {
                    let committed = commitments.get((row.sequence - begin) as usize);
                    records.push(
                        record_of(row, committed).map_err(|cause| OpenError::Sealed {
                            path: config.data_dir.join(&segment.path),
                            cause: format!("entry {}: {cause}", row.sequence),
                        })?,
                    );
                }
            }
        }
        let lacking = (end - begin).saturating_sub(records.len() as u64);
        if lacking > expired {
            let cause = format!(
                "its segments hold {} of the entries {begin} to {}",
                records.len(),
                end - 1
            );
            return Err(OpenError::Sealed {
                path: Places::new(config).manifest(),
                cause,
            });
        }
        ids = ids
            .with(end, records)
            .map_err(OpenError::io(&dir, "writing"))?;
    }

    Ok(ids)
}

/// Returns the index record of an entry in a segment, or an error if the entry differs from the
/// commitment in the log.
fn record_of(row: &SealedEntry, committed: Option<&Commitment>) -> Result<IdRecord, Obstacle> {
    if committed != Some(&commitment(&row.salt, &row.canonical)) {
        return Err("it differs from the log's commitment".into());
    }

    let (mut entry, recorded_at) = Entry::from_canonical(&row.canonical).map_err(Obstacle::of)?;
    let MarkClaim { key, mark, .. } = MarkClaim::of_stored(&mut entry, recorded_at);
    Ok(IdRecord {
        key,
        mark,
        sequence: row.sequence,
        recorded_at,
    })
}
