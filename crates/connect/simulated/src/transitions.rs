//! The changes, with the clouds' refusals: which state allows what, which sizes there are, what a
//! group does to a member that is stopped, how long things take.
//!
//! Sources of the refusals: EC2 (`IncorrectInstanceState`, `InvalidParameterValue`, `Unsupported`,
//! `UnsupportedOperation`), RDS (`InvalidDBInstanceState`) API references. The other clouds refuse
//! the same under names of their own; AWS's names are used throughout.

use jiff::Timestamp;
use reeve_estate::{
    ActError, ActErrorKind, Applied, Mutation, Operation, PriceCatalogue, Provider, Purchase,
    Resource, ResourceId, ResourceKind, ResourceSnapshot, ResourceState,
};

use crate::account::SimulatedAccount;
use crate::assets::machine_id;
use crate::bill::custom_vcpu;
use crate::condition::{Conditions, Downtime, SnapshotRecord, Successor};
use crate::faults::Chance;
use crate::noise::{between, hex, key};
use crate::operation;
use crate::refusal::{refuse, wrong_state};
use crate::signal::interrupted;

/// Seconds a database takes to change its class.
const DATABASE_RESIZE_S: f64 = 3.0;
/// Seconds a group takes to replace a member that stopped.
pub(crate) const REPLACE_S: f64 = 60.0;

fn has_power(resource: &Resource) -> Result<(), ActError> {
    if matches!(
        resource.kind,
        ResourceKind::VirtualMachine | ResourceKind::Database
    ) {
        return Ok(());
    }

    let message = format!(
        "{} is a {}, which is not started, stopped or resized",
        resource.id, resource.kind
    );
    Err(refuse(
        ActErrorKind::Other,
        "UnsupportedOperation",
        &message,
    ))
}

impl SimulatedAccount {
    /// Makes a change, or says why not.
    pub(crate) fn change(
        &self,
        id: &ResourceId,
        operation: &dyn Operation,
        chance: &Chance,
    ) -> Result<Applied, ActError> {
        let now = self.world.now();
        let mut conditions = self.conditions.lock();
        let missing = || {
            refuse(
                ActErrorKind::NotFound,
                "NotFound",
                &format!("no resource {id} in {}", self.plan.account),
            )
        };
        let resource = self.live(id, &conditions, now).ok_or_else(missing)?;

        let applied = match operation.downcast_ref() {
            Some(Mutation::Stop) => self.stop(&mut conditions, &resource, now)?,
            Some(Mutation::Start) => self.start(&mut conditions, &resource, now, chance)?,
            Some(Mutation::Resize { instance_type }) => {
                self.resizable(&resource, instance_type)?;
                if !chance.strikes(self.world.settings.faults.does_not_stick, "stick") {
                    self.resize(&mut conditions, &resource, instance_type, now);
                }
                Applied::Accepted
            }
            Some(Mutation::Snapshot { description }) => {
                self.snapshot_of(&mut conditions, &resource, description, now)?
            }
            further => {
                // What is refused is refused; what is accepted may not happen all the same.
                let mut tried = conditions.clone();
                match further {
                    Some(mutation) => self.alter(&mut tried, &resource, mutation, now)?,
                    None => operation::apply(self, &mut tried, &resource, operation, now)?,
                }
                if !chance.strikes(self.world.settings.faults.does_not_stick, "stick") {
                    *conditions = tried;
                }
                Applied::Accepted
            }
        };

        self.world.touch();
        Ok(applied)
    }

    /// Checks that a resize would be accepted now.
    pub(crate) fn may_resize(&self, id: &ResourceId, size: &str) -> Result<(), ActError> {
        let now = self.world.now();
        let missing = || {
            refuse(
                ActErrorKind::NotFound,
                "NotFound",
                &format!("no resource {id} in {}", self.plan.account),
            )
        };

        let resource = self
            .live(id, &self.conditions.lock(), now)
            .ok_or_else(missing)?;
        self.resizable(&resource, size)
    }

