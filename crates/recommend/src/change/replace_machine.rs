//! A successor of a machine on other capacity: on demand for a spot machine that is taken back, and
//! on spot capacity again later. Launch before detach: the machine serves until its successor does.
//!
//! A machine that is taken back ends by itself, so that nothing of it is changed. On the way back
//! to spot capacity the machine leaves its target groups and is stopped, not ended, so that undoing
//! starts it again.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{
    ActError, ActErrorKind, Operation, PriceCatalogue, Purchase, Resource, ResourceState, Successor,
};

use crate::change::{
    Change, ChangePermission, ChangeType, EffectEvidence, Expectation, ParameterError, Parameters,
    Parse, Reversal, Task, TaskReach, aws, aws_own, foreign, refused, verify,
};

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "replace_machine",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Permissions that the steps and the way back need. A machine with an instance profile needs
/// `iam:PassRole` for its role too.
const PERMISSIONS: &[ChangePermission] = &[
    aws("ec2:DescribeInstances"),
    aws("ec2:DescribeInstanceAttribute"),
    aws("ec2:RunInstances"),
    aws("ec2:CreateTags"),
    aws("ec2:StartInstances"),
    aws("ec2:StopInstances"),
    aws_own("ec2:TerminateInstances"),
    aws("elasticloadbalancing:DescribeTargetGroups"),
    aws("elasticloadbalancing:DescribeTargetHealth"),
    aws("elasticloadbalancing:RegisterTargets"),
    aws("elasticloadbalancing:DeregisterTargets"),
];

/// Operation on a machine and its successor. Each may be requested again until it is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplaceOperation {
    /// Launches the successor with the configuration of the machine.
    Launch { purchase: Purchase },
    /// Registers the successor in the target groups of the machine.
    Attach,
    /// Takes the machine out of its target groups and stops it.
    Retire,
    /// Starts the machine and registers it in the target groups of its successor.
    GiveBack,
    /// Takes the successor out of its target groups and ends it. Refused while the machine does not
    /// run.
    Remove,
}

impl Operation for ReplaceOperation {}

/// Replacement of a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplaceMachine {
    /// Instance type that the finding saw, which the successor has too.
    pub size: String,
    /// Capacity that the finding saw.
    pub from: Purchase,
    /// Capacity of the successor.
    pub to: Purchase,
}

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    let mut purchase = |name: &'static str| {
        let text = parameters.text(name)?;
        Purchase::parse(&text).ok_or(ParameterError::Wrong {
            name: name.to_owned(),
            expected: "a purchase option: on_demand or spot",
        })
    };
    let (from, to) = (purchase("from")?, purchase("to")?);
    Ok(Arc::new(ReplaceMachine {
        size: parameters.text("size")?,
        from,
        to,
    }))
}

fn successor(machine: &Resource) -> Option<&Successor> {
    machine.specification.successor.as_ref()
}

/// Expects a state of the successor in words.
fn of_successor(wanted: &'static str, read: fn(&Successor) -> &'static str) -> Expectation {
    Expectation::new("successor", wanted, move |machine: &Resource| {
        Some(successor(machine).map_or("none", read))
    })
}

fn running() -> Expectation {
    of_successor("running", |one| match one.running {
        true => "running",
        false => "starting",
    })
}

fn serving() -> Expectation {
    of_successor("in service", |one| match (one.running, one.attached) {
        (true, true) => "in service",
        (true, false) => "running",
        _ => "starting",
    })
}

fn none() -> Expectation {
    of_successor("none", |_| "present")
}

fn state(wanted: ResourceState) -> Expectation {
    Expectation::new("state", wanted, |machine| Some(machine.state))
}

fn step(
    target: &str,
    words: String,
    name: &'static str,
    operation: ReplaceOperation,
    expected: Vec<Expectation>,
) -> Task {
    let goal = TaskReach::by(name, operation, expected.clone());
    Task::change(target, words, goal).expecting(expected)
}

impl ReplaceMachine {
    /// Returns `true` for the way back to spot capacity, on which the machine is stopped.
    fn retires(&self) -> bool {
        self.to == Purchase::Spot
    }
}

