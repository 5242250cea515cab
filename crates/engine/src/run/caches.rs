//! Caches beside databases as a source of facts: cache nodes and databases that are located in the
//! same network.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{
    ConnectionId, DescriptionStore, Metric, RelationKind, Resource, ResourceId, ResourceKind,
    ResourceState, SampleStore,
};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::caches_beside::CachesBeside;
use reeve_recommend::judgement::open_facts::{
    ChunkFacts, FactLoader, FactNeed, FactSource, FactType,
};
use reeve_recommend::judgement::service_load::MeasuredResource;
use tokio::sync::OnceCell;

use crate::agent::scope::ScopeService;
use crate::run::descriptions::known;
use crate::run::judging::by_resource;

/// Caches whose series are loaded for one database at most.
const MOST: usize = 16;

/// Source of [`CachesBeside`], with the metrics of the need.
pub struct Caches {
    scopes: Arc<ScopeService>,
    descriptions: Arc<dyn DescriptionStore>,
    samples: Arc<dyn SampleStore>,
}

impl Caches {
    /// A source over the inventory, its relations and the samples.
    #[must_use]
    pub fn new(
        scopes: Arc<ScopeService>,
        descriptions: Arc<dyn DescriptionStore>,
        samples: Arc<dyn SampleStore>,
    ) -> Self {
        Caches {
            scopes,
            descriptions,
            samples,
        }
    }
}

impl FactSource for Caches {
    fn fact_type(&self) -> FactType {
        FactType::of::<CachesBeside>()
    }

    fn begin(&self, _: &Needs, need: &FactNeed) -> Box<dyn FactLoader> {
        Box::new(Loader {
            scopes: Arc::clone(&self.scopes),
            descriptions: Arc::clone(&self.descriptions),
            samples: Arc::clone(&self.samples),
            metrics: need.metrics.clone(),
            caches: OnceCell::new(),
        })
    }
}

/// Cache nodes of a connection, each with its networks.
type PlacedCaches = HashMap<ConnectionId, Vec<(Resource, HashSet<ResourceId>)>>;

struct Loader {
    scopes: Arc<ScopeService>,
    descriptions: Arc<dyn DescriptionStore>,
    samples: Arc<dyn SampleStore>,
    metrics: Vec<Metric>,
    /// Read where there is a database at all.
    caches: OnceCell<PlacedCaches>,
}

impl Loader {
    /// Networks and subnets that resources of a connection are located in.
    async fn networks(
        &self,
        connection: &ConnectionId,
        ids: &[ResourceId],
    ) -> Result<HashMap<ResourceId, HashSet<ResourceId>>, EngineError> {
        let known = known(&*self.descriptions, connection, ids).await?;
        let placed = known.into_iter().map(|one| {
            let places = one.relations.into_iter();
            let places = places.filter(|relation| relation.kind == RelationKind::LocatedIn);
            (one.id, places.map(|relation| relation.target).collect())
        });
        Ok(placed.collect())
    }

    async fn placed(&self) -> Result<PlacedCaches, EngineError> {
        let mut by_connection: HashMap<ConnectionId, Vec<Resource>> = HashMap::new();
        for cache in self.scopes.of_kinds(&[ResourceKind::CacheNode]).await? {
            if cache.state != ResourceState::Deleted {
                let connection = cache.connection.clone();
                by_connection.entry(connection).or_default().push(cache);
            }
        }

        let mut placed = PlacedCaches::new();
        for (connection, caches) in by_connection {
            let ids: Vec<ResourceId> = caches.iter().map(|one| one.id.clone()).collect();
            let mut networks = self.networks(&connection, &ids).await?;
            let caches = caches.into_iter().map(|cache| {
                let own = networks.remove(&cache.id).unwrap_or_default();
                (cache, own)
            });
            placed.insert(connection, caches.collect());
        }
        Ok(placed)
    }
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
        let is_database = |one: &&Resource| one.kind == ResourceKind::Database;
        let databases: Vec<ResourceId> = resources
            .iter()
            .filter(is_database)
            .map(|one| one.id.clone())
            .collect();
        if databases.is_empty() {
            return Ok(());
        }
        let placed = self.caches.get_or_try_init(|| self.placed()).await?;
        let Some(caches) = placed.get(connection) else {
            return Ok(());
        };

        for (database, networks) in self.networks(connection, &databases).await? {
            let beside: Vec<&Resource> = caches
                .iter()
                .filter(|(_, own)| !own.is_disjoint(&networks))
                .map(|(cache, _)| cache)
                .take(MOST)
                .collect();
            if beside.is_empty() {
                continue;
            }
            let ids: Vec<ResourceId> = beside.iter().map(|one| one.id.clone()).collect();
            let series = self
                .samples
                .sample_series(connection, &ids, &self.metrics, start, now)
                .await?;
            let mut series = by_resource(series);
            let beside = beside.into_iter().map(|cache| MeasuredResource {
                series: series.remove(&cache.id).unwrap_or_default(),
                resource: cache.clone(),
            });
            let own = facts.entry(database).or_default();
            own.put(CachesBeside(beside.collect()));
        }
        Ok(())
    }
}
