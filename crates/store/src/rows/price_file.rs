//! An imported price file, without its content.

use jiff::Timestamp;
use reeve_estate::{PriceKind, Provider, StoredPriceFile};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PriceFileRow {
    provider: Provider,
    kind: PriceKind,
    sha256: String,
    bytes: u64,
    imported_at: Timestamp,
    imported_by: String,
}

impl From<&StoredPriceFile> for PriceFileRow {
    fn from(file: &StoredPriceFile) -> Self {
        PriceFileRow {
            provider: file.provider,
            kind: file.kind,
            sha256: file.sha256.clone(),
            bytes: file.bytes,
            imported_at: file.imported_at,
            imported_by: file.imported_by.clone(),
        }
    }
}

impl PriceFileRow {
    pub(crate) fn into_file(self, text: String) -> StoredPriceFile {
        StoredPriceFile {
            provider: self.provider,
            kind: self.kind,
            sha256: self.sha256,
            bytes: self.bytes,
            imported_at: self.imported_at,
            imported_by: self.imported_by,
            text,
        }
    }
}
