//! Opening: reads manifest, tiles, write-ahead log and anchor, and refuses what is not exactly what
//! was acknowledged.
//!
//! What may be wrong without anything being lost, and is put right: a last frame that was being
//! written when the power went (cut off, only if the anchor does not cover it and nothing whole
//! follows), files that a seal or rotation left half done. Everything else is an [`OpenError`] and
//! leaves the files as they are.
//!
//! What the files say of each other is not enough: the log's key must have signed the newest frame,
//! the manifest and the anchor (`signatures`), because what is recovered is signed.

mod manifest_file;
mod replay;
mod signatures;

use std::path::Path;
use std::sync::Arc;

use reeve_tlog::{Epochs, Hash, NoteSigner, NoteVerifier, tree_root};

use crate::accept::Unsigned;
use crate::anchor::{self, Anchor, AnchorFound, AnchorHead};
use crate::attest::Attestor;
use crate::chain::Chain;
use crate::config::{Config, Places, vkey_path};
use crate::disk::{Disk, DiskLock, parent, read_if_there, write_durably};
use crate::entry::StoredEntry;
use crate::ids::IdRecord;
use crate::manifest::Manifest;
use crate::manifest::journal::Journal;
use crate::open_error::OpenError;
use crate::shared::sign;
use crate::tiles::{HashReadError, Tiles};
use crate::wal::Wal;
use manifest_file::{blame_manifest, open_journal, read_manifest};
pub(crate) use manifest_file::{manifest_error, remove_unsigned_manifest};
use signatures::Signatures;

/// A log as it was found.
pub(crate) struct Recovered {
    pub(crate) lock: Box<dyn DiskLock>,
    pub(crate) epochs: Option<Epochs>,
    pub(crate) attestor: Arc<Attestor>,
    pub(crate) manifest: Manifest,
    /// The manifest's file; `None` where the manifest has no signature and was accepted.
    pub(crate) journal: Option<Journal>,
    /// Extent of what was accepted without a signature.
    pub(crate) unsigned: Option<Unsigned>,
    pub(crate) tiles: Tiles,
    pub(crate) chain: Chain,
    pub(crate) chain_hash: Hash,
    /// The signed checkpoint of the whole log.
    pub(crate) note: String,
    /// Entries of the write-ahead log that no segment has.
    pub(crate) entries: Vec<Arc<StoredEntry>>,
    /// Records for the index of identifiers.
    pub(crate) records: Vec<IdRecord>,
    pub(crate) wal: Wal,
    pub(crate) anchor: Anchor,
}

