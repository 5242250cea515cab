//! The port that keeps policies and holds.

use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::hold::LegalHold;
use crate::policy_set::PolicySet;

/// A version of the policies, with its author.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyVersion {
    pub set: PolicySet,
    /// User who saved it; empty for the policies of a new installation.
    pub changed_by: String,
    /// Time of the change; `None` for the policies of a new installation.
    pub changed_at: Option<Timestamp>,
}

impl PolicyVersion {
    /// The policies of a new installation.
    pub fn presets() -> PolicyVersion {
        PolicyVersion {
            set: PolicySet::presets(),
            changed_by: String::new(),
            changed_at: None,
        }
    }
}

/// Reason why policies or holds were not read or written.
#[derive(Debug, thiserror::Error)]
pub enum RetentionStoreError {
    /// Changed by another request meanwhile, or a limit was reached.
    #[error("{0}")]
    Conflict(String),
    /// There is no such hold.
    #[error("there is no legal hold {0}")]
    NotFound(String),
    /// The store failed, or what it holds cannot be read.
    #[error("policies and holds cannot be read or written: {0}")]
    Backend(String),
}

/// Keeps policies, version by version, and legal holds.
#[async_trait]
pub trait RetentionStore: Send + Sync {
    /// Returns the newest policies; those of a new installation while none were saved.
    async fn retention_get(&self) -> Result<PolicyVersion, RetentionStoreError>;
    /// Keeps a further version, which must follow the newest.
    async fn retention_put(&self, policies: &PolicyVersion) -> Result<(), RetentionStoreError>;
    /// Returns all holds, those in force first, the newest first.
    async fn hold_list(&self) -> Result<Vec<LegalHold>, RetentionStoreError>;
    async fn hold_get(&self, id: &str) -> Result<LegalHold, RetentionStoreError>;
    async fn hold_insert(&self, hold: &LegalHold) -> Result<(), RetentionStoreError>;
    /// Replaces a hold; `version` is the stored one plus one.
    async fn hold_update(&self, hold: &LegalHold) -> Result<(), RetentionStoreError>;
}
