//! Resources of one evaluation, read from the inventory by pages. An evaluation looks at every
//! resource that its rule is about, and holds one page of them at a time.

use std::collections::{HashMap, HashSet};

use reeve_estate::{
    Connection, ConnectionId, EstateStore, Metric, Money, Resource, ResourceFilter, ResourceId,
    ResourceKind, ResourcePages, ResourceState, StoreError,
};
use reeve_recommend::guardrail::ownership::is_opted_out;
use reeve_recommend::plan::relief::only_disk;
use reeve_recommend::predictive::{Prediction, PredictiveRule, ResponseKind, Signal};

use super::related::response_target;
use super::unpredictable::Unpredictable;

/// Stored resources that are read at a time.
const PAGE: u64 = 500;

/// A resource and the connection through which it is seen; two connections may see one account.
type Seen = (ConnectionId, ResourceId);

/// Walk over the resources of a rule.
pub(super) struct ScopePages<'a> {
    rule: &'a PredictiveRule,
    connections: Vec<Connection>,
    pages: ResourcePages,
    /// Disks of the machines, for responses that enlarge one. Identifiers alone: an inventory names
    /// a disk's machine, and no machine's disks.
    disks: HashMap<Seen, Vec<ResourceId>>,
    /// Monthly cost of each connection at list price, as far as prices are known and the walk has
    /// come.
    pub(super) bills: HashMap<ConnectionId, Money>,
}

/// Resources that a rule is about, with those that its response may change instead.
#[derive(Debug, Default)]
pub(super) struct ScopePage {
    /// Connection by connection, each in the order of their identifiers.
    pub(super) resources: Vec<Resource>,
    /// Scaling groups and targets of the load balancers, or disks of the machines and machines of
    /// the disks, as the response needs them.
    related: Vec<Resource>,
}

impl<'a> ScopePages<'a> {
    /// Begins before the first page.
    pub(super) async fn new(
        estate: &dyn EstateStore,
        rule: &'a PredictiveRule,
    ) -> Result<ScopePages<'a>, StoreError> {
        let connections = estate.connection_list().await?;
        let disks = match rule.response.kind {
            ResponseKind::ExpandStorage => disks(estate).await?,
            _ => HashMap::new(),
        };
        let pages = ResourcePages::new(ResourceFilter::default(), PAGE);

        Ok(ScopePages {
            rule,
            connections,
            pages,
            disks,
            bills: HashMap::new(),
        })
    }

    /// Reads the next page, which may hold no resource of the rule; `None` behind the last one.
    pub(super) async fn next(
        &mut self,
        estate: &dyn EstateStore,
    ) -> Result<Option<ScopePage>, StoreError> {
        let Some(page) = self.pages.next(estate).await? else {
            return Ok(None);
        };

        let mut resources = Vec::new();
        for resource in page {
            if let Some(cost) = resource.monthly_cost {
                let bill = self
                    .bills
                    .entry(resource.connection.clone())
                    .or_insert(Money::ZERO);
                *bill = *bill + cost;
            }
            if self.covers(&resource) {
                resources.push(resource);
            }
        }

        let related = match self.rule.response.kind {
            ResponseKind::PreScale => targets(estate, &resources).await?,
            ResponseKind::ExpandStorage => self.neighbours(estate, &resources).await?,
            _ => Vec::new(),
        };

        if self.rule.response.kind == ResponseKind::ExpandStorage {
            // A disk is told of once: by its machine, where the rule is about that one too.
            let told = |disk: &Resource| {
                machine_of(disk, &related).is_some_and(|machine| self.covers(machine))
            };
            let is_named = |resource: &Resource| self.rule.resources.contains(&resource.id.0);
            resources.retain(|one| one.kind != ResourceKind::Volume || is_named(one) || !told(one));
        }

        // Series are read connection by connection.
        resources.sort_by(|a, b| a.connection.cmp(&b.connection));
        Ok(Some(ScopePage { resources, related }))
    }

    fn covers(&self, resource: &Resource) -> bool {
        let rule = self.rule;
        matches!(
            resource.state,
            ResourceState::Running | ResourceState::Available
        ) && rule.response.kind.applies_to(resource.kind)
            && (rule.resources.is_empty() || rule.resources.contains(&resource.id.0))
            && rule.scope.includes(resource, &self.connections)
            && !is_opted_out(resource)
    }

    /// Returns the machines of the disks, and all disks of the machines.
    async fn neighbours(
        &self,
        estate: &dyn EstateStore,
        page: &[Resource],
    ) -> Result<Vec<Resource>, StoreError> {
        let attached = page
            .iter()
            .filter(|one| one.kind == ResourceKind::Volume)
            .flat_map(|disk| &disk.attached_to);
        let machines = by_ids(estate, attached.cloned().collect()).await?;
        let own = page
            .iter()
            .filter(|one| one.kind == ResourceKind::VirtualMachine);
        let disks = machines.iter().chain(own).filter_map(|machine| {
            self.disks
                .get(&(machine.connection.clone(), machine.id.clone()))
        });
        let disks = by_ids(estate, disks.flatten().cloned().collect()).await?;

        Ok(machines.into_iter().chain(disks).collect())
    }
}