/// Opens the log in a data directory.
pub(crate) fn recover(
    disk: &Arc<dyn Disk>,
    config: &Config,
    signer: &Arc<NoteSigner>,
) -> Result<Recovered, OpenError> {
    let places = Places::new(config);
    disk.create_dirs(&places.wal())
        .map_err(OpenError::io(&places.wal(), "creating"))?;
    let lock = lock(disk.as_ref(), &places)?;
    keep_names(disk.as_ref(), config, &places)?;
    let epochs = check_key(disk.as_ref(), config, signer.verifier())?;
    let attestor = Arc::new(Attestor::new(signer.clone(), epochs.clone()));
    let anchored = read_anchor(disk.as_ref(), &places)?;
    let (manifest, content) = read_manifest(disk.as_ref(), &places, &config.origin, &attestor)?;
    let tiles = restore_tiles(disk, &places, &manifest)?;
    let path = places.chain();
    let chain = Chain::open(
        disk,
        &path,
        &attestor,
        &tiles,
        (manifest.sealed_size, manifest.chain_hash),
    )
    .map_err(OpenError::io(&path, "reading"))?
    .ok_or_else(|| {
        sealed(
            &path,
            "the chain over the stored tiles does not end as the manifest says".into(),
        )
    })?;

    let sealed = replay::Sealed {
        size: manifest.sealed_size,
        chain_hash: manifest.chain_hash,
    };
    let anchored_size = anchored.map_or(0, |(head, _)| head.size);
    let log = replay::replay(disk, &places, &config.origin, sealed, anchored_size, &tiles)
        .map_err(|error| blame_manifest(error, &places, content.as_ref()))?;
    if let Some((held, _)) = &anchored {
        check_anchor(&places, held, &tiles, sealed, &log)?;
    }

    let keys = epochs
        .clone()
        .unwrap_or_else(|| Epochs::single(signer.verifier().clone()));
    let signatures = Signatures {
        disk: disk.as_ref(),
        config,
        places: &places,
        keys: &keys,
        tiles: &tiles,
    };

    let held = anchored.as_ref().map(|(head, _)| head);
    let unsigned =
        signatures.verify(log.newest_note.as_ref(), held, &manifest, content.is_some())?;

    // From here on the log is what its key signed, or what an operator has answered for.
    let note = sign(&config.origin, signer, tiles.size(), tiles.root()).map_err(|error| {
        OpenError::Key {
            path: vkey_path(&config.data_dir),
            cause: error.to_string(),
        }
    })?;
    let head = AnchorHead::signed(tiles.size(), tiles.root(), log.chain_hash, &note);

    let anchor = match anchored {
        Some((_, turn)) => Anchor::open(disk.as_ref(), &places.anchor, turn),
        None if head.size > 0 && !config.accept_missing_anchor => {
            return Err(OpenError::AnchorMissing {
                path: places.anchor,
                size: head.size,
            });
        }
        // Before the first file of the log, so that a log without an anchor is never how a start
        // ended.
        None => Anchor::create(disk.as_ref(), &places.anchor, &head),
    };
    let mut anchor = anchor.map_err(OpenError::io(&places.anchor, "opening"))?;

    // Before the files of the log go whose entries it says are sealed.
    let journal = open_journal(
        disk,
        &places,
        &attestor,
        &manifest,
        content.as_ref(),
        unsigned.is_some(),
    )?;

    let wal = replay::settle(disk, &places, &log, sealed, anchored_size)?;
    let written = match anchor::is_sound(disk.as_ref(), &places.anchor) {
        Ok(true) => anchor.write(&head).and_then(|()| anchor.sync()),
        // The other slot has told how far the log was, and the log was held against it.
        Ok(false) => {
            tracing::warn!(file = %places.anchor.display(), "the anchor was altered; it is rewritten");
            anchor.rewrite(&head)
        }
        Err(error) => Err(error),
    };
    written.map_err(OpenError::io(&places.anchor, "writing"))?;

    let replay::ReplayedLog {
        chain_hash,
        entries,
        records,
        ..
    } = log;

    Ok(Recovered {
        lock,
        epochs,
        attestor,
        manifest,
        journal,
        unsigned,
        tiles,
        chain,
        chain_hash,
        note,
        entries,
        records,
        wal,
        anchor,
    })
}

/// Makes durable what names are found: the process before may have been killed between giving a
/// file its name and syncing the folder, and what is done from here on (removing sealed files of
/// the log, say) rests on them.
fn keep_names(disk: &dyn Disk, config: &Config, places: &Places) -> Result<(), OpenError> {
    let anchor = parent(&places.anchor).to_owned();
    let above = [
        parent(&config.data_dir).to_owned(),
        config.data_dir.clone(),
        parent(&anchor).to_owned(),
    ];

    for dir in above.into_iter().chain([
        places.dir.clone(),
        places.wal(),
        places.epochs(),
        places.dir.join("tree"),
        anchor,
    ]) {
        match disk.sync_dir(&dir) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(OpenError::io(&dir, "syncing")(error));
            }
            _ => {}
        }
    }

    Ok(())
}

fn lock(disk: &dyn Disk, places: &Places) -> Result<Box<dyn DiskLock>, OpenError> {
    let path = places.lock();
    disk.lock(&path).map_err(|source| match source.kind() {
        std::io::ErrorKind::WouldBlock => OpenError::Locked { path },
        _ => OpenError::Io {
            path,
            action: "locking",
            source,
        },
    })
}

/// Checks that the signing key matches the public key beside the log.
fn check_key(
    disk: &dyn Disk,
    config: &Config,
    key: &NoteVerifier,
) -> Result<Option<Epochs>, OpenError> {
    let path = vkey_path(&config.data_dir);
    let wrong = |cause| OpenError::Key {
        path: path.clone(),
        cause,
    };

    if key.name() != config.origin {
        let cause = format!(
            "the key is named {}, but the log's origin is {}",
            key.name(),
            config.origin
        );
        return Err(wrong(cause));
    }

    let dir = Places::new(config).epochs();
    let epochs = crate::epoch::read(disk, &dir).map_err(|(name, cause)| OpenError::Key {
        path: dir.join(name),
        cause: format!("{cause}: restore it from a backup"),
    })?;
    if let Some(newest) = epochs
        .as_ref()
        .map(Epochs::newest)
        .filter(|newest| *newest != key)
    {
        return Err(wrong(format!(
            "the key in charge is {newest} by the records in {}, but the private key given is that of {key}: restore keys/log.key",
            dir.display()
        )));
    }

    let stored = read_if_there(disk, &path).map_err(OpenError::io(&path, "reading"))?;
    // A rotation that was interrupted after its record leaves the key before it here.
    let retired = |text: &[u8]| {
        let stored = String::from_utf8_lossy(text).trim().parse().ok();
        stored.is_some_and(|stored| {
            epochs
                .as_ref()
                .is_some_and(|epochs| epochs.contains(&stored))
        })
    };

    match stored
        .filter(|text| !retired(text) || String::from_utf8_lossy(text).trim() == key.to_string())
    {
        Some(text) if String::from_utf8_lossy(&text).trim() == key.to_string() => Ok(epochs),
        Some(text) => {
            let text = String::from_utf8_lossy(&text).trim().to_owned();
            Err(wrong(format!(
                "the log is signed by {text}, but the private key given is that of {key}: restore keys/log.key"
            )))
        }
        None => {
            let text = format!("{key}\n");
            write_durably(disk, &path, text.as_bytes()).map_err(OpenError::io(&path, "writing"))?;
            Ok(epochs)
        }
    }
}

