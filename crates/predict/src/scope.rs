//! Resources of one evaluation, read from the inventory by pages: of a large estate, no more is held than a rule may look at.

use std::collections::{HashMap, HashSet};

use reeve_estate::{
    ConnectionId, EstateStore, Money, Resource, ResourceFilter, ResourceId, ResourceKind, ResourcePages, ResourceState,
    StoreError,
};
use reeve_recommend::is_opted_out;

use super::advice::applies;
use super::related::{ResponseTarget, response_target};
use super::rule::{ResponseKind, Rule};

/// Resources of one evaluation.
const MOST_RESOURCES: usize = 500;
/// Stored resources that are read at a time.
const PAGE: u64 = 500;

/// Resources that a rule is about, with those that its response may change instead.
#[derive(Debug, Default)]
pub(super) struct Scope {
    /// The first ones by identifier.
    pub(super) resources: Vec<Resource>,
    /// Number of others that the rule is about as well.
    pub(super) passed_over: usize,
    /// Scaling groups and targets of the load balancers, or disks of the machines, as the response needs them.
    pub(super) related: Vec<Resource>,
    /// Monthly cost of each connection at list price, as far as prices are known.
    pub(super) bills: HashMap<ConnectionId, Money>,
}

impl Scope {
    /// Reads the resources of a rule.
    pub(super) async fn read(estate: &dyn EstateStore, rule: &Rule) -> Result<Scope, StoreError> {
        let connections = estate.connection_list().await?;
        let covered = |resource: &Resource| {
            let alive = matches!(resource.state, ResourceState::Running | ResourceState::Available);
            alive
                && applies(rule.response.kind, resource.kind)
                && (rule.resources.is_empty() || rule.resources.contains(&resource.id.0))
                && rule.scope.includes(resource, &connections)
                && !is_opted_out(resource)
        };
        let is_scaled = rule.response.kind == ResponseKind::PreScale;
        let mut scope = Scope::default();
        each(estate, ResourceFilter::default(), |resource| {
            if let Some(cost) = resource.monthly_cost {
                let bill = scope.bills.entry(resource.connection.clone()).or_insert(Money::ZERO);
                *bill = *bill + cost;
            }
            if is_scaled && resource.kind == ResourceKind::ScalingGroup {
                scope.related.push(resource.clone());
            }
            match (covered(&resource), scope.resources.len() < MOST_RESOURCES) {
                (true, true) => scope.resources.push(resource),
                (true, false) => scope.passed_over += 1,
                (false, _) => {}
            }
        })
        .await?;
        match rule.response.kind {
            ResponseKind::PreScale => scope.read_targets(estate).await?,
            ResponseKind::ExpandStorage => scope.read_disks(estate).await?,
            _ => {}
        }
        Ok(scope)
    }

    /// Returns the resource that the rule's response to one of these changes.
    pub(super) fn target<'a>(&'a self, rule: &Rule, measured: &'a Resource) -> ResponseTarget<'a> {
        response_target(rule, measured, &self.related, self.bills.get(&measured.connection).copied())
    }

    /// Reads the targets of the load balancers.
    async fn read_targets(&mut self, estate: &dyn EstateStore) -> Result<(), StoreError> {
        let balancers = self.resources.iter().filter(|one| one.kind == ResourceKind::LoadBalancer);
        let ids: Vec<ResourceId> = balancers.flat_map(|balancer| balancer.attached_to.iter().cloned()).collect();
        if !ids.is_empty() {
            self.related.extend(estate.resource_list(&ResourceFilter { ids, ..ResourceFilter::default() }).await?.0);
        }
        Ok(())
    }

    /// Reads the disks of the machines.
    async fn read_disks(&mut self, estate: &dyn EstateStore) -> Result<(), StoreError> {
        let machines = self.resources.iter().filter(|one| one.kind == ResourceKind::VirtualMachine);
        let ids: HashSet<ResourceId> = machines.map(|machine| machine.id.clone()).collect();
        let volumes = ResourceFilter { kind: Some(ResourceKind::Volume), ..ResourceFilter::default() };
        let related = &mut self.related;
        each(estate, volumes, |volume| {
            if volume.attached_to.iter().any(|machine| ids.contains(machine)) {
                related.push(volume);
            }
        })
        .await
    }
}

/// Visits the resources of a filter in the order of their identifiers.
async fn each(
    estate: &dyn EstateStore,
    filter: ResourceFilter,
    mut visit: impl FnMut(Resource) + Send,
) -> Result<(), StoreError> {
    let mut pages = ResourcePages::new(filter, PAGE);
    while let Some(page) = pages.next(estate).await? {
        page.into_iter().for_each(&mut visit);
    }
    Ok(())
}
