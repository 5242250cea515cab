//! Secrets at rest: AES-256-GCM under one key of the installation.
//!
//! A sealed text is `v1.<key id>.<base64url of nonce and ciphertext>`. The nonce is random for
//! every sealing; the connection's id is authenticated with it, so that a sealed text moved to
//! another row does not open there. Nothing here prints a secret: errors name keys by their id,
//! which is a digest.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aes_gcm::aead::{Aead as _, Payload};
use aes_gcm::{Aes256Gcm, KeyInit as _, Nonce};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use rand::TryRng as _;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

/// Bytes of a key.
const KEY_BYTES: usize = 32;

/// Bytes of a nonce.
const NONCE_BYTES: usize = 12;

/// Reason why a key or a secret is not available.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// The key file cannot be read or written.
    #[error("the key file {} cannot be used: {source}", path.display())]
    File {
        /// Path of the key file.
        path: PathBuf,
        /// Cause of the failure.
        #[source]
        source: std::io::Error,
    },
    /// The file holds no key.
    #[error("the key file {} has {found} bytes, not {KEY_BYTES}; restore it from a backup", path.display())]
    Length {
        /// Path of the key file.
        path: PathBuf,
        /// Number of bytes that were found.
        found: usize,
    },
    /// Sealed with another key.
    #[error(
        "the credentials were encrypted with key {sealed}, and this installation has key {present}; \
         restore keys/secrets.key from a backup, or enter the credentials again"
    )]
    OtherKey {
        /// Id of the key they were sealed with.
        sealed: String,
        /// Id of the key at hand.
        present: String,
    },
    /// Changed since, or moved from elsewhere.
    #[error("the stored credentials were altered and cannot be decrypted; enter them again")]
    Altered,
    /// The system has no randomness to give.
    #[error("no randomness for a key or nonce: {0}")]
    Randomness(std::io::Error),
    #[error("the credentials could not be encrypted")]
    Seal,
}

/// The installation's key for secrets. A clone is the same key.
#[derive(Clone)]
pub struct Vault {
    cipher: Arc<Aes256Gcm>,
    id: String,
    identifier_key: [u8; KEY_BYTES],
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Vault(key {})", self.id)
    }
}

impl Vault {
    /// Reads the key file, or makes a new one (32 random bytes, readable for its owner alone) when
    /// there is none.
    ///
    /// # Errors
    /// The file cannot be read or created, or its content is not a key.
    pub fn load_or_create(path: &Path) -> Result<Self, VaultError> {
        let failed = |source| VaultError::File {
            path: path.to_owned(),
            source,
        };

        let bytes = match std::fs::read(path) {
            Ok(bytes) => Zeroizing::new(bytes),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                create(path)?;
                Zeroizing::new(std::fs::read(path).map_err(failed)?)
            }
            Err(error) => return Err(failed(error)),
        };

        let mode = std::fs::metadata(path)
            .map_err(failed)?
            .permissions()
            .mode();
        if mode & 0o077 != 0 {
            tracing::warn!(path = %path.display(), "others may read the key of the secrets; set its mode to 0600");
        }

        Self::from_bytes(&bytes).ok_or(VaultError::Length {
            path: path.to_owned(),
            found: bytes.len(),
        })
    }

    /// A vault over a key held elsewhere; `None` unless it has 32 bytes.
    #[must_use]
    pub fn from_bytes(key: &[u8]) -> Option<Self> {
        let cipher = Aes256Gcm::new_from_slice(key).ok()?;
        let digest = Sha256::new()
            .chain_update(b"reeve/secrets-key/v1\0")
            .chain_update(key)
            .finalize();
        let identifiers = Sha256::new()
            .chain_update(b"reeve/identifier-key/v1\0")
            .chain_update(key)
            .finalize();

        Some(Vault {
            cipher: Arc::new(cipher),
            id: hex::encode(&digest[..6]),
            identifier_key: identifiers.into(),
        })
    }

    /// Returns the key's id: a digest that distinguishes keys and reveals nothing about them.
    #[must_use]
    pub fn key_id(&self) -> &str {
        &self.id
    }

    /// Returns the secret that identifiers are derived with. It does not disclose the key of the
    /// vault.
    pub(crate) fn identifier_key(&self) -> [u8; KEY_BYTES] {
        self.identifier_key
    }

    /// Seals a secret that belongs to `owner`.
    pub(crate) fn seal(&self, owner: &str, secret: &[u8]) -> Result<String, VaultError> {
        let mut sealed = vec![0u8; NONCE_BYTES];
        random(&mut sealed)?;
        let nonce = Nonce::try_from(sealed.as_slice()).map_err(|_| VaultError::Seal)?;
        let payload = Payload {
            msg: secret,
            aad: &associated(owner),
        };
        sealed.extend(
            self.cipher
                .encrypt(&nonce, payload)
                .map_err(|_| VaultError::Seal)?,
        );

        Ok(format!("v1.{}.{}", self.id, BASE64.encode(sealed)))
    }

    /// Opens what [`Vault::seal`] made for the same owner.
    pub(crate) fn open(&self, owner: &str, sealed: &str) -> Result<Zeroizing<Vec<u8>>, VaultError> {
        let mut parts = sealed.splitn(3, '.');
        let (Some("v1"), Some(key), Some(text)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(VaultError::Altered);
        };

        if key != self.id {
            return Err(VaultError::OtherKey {
                sealed: key.to_owned(),
                present: self.id.clone(),
            });
        }

        let bytes = BASE64.decode(text).map_err(|_| VaultError::Altered)?;
        let (nonce, ciphertext) = bytes
            .split_at_checked(NONCE_BYTES)
            .ok_or(VaultError::Altered)?;
        let nonce = Nonce::try_from(nonce).map_err(|_| VaultError::Altered)?;
        let payload = Payload {
            msg: ciphertext,
            aad: &associated(owner),
        };

        self.cipher
            .decrypt(&nonce, payload)
            .map(Zeroizing::new)
            .map_err(|_| VaultError::Altered)
    }
}

