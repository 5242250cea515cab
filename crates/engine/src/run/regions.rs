//! Totals of regions as a source of facts, for resources that stand for a region.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, EstateStore, Resource, ResourceTotal};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::open_facts::{
    ChunkFacts, FactLoader, FactNeed, FactSource, FactType,
};
use reeve_recommend::judgement::region_quota::REGION;
use reeve_recommend::judgement::region_totals::RegionTotals;
use tokio::sync::OnceCell;

/// Source of [`RegionTotals`].
pub struct Regions(Arc<dyn EstateStore>);

impl Regions {
    /// A source over the inventory.
    #[must_use]
    pub fn new(estate: Arc<dyn EstateStore>) -> Self {
        Regions(estate)
    }
}

impl FactSource for Regions {
    fn fact_type(&self) -> FactType {
        FactType::of::<RegionTotals>()
    }

    fn begin(&self, _: &Needs, _: &FactNeed) -> Box<dyn FactLoader> {
        Box::new(Loader {
            estate: Arc::clone(&self.0),
            totals: OnceCell::new(),
        })
    }
}

struct Loader {
    estate: Arc<dyn EstateStore>,
    /// Counted once in a run.
    totals: OnceCell<Vec<ResourceTotal>>,
}

#[async_trait]
impl FactLoader for Loader {
    async fn load(
        &self,
        connection: &ConnectionId,
        resources: &[Resource],
        _: (Timestamp, Timestamp),
        facts: &mut ChunkFacts,
    ) -> Result<(), EngineError> {
        for resource in resources.iter().filter(|one| one.kind.as_str() == REGION) {
            let totals = self
                .totals
                .get_or_try_init(|| self.estate.resource_totals())
                .await?;
            let of_region = totals.iter().filter(|total| {
                total.connection == *connection
                    && total.region == resource.region
                    && total.account == resource.account
            });

            let mut counts = BTreeMap::new();
            for total in of_region {
                *counts.entry(total.kind).or_default() += total.resources;
            }
            let counts = RegionTotals(counts);
            facts.entry(resource.id.clone()).or_default().put(counts);
        }
        Ok(())
    }
}
