//! Objectives of services as a source of facts: those measured at a resource.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, Resource, ResourceKind};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::open_facts::{
    ChunkFacts, FactLoader, FactNeed, FactSource, FactType,
};
use reeve_recommend::objective::{MeasuredObjective, MeasuredObjectives};
use tokio::sync::OnceCell;

use crate::objective::ObjectiveService;

/// Source of [`MeasuredObjectives`].
pub struct Objectives(Arc<ObjectiveService>);

impl Objectives {
    /// A source over the stored objectives.
    #[must_use]
    pub fn new(objectives: Arc<ObjectiveService>) -> Self {
        Objectives(objectives)
    }
}

impl FactSource for Objectives {
    fn fact_type(&self) -> FactType {
        FactType::of::<MeasuredObjectives>()
    }

    fn begin(&self, _: &Needs, _: &FactNeed) -> Box<dyn FactLoader> {
        Box::new(Loader {
            objectives: Arc::clone(&self.0),
            measured: OnceCell::new(),
        })
    }
}

struct Loader {
    objectives: Arc<ObjectiveService>,
    /// Measured once in a run: a budget is one for all resources of a service.
    measured: OnceCell<Vec<Arc<MeasuredObjective>>>,
}

#[async_trait]
impl FactLoader for Loader {
    async fn load(
        &self,
        _: &ConnectionId,
        resources: &[Resource],
        (_, now): (Timestamp, Timestamp),
        facts: &mut ChunkFacts,
    ) -> Result<(), EngineError> {
        let measure = || async {
            let all = self.objectives.all_measured(now).await?;
            Ok::<_, EngineError>(all.into_iter().map(Arc::new).collect())
        };
        let measured = self.measured.get_or_try_init(measure).await?;
        if measured.is_empty() {
            return Ok(());
        }

        for resource in resources {
            let is_group = resource.kind == ResourceKind::ScalingGroup;
            let own = measured
                .iter()
                .filter(|one| is_group || one.resources.contains(&resource.id));
            let own = MeasuredObjectives(own.cloned().collect());
            facts.entry(resource.id.clone()).or_default().put(own);
        }
        Ok(())
    }
}