fn associated(owner: &str) -> Vec<u8> {
    [b"reeve/credentials/v1\0".as_slice(), owner.as_bytes()].concat()
}

fn random(bytes: &mut [u8]) -> Result<(), VaultError> {
    rand::rngs::SysRng
        .try_fill_bytes(bytes)
        .map_err(|error| VaultError::Randomness(std::io::Error::other(error)))
}

/// Makes the key beside its place, syncs it and links it there: two programs that start at once end
/// with one key, and a crash leaves a whole key or none.
fn create(path: &Path) -> Result<(), VaultError> {
    let mut key = Zeroizing::new([0u8; KEY_BYTES]);
    random(key.as_mut_slice())?;
    let mut suffix = [0u8; 6];
    random(&mut suffix)?;
    let beside = path.with_extension(format!("new-{}", hex::encode(suffix)));
    place(&beside, path, key.as_slice()).map_err(|source| VaultError::File {
        path: path.to_owned(),
        source,
    })
}

fn place(beside: &Path, path: &Path, key: &[u8]) -> std::io::Result<()> {
    let directory = path
        .parent()
        .filter(|directory| !directory.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    if !directory.exists() {
        std::fs::create_dir_all(directory)?;
        std::fs::set_permissions(directory, std::fs::Permissions::from_mode(0o700))?;
    }

    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(beside)?;

    let linked = file
        .write_all(key)
        .and_then(|()| file.sync_all())
        .and_then(|()| std::fs::hard_link(beside, path));
    std::fs::remove_file(beside)?;

    match linked {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
        Ok(()) => std::fs::File::open(directory)?.sync_all(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const SECRET: &[u8] = b"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";

    #[test]
    fn sealed_and_opened() {
        let vault = Vault::from_bytes(&[7; 32]).unwrap();
        let (one, two) = (
            vault.seal("c-1", SECRET).unwrap(),
            vault.seal("c-1", SECRET).unwrap(),
        );
        assert_ne!(one, two, "each sealing has its own nonce");
        assert!(!one.contains("wJalr"));
        assert_eq!(vault.open("c-1", &one).unwrap().as_slice(), SECRET);
        assert!(
            matches!(vault.open("c-2", &one), Err(VaultError::Altered)),
            "bound to its owner"
        );
    }

    #[test]
    fn another_key_is_named() {
        let (mine, other) = (
            Vault::from_bytes(&[7; 32]).unwrap(),
            Vault::from_bytes(&[8; 32]).unwrap(),
        );
        let sealed = mine.seal("c-1", SECRET).unwrap();
        let message = other.open("c-1", &sealed).unwrap_err().to_string();
        assert!(
            message.contains(mine.key_id()) && message.contains(other.key_id()),
            "{message}"
        );
        assert_eq!(format!("{mine:?}"), format!("Vault(key {})", mine.key_id()));
    }

    #[test]
    fn every_flipped_character_is_noticed() {
        let vault = Vault::from_bytes(&[7; 32]).unwrap();
        let sealed = vault.seal("c-1", SECRET).unwrap();

        for at in 0..sealed.len() {
            let mut bytes = sealed.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            let text = String::from_utf8(bytes).unwrap();
            assert!(vault.open("c-1", &text).is_err(), "character {at}");
        }

        for broken in ["", "v1", "v1.x", "v2.a.b", "plain text"] {
            assert!(vault.open("c-1", broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn the_file_is_made_once_and_for_its_owner_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("keys/secrets.key");
        let first = Vault::load_or_create(&path).unwrap();
        let again = Vault::load_or_create(&path).unwrap();
        assert_eq!(first.key_id(), again.key_id());

        let metadata = std::fs::metadata(&path).unwrap();
        assert_eq!(
            (metadata.len(), metadata.permissions().mode() & 0o777),
            (32, 0o600)
        );
        assert_eq!(
            std::fs::read_dir(path.parent().unwrap()).unwrap().count(),
            1,
            "nothing is left beside it"
        );
    }

    #[test]
    fn a_file_that_is_no_key_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("secrets.key");
        std::fs::write(&path, b"short").unwrap();
        let error = Vault::load_or_create(&path).unwrap_err();
        assert!(
            matches!(error, VaultError::Length { found: 5, .. }),
            "{error}"
        );

        let error = Vault::load_or_create(directory.path()).unwrap_err();
        assert!(matches!(error, VaultError::File { .. }), "{error}");
    }
}
