//! Network flows of interfaces, as a source of facts.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, Resource};
use reeve_flows::{FlowAction, FlowQuery, FlowStore, InterfaceFlows, day_of};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::open_facts::{
    ChunkFacts, FactLoader, FactNeed, FactSource, FactType,
};

/// Kind of the resources that flow logs are of.
const INTERFACE: &str = "network_interface";

/// Source of [`InterfaceFlows`]: the accepted flows and the coverage of each network interface over
/// the days of the need.
pub struct Flows(Arc<dyn FlowStore>);

impl Flows {
    /// A source over the stored flows.
    #[must_use]
    pub fn new(flows: Arc<dyn FlowStore>) -> Self {
        Flows(flows)
    }
}

impl FactSource for Flows {
    fn fact_type(&self) -> FactType {
        FactType::of::<InterfaceFlows>()
    }

    fn begin(&self, _: &Needs, need: &FactNeed) -> Box<dyn FactLoader> {
        Box::new(Loader {
            flows: Arc::clone(&self.0),
            days: need.days,
        })
    }
}

struct Loader {
    flows: Arc<dyn FlowStore>,
    days: i64,
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
        let interfaces: Vec<&Resource> = resources
            .iter()
            .filter(|resource| resource.kind.as_str() == INTERFACE)
            .collect();
        if interfaces.is_empty() {
            return Ok(());
        }

        let today = day_of(now.as_second());
        let days = i32::try_from(self.days).unwrap_or(i32::MAX);
        let seen = self
            .flows
            .flow_seen(&FlowQuery {
                connection: Some(connection.clone()),
                interfaces: interfaces.iter().map(|one| one.id.0.clone()).collect(),
                from_day: today.saturating_sub(days),
                // A day that is not over is no basis, and answers would differ with every run.
                until_day: Some(today),
                action: Some(FlowAction::Accepted),
                since_s: None,
            })
            .await?;
        for (interface, seen) in interfaces.into_iter().zip(seen) {
            if !seen.coverage.is_empty() {
                facts.entry(interface.id.clone()).or_default().put(seen);
            }
        }
        Ok(())
    }
}
