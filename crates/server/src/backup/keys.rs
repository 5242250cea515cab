//! The private keys of a data directory in a backup: under a passphrase, open, or not at all. They
//! never leave a machine by the interface: whoever makes a backup of a running service over HTTP
//! adds them from the service's own folder, or goes without.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use reeve_backup::{ArchiveWriter, Keys, PartName, seal};
use reeve_ledger::keys::copy_of;

/// Keys under a passphrase, in a backup.
pub(crate) const SEALED: &str = "keys/sealed.json";
/// The log's private key.
pub(crate) const LOG_KEY: &str = "keys/log.key";
/// The key of the secrets at rest.
pub(crate) const SECRETS_KEY: &str = "keys/secrets.key";

/// The keys as they go into a backup.
pub(crate) struct KeyParts {
    kind: Keys,
    parts: Vec<(&'static str, Zeroizing<Vec<u8>>)>,
}

/// Keys that are sealed.
#[derive(Serialize, Deserialize)]
struct Files {
    log_key: String,
    secrets_key: Option<String>,
}

impl KeyParts {
    /// Returns the parts of a backup without keys.
    pub(crate) fn absent() -> KeyParts {
        KeyParts {
            kind: Keys::Absent,
            parts: Vec::new(),
        }
    }

    /// The keys of a data directory, of the log that this verifier key signs; under a passphrase
    /// where one is given.
    pub(crate) fn read(
        data_dir: &Path,
        origin: &str,
        public_key: &str,
        passphrase: Option<&str>,
    ) -> Result<KeyParts> {
        let log_key = copy_of(data_dir, public_key)?;
        let secrets_key = read(&data_dir.join(SECRETS_KEY))?;
        let Some(passphrase) = passphrase else {
            let secrets = secrets_key.map(|key| (SECRETS_KEY, key));
            return Ok(KeyParts {
                kind: Keys::Open,
                parts: [(LOG_KEY, log_key)].into_iter().chain(secrets).collect(),
            });
        };

        let files = Files {
            log_key: String::from_utf8(log_key.to_vec()).context("keys/log.key is not text")?,
            secrets_key: secrets_key.map(|key| hex::encode(key.as_slice())),
        };
        let plain = Zeroizing::new(serde_json::to_vec(&files)?);
        let sealed = seal::seal(passphrase, origin, &plain)?;

        Ok(KeyParts {
            kind: Keys::Sealed,
            parts: vec![(SEALED, Zeroizing::new(sealed))],
        })
    }

    /// Form of the keys in the backup.
    pub(crate) fn kind(&self) -> Keys {
        self.kind
    }

    /// Adds them to an archive.
    pub(crate) fn add<W: Write>(&self, writer: &mut ArchiveWriter<W>) -> io::Result<()> {
        self.parts.iter().try_for_each(|(name, bytes)| {
            let name = PartName::parse(name).map_err(io::Error::other)?;
            writer.add(&name, bytes.len() as u64, bytes.as_slice())
        })
    }
}

fn read(path: &Path) -> Result<Option<Zeroizing<Vec<u8>>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(Zeroizing::new(bytes))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{} could not be read", path.display())),
    }
}

/// Source of the keys of a restore.
#[derive(Debug, Clone, Copy)]
pub(crate) enum KeySource<'a> {
    /// The backup, with this passphrase where they are sealed.
    Backup(Option<&'a str>),
    /// A folder with copies of `log.key` and `secrets.key`.
    Folder(&'a Path),
    /// Nowhere: the log can be read and not continued until somebody puts them there.
    Nowhere,
}

/// Puts the keys into a folder that was restored.
pub(crate) fn install(
    dir: &Path,
    kind: Keys,
    origin: &str,
    public_key: &str,
    source: KeySource<'_>,
) -> Result<bool> {
    match source {
        KeySource::Nowhere => {
            remove(&dir.join("keys"))?;
            return Ok(false);
        }
        KeySource::Folder(folder) => {
            remove(&dir.join("keys"))?;
            let log_key = read(&folder.join("log.key"))?;
            write(
                dir,
                LOG_KEY,
                &log_key.with_context(|| format!("{} has no log.key", folder.display()))?,
            )?;
            if let Some(key) = read(&folder.join("secrets.key"))? {
                write(dir, SECRETS_KEY, &key)?;
            }
        }
        KeySource::Backup(passphrase) => match (kind, passphrase) {
            (Keys::Open, _) => {}
            (Keys::Sealed, Some(passphrase)) => {
                let sealed = fs::read(dir.join(SEALED))
                    .context("the encrypted keys are not in the backup")?;
                let files: Files =
                    serde_json::from_slice(&seal::open(passphrase, origin, &sealed)?)?;
                remove(&dir.join("keys"))?;
                write(dir, LOG_KEY, files.log_key.as_bytes())?;
                if let Some(key) = files.secrets_key {
                    write(dir, SECRETS_KEY, &Zeroizing::new(hex::decode(key)?))?;
                }
            }
            (Keys::Sealed, None) => {
                bail!(
                    "the keys in the backup are under a passphrase: give it with --passphrase-file, or take keys from --keys FOLDER"
                )
            }
            (Keys::Absent, _) => bail!(
                "there are no keys in the backup: give a folder that holds log.key and secrets.key with --keys, or restore what can \
                 be read and not continued with --without-keys"
            ),
        },
    }

    copy_of(dir, public_key)?;
    Ok(true)
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn write(dir: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let path = dir.join(name);
    crate::private::make(&dir.join("keys"))?;
    let mut file = super::create::private_file(&path)?;
    file.write_all(bytes)?;
    Ok(file.sync_all()?)
}
