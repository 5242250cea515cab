//! Port of a training over a whole scope.

use async_trait::async_trait;
use reeve_recommend::error::EngineError;
use reeve_recommend::models::Material;

/// Training data of a whole scope in parts that have no resource in common. Samples of a large
/// estate do not fit into memory at once.
#[async_trait]
pub trait MaterialParts: Send {
    /// Reads the next part; `None` behind the last one.
    async fn next(&mut self) -> Result<Option<Material>, EngineError>;
}
