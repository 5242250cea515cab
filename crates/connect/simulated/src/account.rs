//! One account: its resources as the seed has them, with what was changed laid over them.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use reeve_estate::{
    Connection, ConnectionCredentials, ConnectionStatus, Purchase, Resource, ResourceId,
    ResourceKind, ResourceState, Specification,
};

use crate::assets::{self, Asset, connection_id};
use crate::bill;
use crate::company::Account;
use crate::condition::{Conditions, SimulatedCondition};
use crate::faults::Bucket;
use crate::groups;
use crate::signal::interrupted;
use crate::world::World;

/// One account of the estate; observes and acts.
#[derive(Debug)]
pub struct SimulatedAccount {
    pub(crate) plan: &'static Account,
    pub(crate) world: Arc<World>,
    pub(crate) connection: Connection,
    pub(crate) assets: Vec<Asset>,
    places: HashMap<ResourceId, usize>,
    pub(crate) conditions: Mutex<Conditions>,
    pub(crate) bucket: Mutex<Bucket>,
    /// Number of change requests per resource, so that the outcome of each call is drawn
    /// separately.
    pub(crate) calls: Mutex<HashMap<ResourceId, u64>>,
}

impl SimulatedAccount {
    /// Returns what a session with a database would read; `None` for a database without a login.
    #[must_use]
    pub fn database_reading(
        &self,
        resource: &Resource,
        now: Timestamp,
    ) -> Option<reeve_databases::DatabaseReading> {
        crate::database_reading::of(resource, now)
    }

    /// Returns the load of a database in the interval of a time, with the texts of its statements;
    /// `None` where the company has given no login.
    #[must_use]
    pub fn database_load(
        &self,
        resource: &Resource,
        at: Timestamp,
    ) -> Option<(
        reeve_estate::DatabaseLoad,
        Vec<reeve_estate::database_load::KnownStatement>,
    )> {
        crate::database_load::of(resource, at)
    }

    pub(crate) fn new(plan: &'static Account, world: Arc<World>) -> Self {
        let settings = &world.settings;
        let assets = assets::build(plan, settings.seed, settings.anchor);
        let places = assets
            .iter()
            .enumerate()
            .map(|(at, asset)| (asset.resource.id.clone(), at))
            .collect();

        let connection = Connection {
            id: connection_id(plan.connection),
            name: plan.connection.to_owned(),
            provider: plan.provider,
            account: plan.account.to_owned(),
            regions: plan
                .regions
                .iter()
                .map(|region| (*region).to_owned())
                .collect(),
            credentials: ConnectionCredentials::Simulated,
            assume_role: None,
            external_id: None,
            endpoint: None,
            allow_actions: true,
            status: ConnectionStatus::New,
            last_sync: None,
            last_error: None,
            created_at: settings.anchor,
        };

        let bucket = Mutex::new(Bucket::full(world.now()));
        SimulatedAccount {
            plan,
            world,
            connection,
            assets,
            places,
            conditions: Mutex::default(),
            bucket,
            calls: Mutex::default(),
        }
    }

    /// Returns the asset of a place.
    pub(crate) fn asset(&self, place: &ResourceId) -> Option<&Asset> {
        self.places.get(place).map(|at| &self.assets[*at])
    }

    /// A resource as it is now; `None` when there is none, or when it is gone for an hour.
    pub(crate) fn live(
        &self,
        id: &ResourceId,
        conditions: &Conditions,
        now: Timestamp,
    ) -> Option<Resource> {
        let asset = self.asset(conditions.place(id))?;
        let condition = conditions.get(id);
        let long_gone = |end: Timestamp| now.duration_since(end) > SignedDuration::from_hours(1);
        if condition.terminated_at.is_some_and(long_gone) {
            return None;
        }

        let mut resource = asset.resource.clone();
        resource.id = id.clone();

        if let Some(successor) = conditions.successors.get(id) {
            if successor.launched_at > now {
                return None;
            }
            resource.created_at = Some(successor.launched_at);
        }

        if let Some(size) = condition.size().or(condition.template_type()) {
            resource.specification.instance_type = Some(size.to_owned());
        }

        lay_over(&mut resource.specification, &condition, now);
        for (key, value) in condition.tags.clone() {
            match value {
                Some(value) => _ = resource.tags.insert(key, value),
                None => _ = resource.tags.remove(&key),
            }
        }

        if let Some(given) = condition.groups.clone() {
            let isolating =
                groups::isolating(self.plan, self.world.settings.seed, &resource.region);
            resource.specification.isolated = given == [isolating];
            resource.specification.security_groups = given;
        }

        resource.state = match resource.kind {
            ResourceKind::VirtualMachine | ResourceKind::Database => {
                condition.state(now, ResourceState::Running)
            }
            ResourceKind::IpAddress | ResourceKind::NatGateway | ResourceKind::LoadBalancer => {
                condition.state(now, free_without_holder(&mut resource, conditions, now))
            }
            _ => condition.state(now, resource.state),
        };

        let spot = resource.purchase == Some(Purchase::Spot);
        if spot && resource.state == ResourceState::Running && interrupted(asset.key, now) {
            resource.state = ResourceState::Stopped;
        }

        for to in &mut resource.attached_to {
            *to = conditions.holder(to, now);
        }

        resource.specification.contents = self.contents(&resource, now);
        resource.observed_at = now;
        resource.monthly_cost = bill::monthly(&resource, self.plan.discount);

        Some(resource)
    }

    /// Returns all resources that exist now.
    pub(crate) fn all(&self, conditions: &Conditions, now: Timestamp) -> Vec<Resource> {
        let standing = self
            .assets
            .iter()
            .map(|asset| conditions.holder(&asset.resource.id, now));
        standing
            .filter_map(|id| self.live(&id, conditions, now))
            .collect()
    }
}

/// Takes an address away from what was removed, and returns the state of the resource if it is not
/// removed itself.
fn free_without_holder(
    resource: &mut Resource,
    conditions: &Conditions,
    now: Timestamp,
) -> ResourceState {
    if resource.kind != ResourceKind::IpAddress {
        return resource.state;
    }

    let is_there = |holder: &ResourceId| {
        conditions
            .get(holder)
            .terminated_at
            .is_none_or(|end| end > now)
    };
    resource.attached_to.retain(is_there);

    if resource.attached_to.is_empty() {
        ResourceState::Unattached
    } else {
        ResourceState::Available
    }
}

/// Applies changes other than the size: storage, members, the zone of the primary, replicas.
fn lay_over(spec: &mut Specification, condition: &SimulatedCondition, now: Timestamp) {
    condition.storage_into(spec, now);
    if let (Some(capacity), Some((min, desired))) = (&mut spec.capacity, condition.members) {
        (capacity.min, capacity.desired) = (min, desired);
    }

    if let Some((_, standby)) = condition
        .standbys
        .iter()
        .rev()
        .find(|(from, _)| *from <= now)
    {
        spec.multi_az = Some(*standby);
        // The standby waits in the region's other zone.
        let zone = spec
            .zone
            .as_deref()
            .and_then(|zone| zone.strip_suffix('a'))
            .map(|region| format!("{region}b"));
        spec.standby_zone = zone.filter(|_| *standby);
    }

    if condition.failovers % 2 == 1 {
        std::mem::swap(&mut spec.zone, &mut spec.standby_zone);
    }

    spec.replicas.extend(condition.replicas.iter().cloned());
}
