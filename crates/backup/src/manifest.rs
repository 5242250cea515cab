//! The manifest of a backup: what it holds, of which log, up to where, and the SHA-256 of each
//! part.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::part::PartName;

/// Name of the manifest in the archive; it comes last.
pub const MANIFEST: &str = "manifest.json";
/// Version of the format.
pub const VERSION: u32 = 2;
/// Version whose manifest nobody signed.
pub const UNATTESTED: u32 = 1;
/// Name that an attestation gives the manifest, so that no attestation of another file is taken for
/// it.
pub const ATTESTED_AS: &str = "backup/manifest.json";

/// One file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackupPart {
    /// Path in the data directory.
    pub path: String,
    /// Length of the part in bytes.
    pub bytes: u64,
    /// SHA-256 of its content, hex.
    pub sha256: String,
}

/// The private keys of a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Keys {
    Absent,
    /// Readable without a passphrase.
    Open,
    /// Encrypted under a passphrase.
    Sealed,
}

/// Manifest of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackupManifest {
    /// Version of the format, [`VERSION`].
    pub version: u32,
    /// Start of the backup, RFC 3339.
    pub created_at: String,
    /// The program that made it, with its version.
    pub program: String,
    /// Name of the log.
    pub origin: String,
    /// Entries of the log in it.
    pub size: u64,
    /// Root of the tree over them, hex.
    pub root: String,
    /// The signed checkpoint of that size.
    pub checkpoint: String,
    /// The verifier key that signed it.
    pub public_key: String,
    /// Treatment of private keys: absent, in the clear, or sealed under a passphrase.
    pub keys: Keys,
    /// Version of the state's schema; `None` where there is no state.
    pub state_schema: Option<i64>,
    /// Parts, in the order of the archive.
    #[serde(default)]
    pub parts: Vec<BackupPart>,
    /// Signed note by which the log's key attests [`BackupManifest::attested_digest`]; `None` in version 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attestation: Option<String>,
}

/// Reason why a manifest is refused.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The manifest is not JSON of the expected form.
    #[error("the manifest cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// A version that this program does not know.
    #[error(
        "the backup is of version {0}, and this program knows versions up to {VERSION}; use a newer one"
    )]
    Version(u64),
    /// A part has a name that leads elsewhere.
    #[error("the manifest lists an unknown part: {0}")]
    Name(#[from] crate::part::NameError),
}

impl BackupManifest {
    /// SHA-256 of the manifest as the log's key attests it: compact JSON without the attestation
    /// and without the private keys, which a client adds that does not hold the log's key. A
    /// private key is compared with `public_key` instead.
    ///
    /// # Errors
    /// The manifest cannot be written as JSON.
    pub fn attested_digest(&self) -> Result<[u8; 32], ManifestError> {
        let mut attested = BackupManifest {
            keys: Keys::Absent,
            attestation: None,
            ..self.clone()
        };

        attested
            .parts
            .retain(|part| !part.path.starts_with("keys/"));
        Ok(Sha256::digest(serde_json::to_vec(&attested)?).into())
    }

    /// Reads a manifest.
    ///
    /// # Errors
    /// [`ManifestError`].
    pub fn decode(bytes: &[u8]) -> Result<Self, ManifestError> {
        let value: serde_json::Value = serde_json::from_slice(bytes)?;
        // Said before unknown members are refused: a newer version may have some.
        let version = value.get("version").and_then(serde_json::Value::as_u64);
        if let Some(version) =
            version.filter(|version| ![VERSION, UNATTESTED].map(u64::from).contains(version))
        {
            return Err(ManifestError::Version(version));
        }

        let manifest: BackupManifest = serde_json::from_value(value)?;
        for part in &manifest.parts {
            PartName::parse(&part.path)?;
        }

        Ok(manifest)
    }
}
