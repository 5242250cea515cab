//! The log as what serves callers holds it: written, proved, and read only through a trail.

use std::sync::Arc;

use reeve_access::{Principal, RowFilter};
use reeve_audit::{Draft, Entry, Obstacle, SubmitterType};
use reeve_ledger::{
    AppendError, Delivery, EntryReader, Epoch, KeyEpoch, Ledger, Planned, ReadError, Receipt,
    RotateError, TrailError,
};

use crate::trail::Trail;

/// The log without its entries: it appends, signs and counts. Entries are read through
/// [`Log::trail_of`] alone; neither the ledger nor the reader comes out again.
///
/// ```compile_fail,E0599
/// fn unsealed(log: &reeve_trail::Log) -> usize {
///     log.tail().len()
/// }
/// ```
#[derive(Clone)]
pub struct Log {
    ledger: Ledger,
    reader: Arc<dyn EntryReader>,
}

impl Log {
    /// Puts a ledger and what reads its entries behind one door.
    #[must_use]
    pub fn new(ledger: Ledger, reader: Arc<dyn EntryReader>) -> Self {
        Log { ledger, reader }
    }

    /// Returns the entries that a principal may see, by their permissions at this moment.
    #[must_use]
    pub fn trail_of(&self, principal: &Principal) -> Trail {
        Trail::bound(
            self.ledger.clone(),
            self.reader.clone(),
            RowFilter::for_principal(principal),
        )
    }

    /// Records entries, all or none; see [`Ledger::append`].
    ///
    /// # Errors
    /// Nothing was written, and why.
    pub async fn append(&self, drafts: Vec<Draft>) -> Result<Vec<Receipt>, AppendError> {
        self.ledger.append(drafts).await
    }

    /// Returns `true` if the log has an entry with the identifier of a given one, of the same type,
    /// that Reeve submitted itself.
    pub(crate) async fn has_own(&self, entry: &Entry) -> Result<bool, TrailError> {
        let stored = self.reader.by_event_id(entry.event_id.as_str()).await?;
        Ok(stored.is_some_and(|stored| {
            let submitter = stored.entry.submitted_by.as_ref();
            submitter.is_some_and(|by| by.kind == SubmitterType::Reeve)
                && stored.entry.event_type == entry.event_type
        }))
    }

    /// Returns the number of entries, those that a caller may not see included.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.ledger.size()
    }

    /// Returns the newest checkpoint, a signed note.
    #[must_use]
    pub fn checkpoint(&self) -> String {
        self.ledger.checkpoint()
    }

    /// Returns the newest checkpoint that witnesses have cosigned.
    #[must_use]
    pub fn cosigned_checkpoint(&self) -> Option<String> {
        self.ledger.cosigned_checkpoint()
    }

    /// Returns a tile of the tree by its C2SP path: hashes alone.
    ///
    /// # Errors
    /// The tree could not be read.
    pub async fn tile(&self, path: &str) -> Result<Option<Vec<u8>>, ReadError> {
        self.ledger.tile(path).await
    }

    /// Returns the log's verifier keys, the oldest first.
    #[must_use]
    pub fn keys(&self) -> Vec<KeyEpoch> {
        self.ledger.keys()
    }

    /// Returns the signed records that lead from each key to the next.
    ///
    /// # Errors
    /// The files could not be read.
    pub async fn epoch_records(&self) -> Result<Vec<String>, ReadError> {
        self.ledger.epoch_records().await
    }

    /// Replaces the signing key; see [`Ledger::rotate_key`].
    ///
    /// # Errors
    /// The key was not replaced, or its old half not destroyed.
    pub async fn rotate_key(
        &self,
        entry: impl FnOnce(&Planned) -> Result<Draft, Obstacle>,
    ) -> Result<Epoch, RotateError> {
        self.ledger.rotate_key(entry).await
    }

    /// Returns the faults of the log, and the bytes that wait to be committed.
    #[must_use]
    pub fn health(&self) -> reeve_ledger::Health {
        self.ledger.health()
    }

    /// Returns how far each place outside has the log's checkpoints.
    #[must_use]
    pub fn deliveries(&self) -> Vec<Delivery> {
        self.ledger.deliveries()
    }
}

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Log")
            .field("ledger", &self.ledger)
            .finish_non_exhaustive()
    }
}