impl ScopePage {
    /// Returns the resource that a prediction is about.
    pub(super) fn subject_of(&self, prediction: &Prediction) -> Option<&Resource> {
        self.resources
            .iter()
            .find(|one| one.id == prediction.resource && one.connection == prediction.connection)
    }

    /// Returns the resource that the rule's response to one of these changes.
    pub(super) fn target<'a>(
        &'a self,
        rule: &PredictiveRule,
        measured: &'a Resource,
    ) -> &'a Resource {
        response_target(rule, measured, &self.related)
    }

    /// Returns the resource whose series tells of one of these: a disk fills as the only file
    /// system of its machine does. The error is the reason why none does.
    pub(super) fn measured<'a>(
        &'a self,
        signal: Signal,
        resource: &'a Resource,
    ) -> Result<&'a Resource, Unpredictable> {
        if signal.metric(resource.kind) != Metric::DiskUtilization
            || resource.kind != ResourceKind::Volume
        {
            return Ok(resource);
        }

        let machine = machine_of(resource, &self.related).ok_or(Unpredictable::Detached)?;
        only_disk(machine, &self.related)
            .map(|_| machine)
            .ok_or_else(|| Unpredictable::SeveralDisks {
                machine: machine.name.clone(),
            })
    }
}

/// Returns the machine that a disk is attached to.
fn machine_of<'a>(disk: &Resource, all: &'a [Resource]) -> Option<&'a Resource> {
    all.iter().find(|one| {
        one.kind == ResourceKind::VirtualMachine
            && one.connection == disk.connection
            && disk.attached_to.contains(&one.id)
    })
}

/// Returns the disks of every machine.
async fn disks(estate: &dyn EstateStore) -> Result<HashMap<Seen, Vec<ResourceId>>, StoreError> {
    let mut disks: HashMap<Seen, Vec<ResourceId>> = HashMap::new();
    let filter = ResourceFilter {
        kind: Some(ResourceKind::Volume),
        ..ResourceFilter::default()
    };
    let mut pages = ResourcePages::new(filter, PAGE);

    while let Some(page) = pages.next(estate).await? {
        for disk in page {
            for machine in disk.attached_to {
                disks
                    .entry((disk.connection.clone(), machine))
                    .or_default()
                    .push(disk.id.clone());
            }
        }
    }

    Ok(disks)
}

/// Returns the targets of the load balancers with their groups.
async fn targets(estate: &dyn EstateStore, page: &[Resource]) -> Result<Vec<Resource>, StoreError> {
    let balancers = page
        .iter()
        .filter(|one| one.kind == ResourceKind::LoadBalancer);
    let mut related = by_ids(
        estate,
        balancers
            .flat_map(|one| one.attached_to.iter().cloned())
            .collect(),
    )
    .await?;

    let groups = related
        .iter()
        .filter_map(|target| target.group.clone())
        .collect();
    related.extend(by_ids(estate, groups).await?);
    Ok(related)
}

/// Returns the resources of these identifiers.
async fn by_ids(
    estate: &dyn EstateStore,
    ids: HashSet<ResourceId>,
) -> Result<Vec<Resource>, StoreError> {
    let ids: Vec<ResourceId> = ids.into_iter().collect();
    let mut found = Vec::new();

    for ids in ids.chunks(PAGE as usize) {
        let filter = ResourceFilter {
            ids: ids.to_vec(),
            ..ResourceFilter::default()
        };
        found.extend(estate.resource_list(&filter).await?.0);
    }

    Ok(found)
}
