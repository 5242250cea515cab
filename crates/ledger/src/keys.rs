//! The log's key: made at the first start, kept in `keys/log.key` for its owner alone, its public half in `ledger/log.vkey`.
//!
//! Refuses to make a new key where a log was signed by one that is gone, and a key file that others may read. A rotation that was
//! interrupted is finished when its record is there (`ledger/epochs/`), and taken back when it is not: see `keys/rotation.rs`.

mod rotation;

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use reeve_tlog::{KeyError, NoteSigner};

use crate::config::vkey_path;
pub(crate) use rotation::{install, make_next};

use crate::disk::{Disk as _, LocalDisk, parent, write_durably};

/// Why there is no key.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// The disk failed.
    #[error("{path}: {action} failed: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done.
        action: &'static str,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The file is not a key.
    #[error("{path}: {source}", path = path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        #[source]
        source: KeyError,
    },
    /// Others than the owner may read the key.
    #[error("{path} may be read by others than its owner (mode {mode:o}): chmod 600 it", path = path.display())]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// There is a log but not its key.
    #[error("{path} is missing, but the log has been signed by {vkey}: restore it from a backup", path = path.display())]
    Lost {
        /// The file.
        path: PathBuf,
        /// The verifier key of the log.
        vkey: String,
    },
    /// The records of key epochs do not hold.
    #[error("{path}: {cause}: restore it from a backup", path = path.display())]
    Epochs {
        /// The record.
        path: PathBuf,
        /// What is wrong.
        cause: String,
    },
    /// The key is that of another log.
    #[error("{path} is the key of {found}, but the configured origin is {expected}", path = path.display())]
    Origin {
        /// The file.
        path: PathBuf,
        /// Its name.
        found: String,
        /// The configured origin.
        expected: String,
    },
}

/// The log's key from `keys/log.key` in the data directory; made when there is neither key nor log. The key's name is the
/// log's origin: `origin` where given, else `reeve.local/` and eight random hex digits at the first start.
pub fn load_or_create(data_dir: &Path, origin: Option<&str>) -> Result<NoteSigner, KeyFileError> {
    let path = key_path(data_dir);
    rotation::settle(data_dir)?;
    let signer = match read(&path)? {
        Some(signer) => signer,
        None => create(data_dir, &path, origin)?,
    };
    if let Some(expected) = origin.filter(|origin| *origin != signer.name()) {
        let (found, expected) = (signer.name().to_owned(), expected.to_owned());
        return Err(KeyFileError::Origin { path, found, expected });
    }
    let vkey = vkey_path(data_dir);
    if !vkey.exists() {
        let text = format!("{}\n", signer.verifier());
        let written =
            LocalDisk.create_dirs(parent(&vkey)).and_then(|()| write_durably(&LocalDisk, &vkey, text.as_bytes()));
        written.map_err(|source| KeyFileError::Io { path: vkey, action: "writing", source })?;
    }
    Ok(signer)
}

fn key_path(data_dir: &Path) -> PathBuf {
    data_dir.join("keys").join("log.key")
}

fn read(path: &Path) -> Result<Option<NoteSigner>, KeyFileError> {
    let failed = |source| KeyFileError::Io { path: path.to_owned(), action: "reading", source };
    let text = match fs::read_to_string(path) {
        Ok(text) => zeroize::Zeroizing::new(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let mode = fs::metadata(path).map_err(failed)?.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(KeyFileError::Exposed { path: path.to_owned(), mode });
    }
    let signer = NoteSigner::from_skey(text.trim_end());
    signer.map(Some).map_err(|source| KeyFileError::Key { path: path.to_owned(), source })
}

fn create(data_dir: &Path, path: &Path, origin: Option<&str>) -> Result<NoteSigner, KeyFileError> {
    if let Ok(vkey) = fs::read_to_string(vkey_path(data_dir)) {
        return Err(KeyFileError::Lost { path: path.to_owned(), vkey: vkey.trim().to_owned() });
    }
    let name = origin.map_or_else(|| format!("reeve.local/{}", hex::encode(rand::random::<[u8; 4]>())), str::to_owned);
    let seed = zeroize::Zeroizing::new(rand::random::<[u8; 32]>());
    let signer =
        NoteSigner::from_seed(&name, &seed).map_err(|source| KeyFileError::Key { path: path.to_owned(), source })?;
    save(path, &signer).map_err(|source| KeyFileError::Io { path: path.to_owned(), action: "writing", source })?;
    Ok(signer)
}

/// Writes the key under a name that appears only once it is durable, readable for its owner alone from the first byte on.
fn save(path: &Path, signer: &NoteSigner) -> io::Result<()> {
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
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unnamed)?;
    file.write_all(signer.to_skey().as_bytes())?;
    file.write_all(b"\n")?;
    file.sync_all()?;
    // Never over a key that came into being meanwhile.
    fs::hard_link(&unnamed, path)?;
    fs::remove_file(&unnamed)?;
    LocalDisk.sync_dir(dir)
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
        assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(dir.path().join("keys")).unwrap().count(), 1);
        let vkey = fs::read_to_string(dir.path().join("ledger/log.vkey")).unwrap();
        assert_eq!(vkey.trim(), made.verifier().to_string());
        let again = load_or_create(dir.path(), Some(made.name())).unwrap();
        assert_eq!(again.verifier(), made.verifier());
    }

    #[test]
    fn what_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        load_or_create(dir.path(), Some("log.example")).unwrap();
        let other = load_or_create(dir.path(), Some("other.example"));
        assert!(matches!(other, Err(KeyFileError::Origin { .. })), "{other:?}");
        let key = dir.path().join("keys/log.key");
        fs::set_permissions(&key, fs::Permissions::from_mode(0o640)).unwrap();
        let exposed = load_or_create(dir.path(), None);
        assert!(matches!(exposed, Err(KeyFileError::Exposed { mode: 0o640, .. })), "{exposed:?}");
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&key, "PRIVATE+KEY+nonsense\n").unwrap();
        let nonsense = load_or_create(dir.path(), None);
        assert!(matches!(nonsense, Err(KeyFileError::Key { .. })), "{nonsense:?}");
        fs::remove_file(&key).unwrap();
        let lost = load_or_create(dir.path(), None);
        assert!(matches!(lost, Err(KeyFileError::Lost { .. })), "{lost:?}");
    }
}