impl Change for ReplaceMachine {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        Json::object([
            ("size", Json::from(self.size.clone())),
            ("from", Json::from(self.from.as_str())),
            ("to", Json::from(self.to.as_str())),
        ])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let capacity = match self.to {
            Purchase::Spot => "on spot capacity",
            _ => "on demand",
        };
        let seen = vec![
            Expectation::new("purchase", self.from, |machine| machine.purchase),
            Expectation::new("instance_type", self.size.clone(), |machine| {
                machine.specification.instance_type.clone()
            }),
            none(),
        ];
        let launch = ReplaceOperation::Launch { purchase: self.to };
        let mut tasks = vec![
            Task::precondition(
                target,
                format!("Check that {target} is {} without a successor", self.size),
                seen,
            ),
            step(
                target,
                format!("Launch a successor of {target} {capacity}, with its configuration"),
                "the successor",
                launch,
                vec![running()],
            ),
            step(
                target,
                format!("Register the successor in the target groups of {target}"),
                "the successor in service",
                ReplaceOperation::Attach,
                vec![serving()],
            ),
        ];

        let mut last = vec![serving()];
        if self.retires() {
            let stopped = state(ResourceState::Stopped);
            last.push(state(ResourceState::Stopped));
            tasks.push(step(
                target,
                format!("Take {target} out of its target groups and stop it"),
                "the stop",
                ReplaceOperation::Retire,
                vec![stopped],
            ));
        }
        tasks.push(verify(target, "has a successor in service", last));
        tasks
    }

    fn reversal(&self) -> Reversal {
        Reversal::Inverse
    }

    /// Brings the machine back first, then ends the successor.
    fn undo(&self, prior: &Resource, seen: &Resource) -> Option<Task> {
        let target = seen.id.as_str();
        let found = successor(seen)?;
        let serves = state(ResourceState::Running);
        let attached = Expectation::new("in_target_groups", true, |machine: &Resource| {
            successor(machine).map(|one| one.machine_attached)
        });
        let is_back = seen.state == ResourceState::Running && found.machine_attached;
        if self.retires() && !is_back && prior.state == ResourceState::Running {
            return Some(step(
                target,
                format!("Start {target} and register it in its target groups again"),
                "the return of the machine",
                ReplaceOperation::GiveBack,
                vec![serves, attached],
            ));
        }
        Some(step(
            target,
            format!("End the successor {} of {target}", found.id),
            "the end of the successor",
            ReplaceOperation::Remove,
            vec![none()],
        ))
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        _: &PriceCatalogue,
    ) -> Result<(), ActError> {
        let Some(operation) = operation.downcast_ref::<ReplaceOperation>() else {
            return Err(foreign(operation));
        };
        operation.apply(twin)
    }

    fn notes(&self, seen: &Resource) -> Vec<(&'static str, Option<String>)> {
        vec![("successor", successor(seen).map(|one| one.id.clone()))]
    }

    fn effect_evidence(&self) -> EffectEvidence {
        EffectEvidence::State
    }

    fn may_take_capacity(&self) -> bool {
        false
    }

    fn changes_load(&self) -> bool {
        false
    }

    fn replaces_lost_capacity(&self) -> bool {
        self.from == Purchase::Spot
    }

    fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        Arc::new(self.clone())
    }
}

impl ReplaceOperation {
    /// Gives a machine of a simulated cloud what it has after the operation.
    ///
    /// # Errors
    /// The refusal that the cloud would answer.
    pub fn apply(&self, machine: &mut Resource) -> Result<(), ActError> {
        let id = format!("{}-successor", machine.id);
        let found = &mut machine.specification.successor;
        match (self, found.as_mut()) {
            (ReplaceOperation::Launch { .. }, None) => {
                *found = Some(Successor {
                    id,
                    running: true,
                    attached: false,
                    machine_attached: true,
                });
            }
            (ReplaceOperation::Launch { .. }, Some(_)) => {}
            (_, None) => {
                return Err(refused(ActErrorKind::NotFound, "it has no successor"));
            }
            (ReplaceOperation::Attach, Some(one)) => one.attached = true,
            (ReplaceOperation::Retire, Some(one)) => {
                one.machine_attached = false;
                machine.state = ResourceState::Stopped;
            }
            (ReplaceOperation::GiveBack, Some(one)) => {
                one.machine_attached = true;
                machine.state = ResourceState::Running;
            }
            (ReplaceOperation::Remove, Some(_)) if machine.state != ResourceState::Running => {
                let said = "the machine does not run: ending its successor would leave nothing";
                return Err(refused(ActErrorKind::Other, said));
            }
            (ReplaceOperation::Remove, Some(_)) => *found = None,
        }
        Ok(())
    }
}
