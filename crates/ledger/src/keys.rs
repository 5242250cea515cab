//! The log's key: made at the first start, kept in `keys/log.key` for its owner alone, its public
//! half in `ledger/log.vkey`.
//!
//! Refuses to make a new key where a log was signed by one that is gone, and a key file that others
//! may read. A rotation that was interrupted is finished when its record is there
//! (`ledger/epochs/`), and taken back when it is not: see `keys/rotation.rs`.
//!
//! The file's second line says how many rotations led to the key. Nothing else in the data
//! directory that outlives a seal tells a log whose newest records were deleted from one whose key
//! was never replaced, and whoever deletes them cannot write here.

mod rotation;

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use reeve_tlog::{Epochs, KeyError, NoteSigner};

use crate::config::{epochs_dir, vkey_path};
pub(crate) use rotation::{install, make_next};

use crate::disk::{Disk as _, LocalDisk, parent, write_durably};

/// Prefix of the line with the key's epoch.
const EPOCH_LINE: &str = "epoch ";

/// Reason why there is no key.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// An operation on the key file failed.
    #[error("{path}: {action} failed: {source}", path = path.display())]
    Io {
        path: PathBuf,
        action: &'static str,
        /// Error of the operating system.
        #[source]
        source: io::Error,
    },
    /// The file is not a key.
    #[error("{path}: {source}", path = path.display())]
    Key {
        path: PathBuf,
        /// Fault in the key file.
        #[source]
        source: KeyError,
    },
    /// Others than the owner may read the key.
    #[error("{path} may be read by others than its owner (mode {mode:o}): chmod 600 it", path = path.display())]
    Exposed {
        path: PathBuf,
        /// Permissions of the file.
        mode: u32,
    },
    /// There is a log but not its key.
    #[error("{path} is missing, but the log has been signed by {vkey}: restore it from a backup", path = path.display())]
    Lost {
        path: PathBuf,
        /// The verifier key of the log.
        vkey: String,
    },
    /// The records of key epochs do not hold.
    #[error("{path}: {cause}: restore it from a backup", path = path.display())]
    Epochs {
        path: PathBuf,
        /// Fault in the list of epochs.
        cause: String,
    },
    /// The key is another one than the log's.
    #[error("{path} is the private key of {found}, but the log is signed by {expected}", path = path.display())]
    Other {
        path: PathBuf,
        /// Verifier key of the private key.
        found: String,
        /// Verifier key of the log.
        expected: String,
    },
    /// The key is that of another log.
    #[error("{path} is the key of {found}, but the configured origin is {expected}", path = path.display())]
    Origin {
        path: PathBuf,
        /// Name of the key.
        found: String,
        expected: String,
    },
}

/// The log's key from `keys/log.key` in the data directory; made when there is neither key nor log.
/// The key's name is the log's origin: `origin` where given, else `reeve.local/` and eight random
/// hex digits at the first start.
pub fn load_or_create(data_dir: &Path, origin: Option<&str>) -> Result<NoteSigner, KeyFileError> {
    let path = key_path(data_dir);
    rotation::settle(data_dir)?;
    let signer = match read(&path)? {
        Some(kept) => {
            check_epoch(data_dir, &kept)?;
            kept.signer
        }
        None => create(data_dir, &path, origin)?,
    };

    if let Some(expected) = origin.filter(|origin| *origin != signer.name()) {
        let (found, expected) = (signer.name().to_owned(), expected.to_owned());
        return Err(KeyFileError::Origin {
            path,
            found,
            expected,
        });
    }

    let vkey = vkey_path(data_dir);
    if !vkey.exists() {
        let text = format!("{}\n", signer.verifier());
        let written = LocalDisk
            .create_dirs(parent(&vkey))
            .and_then(|()| write_durably(&LocalDisk, &vkey, text.as_bytes()));
        written.map_err(|source| KeyFileError::Io {
            path: vkey,
            action: "writing",
            source,
        })?;
    }

    Ok(signer)
}

/// The verifier keys of the log in a directory, by its records of key epochs and `log.vkey`.
/// Nothing is made.
///
/// # Errors
/// A file cannot be read, or is not what it should be.
pub fn epochs(data_dir: &Path) -> Result<Epochs, KeyFileError> {
    let dir = epochs_dir(&data_dir.join("ledger"));
    let failed = |path: PathBuf, cause: String| KeyFileError::Io {
        path,
        action: "reading",
        source: io::Error::new(io::ErrorKind::InvalidData, cause),
    };

    let recorded = crate::epoch::read(&LocalDisk, &dir)
        .map_err(|(name, cause)| failed(dir.join(name), cause))?;
    if let Some(epochs) = recorded {
        return Ok(epochs);
    }

    let path = vkey_path(data_dir);
    let text =
        fs::read_to_string(&path).map_err(|error| failed(path.clone(), error.to_string()))?;
    let key = text
        .trim()
        .parse()
        .map_err(|_| failed(path, "it is not a verifier key".to_owned()))?;

    Ok(Epochs::single(key))
}

