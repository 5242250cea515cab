//! Members of scaling groups with their measurements, as a source of facts.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{
    ConnectionId, Metric, Resource, ResourceId, ResourceKind, ResourceState, SampleStore,
};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::Fleet;
use reeve_recommend::judgement::open_facts::{
    ChunkFacts, FactLoader, FactNeed, FactSource, FactType,
};
use tokio::sync::OnceCell;

use crate::agent::scope::ScopeService;
use crate::run::load_history::Key;

/// Members whose series are loaded at a time.
const AT_ONCE: usize = 16;

/// Source of [`Fleet`]s: the members of a scaling group with the metrics that the agent type needs
/// of resources. Any other resource, and a group without known members, has none.
pub struct Fleets {
    scopes: Arc<ScopeService>,
    samples: Arc<dyn SampleStore>,
}

impl Fleets {
    /// A source over the inventory and the samples.
    #[must_use]
    pub fn new(scopes: Arc<ScopeService>, samples: Arc<dyn SampleStore>) -> Self {
        Fleets { scopes, samples }
    }
}

impl FactSource for Fleets {
    fn fact_type(&self) -> FactType {
        FactType::of::<Fleet>()
    }

    fn begin(&self, needs: &Needs, _: &FactNeed) -> Box<dyn FactLoader> {
        Box::new(Loader {
            scopes: Arc::clone(&self.scopes),
            samples: Arc::clone(&self.samples),
            metrics: needs.metrics.clone(),
            members: OnceCell::new(),
        })
    }
}

/// Returns `true` for a machine that serves, or is between two states in which it does.
pub(super) fn serves(machine: &Resource) -> bool {
    matches!(
        machine.state,
        ResourceState::Running | ResourceState::Changing
    )
}

struct Loader {
    scopes: Arc<ScopeService>,
    samples: Arc<dyn SampleStore>,
    metrics: Vec<Metric>,
    /// Machines of groups that serve, by their group. Read where there is a group at all.
    members: OnceCell<HashMap<Key, Vec<Resource>>>,
}

impl Loader {
    async fn members(&self) -> Result<HashMap<Key, Vec<Resource>>, EngineError> {
        let mut members: HashMap<Key, Vec<Resource>> = HashMap::new();
        for machine in self
            .scopes
            .of_kinds(&[ResourceKind::VirtualMachine])
            .await?
        {
            if let Some(group) = machine.group.clone().filter(|_| serves(&machine)) {
                let group = (machine.connection.clone(), group);
                members.entry(group).or_default().push(machine);
            }
        }
        Ok(members)
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
        for group in resources {
            if group.kind != ResourceKind::ScalingGroup {
                continue;
            }
            let members = self.members.get_or_try_init(|| self.members()).await?;
            let Some(members) = members.get(&(connection.clone(), group.id.clone())) else {
                continue;
            };

            let mut fleet = Fleet::new(members.clone(), start, now);
            for some in members.chunks(AT_ONCE) {
                let ids: Vec<ResourceId> = some.iter().map(|member| member.id.clone()).collect();
                fleet.add(
                    &self
                        .samples
                        .sample_series(connection, &ids, &self.metrics, start, now)
                        .await?,
                );
            }
            facts.entry(group.id.clone()).or_default().put(fleet);
        }
        Ok(())
    }
}
