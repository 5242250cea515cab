//! Use of resources by the audit log, as a source of facts.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, Resource, ResourceId};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::activity::Activity;
use reeve_recommend::judgement::open_facts::{
    ChunkFacts, FactLoader, FactNeed, FactSource, FactType,
};
use reeve_recommend::ports::LogReader;

/// Source of [`Activity`] over the days of the need: one grouped query of the log a chunk of
/// resources, where a query a resource would read the log as often as there are resources.
pub struct Activities(Arc<dyn LogReader>);

impl Activities {
    /// A source over the log.
    #[must_use]
    pub fn new(log: Arc<dyn LogReader>) -> Self {
        Activities(log)
    }
}

impl FactSource for Activities {
    fn fact_type(&self) -> FactType {
        FactType::of::<Activity>()
    }

    fn begin(&self, _: &Needs, need: &FactNeed) -> Box<dyn FactLoader> {
        Box::new(Loader {
            log: Arc::clone(&self.0),
            days: need.days,
        })
    }
}

struct Loader {
    log: Arc<dyn LogReader>,
    days: i64,
}

#[async_trait]
impl FactLoader for Loader {
    /// A log that cannot be read ends the run, because a judgement would take the resources for
    /// unused.
    async fn load(
        &self,
        _: &ConnectionId,
        resources: &[Resource],
        (_, now): (Timestamp, Timestamp),
        facts: &mut ChunkFacts,
    ) -> Result<(), EngineError> {
        let ids: Vec<ResourceId> = resources
            .iter()
            .map(|resource| resource.id.clone())
            .collect();
        let read = Activity::read(&*self.log, &ids, self.days, now).await;
        for (id, activity) in read.map_err(|error| EngineError::Store(error.to_string()))? {
            facts.entry(id).or_default().put(activity);
        }
        Ok(())
    }
}
