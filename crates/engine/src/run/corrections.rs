//! Classes that people gave resources, as a source of facts.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, Resource};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::open_facts::{ChunkFacts, FactLoader, FactSource, FactType};
use reeve_recommend::judgement::workload::{Correction, WorkloadStore};
use tokio::sync::OnceCell;

use crate::run::load_history::{Key, key};

/// Source of [`Correction`]s.
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

    fn begin(&self, _: &Needs) -> Box<dyn FactLoader> {
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
