//! Cutting a machine off: its security groups give way to one that lets nothing through. Undoing
//! gives it the same groups back.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{
    ActError, ActErrorKind, Mutation, Operation, PriceCatalogue, QUARANTINE, Resource,
};

use crate::change::{
    Change, ChangePermission, ChangeType, EffectEvidence, Expectation, Goal as _, ParameterError,
    Parameters, Parse, Reversal, Task, TaskReach, aws, aws_own, foreign, refused, verify,
};
use crate::plan::StepKind;

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "isolate",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Isolation of a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Isolate {
    /// Identifiers of the security groups it has, in order.
    pub security_groups: Vec<String>,
}

/// Permissions that the steps and the way back need.
const PERMISSIONS: &[ChangePermission] = &[
    aws("ec2:ModifyInstanceAttribute"),
    aws("ec2:DescribeSecurityGroups"),
    aws("ec2:CreateSecurityGroup"),
    aws_own("ec2:RevokeSecurityGroupEgress"),
    aws("ec2:CreateTags"),
];

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    Ok(Arc::new(Isolate {
        security_groups: parameters.texts("security_groups")?,
    }))
}

fn isolated(wanted: bool) -> Expectation {
    Expectation::new("isolated", wanted, |machine| {
        Some(machine.specification.isolated)
    })
}

fn groups(wanted: &[String]) -> Expectation {
    Expectation::new("security_groups", wanted.join(","), found)
}

fn found(machine: &Resource) -> Option<String> {
    Some(machine.specification.security_groups.join(",")).filter(|groups| !groups.is_empty())
}

impl Change for Isolate {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        Json::object([("security_groups", Json::from(self.security_groups.clone()))])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let own = self.security_groups.join(", ");
        let check = format!("Check that {target} still has the security groups {own}");
        let words = format!(
            "Give {target} the security group {QUARANTINE} alone, which lets nothing in and nothing out"
        );
        let goal = TaskReach::by("the isolation", Mutation::Isolate, vec![isolated(true)]);

        vec![
            Task::precondition(
                target,
                check,
                vec![groups(&self.security_groups), isolated(false)],
            ),
            Task::of_kind(StepKind::Isolate, target, words, goal).expecting(vec![isolated(true)]),
            verify(target, "is cut off", vec![isolated(true)]),
        ]
    }

    fn reversal(&self) -> Reversal {
        Reversal::Inverse
    }

    /// Gives the groups back and no more: running or stopped is the decision of the person who
    /// looked into the machine.
    fn undo(&self, prior: &Resource, seen: &Resource) -> Option<Task> {
        let before = prior.specification.security_groups.clone();
        let expect = vec![groups(&before), isolated(prior.specification.isolated)];
        let name = "the return of its security groups";
        let goal = TaskReach::by(name, Mutation::SetGroups { groups: before }, expect.clone());
        if goal.is_reached(seen) {
            return None;
        }

        let words = format!("Give {} its security groups back", seen.id);
        Some(Task::of_kind(StepKind::Isolate, seen.id.as_str(), words, goal).expecting(expect))
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        _: &PriceCatalogue,
    ) -> Result<(), ActError> {
        let spec = &mut twin.specification;
        match operation.downcast_ref() {
            Some(Mutation::Isolate) if spec.security_groups.is_empty() => {
                return Err(refused(
                    ActErrorKind::InvalidType,
                    "it has no security groups",
                ));
            }
            Some(Mutation::Isolate) => {
                (spec.security_groups, spec.isolated) = (vec![QUARANTINE.to_owned()], true)
            }
            Some(Mutation::SetGroups { groups }) if groups.is_empty() => {
                return Err(refused(ActErrorKind::InvalidType, "it must have a group"));
            }
            Some(Mutation::SetGroups { groups }) => {
                (spec.security_groups, spec.isolated) = (groups.clone(), false)
            }
            _ => return Err(foreign(operation)),
        }

        Ok(())
    }

    fn notes(&self, seen: &Resource) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("security_groups", found(seen)),
            ("isolated", Some(seen.specification.isolated.to_string())),
        ]
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

    fn only_people_undo(&self) -> bool {
        true
    }
}
