//! The observing port: inventory, with what is denied listed, and samples of any window.

use async_trait::async_trait;
use reeve_estate::{
    AccessBatch, Denied, DescriptionSink, Inventory, Metric, Observe, ObserveError, Resource,
    ResourceId, ResourceKind, Sample, SampleBatch, SampleQuery,
};

use crate::account::SimulatedAccount;
use crate::assets::Asset;
use crate::condition::SimulatedCondition;
use crate::signal::{PERIOD_S, SimulatedSignal, slot_of};

#[async_trait]
impl Observe for SimulatedAccount {
    async fn identity(&self) -> Result<String, ObserveError> {
        Ok(self.plan.account.to_owned())
    }

    async fn inventory(&self) -> Result<Inventory, ObserveError> {
        let now = self.world.now();
        let mut resources = self.all(&self.conditions.lock(), now);

        // Snapshots are known by their descriptions.
        resources.retain(|resource| ResourceKind::SPECIFIED.contains(&resource.kind));
        let denied = self.plan.denied.iter().map(|(permission, message)| Denied {
            permission: (*permission).to_owned(),
            region: String::new(),
            message: (*message).to_owned(),
        });

        // Storage is what a connection is denied here; what was not listed is not gone.
        let listed =
            |kind: &&ResourceKind| **kind != ResourceKind::Bucket || self.plan.denied.is_empty();
        Ok(Inventory {
            resources,
            denied: denied.collect(),
            problems: Vec::new(),
            complete: ResourceKind::SPECIFIED
                .iter()
                .filter(listed)
                .copied()
                .collect(),
        })
    }

    async fn describe(&self, sink: &dyn DescriptionSink) -> Result<(), ObserveError> {
        self.describe_all(sink).await
    }

    async fn access(&self, buckets: &[Resource]) -> AccessBatch {
        self.read_access(buckets)
    }

    async fn samples(&self, queries: &[SampleQuery]) -> Result<SampleBatch, ObserveError> {
        let mut batch = SampleBatch::default();
        for query in queries {
            // What exists here by its configuration alone, as queues do, measures nothing.
            if !ResourceKind::SPECIFIED.contains(&query.resource.kind) {
                continue;
            }

            let Some((asset, condition)) = self.measured(&query.resource.id) else {
                batch
                    .problems
                    .push(format!("no such resource: {}", query.resource.id));
                continue;
            };
            self.sample(query, asset, &condition, &mut batch.samples);
            // A month of a machine is some ten thousand points: others may want the thread in
            // between.
            tokio::task::yield_now().await;
        }

        Ok(batch)
    }
}

impl SimulatedAccount {
    fn measured(&self, id: &ResourceId) -> Option<(&Asset, SimulatedCondition)> {
        let conditions = self.conditions.lock();
        Some((self.asset(conditions.place(id))?, conditions.get(id)))
    }

    fn sample(
        &self,
        query: &SampleQuery,
        asset: &Asset,
        condition: &SimulatedCondition,
        into: &mut Vec<Sample>,
    ) {
        let signal = SimulatedSignal::new(
            asset,
            condition,
            &query.resource,
            self.world.settings.anchor,
        );

        // The first period that begins at or after the start, and the last that is over, and begins
        // before the end.
        let first = -(-query.start.as_second()).div_euclid(PERIOD_S);
        let last = slot_of(self.world.now()).min(-(-query.end.as_second()).div_euclid(PERIOD_S));
        let metrics: Vec<Metric> = query
            .metrics
            .iter()
            .copied()
            .filter(|metric| signal.measures(*metric))
            .collect();

        let points = usize::try_from((last - first).max(0)).unwrap_or(0);
        into.reserve(points * metrics.len());

        for metric in metrics {
            for slot in first..last {
                let Some(value) = signal.at(metric, slot) else {
                    continue;
                };
                let Ok(timestamp) = jiff::Timestamp::from_second(slot * PERIOD_S) else {
                    continue;
                };
                into.push(Sample {
                    connection: self.connection.id.clone(),
                    resource: query.resource.id.clone(),
                    metric,
                    timestamp,
                    value,
                    period_s: PERIOD_S as u32,
                });
            }
        }
    }
}
