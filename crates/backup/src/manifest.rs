//! The manifest of a backup: what it holds, of which log, up to where, and the SHA-256 of each part.

use serde::{Deserialize, Serialize};

use crate::part::PartName;

/// Name of the manifest in the archive; it comes last.
pub const MANIFEST: &str = "manifest.json";
/// Version of the format.
pub const VERSION: u32 = 1;

/// One file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
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
    /// Absent.
    Absent,
    /// In the clear.
    Open,
    /// Encrypted under a passphrase.
    Sealed,
}

/// Manifest of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
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
    pub parts: Vec<Part>,
}

/// Reason why a manifest is refused.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// Malformed JSON.
    #[error("the manifest cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// A version that this program does not know.
    #[error("the backup is of version {0}, and this program knows version {VERSION}; use a newer one")]
    Version(u64),
    /// A part has a name that leads elsewhere.
    #[error("the manifest lists an unknown part: {0}")]
    Name(#[from] crate::part::NameError),
}

impl Manifest {
    /// Reads a manifest.
    ///
    /// # Errors
    /// [`ManifestError`].
    pub fn decode(bytes: &[u8]) -> Result<Self, ManifestError> {
        let value: serde_json::Value = serde_json::from_slice(bytes)?;
        // Said before unknown members are refused: a newer version may have some.
        let version = value.get("version").and_then(serde_json::Value::as_u64);
        if let Some(version) = version.filter(|version| *version != u64::from(VERSION)) {
            return Err(ManifestError::Version(version));
        }
        let manifest: Manifest = serde_json::from_value(value)?;
        for part in &manifest.parts {
            PartName::parse(&part.path)?;
        }
        Ok(manifest)
    }
}
