//! Reading the log back for the agents and for messages.

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_audit::Entry;
use reeve_audit::query::{Column, Query};
use reeve_estate::StoreError;
use reeve_ledger::{Aggregation, GroupBy, SearchRequest};
use reeve_notify::sources::SampleEntries;
use reeve_recommend::ports::{LogReader, ReadError};
use reeve_trail::Trail;

/// Reads over a trail.
pub(crate) struct TrailReader(pub(crate) Trail);

#[async_trait]
impl LogReader for TrailReader {
    async fn newest(&self, query: Query, most: usize) -> Result<Vec<(u64, Entry)>, ReadError> {
        let request = SearchRequest::newest(query, most, Timestamp::now());
        let page = self
            .0
            .search(&request)
            .await
            .map_err(|error| ReadError(error.to_string()))?;

        Ok(page
            .entries
            .iter()
            .map(|stored| (stored.sequence, stored.entry.clone()))
            .collect())
    }

    async fn count(
        &self,
        query: Query,
        by: Column,
        most: usize,
    ) -> Result<(u64, Vec<(String, u64)>), ReadError> {
        let wanted = vec![Aggregation {
            by: GroupBy::Column(by),
            limit: most,
        }];
        let counted = self.0.count(query, wanted, Timestamp::now()).await;
        let (total, mut counts) = counted.map_err(|error| ReadError(error.to_string()))?;
        Ok((total, counts.pop().unwrap_or_default().values))
    }
}

#[async_trait]
impl SampleEntries for TrailReader {
    async fn sample(&self, event_id: &str) -> Result<Option<Entry>, StoreError> {
        let found = self
            .0
            .by_event_id(event_id)
            .await
            .map_err(|error| StoreError::Backend(error.to_string()))?;
        Ok(found.map(|stored| stored.entry.clone()))
    }
}
