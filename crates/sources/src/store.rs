//! The port of what keeps metric sources.

use async_trait::async_trait;
use reeve_access::TokenHash;
use reeve_estate::StoreError;

use crate::source::{MetricSource, MetricSourceId, QueryCredentials, SyncState};

/// Metric sources, their tokens and credentials, and the progress of their queries.
#[async_trait]
pub trait MetricSourceStore: Send + Sync {
    /// Adds a source with the hash of its token, or with its credentials.
    async fn metric_source_insert(
        &self,
        source: &MetricSource,
        token: Option<&TokenHash>,
        credentials: &QueryCredentials,
    ) -> Result<(), StoreError>;
    /// Replaces a source whose stored version is one less; token and credentials that are not given
    /// stay.
    async fn metric_source_update(
        &self,
        source: &MetricSource,
        token: Option<&TokenHash>,
        credentials: Option<&QueryCredentials>,
    ) -> Result<(), StoreError>;
    async fn metric_source_delete(&self, id: &MetricSourceId) -> Result<(), StoreError>;
    async fn metric_source_get(&self, id: &MetricSourceId) -> Result<MetricSource, StoreError>;
    /// Returns all sources, oldest first.
    async fn metric_source_list(&self) -> Result<Vec<MetricSource>, StoreError>;
    /// Returns the source whose token has this hash.
    async fn metric_source_by_token(
        &self,
        token: &TokenHash,
    ) -> Result<Option<MetricSource>, StoreError>;
    /// Returns the credentials of a source.
    async fn metric_source_credentials(
        &self,
        id: &MetricSourceId,
    ) -> Result<QueryCredentials, StoreError>;
    /// Returns the progress of a source's queries.
    async fn metric_source_state(&self, id: &MetricSourceId) -> Result<SyncState, StoreError>;
    /// Writes the progress of a source's queries, unless the source was changed since `version`.
    async fn metric_source_state_put(
        &self,
        id: &MetricSourceId,
        version: u64,
        state: &SyncState,
    ) -> Result<(), StoreError>;
}
