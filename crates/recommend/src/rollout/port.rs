//! Storage of rollouts.

use async_trait::async_trait;
use reeve_estate::StoreError;

use crate::agent::AgentId;
use crate::recommendation::RecommendationType;
use crate::rollout::{Rollout, RolloutId, RolloutStatus};

/// Filter for rollouts; the fields that are set must all match.
#[derive(Debug, Clone, Default)]
pub struct RolloutFilter {
    pub agent: Option<AgentId>,
    pub kind: Option<RecommendationType>,
    /// In any of these states; empty is all.
    pub status: Vec<RolloutStatus>,
    /// At most this many; 0 is no limit.
    pub limit: u64,
    /// Number of results to skip.
    pub offset: u64,
}

/// Keeps rollouts. Updates compare versions, as [`AgentStore`](crate::ports::AgentStore)'s do.
#[async_trait]
pub trait RolloutStore: Send + Sync {
    /// Adds a rollout. A second one of an agent and kind that has not ended is a conflict.
    async fn rollout_insert(&self, rollout: &Rollout) -> Result<(), StoreError>;
    /// Replaces a rollout; `version` is the stored one plus one.
    async fn rollout_update(&self, rollout: &Rollout) -> Result<(), StoreError>;
    async fn rollout_get(&self, id: &RolloutId) -> Result<Rollout, StoreError>;
    /// Rollouts, newest first, and how many there are in all.
    async fn rollout_list(&self, filter: &RolloutFilter)
    -> Result<(Vec<Rollout>, u64), StoreError>;
}
