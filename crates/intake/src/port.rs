//! Ports: the store of sources and of their quarantine, and the log that they append to.

use async_trait::async_trait;
use reeve_access::TokenHash;
use reeve_audit::Draft;
use reeve_estate::StoreError;
use reeve_ledger::{AppendError, Receipt};

use crate::quarantine::{QuarantineId, QuarantinedEvent};
use crate::source::{LogSource, LogSourceId, SourceProgress};

/// The log, as sources append to it.
#[async_trait]
pub trait EntryAppender: Send + Sync {
    /// Appends entries. They are durable when this answers, or none is there.
    ///
    /// # Errors
    /// An identifier is taken by another entry, or the log takes nothing now.
    async fn append(&self, drafts: Vec<Draft>) -> Result<Vec<Receipt>, AppendError>;
}

/// Filter of quarantined events of one source, the oldest first.
#[derive(Debug, Clone, Copy, Default)]
pub struct QuarantineFilter {
    /// At most this many.
    pub limit: u64,
    /// Number of events to skip.
    pub offset: u64,
}

/// Sources of entries with their tokens, their course and their quarantine.
#[async_trait]
pub trait LogSourceStore: Send + Sync {
    /// Adds a source with the hash of its token. A name that another source has is a conflict.
    async fn log_source_insert(
        &self,
        source: &LogSource,
        token: &TokenHash,
    ) -> Result<(), StoreError>;
    /// Replaces a source whose stored version is one less. A token that is not given stays.
    async fn log_source_update(
        &self,
        source: &LogSource,
        token: Option<&TokenHash>,
    ) -> Result<(), StoreError>;
    /// Removes a source with its quarantine.
    async fn log_source_delete(&self, id: &LogSourceId) -> Result<(), StoreError>;
    async fn log_source_get(&self, id: &LogSourceId) -> Result<LogSource, StoreError>;
    /// Returns all sources, oldest first.
    async fn log_source_list(&self) -> Result<Vec<LogSource>, StoreError>;
    /// Returns the source whose token has this hash.
    async fn log_source_by_token(&self, token: &TokenHash)
    -> Result<Option<LogSource>, StoreError>;
    async fn log_source_progress(&self, id: &LogSourceId) -> Result<SourceProgress, StoreError>;
    async fn log_source_progress_put(
        &self,
        id: &LogSourceId,
        progress: &SourceProgress,
    ) -> Result<(), StoreError>;

    /// Keeps events, as far as the source has room. Returns the number that were kept.
    async fn quarantine_insert(
        &self,
        events: &[QuarantinedEvent],
        most: u64,
    ) -> Result<u64, StoreError>;
    /// Returns events of a source, and how many there are in all.
    async fn quarantine_list(
        &self,
        source: &LogSourceId,
        filter: QuarantineFilter,
    ) -> Result<(Vec<QuarantinedEvent>, u64), StoreError>;
    async fn quarantine_get(
        &self,
        source: &LogSourceId,
        id: &QuarantineId,
    ) -> Result<QuarantinedEvent, StoreError>;
    /// Replaces reason and attempts of an event.
    async fn quarantine_update(&self, event: &QuarantinedEvent) -> Result<(), StoreError>;
    async fn quarantine_delete(
        &self,
        source: &LogSourceId,
        id: &QuarantineId,
    ) -> Result<(), StoreError>;
}
