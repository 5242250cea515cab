//! Baselines, their pinned documents, and drifts: the port [`DriftStore`].

mod baseline;
mod pinned;
mod record;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, ResourceId, StoreError};
use reeve_recommend::drift::{
    BaselineId, Drift, DriftBaseline, DriftCount, DriftFilter, DriftId, DriftStore, Observed,
    ObservedFilter, PinnedDocument,
};

use crate::database::Store;
use crate::estate::observed;

type Result<T> = std::result::Result<T, StoreError>;

#[async_trait]
impl DriftStore for Store {
    async fn baseline_put(&self, baseline: &DriftBaseline) -> Result<()> {
        Ok(baseline::put(self, baseline).await?)
    }
    async fn baseline_get(&self, id: &BaselineId) -> Result<DriftBaseline> {
        Ok(baseline::get(self, id).await?)
    }
    async fn baseline_list(&self) -> Result<Vec<DriftBaseline>> {
        Ok(baseline::list(self).await?)
    }
    async fn baseline_delete(&self, id: &BaselineId) -> Result<()> {
        Ok(baseline::delete(self, id).await?)
    }

    async fn pinned_put(
        &self,
        baseline: &BaselineId,
        revision: u64,
        pinned: &[PinnedDocument],
    ) -> Result<()> {
        Ok(pinned::put(self, baseline, revision, pinned).await?)
    }
    async fn pinned_remove(
        &self,
        baseline: &BaselineId,
        revision: u64,
        connection: &ConnectionId,
        resources: &[ResourceId],
    ) -> Result<()> {
        Ok(pinned::remove(self, (baseline, revision), connection, resources).await?)
    }
    async fn pinned_of(
        &self,
        baseline: &BaselineId,
        revision: u64,
        connection: &ConnectionId,
        resources: &[ResourceId],
    ) -> Result<Vec<PinnedDocument>> {
        Ok(pinned::list(self, (baseline, revision), connection, resources).await?)
    }
    async fn pinned_discard(&self, baseline: &BaselineId, revision: u64) -> Result<()> {
        Ok(pinned::discard(self, (baseline, revision)).await?)
    }
    async fn pinned_count(&self, baseline: &BaselineId, revision: u64) -> Result<u64> {
        Ok(pinned::count(self, (baseline, revision)).await?)
    }

    async fn observed(
        &self,
        connection: &ConnectionId,
        filter: &ObservedFilter,
    ) -> Result<Vec<Observed>> {
        Ok(observed::list(self, connection, filter).await?)
    }
    async fn compared_until(&self, connection: &ConnectionId) -> Result<Option<Timestamp>> {
        Ok(record::compared_until(self, connection).await?)
    }
    async fn compared_put(&self, connection: &ConnectionId, until: Timestamp) -> Result<()> {
        Ok(record::compared_put(self, connection, until).await?)
    }

    async fn drift_put(&self, drifts: &[Drift]) -> Result<()> {
        Ok(record::put(self, drifts).await?)
    }
    async fn drift_get(&self, id: &DriftId) -> Result<Drift> {
        Ok(record::get(self, id).await?)
    }
    async fn drift_list(&self, filter: &DriftFilter) -> Result<(Vec<Drift>, u64)> {
        Ok(record::list(self, filter).await?)
    }
    async fn drift_counts(&self, filter: &DriftFilter) -> Result<Vec<DriftCount>> {
        Ok(record::counts(self, filter).await?)
    }
}

fn number(revision: u64) -> i64 {
    i64::try_from(revision).unwrap_or(i64::MAX)
}