    fn stop(
        &self,
        conditions: &mut Conditions,
        resource: &Resource,
        now: Timestamp,
    ) -> Result<Applied, ActError> {
        has_power(resource)?;
        if resource.state != ResourceState::Running {
            return Err(wrong_state(resource, "running"));
        }

        if resource.group.is_some() {
            self.replace(
                conditions,
                resource,
                now,
                self.world.settings.after(now, REPLACE_S),
            );
            return Ok(Applied::Accepted);
        }

        if resource.purchase == Some(Purchase::Spot) {
            let message = format!(
                "{} belongs to a one-time spot request, which can be ended and not stopped",
                resource.id
            );
            return Err(refuse(
                ActErrorKind::Other,
                "UnsupportedOperation",
                &message,
            ));
        }

        let settles = self
            .world
            .settings
            .after(now, self.takes(resource, now, 20.0, 40.0));
        let condition = conditions.resources.entry(resource.id.clone()).or_default();
        condition.downtimes.push(Downtime {
            from: now,
            to: None,
        });
        condition.settles_at = Some(settles);

        Ok(Applied::Accepted)
    }

    /// A group ends a member that stopped and launches another in its place.
    pub(crate) fn replace(
        &self,
        conditions: &mut Conditions,
        resource: &Resource,
        now: Timestamp,
        ends: Timestamp,
    ) {
        let place = conditions.place(&resource.id).clone();
        let generation = 1 + conditions
            .successors
            .values()
            .filter(|s| s.place == place)
            .count();

        let next = machine_id(
            self.plan,
            self.world.settings.seed,
            &resource.name,
            generation,
        );

        let condition = conditions.resources.entry(resource.id.clone()).or_default();
        condition.downtimes.push(Downtime {
            from: now,
            to: None,
        });
        condition.settles_at = Some(ends);
        condition.terminated_at = Some(ends);

        // Members start at the size that the launch template has now.
        if let Some(size) = resource
            .group
            .as_ref()
            .and_then(|group| self.template_type(conditions, group))
        {
            conditions
                .resources
                .entry(next.clone())
                .or_default()
                .sizes
                .push((ends, size));
        }

        conditions.successors.insert(
            next,
            Successor {
                place,
                launched_at: ends,
            },
        );
    }

    fn start(
        &self,
        conditions: &mut Conditions,
        resource: &Resource,
        now: Timestamp,
        chance: &Chance,
    ) -> Result<Applied, ActError> {
        has_power(resource)?;
        if resource.state != ResourceState::Stopped {
            return Err(wrong_state(resource, "stopped"));
        }

        let asset = self.asset(conditions.place(&resource.id));
        let taken = resource.purchase == Some(Purchase::Spot)
            && asset.is_some_and(|a| interrupted(a.key, now));

        if taken || chance.strikes(self.world.settings.faults.no_capacity, "capacity") {
            let size = resource
                .specification
                .instance_type
                .as_deref()
                .unwrap_or("its size");
            let message = format!(
                "no capacity for {size} in {} now; try again later or take another size",
                resource.region
            );
            return Err(refuse(
                ActErrorKind::NoCapacity,
                "InsufficientInstanceCapacity",
                &message,
            ));
        }

        let settles = self
            .world
            .settings
            .after(now, self.takes(resource, now, 15.0, 30.0));
        let condition = conditions.resources.entry(resource.id.clone()).or_default();
        if let Some(down) = condition.downtimes.last_mut() {
            down.to = Some(settles);
        }

        condition.settles_at = Some(settles);
        Ok(Applied::Accepted)
    }

    fn resize(&self, conditions: &mut Conditions, resource: &Resource, size: &str, now: Timestamp) {
        let condition = conditions.resources.entry(resource.id.clone()).or_default();
        let mut from = now;

        if resource.kind == ResourceKind::Database {
            from = self.world.settings.after(now, DATABASE_RESIZE_S);
            condition.downtimes.push(Downtime {
                from: now,
                to: Some(from),
            });
            condition.settles_at = Some(from);
        }

        condition.sizes.push((from, size.to_owned()));
    }

