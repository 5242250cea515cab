//! Raw samples of the resources that a sync has seen, from where the last sync ended.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::Timestamp;
use reeve_audit::Obstacle;
use reeve_estate::{
    Connection, EstateStore, Metric, Observe, Resource, ResourceFilter, ResourceId, ResourceKind,
    ResourcePages, SampleQuery, SampleStore, SyncReport,
};

use super::seen::Seen;

/// Resources whose samples are requested at once: of one region, because each region is asked
/// apart.
const AT_ONCE: usize = 50;
/// Stored resources that are read at a time.
const PAGE: u64 = 500;

/// Reads on the samples of a connection.
pub(super) struct SampleSync<'s> {
    pub(super) connection: &'s Connection,
    pub(super) estate: &'s Arc<dyn EstateStore>,
    pub(super) samples: &'s Arc<dyn SampleStore>,
    pub(super) observer: &'s dyn Observe,
}

impl SampleSync<'_> {
    /// Reads the samples of the resources that this sync has seen. The report counts them.
    pub(super) async fn run(&self, seen: &Seen, report: &mut SyncReport) -> Result<(), Obstacle> {
        let newest = self
            .samples
            .sample_newest(&self.connection.id)
            .await
            .map_err(Obstacle::of)?;

        let newest: HashMap<(ResourceId, Metric), Timestamp> = newest
            .into_iter()
            .map(|(resource, metric, at)| ((resource, metric), at))
            .collect();
        let now = Timestamp::now();
        let since = |resource: &Resource| {
            SampleQuery::since(
                resource,
                |metric| newest.get(&(resource.id.clone(), metric)).copied(),
                now,
            )
        };

        for kind in ResourceKind::measured() {
            // Other kinds are known by their descriptions alone, which end them where they are gone.
            let is_listed = ResourceKind::SPECIFIED.contains(&kind);
            let filter = ResourceFilter {
                connection: Some(self.connection.id.clone()),
                kind: Some(kind),
                ..ResourceFilter::default()
            };
            let mut waiting: BTreeMap<String, Vec<SampleQuery>> = BTreeMap::new();
            let mut pages = ResourcePages::new(filter, PAGE);
            while let Some(page) = pages.next(&**self.estate).await.map_err(Obstacle::of)? {
                for resource in page
                    .iter()
                    .filter(|resource| !is_listed || seen.has(kind, &resource.id))
                {
                    let Some(query) = since(resource) else {
                        continue;
                    };
                    let queries = waiting.entry(resource.region.clone()).or_default();
                    queries.push(query);
                    if queries.len() >= AT_ONCE {
                        self.read(&std::mem::take(queries), report).await?;
                    }
                }
            }
            for queries in waiting.values().filter(|queries| !queries.is_empty()) {
                self.read(queries, report).await?;
            }
        }

        Ok(())
    }

    async fn read(&self, queries: &[SampleQuery], report: &mut SyncReport) -> Result<(), Obstacle> {
        let batch = self
            .observer
            .samples(queries)
            .await
            .map_err(|error| error.message)?;

        self.samples
            .sample_insert(&batch.samples)
            .await
            .map_err(Obstacle::of)?;
        report.samples += batch.samples.len() as u64;

        for denied in batch.denied {
            if !report.denied.contains(&denied) {
                report.denied.push(denied);
            }
        }

        report.problems.extend(batch.problems);
        Ok(())
    }
}
