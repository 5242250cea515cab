//! Port of the store of baselines and drifts.

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, ResourceId, ResourceKind, StoreError, VisibleConnections};

use super::baseline::{BaselineId, DriftBaseline, PinnedDocument};
use super::record::{Drift, DriftId, DriftState, Observed};

/// Resources with documents, as last seen; the conditions are combined by "and".
#[derive(Debug, Clone, Default)]
pub struct ObservedFilter {
    /// Seen with their present document, or missed, at this time or later.
    pub since: Option<Timestamp>,
    /// Kinds of the resources; empty is all.
    pub kinds: Vec<ResourceKind>,
    /// Only these; empty is all.
    pub ids: Vec<ResourceId>,
    /// Behind this resource, by the time of its observation and its identifier.
    pub after: Option<(Timestamp, ResourceId)>,
    /// At most this many; 0 is all.
    pub limit: u64,
}

/// Filter of drifts; the conditions are combined by "and".
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DriftFilter {
    /// Connections that the reader may see.
    pub visible: VisibleConnections,
    pub baseline: Option<BaselineId>,
    pub connection: Option<ConnectionId>,
    /// Kind of the resources.
    pub kind: Option<ResourceKind>,
    /// In any of these states; empty is all.
    pub states: Vec<DriftState>,
    /// About these resources; empty is all.
    pub resources: Vec<ResourceId>,
    /// Changed at this time or later.
    pub since: Option<Timestamp>,
    /// Accepted until this time or earlier.
    pub ended_by: Option<Timestamp>,
    /// At most this many; 0 is all.
    pub limit: u64,
    pub offset: u64,
}

/// Number of drifts of a baseline in a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriftCount {
    pub baseline: BaselineId,
    pub state: DriftState,
    pub count: u64,
}

/// Keeps baselines with their pinned documents, and drifts.
///
/// A document that a baseline pins or that a drift shows is kept as long as they are.
#[async_trait]
pub trait DriftStore: Send + Sync {
    /// Writes a baseline over the one with its identifier, and removes pinned documents of its
    /// earlier revisions. Names are unique, without regard to case: a taken one is a
    /// [`StoreError::Conflict`].
    async fn baseline_put(&self, baseline: &DriftBaseline) -> Result<(), StoreError>;
    async fn baseline_get(&self, id: &BaselineId) -> Result<DriftBaseline, StoreError>;
    /// All baselines, by name.
    async fn baseline_list(&self) -> Result<Vec<DriftBaseline>, StoreError>;
    /// Removes a baseline with its pinned documents and its drifts.
    async fn baseline_delete(&self, id: &BaselineId) -> Result<(), StoreError>;

    /// Writes pinned documents of a revision, each over the one of its resource. A document that is
    /// no longer stored is a [`StoreError::Conflict`], and nothing is written.
    async fn pinned_put(
        &self,
        baseline: &BaselineId,
        revision: u64,
        pinned: &[PinnedDocument],
    ) -> Result<(), StoreError>;
    /// Removes the pinned documents of resources from a revision.
    async fn pinned_remove(
        &self,
        baseline: &BaselineId,
        revision: u64,
        connection: &ConnectionId,
        resources: &[ResourceId],
    ) -> Result<(), StoreError>;
    /// Returns the pinned documents of resources.
    async fn pinned_of(
        &self,
        baseline: &BaselineId,
        revision: u64,
        connection: &ConnectionId,
        resources: &[ResourceId],
    ) -> Result<Vec<PinnedDocument>, StoreError>;
    /// Removes all pinned documents of a revision that no baseline came to have.
    async fn pinned_discard(&self, baseline: &BaselineId, revision: u64) -> Result<(), StoreError>;
    /// Number of documents of a revision.
    async fn pinned_count(&self, baseline: &BaselineId, revision: u64) -> Result<u64, StoreError>;

    /// Returns the resources of a connection as last seen, by the time of their observation and
    /// their identifier, those that are gone included. Resources without a document have no place
    /// here.
    async fn observed(
        &self,
        connection: &ConnectionId,
        filter: &ObservedFilter,
    ) -> Result<Vec<Observed>, StoreError>;
    /// Beginning of the last sync of a connection that was compared with the baselines.
    async fn compared_until(
        &self,
        connection: &ConnectionId,
    ) -> Result<Option<Timestamp>, StoreError>;
    /// Keeps the beginning of a sync that was compared.
    async fn compared_put(
        &self,
        connection: &ConnectionId,
        until: Timestamp,
    ) -> Result<(), StoreError>;

    /// Writes drifts, each over the one with its identifier; all or none. A resource has one drift
    /// of a baseline that is not resolved: a second one is a [`StoreError::Conflict`].
    async fn drift_put(&self, drifts: &[Drift]) -> Result<(), StoreError>;
    async fn drift_get(&self, id: &DriftId) -> Result<Drift, StoreError>;
    /// Drifts of a filter, the last changed ones first, and how many there are in all. Those whose
    /// acceptance ended come in the order of its end.
    async fn drift_list(&self, filter: &DriftFilter) -> Result<(Vec<Drift>, u64), StoreError>;
    /// Numbers of drifts of a filter by baseline and state; limit and offset are not read.
    async fn drift_counts(&self, filter: &DriftFilter) -> Result<Vec<DriftCount>, StoreError>;
}
