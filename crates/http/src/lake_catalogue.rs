//! The port to the tables of the sealed entries that other engines read.

use async_trait::async_trait;
use reeve_audit::Obstacle;
use serde_json::Value;

/// A table as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct LakeTable {
    /// Address of its metadata.
    pub metadata_location: String,
    /// Metadata, as the specification of Iceberg has it.
    pub metadata: Value,
    /// Segments in it.
    pub segments: u64,
    /// Entries in it.
    pub entries: u64,
}

/// The tables over the segments of the running log.
#[async_trait]
pub trait LakeCatalogue: Send + Sync {
    /// Returns the names of the tables.
    fn tables(&self) -> Vec<&'static str>;
    /// Returns a table over the segments that readers of the log see now; `None` if there is none of
    /// that name.
    ///
    /// # Errors
    /// Its metadata cannot be written.
    async fn load(&self, table: &str) -> Result<Option<LakeTable>, Obstacle>;
}
