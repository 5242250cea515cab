//! Removal of addresses, NAT gateways and load balancers that nothing uses. No cloud gives one
//! back: what a new one differs in is part of the plan. One row of the registry each, since each
//! needs a permission of its own.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{
    ActError, ActErrorKind, Operation, PriceCatalogue, Resource, ResourceId, ResourceKind,
    ResourceState, named,
};

use crate::change::{
    Change, ChangeType, EffectEvidence, Expectation, ParameterError, Parameters, Parse, Reversal,
    Task, TaskReach, aws, foreign, precondition, refused, verify,
};

/// Row of public addresses that nothing uses.
pub(super) const RELEASE_ADDRESS: ChangeType = ChangeType {
    name: Unused::Address.as_str(),
    permissions: &[aws("ec2:ReleaseAddress")],
    parse: Parse::Typed(|parameters| parse(Unused::Address, parameters)),
};
/// Row of NAT gateways.
pub(super) const DELETE_GATEWAY: ChangeType = ChangeType {
    name: Unused::Gateway.as_str(),
    permissions: &[aws("ec2:DeleteNatGateway")],
    parse: Parse::Typed(|parameters| parse(Unused::Gateway, parameters)),
};
/// Row of load balancers.
pub(super) const DELETE_BALANCER: ChangeType = ChangeType {
    name: Unused::Balancer.as_str(),
    permissions: &[aws("elasticloadbalancing:DeleteLoadBalancer")],
    parse: Parse::Typed(|parameters| parse(Unused::Balancer, parameters)),
};

named!(
    /// Unused resource, by the change that removes it.
    Unused {
        Address => "release_address",
        Gateway => "delete_nat_gateway",
        Balancer => "delete_load_balancer",
    }
);

impl Unused {
    /// The removal of resources of a kind; `None` for a kind that Reeve does not remove.
    #[must_use]
    pub fn from_kind(kind: ResourceKind) -> Option<Unused> {
        match kind {
            ResourceKind::IpAddress => Some(Unused::Address),
            ResourceKind::NatGateway => Some(Unused::Gateway),
            ResourceKind::LoadBalancer => Some(Unused::Balancer),
            _ => None,
        }
    }

    /// The step in words.
    fn step(self, target: &str) -> String {
        match self {
            Unused::Address => {
                format!(
                    "Release address {target}; it goes back to the provider, who may give it to anyone"
                )
            }
            Unused::Gateway => {
                format!("Delete NAT gateway {target}; its address stays with the account")
            }
            Unused::Balancer => {
                format!(
                    "Delete load balancer {target} and its name in the DNS; its target groups stay"
                )
            }
        }
    }

    /// Reason why no cloud takes the removal back, as a clause.
    #[must_use]
    pub const fn lost(self) -> &'static str {
        match self {
            Unused::Address => {
                "a released address cannot be had again; a new one is another address"
            }
            Unused::Gateway => {
                "a deleted NAT gateway does not come back; a new one may take its address, and routes must then lead to it"
            }
            Unused::Balancer => {
                "a deleted load balancer does not come back; a new one has another name in the DNS"
            }
        }
    }

    /// Name of what the resource is attached to.
    const fn attached(self) -> &'static str {
        match self {
            Unused::Address => "attached_to",
            Unused::Gateway => "route_tables",
            Unused::Balancer => "targets",
        }
    }
}

/// Operation that removes a resource. What the call is follows from the resource's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemoveOperation;

impl Operation for RemoveOperation {}

/// Removal of a resource that nothing uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoveUnused {
    pub unused: Unused,
    /// State the finding saw.
    pub state: ResourceState,
    /// Attachments at the time of the finding: route tables of a gateway, targets of a balancer;
    /// nothing for an address.
    pub attached_to: Vec<String>,
}

impl RemoveUnused {
    /// The removal of a resource as it is; `None` for a kind that Reeve does not remove.
    #[must_use]
    pub fn from_resource(resource: &Resource) -> Option<RemoveUnused> {
        Some(RemoveUnused {
            unused: Unused::from_kind(resource.kind)?,
            state: resource.state,
            attached_to: resource.attached_to.iter().map(|to| to.0.clone()).collect(),
        })
    }
}

fn parse(
    unused: Unused,
    parameters: &mut Parameters<'_>,
) -> Result<Arc<dyn Change>, ParameterError> {
    let (state, attached_to) = (parameters.state("state")?, parameters.texts("attached_to")?);
    Ok(Arc::new(RemoveUnused {
        unused,
        state,
        attached_to,
    }))
}

