//! Port of stored runbooks, of their applications and of their breakers.

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::StoreError;

use super::breaker::{Application, Breaker};
use super::definition::WrittenRunbook;
use super::name::RunbookName;
use crate::action::ActionId;

/// Keeps runbooks of people, applications of all runbooks, and breakers.
#[async_trait]
pub trait RunbookStore: Send + Sync {
    /// Adds a runbook; a name in use is a conflict.
    async fn runbook_insert(&self, runbook: &WrittenRunbook) -> Result<(), StoreError>;
    /// Replaces a runbook; `version` is the stored one plus one.
    async fn runbook_update(&self, runbook: &WrittenRunbook) -> Result<(), StoreError>;
    async fn runbook_delete(&self, name: &RunbookName) -> Result<(), StoreError>;
    /// Lists the runbooks by name.
    async fn runbook_list(&self) -> Result<Vec<WrittenRunbook>, StoreError>;

    /// Adds the application of an action, or replaces it.
    async fn application_put(&self, application: &Application) -> Result<(), StoreError>;
    async fn application_get(&self, action: &ActionId) -> Result<Option<Application>, StoreError>;
    /// Applications that began at or after a time, the newest first.
    async fn application_list(&self, since: Timestamp) -> Result<Vec<Application>, StoreError>;
    /// Removes applications of before a time. Returns their number.
    async fn application_expire(&self, before: Timestamp) -> Result<u64, StoreError>;

    /// Adds the breaker of a runbook and a resource, or replaces it.
    async fn breaker_put(&self, breaker: &Breaker) -> Result<(), StoreError>;
    /// Lists every breaker, closed ones included, by runbook and resource.
    async fn breaker_list(&self) -> Result<Vec<Breaker>, StoreError>;
    /// Removes the breakers of a runbook.
    async fn breaker_delete(&self, runbook: &RunbookName) -> Result<(), StoreError>;
}
