//! Folders of the tiers that segments are moved to, as they are given.

use std::path::PathBuf;

/// Folder of a tier that segments are moved to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TierFolder {
    /// `warm` or `cold`.
    pub tier: String,
    pub folder: PathBuf,
}

/// Refusal of a text that names no folder of a tier.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("must be warm=FOLDER or cold=FOLDER")]
pub struct TierFolderError;

impl std::str::FromStr for TierFolder {
    type Err = TierFolderError;

    /// Reads `warm=FOLDER` or `cold=FOLDER`.
    fn from_str(text: &str) -> Result<Self, TierFolderError> {
        match text.split_once('=') {
            Some((tier @ ("warm" | "cold"), folder)) if !folder.is_empty() => Ok(TierFolder {
                tier: tier.to_owned(),
                folder: folder.into(),
            }),
            _ => Err(TierFolderError),
        }
    }
}
