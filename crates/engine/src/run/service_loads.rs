//! Loads of services as a source of facts: balancers and machines around scaling groups and load
//! balancers.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, Metric, Resource, ResourceId, ResourceKind, SampleStore};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::open_facts::{
    ChunkFacts, FactLoader, FactNeed, FactSource, FactType,
};
use reeve_recommend::judgement::service_load::{MeasuredResource, ServiceLoad};
use tokio::sync::OnceCell;

use crate::agent::scope::ScopeService;
use crate::run::fleets::serves;
use crate::run::judging::by_resource;

/// Resources whose series are loaded at a time.
const AT_ONCE: usize = 16;

/// Source of [`ServiceLoad`]s of scaling groups and load balancers, with the metrics of the need.
pub struct ServiceLoads {
    scopes: Arc<ScopeService>,
    samples: Arc<dyn SampleStore>,
}

impl ServiceLoads {
    /// A source over the inventory and the samples.
    #[must_use]
    pub fn new(scopes: Arc<ScopeService>, samples: Arc<dyn SampleStore>) -> Self {
        ServiceLoads { scopes, samples }
    }
}

impl FactSource for ServiceLoads {
    fn fact_type(&self) -> FactType {
        FactType::of::<ServiceLoad>()
    }

    fn begin(&self, _: &Needs, need: &FactNeed) -> Box<dyn FactLoader> {
        Box::new(Loader {
            scopes: Arc::clone(&self.scopes),
            samples: Arc::clone(&self.samples),
            metrics: need.metrics.clone(),
            estate: OnceCell::new(),
        })
    }
}

/// Machines that serve and load balancers of every connection.
#[derive(Default)]
pub(crate) struct ServingEstate {
    machines: HashMap<ConnectionId, HashMap<ResourceId, Resource>>,
    balancers: HashMap<ConnectionId, Vec<Resource>>,
}

struct Loader {
    scopes: Arc<ScopeService>,
    samples: Arc<dyn SampleStore>,
    metrics: Vec<Metric>,
    /// Read where there is a group or a balancer at all.
    estate: OnceCell<ServingEstate>,
}

impl ServingEstate {
    /// Reads the machines and balancers of the inventory.
    pub(crate) async fn read(scopes: &ScopeService) -> Result<ServingEstate, EngineError> {
        let mut estate = ServingEstate::default();
        let kinds = [ResourceKind::VirtualMachine, ResourceKind::LoadBalancer];
        for resource in scopes.of_kinds(&kinds).await? {
            let connection = resource.connection.clone();
            match resource.kind {
                ResourceKind::LoadBalancer => {
                    estate
                        .balancers
                        .entry(connection)
                        .or_default()
                        .push(resource);
                }
                _ if serves(&resource) => {
                    let machines = estate.machines.entry(connection).or_default();
                    machines.insert(resource.id.clone(), resource);
                }
                _ => {}
            }
        }
        Ok(estate)
    }
}

impl Loader {
    async fn measured(
        &self,
        connection: &ConnectionId,
        resources: Vec<Resource>,
        (start, now): (Timestamp, Timestamp),
    ) -> Result<Vec<MeasuredResource>, EngineError> {
        let mut found = Vec::with_capacity(resources.len());
        for some in resources.chunks(AT_ONCE) {
            let ids: Vec<ResourceId> = some.iter().map(|one| one.id.clone()).collect();
            let mut series = by_resource(
                self.samples
                    .sample_series(connection, &ids, &self.metrics, start, now)
                    .await?,
            );
            found.extend(some.iter().map(|resource| MeasuredResource {
                series: series.remove(&resource.id).unwrap_or_default(),
                resource: resource.clone(),
            }));
        }
        Ok(found)
    }
}