    /// Checks that state and size allow a resize.
    pub(crate) fn resizable(&self, resource: &Resource, size: &str) -> Result<(), ActError> {
        has_power(resource)?;
        let wanted = match resource.kind {
            ResourceKind::Database => ResourceState::Running,
            _ => ResourceState::Stopped,
        };
        if resource.state != wanted {
            return Err(wrong_state(resource, wanted.as_str()));
        }

        let machine = match (resource.kind, resource.provider) {
            (ResourceKind::Database, Provider::Gcp) => {
                return custom_vcpu(size).map(drop).ok_or_else(|| no_such(size));
            }
            (ResourceKind::Database, Provider::Aws) => {
                size.strip_prefix("db.").ok_or_else(|| no_such(size))?
            }
            _ => size,
        };

        let spec = PriceCatalogue::builtin()
            .instance(resource.provider, machine)
            .ok_or_else(|| no_such(size))?;
        let has = resource.specification.architecture.as_deref();

        if let Some(has) = has.filter(|has| !spec.architectures.iter().any(|runs| runs == has)) {
            let message = format!(
                "{size} runs {}, and {} is {has}",
                spec.architectures.join(", "),
                resource.id
            );
            return Err(refuse(
                ActErrorKind::InvalidType,
                "InvalidParameterValue",
                &message,
            ));
        }

        if !self.sold(&resource.region, machine) {
            let message = format!("{size} is not offered in {}", resource.region);
            return Err(refuse(ActErrorKind::InvalidType, "Unsupported", &message));
        }

        Ok(())
    }

    /// Returns `true` if a region offers a size. Where prices are by region, a size without a price
    /// is not offered.
    fn sold(&self, region: &str, size: &str) -> bool {
        let withheld = self
            .plan
            .not_sold
            .iter()
            .any(|(at, family)| *at == region && size.starts_with(family));

        let priced = || {
            PriceCatalogue::builtin()
                .hourly_usd(self.plan.provider, region, size, None)
                .is_some()
        };

        !withheld && (self.plan.provider == Provider::Aws || priced())
    }

    fn snapshot_of(
        &self,
        conditions: &mut Conditions,
        resource: &Resource,
        description: &str,
        now: Timestamp,
    ) -> Result<Applied, ActError> {
        if !matches!(resource.kind, ResourceKind::Volume | ResourceKind::Database) {
            let message = format!(
                "{} is a {}; volumes and databases have snapshots",
                resource.id, resource.kind
            );
            return Err(refuse(
                ActErrorKind::Other,
                "UnsupportedOperation",
                &message,
            ));
        }

        if resource.state == ResourceState::Changing {
            return Err(wrong_state(resource, "settled"));
        }

        let number = conditions.snapshots.len();
        let of = key(
            self.world.settings.seed,
            &format!("snapshot/{}/{number}", resource.id),
        );
        let id = format!("snap-{}", hex(of, 17));
        let record = SnapshotRecord {
            of: resource.id.clone(),
            description: description.chars().take(255).collect(),
            complete_at: self
                .world
                .settings
                .after(now, self.takes(resource, now, 30.0, 90.0)),
        };
        conditions.snapshots.insert(id.clone(), record);

        Ok(Applied::Snapshot(ResourceSnapshot { id }))
    }

    /// Seconds the clouds take, somewhere between two bounds.
    pub(crate) fn takes(&self, resource: &Resource, now: Timestamp, low: f64, high: f64) -> f64 {
        between(
            key(self.world.settings.seed, resource.id.as_str()),
            now.as_second(),
            low,
            high,
        )
    }
}

fn no_such(size: &str) -> ActError {
    refuse(
        ActErrorKind::InvalidType,
        "InvalidParameterValue",
        &format!("there is no size {size}"),
    )
}
