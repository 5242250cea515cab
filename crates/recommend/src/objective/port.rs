//! Storage of objectives and of their standing.

use async_trait::async_trait;
use reeve_estate::StoreError;

use super::{Objective, ObjectiveId, ObjectiveStanding};

/// Port of stored objectives. Updates compare versions.
#[async_trait]
pub trait ObjectiveStore: Send + Sync {
    /// Adds an objective. A conflict where the name is taken, or there are `most` already.
    async fn objective_insert(&self, objective: &Objective, most: u64) -> Result<(), StoreError>;
    /// Replaces an objective; `version` is the stored one plus one. Its standing is forgotten.
    async fn objective_update(&self, objective: &Objective) -> Result<(), StoreError>;
    /// Removes an objective with its standing.
    async fn objective_delete(&self, id: &ObjectiveId) -> Result<(), StoreError>;
    async fn objective_get(&self, id: &ObjectiveId) -> Result<Objective, StoreError>;
    /// All objectives by name, each with its standing once it was measured.
    async fn objective_list(
        &self,
    ) -> Result<Vec<(Objective, Option<ObjectiveStanding>)>, StoreError>;
    /// Keeps the standing of a version of an objective; nothing is kept where it is another version
    /// by now.
    async fn objective_measured(
        &self,
        objective: &Objective,
        standing: &ObjectiveStanding,
    ) -> Result<(), StoreError>;
}
