//! Markets of spot capacity, as a source of facts: prices and placement scores of the region.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, Resource};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::open_facts::{
    ChunkFacts, FactLoader, FactNeed, FactSource, FactType,
};
use reeve_recommend::judgement::spot::SpotStore;
use reeve_recommend::judgement::spot_market::SpotMarket;
use tokio::sync::Mutex;

/// Source of the [`SpotMarket`] of each resource's region.
pub struct SpotMarkets(Arc<dyn SpotStore>);

impl SpotMarkets {
    /// A source over the stored markets.
    #[must_use]
    pub fn new(spots: Arc<dyn SpotStore>) -> Self {
        SpotMarkets(spots)
    }
}

impl FactSource for SpotMarkets {
    fn fact_type(&self) -> FactType {
        FactType::of::<Arc<SpotMarket>>()
    }

    fn begin(&self, _: &Needs, _: &FactNeed) -> Box<dyn FactLoader> {
        Box::new(Loader {
            spots: Arc::clone(&self.0),
            markets: Mutex::default(),
        })
    }
}

struct Loader {
    spots: Arc<dyn SpotStore>,
    /// Markets of each connection that the run has met.
    markets: Mutex<HashMap<ConnectionId, Vec<Arc<SpotMarket>>>>,
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
        let mut kept = self.markets.lock().await;
        if !kept.contains_key(connection) {
            let read = self.spots.spot_markets(connection).await?;
            let read = read.into_iter().map(Arc::new).collect();
            kept.insert(connection.clone(), read);
        }
        let markets = kept.get(connection).map_or(&[][..], Vec::as_slice);

        for resource in resources {
            let own = markets.iter().find(|one| one.region == resource.region);
            if let Some(market) = own {
                let open = facts.entry(resource.id.clone()).or_default();
                open.put(Arc::clone(market));
            }
        }
        Ok(())
    }
}
