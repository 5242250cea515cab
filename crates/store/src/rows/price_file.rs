//! An imported price file, without its content.

use reeve_estate::{PriceKind, Provider, StoredPriceFile};
use serde::{Deserialize, Serialize};

use super::{RowError, time};

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PriceFileRow {
    provider: String,
    kind: String,
    sha256: String,
    bytes: u64,
    imported_at: String,
    imported_by: String,
}

impl From<&StoredPriceFile> for PriceFileRow {
    fn from(file: &StoredPriceFile) -> Self {
        PriceFileRow {
            provider: file.provider.as_str().to_owned(),
            kind: file.kind.as_str().to_owned(),
            sha256: file.sha256.clone(),
            bytes: file.bytes,
            imported_at: file.imported_at.to_string(),
            imported_by: file.imported_by.clone(),
        }
    }
}

impl PriceFileRow {
    pub(crate) fn into_file(self, text: String) -> Result<StoredPriceFile, RowError> {
        let unknown = |field, value: &str| RowError::Unknown {
            field,
            value: value.to_owned(),
        };
        Ok(StoredPriceFile {
            provider: Provider::parse(&self.provider)
                .ok_or_else(|| unknown("provider", &self.provider))?,
            kind: PriceKind::parse(&self.kind).ok_or_else(|| unknown("kind", &self.kind))?,
            sha256: self.sha256,
            bytes: self.bytes,
            imported_at: time(&self.imported_at)?,
            imported_by: self.imported_by,
            text,
        })
    }
}
