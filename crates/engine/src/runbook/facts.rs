//! Runbooks of resources as a source of facts.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, Resource};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::open_facts::{
    ChunkFacts, FactLoader, FactNeed, FactSource, FactType,
};
use reeve_recommend::runbook::Outcome;
use reeve_recommend::runbook::breaker::{Application, Breaker, Gate};
use reeve_recommend::runbook::facts::{RunbookCase, RunbookFacts};
use tokio::sync::OnceCell;

use super::measuring::Measuring;
use super::{KEPT, RunbookPorts, readable};

/// Source of [`RunbookFacts`], for resources that a runbook is for.
pub struct Runbooks(RunbookPorts);

impl Runbooks {
    /// A source over the stored runbooks, the samples and the log.
    #[must_use]
    pub fn new(ports: RunbookPorts) -> Self {
        Runbooks(ports)
    }
}

impl FactSource for Runbooks {
    fn fact_type(&self) -> FactType {
        FactType::of::<RunbookFacts>()
    }

    fn begin(&self, _: &Needs, _: &FactNeed) -> Box<dyn FactLoader> {
        Box::new(Loader {
            ports: self.0.clone(),
            common: OnceCell::new(),
        })
    }
}

/// Runbooks with their past, as a run began with them.
struct Common {
    measuring: Measuring,
    breakers: Vec<Breaker>,
    applications: Vec<Application>,
}

struct Loader {
    ports: RunbookPorts,
    common: OnceCell<Common>,
}

impl Loader {
    async fn common(&self, now: Timestamp) -> Result<Common, EngineError> {
        let store = &*self.ports.runbooks;
        let runbooks = readable(store).await?.into_iter().map(Arc::new);
        Ok(Common {
            measuring: Measuring::new(&self.ports, runbooks.collect()),
            breakers: store.breaker_list().await?,
            applications: store.application_list(now - KEPT).await?,
        })
    }
}

#[async_trait]
impl FactLoader for Loader {
    async fn load(
        &self,
        connection: &ConnectionId,
        resources: &[Resource],
        (_, now): (Timestamp, Timestamp),
        facts: &mut ChunkFacts,
    ) -> Result<(), EngineError> {
        let common = self.common.get_or_try_init(|| self.common(now)).await?;
        let measuring = &common.measuring;
        let history = (measuring.start(now), now);
        let mut measured = measuring.load(connection, resources, history).await?;

        for resource in resources {
            let cases: Vec<RunbookCase> = measuring
                .of(resource)
                .map(|runbook| {
                    let place = (&resource.connection, &resource.id);
                    let gate = Gate::of(
                        (&runbook.name, &runbook.breaker),
                        place,
                        &common.breakers,
                        &common.applications,
                        now,
                    );
                    let own = common
                        .applications
                        .iter()
                        .filter(|one| one.runbook == runbook.name);
                    let count = |is: fn(Outcome) -> bool| {
                        own.clone().filter(|one| is(one.outcome)).count() as u32
                    };
                    RunbookCase {
                        runbook: Arc::clone(runbook),
                        gate,
                        helped: count(|outcome| outcome == Outcome::Effective),
                        failed: count(Outcome::is_failure),
                    }
                })
                .collect();
            if cases.is_empty() {
                continue;
            }
            let measured = measured.remove(&resource.id).unwrap_or_default();
            let own = facts.entry(resource.id.clone()).or_default();
            own.put(RunbookFacts { cases, measured });
        }
        Ok(())
    }
}
