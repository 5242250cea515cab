//! Imported price files: kept in the store, and in force in the catalogue.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use reeve_estate::{
    PriceCatalogue, PriceFile, PriceFileStore, PriceFiles, PriceKind, Provider, StoreError,
    StoredPriceFile,
};
use tokio::sync::Mutex;

/// Import of a file, without its prices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceImport {
    /// SHA-256 of the file as it was given, hexadecimal.
    pub sha256: String,
    /// Size of the file as it was given.
    pub bytes: u64,
    /// Time of the import.
    pub imported_at: jiff::Timestamp,
    /// E-mail address of the user who imported it.
    pub imported_by: String,
}

impl PriceImport {
    fn new(file: &StoredPriceFile) -> Self {
        PriceImport {
            sha256: file.sha256.clone(),
            bytes: file.bytes,
            imported_at: file.imported_at,
            imported_by: file.imported_by.clone(),
        }
    }
}

/// Imports by provider and kind.
pub(crate) type PriceImports = BTreeMap<(Provider, PriceKind), PriceImport>;

/// The price files that are in force. One server is active at a time, so what it holds is what the
/// store has.
pub struct PriceBook {
    store: Arc<dyn PriceFileStore>,
    catalogue: Arc<PriceCatalogue>,
    /// The files and their imports, replaced as one.
    held: RwLock<(PriceFiles, PriceImports)>,
    /// Held while the store and the catalogue change, so that the later import is in force in both.
    changing: Mutex<()>,
}

impl PriceBook {
    /// Puts the stored files into force. One that does not read is left out with a warning: prices
    /// must not keep the service from starting, and the bundled ones are in force without it.
    ///
    /// # Errors
    /// The store failed.
    pub async fn open(
        store: Arc<dyn PriceFileStore>,
        catalogue: Arc<PriceCatalogue>,
    ) -> Result<PriceBook, StoreError> {
        let (mut files, mut imports) = (PriceFiles::new(), PriceImports::new());
        for stored in store.price_file_list().await? {
            match PriceFile::parse(stored.text.as_bytes()) {
                Ok(file) => {
                    let key = (file.provider, file.kind);
                    imports.insert(key, PriceImport::new(&stored));
                    files.insert(key, Arc::new(file));
                }
                Err(error) => {
                    let (provider, kind) = (stored.provider.as_str(), stored.kind.as_str());
                    tracing::warn!(provider, kind, %error, "an imported price file does not read and is not in force");
                }
            }
        }

        catalogue.set_imported(files.clone());
        Ok(PriceBook {
            store,
            catalogue,
            held: RwLock::new((files, imports)),
            changing: Mutex::default(),
        })
    }

    /// The catalogue that the files are in force in.
    #[must_use]
    pub fn catalogue(&self) -> &Arc<PriceCatalogue> {
        &self.catalogue
    }

    /// Imports of the files in force.
    pub(crate) fn imports(&self) -> PriceImports {
        self.held
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .1
            .clone()
    }

    /// Stores a file and puts it into force.
    pub(crate) async fn put(
        &self,
        mut file: PriceFile,
        import: PriceImport,
    ) -> Result<(), StoreError> {
        let _changing = self.changing.lock().await;
        let key = (file.provider, file.kind);
        let stored = StoredPriceFile {
            provider: file.provider,
            kind: file.kind,
            sha256: import.sha256.clone(),
            bytes: import.bytes,
            imported_at: import.imported_at,
            imported_by: import.imported_by.clone(),
            // The catalogue has no use for it.
            text: std::mem::take(&mut file.text),
        };
        self.store.price_file_put(&stored).await?;

        self.replace(|files, imports| {
            files.insert(key, Arc::new(file));
            imports.insert(key, import);
        });
        Ok(())
    }

    /// Removes a file; the bundled prices are in force again.
    pub(crate) async fn delete(
        &self,
        provider: Provider,
        kind: PriceKind,
    ) -> Result<(), StoreError> {
        let _changing = self.changing.lock().await;
        self.store.price_file_delete(provider, kind).await?;
        self.replace(|files, imports| {
            files.remove(&(provider, kind));
            imports.remove(&(provider, kind));
        });
        Ok(())
    }

    fn replace(&self, change: impl FnOnce(&mut PriceFiles, &mut PriceImports)) {
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        let (files, imports) = &mut *held;
        change(files, imports);
        self.catalogue.set_imported(files.clone());
    }
}
