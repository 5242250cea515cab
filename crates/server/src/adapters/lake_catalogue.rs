//! Tables of the running log for other engines, as the catalogue hands them out.

use std::sync::Arc;

use async_trait::async_trait;
use reeve_audit::Obstacle;
use reeve_http::lake_catalogue::{LakeCatalogue, LakeTable};
use reeve_lake::IcebergTables;
use reeve_ledger::Ledger;

/// Tables over the segments that readers of the log see.
pub(crate) struct LogTables {
    pub(crate) ledger: Ledger,
    pub(crate) tables: Arc<IcebergTables>,
}

#[async_trait]
impl LakeCatalogue for LogTables {
    fn tables(&self) -> Vec<&'static str> {
        self.tables.tables().map(|table| table.name()).collect()
    }

    async fn load(&self, name: &str) -> Result<Option<LakeTable>, Obstacle> {
        let Some(table) = self.tables.tables().find(|table| table.name() == name) else {
            return Ok(None);
        };
        let shown = || self.ledger.view().segments;
        let published = self.tables.publish(table, shown).await?;
        Ok(Some(LakeTable {
            metadata_location: published.metadata_location,
            metadata: published.metadata,
            segments: published.segments,
            entries: published.entries,
        }))
    }
}