/// The content of `keys/log.key`, for a copy of it: refused unless it is the private half of the
/// verifier key given.
pub fn copy_of(
    data_dir: &Path,
    public_key: &str,
) -> Result<zeroize::Zeroizing<Vec<u8>>, KeyFileError> {
    let path = key_path(data_dir);
    let failed = |source| KeyFileError::Io {
        path: path.clone(),
        action: "reading",
        source,
    };

    let Some(kept) = read(&path)? else {
        return Err(KeyFileError::Lost {
            path,
            vkey: public_key.to_owned(),
        });
    };

    let found = kept.signer.verifier().to_string();
    if found != public_key {
        return Err(KeyFileError::Other {
            path,
            found,
            expected: public_key.to_owned(),
        });
    }

    fs::read(&path).map(zeroize::Zeroizing::new).map_err(failed)
}

fn key_path(data_dir: &Path) -> PathBuf {
    data_dir.join("keys").join("log.key")
}

/// A key file's content.
struct KeptKey {
    signer: NoteSigner,
    /// Rotations that led to the key; `None` in files of versions that did not keep it.
    epoch: Option<u64>,
}

fn read(path: &Path) -> Result<Option<KeptKey>, KeyFileError> {
    let failed = |source| KeyFileError::Io {
        path: path.to_owned(),
        action: "reading",
        source,
    };

    let text = match fs::read_to_string(path) {
        Ok(text) => zeroize::Zeroizing::new(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let mode = fs::metadata(path).map_err(failed)?.permissions().mode() & 0o777;

    if mode & 0o077 != 0 {
        return Err(KeyFileError::Exposed {
            path: path.to_owned(),
            mode,
        });
    }

    let (key, rest) = text
        .trim_end()
        .split_once('\n')
        .unwrap_or((text.trim_end(), ""));
    let signer = NoteSigner::from_skey(key).map_err(|source| KeyFileError::Key {
        path: path.to_owned(),
        source,
    })?;
    let epoch = match rest {
        "" => None,
        line => {
            let number = line
                .strip_prefix(EPOCH_LINE)
                .and_then(|number| number.parse().ok());
            let malformed = || KeyFileError::Key {
                path: path.to_owned(),
                source: KeyError::Malformed,
            };
            Some(number.ok_or_else(malformed)?)
        }
    };

    Ok(Some(KeptKey { signer, epoch }))
}

/// Compares the number of records in `ledger/epochs/` with the number that led to the key. A key
/// file of an earlier version is taken to be right with the records there are, and says so from
/// then on.
fn check_epoch(data_dir: &Path, kept: &KeptKey) -> Result<(), KeyFileError> {
    let dir = epochs_dir(parent(&vkey_path(data_dir)));
    let records =
        crate::epoch::read(&LocalDisk, &dir).map_err(|(name, cause)| KeyFileError::Epochs {
            path: dir.join(name),
            cause,
        })?;
    let records = records.map_or(0, |epochs| epochs.rotations().len() as u64);

    match kept.epoch {
        Some(epoch) if epoch > records => {
            let cause = format!(
                "the record is missing: {epoch} rotations led to the key in keys/log.key, and {records} of them are recorded"
            );
            Err(KeyFileError::Epochs {
                path: dir.join((records + 1).to_string()),
                cause,
            })
        }
        Some(_) => Ok(()),
        None => {
            let path = key_path(data_dir);
            let noted = replace_key(&path, &kept.signer, records);
            noted.map_err(|source| KeyFileError::Io {
                path,
                action: "writing",
                source,
            })
        }
    }
}

fn create(data_dir: &Path, path: &Path, origin: Option<&str>) -> Result<NoteSigner, KeyFileError> {
    if let Ok(vkey) = fs::read_to_string(vkey_path(data_dir)) {
        return Err(KeyFileError::Lost {
            path: path.to_owned(),
            vkey: vkey.trim().to_owned(),
        });
    }

    let name = origin.map_or_else(
        || format!("reeve.local/{}", hex::encode(rand::random::<[u8; 4]>())),
        str::to_owned,
    );
    let seed = zeroize::Zeroizing::new(rand::random::<[u8; 32]>());
    let signer = NoteSigner::from_seed(&name, &seed).map_err(|source| KeyFileError::Key {
        path: path.to_owned(),
        source,
    })?;
    save(path, &signer, 0).map_err(|source| KeyFileError::Io {
        path: path.to_owned(),
        action: "writing",
        source,
    })?;

    Ok(signer)
}

/// Writes the key under a name that appears only once it is durable, readable for its owner alone
/// from the first byte on.
fn save(path: &Path, signer: &NoteSigner, epoch: u64) -> io::Result<()> {
    let unnamed = write_unnamed(path, signer, epoch)?;
    // Never over a key that came into being meanwhile.
    fs::hard_link(&unnamed, path)?;
    fs::remove_file(&unnamed)?;
    LocalDisk.sync_dir(parent(path))
}

/// Replaces a key file by one with the key's epoch.
fn replace_key(path: &Path, signer: &NoteSigner, epoch: u64) -> io::Result<()> {
    fs::rename(write_unnamed(path, signer, epoch)?, path)?;
    LocalDisk.sync_dir(parent(path))
}

fn write_unnamed(path: &Path, signer: &NoteSigner, epoch: u64) -> io::Result<PathBuf> {
    let dir = parent(path);
    LocalDisk.create_dirs(dir)?;
    fs::set_permissions(dir, fs::Permissions::from_mode(0o700))?;
    let mut unnamed = path.as_os_str().to_owned();
    unnamed.push(".tmp");
    let unnamed = PathBuf::from(unnamed);
    match fs::remove_file(&unnamed) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }

    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&unnamed)?;
    file.write_all(signer.to_skey().as_bytes())?;
    file.write_all(format!("\n{EPOCH_LINE}{epoch}\n").as_bytes())?;
    file.sync_all()?;

    Ok(unnamed)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_key_is_made_once_and_kept() {
        let dir = tempfile::tempdir().unwrap();
        let made = load_or_create(dir.path(), None).unwrap();
        assert!(made.name().starts_with("reeve.local/"), "{}", made.name());

        let key = dir.path().join("keys/log.key");
        assert_eq!(
            fs::metadata(&key).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(fs::read_dir(dir.path().join("keys")).unwrap().count(), 1);

        let vkey = fs::read_to_string(dir.path().join("ledger/log.vkey")).unwrap();
        assert_eq!(vkey.trim(), made.verifier().to_string());

        let again = load_or_create(dir.path(), Some(made.name())).unwrap();
        assert_eq!(again.verifier(), made.verifier());
    }

    #[test]
    fn a_key_file_of_an_earlier_version_is_read_and_given_its_epoch() {
        let dir = tempfile::tempdir().unwrap();
        let made = load_or_create(dir.path(), None).unwrap();
        let key = dir.path().join("keys/log.key");
        let text = fs::read_to_string(&key).unwrap();
        assert!(
            text.ends_with("\nepoch 0\n"),
            "a new key says that none was before it"
        );
        fs::write(&key, format!("{}\n", text.lines().next().unwrap())).unwrap();
        assert_eq!(
            load_or_create(dir.path(), None).unwrap().verifier(),
            made.verifier()
        );
        assert_eq!(fs::read_to_string(&key).unwrap(), text);
        assert_eq!(
            fs::metadata(&key).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(fs::read_dir(dir.path().join("keys")).unwrap().count(), 1);
        fs::write(&key, text.replace("epoch 0", "epoch x")).unwrap();
        assert!(matches!(
            load_or_create(dir.path(), None),
            Err(KeyFileError::Key { .. })
        ));
    }

    #[test]
    fn malformed_key_files_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        load_or_create(dir.path(), Some("log.example")).unwrap();
        let other = load_or_create(dir.path(), Some("other.example"));
        assert!(
            matches!(other, Err(KeyFileError::Origin { .. })),
            "{other:?}"
        );

        let key = dir.path().join("keys/log.key");
        fs::set_permissions(&key, fs::Permissions::from_mode(0o640)).unwrap();
        let exposed = load_or_create(dir.path(), None);
        assert!(
            matches!(exposed, Err(KeyFileError::Exposed { mode: 0o640, .. })),
            "{exposed:?}"
        );
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&key, "PRIVATE+KEY+nonsense\n").unwrap();
        let nonsense = load_or_create(dir.path(), None);
        assert!(
            matches!(nonsense, Err(KeyFileError::Key { .. })),
            "{nonsense:?}"
        );
        fs::remove_file(&key).unwrap();
        let lost = load_or_create(dir.path(), None);
        assert!(matches!(lost, Err(KeyFileError::Lost { .. })), "{lost:?}");
    }
}
