//! Changing the security groups of a machine.
//!
//! Refuses the same changes as EC2: groups that do not exist or belong to another network, no group
//! at all, a machine that is gone. API reference, `ModifyInstanceAttribute`.

use reeve_estate::{
    ActError, ActErrorKind, Mutation, Provider, Resource, ResourceKind, ResourceState,
};

use crate::account::SimulatedAccount;
use crate::condition::Conditions;
use crate::groups::isolating;
use crate::refusal::refuse;

impl SimulatedAccount {
    /// Cuts a machine off, or gives it groups, or says why not.
    pub(crate) fn regroup(
        &self,
        conditions: &mut Conditions,
        machine: &Resource,
        mutation: &Mutation,
    ) -> Result<(), ActError> {
        if machine.kind != ResourceKind::VirtualMachine || self.plan.provider != Provider::Aws {
            let message = format!(
                "{} is a {} of {}, which has no security groups",
                machine.id, machine.kind, machine.provider
            );
            return Err(refuse(
                ActErrorKind::Other,
                "UnsupportedOperation",
                &message,
            ));
        }

        if machine.state == ResourceState::Deleted {
            let message = format!("{} is terminated", machine.id);
            return Err(refuse(
                ActErrorKind::NotFound,
                "InvalidInstanceID.NotFound",
                &message,
            ));
        }

        let isolating = isolating(self.plan, self.world.settings.seed, &machine.region);
        let groups = match mutation {
            Mutation::SetGroups { groups } => {
                self.may_have(conditions, machine, groups)?;
                groups.clone()
            }
            _ => {
                conditions.quarantines.insert(machine.region.clone());
                vec![isolating]
            }
        };

        conditions
            .resources
            .entry(machine.id.clone())
            .or_default()
            .groups = Some(groups);
        Ok(())
    }

    fn may_have(
        &self,
        conditions: &Conditions,
        machine: &Resource,
        groups: &[String],
    ) -> Result<(), ActError> {
        if groups.is_empty() {
            let message = "a machine must have at least one security group";
            return Err(refuse(ActErrorKind::Other, "MissingParameter", message));
        }

        for wanted in groups {
            match self.region_of(conditions, wanted) {
                Some(region) if region == machine.region => {}
                Some(_) => {
                    let message =
                        "you have specified two resources that belong to different networks";
                    return Err(refuse(ActErrorKind::Other, "InvalidParameter", message));
                }
                None => {
                    let message = format!("the security group '{wanted}' does not exist");
                    return Err(refuse(
                        ActErrorKind::NotFound,
                        "InvalidGroup.NotFound",
                        &message,
                    ));
                }
            }
        }

        Ok(())
    }

    /// Returns the region of a group's network; `None` if there is no such group.
    fn region_of<'a>(&'a self, conditions: &'a Conditions, group: &str) -> Option<&'a str> {
        let made =
            |region: &&String| isolating(self.plan, self.world.settings.seed, region) == group;
        if let Some(region) = conditions.quarantines.iter().find(made) {
            return Some(region);
        }

        let has = |resource: &&Resource| {
            resource
                .specification
                .security_groups
                .iter()
                .any(|id| id == group)
        };

        let mut machines = self.assets.iter().map(|asset| &asset.resource);
        machines.find(has).map(|machine| machine.region.as_str())
    }
}