fn read_anchor(disk: &dyn Disk, places: &Places) -> Result<Option<(AnchorHead, u64)>, OpenError> {
    match anchor::read(disk, &places.anchor).map_err(OpenError::io(&places.anchor, "reading"))? {
        AnchorFound::Nothing => Ok(None),
        AnchorFound::Damaged => Err(OpenError::AnchorDamaged {
            path: places.anchor.clone(),
        }),
        AnchorFound::Head(head, turn) => Ok(Some((head, turn))),
    }
}

fn sealed(path: &Path, cause: String) -> OpenError {
    OpenError::Sealed {
        path: path.to_owned(),
        cause,
    }
}

fn restore_tiles(
    disk: &Arc<dyn Disk>,
    places: &Places,
    manifest: &Manifest,
) -> Result<Tiles, OpenError> {
    let Manifest {
        sealed_size,
        root,
        edge,
        ..
    } = manifest;

    let tiles = Tiles::open(disk, &places.dir, *sealed_size, *root, edge).map_err(|error| {
        match error.kind() {
            std::io::ErrorKind::InvalidData => {
                sealed(&places.dir.join("commitments"), error.to_string())
            }
            _ => OpenError::io(&places.dir, "reading the hashes in")(error),
        }
    })?;

    let edge = match edge.is_empty() {
        false => edge.clone(),
        true => tiles
            .edge(*sealed_size)
            .map_err(|error| sealed(&places.dir.join("commitments"), error.to_string()))?,
    };

    tiles
        .restore(*sealed_size, &edge)
        .map_err(|error| match error {
            HashReadError::Fetch { tile, source } => {
                OpenError::io(tiles.path(tile), "reading")(source)
            }
            HashReadError::Missing(tile) => {
                sealed(tiles.path(tile), format!("it does not have {tile}"))
            }
            HashReadError::Length { tile, .. } => sealed(tiles.path(tile), error.to_string()),
            HashReadError::OutsideTree { .. } => sealed(&places.dir, error.to_string()),
        })?;

    if tiles.root() != manifest.root {
        let cause = format!(
            "its root over {} entries is {}, but the tiles have {}",
            manifest.sealed_size,
            manifest.root,
            tiles.root()
        );
        return Err(sealed(&places.manifest(), cause));
    }

    Ok(tiles)
}

/// The log must reach as far as was acknowledged, and be the same up to there.
fn check_anchor(
    places: &Places,
    held: &AnchorHead,
    tiles: &Tiles,
    sealed_at: replay::Sealed,
    log: &replay::ReplayedLog,
) -> Result<(), OpenError> {
    let (size, anchor) = (tiles.size(), places.anchor.clone());
    if size < held.size {
        return Err(OpenError::Shorter {
            path: log.newest.clone(),
            size,
            anchored: held.size,
            anchor,
        });
    }

    let differs = |what, found, expected| OpenError::Differs {
        size: held.size,
        what,
        found,
        expected,
        anchor: anchor.clone(),
    };

    let root = tree_root(&tiles.reader(size), held.size)
        .map_err(|error| sealed(&places.dir, error.to_string()))?;
    if root != held.root {
        return Err(differs("root", root, held.root));
    }

    let chain_hash = match held.size.checked_sub(sealed_at.size) {
        Some(0) => Some(sealed_at.chain_hash),
        Some(unsealed) => log
            .entries
            .get(unsealed as usize - 1)
            .map(|entry| entry.hash),
        // Within sealed entries the tree alone says it, which the chain follows from.
        None => None,
    };

    match chain_hash {
        Some(found) if found != held.chain_hash => {
            Err(differs("chain hash", found, held.chain_hash))
        }
        _ => Ok(()),
    }
}
