//! Changes that stop nothing but the moment a standby takes over: storage, members of a group,
//! failover, read replicas.
//!
//! What the clouds refuse is refused: less storage or the same, another change of it before the
//! last is completed (EBS and RDS; six hours here), a growth of less than a tenth on RDS, members
//! beyond a group's maximum, a failover without a standby, a replica of a name that is taken. New
//! members of a group are not made here: its load stays what it is.

use jiff::Timestamp;
use reeve_estate::{
    ActError, ActErrorKind, Mutation, Provider, Resource, ResourceKind, ResourceState,
};

use crate::account::SimulatedAccount;
use crate::condition::{Conditions, Downtime};
use crate::refusal::{refuse, wrong_state};

/// Seconds until storage that grew takes another change.
pub(crate) const OPTIMIZING_S: f64 = 6.0 * 3600.0;

impl SimulatedAccount {
    /// Makes one of these changes, or says why not.
    pub(crate) fn alter(
        &self,
        conditions: &mut Conditions,
        resource: &Resource,
        mutation: &Mutation,
        now: Timestamp,
    ) -> Result<(), ActError> {
        if matches!(mutation, Mutation::Isolate | Mutation::SetGroups { .. }) {
            // Rules of the network hold at once, and the machine runs on.
            return self.regroup(conditions, resource, mutation);
        }

        let (low, high) = match (mutation, resource.kind) {
            (Mutation::Grow { storage_gib }, ResourceKind::Volume | ResourceKind::Database) => {
                may_grow(
                    resource,
                    *storage_gib,
                    conditions.get(&resource.id).optimizing_until,
                    now,
                )?;
                (30.0, 90.0)
            }
            (Mutation::Scale { min, desired }, ResourceKind::ScalingGroup) => {
                may_scale(resource, *min, *desired)?;
                (45.0, 120.0)
            }
            (Mutation::FailOver, ResourceKind::Database) => {
                may_fail_over(resource)?;
                (60.0, 120.0)
            }
            (Mutation::Replicate { name }, ResourceKind::Database) => {
                let taken = self
                    .assets
                    .iter()
                    .any(|asset| asset.resource.id.as_str() == name);
                may_replicate(resource, name, taken)?;
                (240.0, 600.0)
            }
            (Mutation::RemoveReplica { name }, ResourceKind::Database) => {
                if !resource.specification.replicas.contains(name) {
                    return Err(refuse(
                        ActErrorKind::NotFound,
                        "DBInstanceNotFound",
                        &format!("no database {name}"),
                    ));
                }
                (30.0, 60.0)
            }
            (_, kind) => {
                let message = format!("{} is a {kind}, which does not do that", resource.id);
                return Err(refuse(
                    ActErrorKind::Other,
                    "UnsupportedOperation",
                    &message,
                ));
            }
        };

        let settles = self
            .world
            .settings
            .after(now, self.takes(resource, now, low, high));
        let condition = conditions.resources.entry(resource.id.clone()).or_default();
        condition.settles_at = Some(settles);

        match mutation {
            Mutation::Grow { storage_gib } => {
                condition.storage.push((settles, *storage_gib));
                condition.optimizing_until = Some(self.world.settings.after(now, OPTIMIZING_S));
            }
            Mutation::Scale { min, desired } => condition.members = Some((*min, *desired)),
            Mutation::FailOver => {
                condition.downtimes.push(Downtime {
                    from: now,
                    to: Some(settles),
                });
                condition.failovers += 1;
            }
            Mutation::Replicate { name } => _ = condition.replicas.insert(name.clone()),
            Mutation::RemoveReplica { name } => _ = condition.replicas.remove(name),
            _ => {}
        }

        Ok(())
    }
}

fn may_grow(
    resource: &Resource,
    gib: u32,
    busy: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), ActError> {
    let database = resource.kind == ResourceKind::Database;
    if resource.state == ResourceState::Changing
        || (database && resource.state != ResourceState::Running)
    {
        return Err(wrong_state(resource, "settled"));
    }

    let has = resource.specification.storage_gib.unwrap_or(0.0);
    let rds = database && resource.provider == Provider::Aws;
    let least = if rds { (has * 1.1).ceil() } else { has + 1.0 };

    if f64::from(gib) < least {
        let message = format!(
            "{} has {has:.0} GiB and takes {least:.0} or more; {gib} is not",
            resource.id
        );
        return Err(refuse(
            ActErrorKind::InvalidType,
            "InvalidParameterValue",
            &message,
        ));
    }

    completed(resource, busy, now)
}

/// Refuses a change of storage whose last change is not completed.
pub(crate) fn completed(
    resource: &Resource,
    busy: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), ActError> {
    if busy.is_some_and(|until| now < until) {
        let message = format!(
            "the last change of {} is not completed; wait for six hours after it",
            resource.id
        );
        return Err(refuse(
            ActErrorKind::Other,
            "VolumeModificationRateExceeded",
            &message,
        ));
    }
    Ok(())
}

fn may_scale(group: &Resource, min: u32, desired: u32) -> Result<(), ActError> {
    let most = group
        .specification
        .capacity
        .map_or(0, |capacity| capacity.max);
    if min <= desired && desired <= most {
        return Ok(());
    }

    let message = format!(
        "{desired} members, at least {min}: {} may have at most {most}",
        group.id
    );
    Err(refuse(
        ActErrorKind::InvalidType,
        "ValidationError",
        &message,
    ))
}

fn may_fail_over(database: &Resource) -> Result<(), ActError> {
    if database.state != ResourceState::Running {
        return Err(wrong_state(database, "running"));
    }
    if database.specification.standby_zone.is_some() {
        return Ok(());
    }

    let message = format!("{} has no standby in another zone", database.id);
    Err(refuse(
        ActErrorKind::InvalidType,
        "InvalidParameterCombination",
        &message,
    ))
}

fn may_replicate(database: &Resource, name: &str, taken: bool) -> Result<(), ActError> {
    if database.provider != Provider::Aws {
        let message = "replicas of this cloud are made elsewhere";
        return Err(refuse(ActErrorKind::Other, "UnsupportedOperation", message));
    }
    if database.state != ResourceState::Running {
        return Err(wrong_state(database, "running"));
    }

    if taken
        || database
            .specification
            .replicas
            .iter()
            .any(|replica| replica == name)
    {
        return Err(refuse(
            ActErrorKind::Other,
            "DBInstanceAlreadyExists",
            &format!("there is a database {name}"),
        ));
    }

    Ok(())
}
