//! Storage of attack chains.

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::StoreError;

use super::AttackChain;

/// Keeps attack chains.
#[async_trait]
pub trait AttackChainStore: Send + Sync {
    /// Adds a chain, or replaces the one of its identifier.
    async fn attack_chain_put(&self, chain: &AttackChain) -> Result<(), StoreError>;
    async fn attack_chain_get(&self, id: &str) -> Result<AttackChain, StoreError>;
    /// Chains with a step at or after a time, the newest first.
    async fn attack_chain_list(&self, since: Timestamp) -> Result<Vec<AttackChain>, StoreError>;
    /// Removes chains whose last step is before a time.
    async fn attack_chain_forget(&self, before: Timestamp) -> Result<(), StoreError>;
}
