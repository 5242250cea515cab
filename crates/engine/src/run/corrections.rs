//! Classes that people gave resources, as a source of facts.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, Resource};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::open_facts::{
    ChunkFacts, FactLoader, FactNeed, FactSource, FactType, OpenFacts,
};
use reeve_recommend::judgement::workload::{Correction, GivenClasses, WorkloadStore};
use reeve_recommend::models::MaterialSource;
use tokio::sync::OnceCell;

use crate::run::load_history::{Key, key};

/// Source of [`Correction`]s, for judgements and for the training of their model.
pub struct Corrections(Arc<dyn WorkloadStore>);

impl Corrections {
    /// A source over the store of workloads.
    #[must_use]
    pub fn new(workloads: Arc<dyn WorkloadStore>) -> Self {
        Corrections(workloads)
    }
}

impl FactSource for Corrections {
    fn fact_type(&self) -> FactType {
        FactType::of::<Correction>()
    }

    fn begin(&self, _: &Needs, _: &FactNeed) -> Box<dyn FactLoader> {
        Box::new(Loader {
            workloads: Arc::clone(&self.0),
            all: OnceCell::new(),
        })
    }
}

struct Loader {
    workloads: Arc<dyn WorkloadStore>,
    /// All of them: people give few.
    all: OnceCell<HashMap<Key, Correction>>,
}

impl Loader {
    async fn read(&self) -> Result<HashMap<Key, Correction>, EngineError> {
        let all = self.workloads.correction_list().await?;
        Ok(all
            .into_iter()
            .map(|one| ((one.connection.clone(), one.resource.clone()), one))
            .collect())
    }
}

#[async_trait]
impl FactLoader for Loader {
    async fn load(
        &self,
        _: &ConnectionId,
        resources: &[Resource],
        _: (Timestamp, Timestamp),
        facts: &mut ChunkFacts,
    ) -> Result<(), EngineError> {
        let all = self.all.get_or_try_init(|| self.read()).await?;
        for resource in resources {
            if let Some(correction) = all.get(&key(resource)) {
                let own = facts.entry(resource.id.clone()).or_default();
                own.put(correction.clone());
            }
        }
        Ok(())
    }
}

#[async_trait]
impl MaterialSource for Corrections {
    async fn add(&self, scope: &[Resource], open: &mut OpenFacts) -> Result<(), EngineError> {
        let within: HashSet<Key> = scope.iter().map(key).collect();
        let mut corrections = self.0.correction_list().await?;
        corrections.retain(|one| within.contains(&(one.connection.clone(), one.resource.clone())));
        open.put(GivenClasses(corrections));
        Ok(())
    }
}
