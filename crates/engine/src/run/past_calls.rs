//! Accepted calls of IAM users and roles by the audit log, as a source of facts.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, Resource, ResourceId};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::open_facts::{
    ChunkFacts, FactLoader, FactNeed, FactSource, FactType,
};
use reeve_recommend::judgement::past_calls::PastCalls;
use reeve_recommend::ports::LogReader;

/// Kinds of the principals that call.
const KINDS: [&str; 2] = ["iam_role", "iam_user"];

/// Source of [`PastCalls`] over the days of the need: two grouped queries of the log a chunk of
/// principals.
pub struct PrincipalCalls(Arc<dyn LogReader>);

impl PrincipalCalls {
    /// A source over the log.
    #[must_use]
    pub fn new(log: Arc<dyn LogReader>) -> Self {
        PrincipalCalls(log)
    }
}

impl FactSource for PrincipalCalls {
    fn fact_type(&self) -> FactType {
        FactType::of::<PastCalls>()
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
    /// A log that cannot be read ends the run, because a judgement would take the principals for
    /// ones without calls.
    async fn load(
        &self,
        _: &ConnectionId,
        resources: &[Resource],
        (_, now): (Timestamp, Timestamp),
        facts: &mut ChunkFacts,
    ) -> Result<(), EngineError> {
        let principals: Vec<ResourceId> = resources
            .iter()
            .filter(|resource| KINDS.contains(&resource.kind.as_str()))
            .map(|resource| resource.id.clone())
            .collect();
        let read = PastCalls::read(&*self.log, &principals, self.days, now).await;
        for (id, calls) in read.map_err(|error| EngineError::Store(error.to_string()))? {
            facts.entry(id).or_default().put(calls);
        }
        Ok(())
    }
}
