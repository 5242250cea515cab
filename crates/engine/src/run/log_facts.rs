//! Facts that the audit log has about resources, as a source.

use std::marker::PhantomData;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, Resource, ResourceId};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::open_facts::{
    ChunkFacts, FactLoader, FactNeed, FactSource, FactType, LogFact,
};
use reeve_recommend::ports::LogReader;

/// Source of facts of the type `F` over the days of the need: grouped queries of the log for a chunk
/// of resources, where a query a resource would read the log as often as there are resources.
pub struct LogFacts<F> {
    log: Arc<dyn LogReader>,
    of: PhantomData<fn() -> F>,
}

impl<F: LogFact> LogFacts<F> {
    /// A source over the log.
    #[must_use]
    pub fn new(log: Arc<dyn LogReader>) -> Self {
        LogFacts {
            log,
            of: PhantomData,
        }
    }
}

impl<F: LogFact> FactSource for LogFacts<F> {
    fn fact_type(&self) -> FactType {
        FactType::of::<F>()
    }

    fn begin(&self, _: &Needs, need: &FactNeed) -> Box<dyn FactLoader> {
        Box::new(Loader {
            facts: LogFacts::<F>::new(Arc::clone(&self.log)),
            days: need.days,
        })
    }
}

struct Loader<F> {
    facts: LogFacts<F>,
    days: i64,
}

#[async_trait]
impl<F: LogFact> FactLoader for Loader<F> {
    /// A log that cannot be read ends the run, because a judgement would take the resources for ones
    /// without a use or a call.
    async fn load(
        &self,
        _: &ConnectionId,
        resources: &[Resource],
        (_, now): (Timestamp, Timestamp),
        facts: &mut ChunkFacts,
    ) -> Result<(), EngineError> {
        let ids: Vec<ResourceId> = resources
            .iter()
            .filter(|resource| F::is_of(resource))
            .map(|resource| resource.id.clone())
            .collect();
        let read = F::read(&*self.facts.log, &ids, self.days, now).await;
        for (id, fact) in read.map_err(|error| EngineError::Store(error.to_string()))? {
            facts.entry(id).or_default().put(fact);
        }
        Ok(())
    }
}
