//! The state of a data directory at one moment, also while the service writes to it.
//!
//! In this order: anchor and checkpoint, which the log is never behind; manifest; the files of the
//! write-ahead log, opened, so that they stay readable when a seal deletes them; the manifest
//! again. When it changed, a seal came in between: once more.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use reeve_tlog::{Checkpoint, SignedNote};

use crate::anchor::Anchor;
use crate::error::{CannotVerify, is_absence, read_if_there};
use crate::manifest::{MANIFEST, ManifestFiles, UNSIGNED_MANIFEST};

/// The newest checkpoint's place.
pub(crate) const CHECKPOINT: &str = "ledger/checkpoint";
const TRIES: usize = 25;
const PAUSE: Duration = Duration::from_millis(20);

/// A file of the write-ahead log, open, as long as it was then.
pub(crate) struct WalFile {
    /// Relative to the data directory.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) first: u64,
    pub(crate) file: File,
    pub(crate) length: u64,
}

/// State of a log at one moment.
pub(crate) struct Snapshot {
    pub(crate) anchor: Anchor,
    /// The bytes of the checkpoint; `None` when there is no file.
    pub(crate) checkpoint: Option<Vec<u8>>,
    pub(crate) manifest: ManifestFiles,
    /// The files that count and those that are leftovers, ordered by first sequence.
    pub(crate) wal: Vec<WalFile>,
    /// Files in the log's folder that are not files of the log.
    pub(crate) strange: Vec<String>,
}

/// Takes a snapshot of the files of a data directory.
pub(crate) fn take(dir: &Path, anchor: Option<&Path>) -> Result<Snapshot, CannotVerify> {
    if !dir.exists() {
        return Err(CannotVerify::NoSuchPath(dir.to_owned()));
    }
    if !dir.join("ledger").is_dir() {
        return Err(CannotVerify::NotADataDirectory(dir.to_owned()));
    }

    let mut latest = None;
    for _ in 0..TRIES {
        if let Some(snapshot) = attempt(dir, anchor)? {
            if !lagging(&snapshot) {
                return Ok(snapshot);
            }
            latest = Some(snapshot);
        }
        // Gives the service time to finish what it is at.
        std::thread::park_timeout(PAUSE);
    }

    latest.ok_or_else(|| CannotVerify::Restless(dir.to_owned()))
}

fn attempt(dir: &Path, anchor: Option<&Path>) -> Result<Option<Snapshot>, CannotVerify> {
    let (anchor_path, anchor_name) = match anchor {
        Some(path) => (path.to_owned(), path.display().to_string()),
        None => (dir.join("anchor").join("head"), "anchor/head".to_owned()),
    };
    let given = anchor.is_some();
    let anchor = Anchor::read(&anchor_path, anchor_name)?;
    if given && !anchor.present {
        return Err(CannotVerify::NoSuchPath(anchor_path));
    }

    let checkpoint = read_if_there(&dir.join(CHECKPOINT))?;
    let before = manifest_files(dir)?;
    let Some((wal, strange)) = open_wal(dir)? else {
        return Ok(None);
    };

    if manifest_files(dir)? != before {
        return Ok(None);
    }

    Ok(Some(Snapshot {
        anchor,
        checkpoint,
        manifest: before,
        wal,
        strange,
    }))
}

fn manifest_files(dir: &Path) -> Result<ManifestFiles, CannotVerify> {
    let journal = read_if_there(&dir.join(MANIFEST))?;
    let unsigned = read_if_there(&dir.join(UNSIGNED_MANIFEST))?;
    Ok(ManifestFiles { journal, unsigned })
}

type Opened = (Vec<WalFile>, Vec<String>);

/// Opens the files of the write-ahead log; `None` when one went away meanwhile.
fn open_wal(dir: &Path) -> Result<Option<Opened>, CannotVerify> {
    let folder = dir.join("ledger").join("wal");
    let listed = match fs::read_dir(&folder) {
        Ok(listed) => listed,
        Err(error) if is_absence(&error) => return Ok(Some(Opened::default())),
        Err(error) => return Err(CannotVerify::unreadable(&folder)(error)),
    };
    let (mut files, mut strange) = Opened::default();

    for item in listed {
        let item = item.map_err(CannotVerify::unreadable(&folder))?;
        let name = item.file_name().to_string_lossy().into_owned();
        let relative = format!("ledger/wal/{name}");
        let Some(first) = first_sequence(&name) else {
            if !name.ends_with(".tmp") {
                strange.push(relative);
            }
            continue;
        };
        let path = item.path();
        let opened = File::open(&path).and_then(|file| Ok((file.metadata()?.len(), file)));
        match opened {
            Ok((length, file)) => files.push(WalFile {
                name: relative,
                path,
                first,
                file,
                length,
            }),
            Err(error) if is_absence(&error) => return Ok(None),
            Err(error) => return Err(CannotVerify::unreadable(&path)(error)),
        }
    }

    files.sort_by_key(|file| file.first);
    Ok(Some((files, strange)))
}

/// Returns the first sequence number of a file's name (`00000000000000000258.wal`: 258).
fn first_sequence(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(".wal")?;
    (digits.len() == 20 && digits.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| digits.parse().ok())?
}

/// Returns `true` if everything is sealed but the checkpoint is behind, which lasts a moment only.
fn lagging(snapshot: &Snapshot) -> bool {
    let sealed_size = snapshot.manifest.claimed_size();
    let note = snapshot
        .checkpoint
        .as_deref()
        .and_then(|bytes| SignedNote::parse(bytes).ok());
    let size = note
        .and_then(|note| Checkpoint::parse(note.text()).ok())
        .map_or(0, |checkpoint| checkpoint.size);
    let unsealed = snapshot
        .wal
        .iter()
        .any(|file| file.first >= sealed_size && file.length > 64);

    size < sealed_size && !unsealed
}