#[async_trait]
impl FactLoader for Loader {
    async fn load(
        &self,
        connection: &ConnectionId,
        resources: &[Resource],
        history: (Timestamp, Timestamp),
        facts: &mut ChunkFacts,
    ) -> Result<(), EngineError> {
        for resource in resources {
            if !matches!(
                resource.kind,
                ResourceKind::ScalingGroup | ResourceKind::LoadBalancer
            ) {
                continue;
            }
            let estate = self
                .estate
                .get_or_try_init(|| ServingEstate::read(&self.scopes))
                .await?;
            let around = estate.around(connection, resource);
            let load = ServiceLoad {
                balancers: self.measured(connection, around.balancers, history).await?,
                shared: around.shared,
                machines: self.measured(connection, around.machines, history).await?,
            };
            facts.entry(resource.id.clone()).or_default().put(load);
        }
        Ok(())
    }
}

/// Resources around a group or a balancer, not measured yet.
#[derive(Default)]
pub(crate) struct Around {
    pub(crate) balancers: Vec<Resource>,
    shared: Vec<String>,
    machines: Vec<Resource>,
}

impl ServingEstate {
    /// Returns the balancers and machines around a group or a balancer.
    pub(crate) fn around(&self, connection: &ConnectionId, resource: &Resource) -> Around {
        let Some(machines) = self.machines.get(connection) else {
            return Around::default();
        };
        let mut around = Around::default();
        if resource.kind == ResourceKind::LoadBalancer {
            let targets = resource.attached_to.iter();
            around.machines = targets.filter_map(|id| machines.get(id)).cloned().collect();
            return around;
        }

        let is_member = |machine: &&Resource| machine.group.as_ref() == Some(&resource.id);
        around.machines = machines.values().filter(is_member).cloned().collect();
        around.machines.sort_by(|a, b| a.id.cmp(&b.id));
        let members: HashSet<&ResourceId> = around.machines.iter().map(|one| &one.id).collect();

        for balancer in self.balancers.get(connection).into_iter().flatten() {
            let own = |id: &&ResourceId| members.contains(*id);
            match balancer.attached_to.iter().filter(own).count() {
                0 => {}
                count if count == balancer.attached_to.len() => {
                    around.balancers.push(balancer.clone());
                }
                _ => around.shared.push(balancer.name.clone()),
            }
        }
        around
    }
}

#[cfg(test)]
mod tests {
    use reeve_testkit::contract::estate::running;

    use super::*;

    #[test]
    fn a_balancer_that_leads_to_other_machines_is_shared() {
        let group = running("group", ResourceKind::ScalingGroup, None);
        let member = |id: &str, group: Option<&str>| {
            let mut machine = running(id, ResourceKind::VirtualMachine, Some("m5.large"));
            machine.group = group.map(ResourceId::new);
            machine
        };
        let balancer = |id: &str, targets: &[&str]| {
            let mut balancer = running(id, ResourceKind::LoadBalancer, None);
            balancer.name = id.to_owned();
            balancer.attached_to = targets.iter().map(|id| ResourceId::new(*id)).collect();
            balancer
        };
        let machines = [
            member("i-2", Some("group")),
            member("i-1", Some("group")),
            member("i-3", None),
        ];
        let estate = ServingEstate {
            machines: HashMap::from([(
                group.connection.clone(),
                machines.map(|one| (one.id.clone(), one)).into(),
            )]),
            balancers: HashMap::from([(
                group.connection.clone(),
                vec![
                    balancer("own", &["i-1", "i-2"]),
                    balancer("mixed", &["i-1", "i-3"]),
                    balancer("other", &["i-3"]),
                ],
            )]),
        };

        let around = estate.around(&group.connection, &group);
        let ids =
            |all: &[Resource]| -> Vec<String> { all.iter().map(|one| one.id.0.clone()).collect() };
        assert_eq!(ids(&around.machines), ["i-1", "i-2"]);
        assert_eq!(ids(&around.balancers), ["own"]);
        assert_eq!(around.shared, ["mixed"]);

        let own = balancer("own", &["i-1", "i-2", "gone"]);
        let behind = estate.around(&own.connection, &own);
        assert_eq!(ids(&behind.machines), ["i-1", "i-2"]);
    }
}
