//! Series of the machines that volumes are attached to, as a source of facts.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, Metric, Resource, ResourceId, ResourceKind, SampleStore};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::machine_series::MachineSeries;
use reeve_recommend::judgement::open_facts::{
    ChunkFacts, FactLoader, FactNeed, FactSource, FactType,
};

use crate::run::judging::{by_resource, machine_of};

/// Source of [`MachineSeries`] of the metrics of the need.
pub struct Machines(Arc<dyn SampleStore>);

impl Machines {
    /// A source over the samples.
    #[must_use]
    pub fn new(samples: Arc<dyn SampleStore>) -> Self {
        Machines(samples)
    }
}

impl FactSource for Machines {
    fn fact_type(&self) -> FactType {
        FactType::of::<MachineSeries>()
    }

    fn begin(&self, _: &Needs, need: &FactNeed) -> Box<dyn FactLoader> {
        Box::new(Loader {
            samples: Arc::clone(&self.0),
            metrics: need.metrics.clone(),
        })
    }
}

struct Loader {
    samples: Arc<dyn SampleStore>,
    metrics: Vec<Metric>,
}

#[async_trait]
impl FactLoader for Loader {
    async fn load(
        &self,
        connection: &ConnectionId,
        resources: &[Resource],
        (start, now): (Timestamp, Timestamp),
        facts: &mut ChunkFacts,
    ) -> Result<(), EngineError> {
        let is_attached = |resource: &&Resource| {
            resource.kind == ResourceKind::Volume && !resource.attached_to.is_empty()
        };
        let volumes: Vec<&Resource> = resources.iter().filter(is_attached).collect();
        let machines: BTreeSet<ResourceId> = volumes
            .iter()
            .map(|volume| machine_of(volume).clone())
            .collect();
        if machines.is_empty() {
            return Ok(());
        }

        let ids: Vec<ResourceId> = machines.into_iter().collect();
        let series = by_resource(
            self.samples
                .sample_series(connection, &ids, &self.metrics, start, now)
                .await?,
        );
        for volume in volumes {
            if let Some(series) = series.get(machine_of(volume)) {
                let own = facts.entry(volume.id.clone()).or_default();
                own.put(MachineSeries(series.clone()));
            }
        }
        Ok(())
    }
}
