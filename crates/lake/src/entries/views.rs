//! Port through which a search sees the log; the ledger fills it.

use async_trait::async_trait;
use reeve_ledger::{Ledger, ReadError, SealedEntry, StoredEntry, TrailError, View};

/// The log as it stands at one moment.
#[async_trait]
pub trait Views: Send + Sync {
    /// Segments and tail that belong together: each acknowledged entry is in exactly one of the two.
    fn view(&self) -> View;
    /// Adds to sealed entries what follows from the tree (leaf hash, chain), in the order given, and refuses those that are
    /// not what the log committed to.
    async fn restore(&self, sealed: Vec<SealedEntry>) -> Result<Vec<StoredEntry>, TrailError>;
}

#[async_trait]
impl Views for Ledger {
    fn view(&self) -> View {
        Ledger::view(self)
    }

    async fn restore(&self, sealed: Vec<SealedEntry>) -> Result<Vec<StoredEntry>, TrailError> {
        Ledger::restore(self, sealed).await.map_err(|error| match error {
            ReadError::Damaged { .. } => TrailError::Damaged(error.to_string()),
            _ => TrailError::Backend(error.to_string()),
        })
    }
}
