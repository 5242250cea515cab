//! Reading the log back for the agents and for messages.

use std::collections::HashMap;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_audit::Entry;
use reeve_audit::query::{FieldPath, Query, QueryColumn};
use reeve_estate::StoreError;
use reeve_ledger::{Aggregation, EntryCounts, GroupBy, SearchRequest, TimeUnit};
use reeve_notify::sources::SampleEntries;
use reeve_recommend::ports::{LogReader, MemberPairs, ReadError, ResourceUses};
use reeve_trail::Trail;

/// Values that an aggregation answers at most.
const MOST_GROUPED: usize = 1_000;

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

    async fn uses(
        &self,
        query: Query,
        most_resources: usize,
        most_operations: usize,
    ) -> Result<Vec<ResourceUses>, ReadError> {
        let by = |inner: GroupBy| {
            let resource = GroupBy::Column(QueryColumn::ResourceId);
            GroupBy::Nested(Box::new(resource), Box::new(inner))
        };
        let hours = GroupBy::Time {
            column: QueryColumn::Timestamp,
            unit: TimeUnit::Hour,
        };
        let wanted = [GroupBy::Column(QueryColumn::ActionOperation), hours]
            // The limit holds for both levels.
            .map(|inner| Aggregation {
                by: by(inner),
                limit: most_resources.max(most_operations),
            })
            .to_vec();

        let counted = self.0.count(query, wanted, Timestamp::now()).await;
        let (_, mut counts) = counted.map_err(|error| ReadError(error.to_string()))?;
        let hours = counts.pop().unwrap_or_default();
        let operations = counts.pop().unwrap_or_default();
        let last =
            |counts: EntryCounts| counts.values.last().and_then(|(hour, _)| hour.parse().ok());
        let mut last_hours: HashMap<String, Option<Timestamp>> = hours
            .values
            .into_iter()
            .zip(hours.nested)
            .map(|((resource, _), inner)| (resource, last(inner)))
            .collect();

        let found = operations.values.into_iter().zip(operations.nested);
        Ok(found
            .map(|((resource, uses), mut inner)| {
                inner.values.truncate(most_operations);
                ResourceUses {
                    last_hour: last_hours.remove(&resource).flatten(),
                    resource,
                    uses,
                    operations: inner.values,
                }
            })
            .collect())
    }

    async fn pairs(
        &self,
        query: Query,
        of: &[(FieldPath, FieldPath)],
    ) -> Result<Vec<MemberPairs>, ReadError> {
        let by = |path: &FieldPath| match path {
            FieldPath::Column(column) => GroupBy::Column(*column),
            other => GroupBy::Field(other.clone()),
        };
        let wanted = of.iter().map(|(first, second)| Aggregation {
            by: GroupBy::Nested(Box::new(by(first)), Box::new(by(second))),
            limit: MOST_GROUPED,
        });
        let counted = self
            .0
            .count(query, wanted.collect(), Timestamp::now())
            .await;
        let (_, counts) = counted.map_err(|error| ReadError(error.to_string()))?;
        Ok(counts.into_iter().map(pairs_of).collect())
    }
}

fn pairs_of(counts: EntryCounts) -> MemberPairs {
    let mut is_complete = counts.other == 0;
    let mut pairs = Vec::new();
    for ((first, _), inner) in counts.values.into_iter().zip(counts.nested) {
        is_complete &= inner.other == 0;
        let of_first = inner.values.into_iter();
        pairs.extend(of_first.map(|(second, count)| (first.clone(), second, count)));
    }
    MemberPairs {
        counts: pairs,
        is_complete,
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
