//! Port through which a search sees the log; the ledger fills it.

use async_trait::async_trait;
use reeve_ledger::{Ledger, LogView, ReadError, SealedEntry, StoredEntry, TrailError};

/// The log as it stands at one moment.
#[async_trait]
pub trait Views: Send + Sync {
    /// Segments and tail that belong together: each acknowledged entry is in exactly one of the
    /// two.
    fn view(&self) -> LogView;
    /// Adds to sealed entries what follows from the tree (leaf hash, chain), in the order given,
    /// and refuses those that are not what the log committed to.
    async fn restore(&self, sealed: Vec<SealedEntry>) -> Result<Vec<StoredEntry>, TrailError>;
    /// The place of an identifier among the sealed entries; reads files. Segments are searched for
    /// one of an unknown place.
    fn sealed_place(&self, _event_id: &str) -> SealedPlace {
        SealedPlace::Unknown
    }
}

/// Place of an identifier among the entries that are sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SealedPlace {
    /// Sealed at this sequence.
    At(u64),
    /// Not before this sequence.
    NotBefore(u64),
    /// The identifier is not known.
    Unknown,
}

#[async_trait]
impl Views for Ledger {
    fn view(&self) -> LogView {
        Ledger::view(self)
    }

    fn sealed_place(&self, event_id: &str) -> SealedPlace {
        match Ledger::sealed_place(self, event_id) {
            Ok((Some(sequence), _)) => SealedPlace::At(sequence),
            Ok((None, end)) => SealedPlace::NotBefore(end),
            // The index of identifiers is rebuilt at the next start; the segments know the answer
            // too.
            Err(error) => {
                tracing::warn!(%error, "the index of identifiers could not be read");
                SealedPlace::Unknown
            }
        }
    }

    async fn restore(&self, sealed: Vec<SealedEntry>) -> Result<Vec<StoredEntry>, TrailError> {
        Ledger::restore(self, sealed)
            .await
            .map_err(|error| match error {
                ReadError::Damaged { .. } => TrailError::Damaged(error.to_string()),
                _ => TrailError::Backend(error.to_string()),
            })
    }
}
