//! The port that keeps policies, holds, restores and requests for erasure.

use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::erasure::ErasureRequest;
use crate::hold::LegalHold;
use crate::policy_set::PolicySet;
use crate::restore::Restore;

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
    /// There is no such hold, restore or request.
    #[error("there is no {what} {id}")]
    NotFound {
        /// Noun for the object.
        what: &'static str,
        id: String,
    },
    /// The store failed, or what it holds cannot be read.
    #[error("policies and holds cannot be read or written: {0}")]
    Backend(String),
}

/// Keeps policies, version by version, legal holds, restores, and requests for erasure.
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
    /// Returns all requests for erasure, the newest first.
    async fn erasure_list(&self) -> Result<Vec<ErasureRequest>, RetentionStoreError>;
    async fn erasure_get(&self, id: &str) -> Result<ErasureRequest, RetentionStoreError>;
    async fn erasure_insert(&self, request: &ErasureRequest) -> Result<(), RetentionStoreError>;
    /// Replaces a request; `version` is the stored one plus one.
    async fn erasure_update(&self, request: &ErasureRequest) -> Result<(), RetentionStoreError>;
    /// Returns all restores, those in force first, the newest first.
    async fn restore_list(&self) -> Result<Vec<Restore>, RetentionStoreError>;
    async fn restore_get(&self, id: &str) -> Result<Restore, RetentionStoreError>;
    async fn restore_insert(&self, restore: &Restore) -> Result<(), RetentionStoreError>;
    /// Replaces a restore; `version` is the stored one plus one.
    async fn restore_update(&self, restore: &Restore) -> Result<(), RetentionStoreError>;
    /// Notes how far a restore has come; `version` is the stored one and stays, so that a person who
    /// ends it at the same moment is not refused.
    async fn restore_note(&self, restore: &Restore) -> Result<(), RetentionStoreError>;
}
