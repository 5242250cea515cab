//! The private keys' files while a key is rotated, and after a rotation that was interrupted.
//!
//! | step | on disk | if interrupted after it |
//! |---|---|---|
//! | 1 | `log.key.next` has the new key | taken back: it never signed anything |
//! | 2 | the entry `ledger.key_rotate` is in the log | taken back: an entry without a record is an attempt |
//! | 3 | the record is in `ledger/epochs/` | finished from here on: the new key is in charge |
//! | 4 | `log.vkey` has the new key | finished |
//! | 5 | `log.key` is renamed to `log.key.old` | finished |
//! | 6 | `log.key.next` is renamed to `log.key` | finished |
//! | 7 | `log.key.old` is overwritten with zeros and removed | done |
//!
//! Refuses to touch anything while another process has the log open.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use reeve_tlog::{NoteSigner, NoteVerifier};

use super::{KeyFileError, key_path, read, save};
use crate::config::{epochs_dir, vkey_path};
use crate::disk::{Disk as _, LocalDisk, parent, write_durably};

fn next_path(data_dir: &Path) -> PathBuf {
    data_dir.join("keys").join("log.key.next")
}

fn old_path(data_dir: &Path) -> PathBuf {
    data_dir.join("keys").join("log.key.old")
}

fn failed(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> KeyFileError {
    let path = path.to_owned();
    move |source| KeyFileError::Io {
        path,
        action,
        source,
    }
}

/// Makes the key that is to take over as that of an epoch. One that an earlier attempt left is
/// destroyed: it never signed anything.
pub(crate) fn make_next(
    data_dir: &Path,
    name: &str,
    epoch: u64,
) -> Result<NoteSigner, KeyFileError> {
    let path = next_path(data_dir);
    destroy(&path).map_err(failed(&path, "removing"))?;
    let seed = zeroize::Zeroizing::new(rand::random::<[u8; 32]>());
    let signer = NoteSigner::from_seed(name, &seed).map_err(|source| KeyFileError::Key {
        path: path.clone(),
        source,
    })?;
    save(&path, &signer, epoch).map_err(failed(&path, "writing"))?;
    Ok(signer)
}

/// Steps 4 to 7, as far as they are not done: `newest` is in charge by the newest record.
pub(crate) fn install(data_dir: &Path, newest: &NoteVerifier) -> Result<(), KeyFileError> {
    steps(data_dir, newest, &mut |_| Ok(()))
}

/// The steps, each announced before it is done.
fn steps(
    data_dir: &Path,
    newest: &NoteVerifier,
    announce: &mut dyn FnMut(u8) -> Result<(), KeyFileError>,
) -> Result<(), KeyFileError> {
    let (key, next, old, vkey) = (
        key_path(data_dir),
        next_path(data_dir),
        old_path(data_dir),
        vkey_path(data_dir),
    );

    announce(4)?;
    let text = format!("{newest}\n");
    if fs::read(&vkey).ok().as_deref() != Some(text.as_bytes()) {
        write_durably(&LocalDisk, &vkey, text.as_bytes()).map_err(failed(&vkey, "writing"))?;
    }

    announce(5)?;
    if next.exists() {
        if key.exists() {
            fs::rename(&key, &old).map_err(failed(&key, "renaming"))?;
        }
        announce(6)?;
        fs::rename(&next, &key).map_err(failed(&next, "renaming"))?;
    }

    LocalDisk
        .sync_dir(parent(&key))
        .map_err(failed(&key, "syncing"))?;
    announce(7)?;
    destroy(&old).map_err(failed(&old, "destroying"))
}

/// Overwrites a key file with zeros and removes it. What a file system or a disk keeps of
/// overwritten blocks is beyond this.
fn destroy(path: &Path) -> io::Result<()> {
    let mut file = match OpenOptions::new().write(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let length = file.metadata()?.len();
    file.write_all(&vec![0; length as usize])?;
    file.sync_all()?;
    drop(file);
    fs::remove_file(path)?;

    LocalDisk.sync_dir(parent(path))
}

/// Finishes or takes back what an interrupted rotation left.
pub(super) fn settle(data_dir: &Path) -> Result<(), KeyFileError> {
    let (next, old) = (next_path(data_dir), old_path(data_dir));
    if !next.exists() && !old.exists() {
        return Ok(());
    }

    let ledger = parent(&vkey_path(data_dir)).to_owned();
    let Ok(_lock) = LocalDisk.lock(&ledger.join("lock")) else {
        // Whoever has the log open may be rotating; opening it is refused anyway.
        return Ok(());
    };

    let dir = epochs_dir(&ledger);
    let epochs =
        crate::epoch::read(&LocalDisk, &dir).map_err(|(name, cause)| KeyFileError::Epochs {
            path: dir.join(name),
            cause,
        })?;
    let newest = epochs.as_ref().map(|epochs| epochs.newest());
    let waiting = read(&next)?.map(|kept| kept.signer);

    match (newest, waiting) {
        (Some(newest), Some(waiting)) if waiting.verifier() == newest => install(data_dir, newest),
        (Some(newest), None)
            if read(&key_path(data_dir))?.is_some_and(|key| key.signer.verifier() == newest) =>
        {
            install(data_dir, newest)
        }
        (_, Some(_)) => destroy(&next).map_err(failed(&next, "removing")),
        (_, None) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_tlog::{Epoch, empty_root};

    use super::super::load_or_create;
    use super::*;

    /// A log whose rotation went up to (not including) a step.
    fn interrupted(dir: &Path, step: u8) -> (NoteVerifier, NoteVerifier) {
        let old = load_or_create(dir, Some("log.example")).unwrap();
        let next = make_next(dir, "log.example", 1).unwrap();
        let pair = (old.verifier().clone(), next.verifier().clone());
        if step < 4 {
            return pair;
        }

        let (old_key, new_key) = pair.clone();
        let epoch = Epoch {
            number: 1,
            size: 0,
            root: empty_root(),
            old: old_key,
            new: new_key,
        };
        let record = epoch.sign(&old, &next).unwrap().to_string();

        let file = dir.join("ledger/epochs/1");
        LocalDisk.create_dirs(parent(&file)).unwrap();
        fs::write(file, record).unwrap();
        let stop = KeyFileError::Epochs {
            path: PathBuf::new(),
            cause: "stopped".into(),
        };
        let mut stop = Some(stop);
        let ended = steps(dir, &pair.1, &mut |at| {
            if at == step {
                Err(stop.take().unwrap())
            } else {
                Ok(())
            }
        });
        assert_eq!(ended.is_err(), step <= 7);

        pair
    }

    #[test]
    fn an_interrupted_rotation_is_finished_or_taken_back_at_every_step() {
        for step in 1..=8 {
            let dir = tempfile::tempdir().unwrap();
            let (old, new) = interrupted(dir.path(), step);
            let expected = if step < 4 { &old } else { &new };
            for _ in 0..2 {
                let found = load_or_create(dir.path(), Some("log.example")).unwrap();
                assert_eq!(found.verifier(), expected, "step {step}");
                let files = fs::read_dir(dir.path().join("keys")).unwrap().count();
                assert_eq!(files, 1, "step {step}: a key is left");
                let vkey = fs::read_to_string(vkey_path(dir.path())).unwrap();
                assert_eq!(vkey.trim(), expected.to_string(), "step {step}");
            }
        }
    }

    #[test]
    fn nothing_is_touched_while_the_log_is_open() {
        let dir = tempfile::tempdir().unwrap();
        let (old, _) = interrupted(dir.path(), 1);
        let lock = LocalDisk.lock(&dir.path().join("ledger/lock")).unwrap();
        assert_eq!(load_or_create(dir.path(), None).unwrap().verifier(), &old);
        assert!(next_path(dir.path()).exists());
        drop(lock);
        load_or_create(dir.path(), None).unwrap();
        assert!(!next_path(dir.path()).exists());
    }

    #[test]
    fn a_key_is_overwritten_before_it_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let (file, other) = (dir.path().join("key"), dir.path().join("second name"));
        fs::write(&file, "PRIVATE").unwrap();
        fs::hard_link(&file, &other).unwrap();
        destroy(&file).unwrap();
        assert!(!file.exists());
        assert_eq!(fs::read(other).unwrap(), [0; 7]);
    }
}
