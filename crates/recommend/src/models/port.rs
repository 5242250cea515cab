//! Storage of models.

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::StoreError;

use crate::agent::AgentId;
use crate::models::model::{Model, ModelId, ModelStatus, ModelType};
use crate::recommendation::RecommendationId;

/// Largest state of a model, bytes: about 2 KiB a resource for some 8,000 resources.
pub const MAX_STATE_BYTES: usize = 16 * 1024 * 1024;

/// Filter for models; the fields that are set must all match.
#[derive(Debug, Clone, Default)]
pub struct ModelFilter {
    pub agent: Option<AgentId>,
    pub name: Option<String>,
    pub kind: Option<ModelType>,
    /// Only those in this state.
    pub status: Option<ModelStatus>,
    /// At most this many; 0 is no limit.
    pub limit: u64,
    /// Number of results to skip.
    pub offset: u64,
}

/// Inputs of a recommendation's confidence, kept until its outcome is known.
#[derive(Debug, Clone, PartialEq)]
pub struct TrustNote {
    pub recommendation: RecommendationId,
    /// Agent type and recommendation type, joined by a slash.
    pub group: String,
    pub at: Timestamp,
    /// The backtest's own answer, 0 to 1.
    pub raw: f64,
    /// The figures beside it.
    pub features: Vec<f64>,
}

/// Keeps models, their states, and what recommendations were judged by.
#[async_trait]
pub trait ModelStore: Send + Sync {
    /// Adds a version with its state. A second serving one of an agent and name, or a version
    /// number that is taken, is a [`StoreError::Conflict`].
    async fn model_insert(&self, model: &Model, state: &str) -> Result<(), StoreError>;
    /// Replaces a record, not its state; `revision` is the stored one plus one.
    async fn model_update(&self, model: &Model) -> Result<(), StoreError>;
    /// Lets a candidate serve in place of `over`, which is retired: both or neither. A conflict
    /// when another one serves, or the candidate is none any more.
    async fn model_promote(
        &self,
        candidate: &ModelId,
        over: Option<&ModelId>,
        at: Timestamp,
    ) -> Result<(), StoreError>;
    /// Returns one version of a model.
    async fn model_get(&self, id: &ModelId) -> Result<Model, StoreError>;
    /// Returns the learned state of a version.
    async fn model_state(&self, id: &ModelId) -> Result<String, StoreError>;
    /// Versions by agent and name, newest version first, and how many there are in all.
    async fn model_list(&self, filter: &ModelFilter) -> Result<(Vec<Model>, u64), StoreError>;
    /// Removes a version that does not serve, with its state.
    async fn model_delete(&self, id: &ModelId) -> Result<(), StoreError>;

    /// Keeps what a recommendation was judged by; a second note of one is left out.
    async fn trust_note_insert(&self, note: &TrustNote) -> Result<(), StoreError>;
    /// The newest notes, newest first.
    async fn trust_note_list(&self, limit: u64) -> Result<Vec<TrustNote>, StoreError>;
}
