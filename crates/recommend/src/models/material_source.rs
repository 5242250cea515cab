//! Port through which trainings get what single trainers learn from.

use async_trait::async_trait;
use reeve_estate::Resource;

use crate::error::EngineError;
use crate::judgement::open_facts::OpenFacts;

/// Source of what single trainers learn from.
#[async_trait]
pub trait MaterialSource: Send + Sync {
    /// Adds facts about the resources of an agent's scope.
    ///
    /// # Errors
    /// The facts could not be read.
    async fn add(&self, scope: &[Resource], open: &mut OpenFacts) -> Result<(), EngineError>;
}