/// Identifiers in order, `nothing` for none.
fn listed<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let mut ids: Vec<&str> = ids.collect();
    ids.sort_unstable();
    if ids.is_empty() {
        "nothing".to_owned()
    } else {
        ids.join(", ")
    }
}

fn attached(resource: &Resource) -> String {
    listed(resource.attached_to.iter().map(ResourceId::as_str))
}

impl Change for RemoveUnused {
    fn name(&self) -> &'static str {
        self.unused.as_str()
    }

    fn parameters(&self) -> Json {
        Json::object([
            ("state", Json::from(self.state.as_str())),
            ("attached_to", Json::from(self.attached_to.clone())),
        ])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let held = listed(self.attached_to.iter().map(String::as_str));
        let mut check = precondition(target, self.state, None);
        check.description = format!(
            "{} and its {} are {held}",
            check.description,
            self.unused.attached().replace('_', " ")
        );

        check
            .expect
            .push(Expectation::new(self.unused.attached(), held, |resource| {
                Some(attached(resource))
            }));
        let gone = vec![Expectation::state(ResourceState::Deleted)];
        let goal = TaskReach::by("the removal", RemoveOperation, gone.clone());
        let step = Task::delete(target, self.unused.step(target), goal).expecting(gone.clone());

        vec![check, step, verify(target, "is gone", gone)]
    }

    fn reversal(&self) -> Reversal {
        Reversal::Impossible(self.unused.lost())
    }

    fn undo(&self, _: &Resource, _: &Resource) -> Option<Task> {
        None
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        _: &PriceCatalogue,
    ) -> Result<(), ActError> {
        let Some(RemoveOperation) = operation.downcast_ref() else {
            return Err(foreign(operation));
        };

        if Unused::from_kind(twin.kind) != Some(self.unused) {
            return Err(refused(
                ActErrorKind::InvalidType,
                format_args!("it is a {}", twin.kind),
            ));
        }

        if self.unused == Unused::Address && twin.state != ResourceState::Unattached {
            return Err(refused(
                ActErrorKind::WrongState,
                "something has the address",
            ));
        }

        twin.state = ResourceState::Deleted;
        Ok(())
    }

    fn notes(&self, seen: &Resource) -> Vec<(&'static str, Option<String>)> {
        vec![(self.unused.attached(), Some(attached(seen)))]
    }

    fn effect_evidence(&self) -> EffectEvidence {
        EffectEvidence::State
    }

    fn may_take_capacity(&self) -> bool {
        false
    }

    fn ends_cost(&self) -> bool {
        true
    }

    fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        Arc::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::change::tests::resource;

    fn address(state: ResourceState, attached_to: &[&str]) -> Resource {
        resource(ResourceKind::IpAddress, state, attached_to)
    }

    #[test]
    fn an_address_that_was_taken_meanwhile_is_kept() {
        let free = address(ResourceState::Unattached, &[]);
        let change = RemoveUnused::from_resource(&free).unwrap();
        let tasks = change.tasks("eipalloc-1");
        assert_eq!(tasks[0].difference(&free), None);

        let taken = address(ResourceState::Available, &["i-1"]);
        assert_eq!(
            tasks[0].difference(&taken).unwrap(),
            "state is available, not unattached"
        );

        let refusal = change
            .simulate(
                &RemoveOperation,
                &mut taken.clone(),
                PriceCatalogue::builtin(),
            )
            .unwrap_err();
        assert_eq!(refusal.kind, ActErrorKind::WrongState);

        let mut twin = free;
        change
            .simulate(&RemoveOperation, &mut twin, PriceCatalogue::builtin())
            .unwrap();
        assert!(
            tasks[2].difference(&twin).is_none()
                && matches!(change.reversal(), Reversal::Impossible(_))
        );
    }

    #[test]
    fn a_target_that_was_registered_meanwhile_keeps_the_balancer() {
        let mut balancer = resource(ResourceKind::LoadBalancer, ResourceState::Available, &[]);
        let tasks = RemoveUnused::from_resource(&balancer)
            .unwrap()
            .tasks("arn:lb");
        balancer.attached_to = vec![ResourceId::new("i-1")];
        assert_eq!(
            tasks[0].difference(&balancer).unwrap(),
            "targets is i-1, not nothing"
        );

        let machine = resource(ResourceKind::VirtualMachine, ResourceState::Running, &[]);
        assert_eq!(RemoveUnused::from_resource(&machine), None);
    }
}
