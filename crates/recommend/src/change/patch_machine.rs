//! Missing patches of a machine: AWS Systems Manager installs what the patch baseline demands, by the
//! document of AWS for it, and its own patch state shows afterwards that nothing is missing.
//!
//! Nothing takes patches off again, so a rollout begins with a canary, and its gates watch the load
//! of each stage. The document is AWS's own, `AWS-RunPatchBaseline`: the policy that Reeve is given
//! reaches no other of that kind.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{ActError, Operation, PriceCatalogue, Resource, ResourceState};

use crate::change::task::Call;
use crate::change::{
    Change, ChangePermission, ChangeType, Expectation, ParameterError, Parameters, Parse, Reversal,
    Task, aws, aws_on, foreign, precondition, verify,
};

/// Document of AWS that installs patches.
pub const PATCH_DOCUMENT: &str = "AWS-RunPatchBaseline";

/// Longest time that a restart for patches takes, seconds.
const RESTART_LIMIT_S: i64 = 900;

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "patch_machine",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Installation of missing patches on a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchMachine {
    /// State the finding saw.
    pub state: ResourceState,
    /// `true` if the machine restarts where a patch demands it; without a restart such patches wait
    /// for the next one.
    pub reboot: bool,
    /// Occasion of the run, such as the patches that are missing. Patches are installed once on a
    /// machine for an occasion.
    pub occasion: String,
}

/// Operation by which patches are installed. Pending while they are, accepted once the patch state
/// of the machine shows that none is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchOperation {
    pub reboot: bool,
    /// Occasion of the run.
    pub occasion: String,
}

impl Operation for PatchOperation {}

/// Permissions that the steps need.
const PERMISSIONS: &[ChangePermission] = &[
    aws("ssm:ListCommands"),
    aws("ssm:DescribeInstancePatchStates"),
    aws_on(
        "ssm:SendCommand",
        &[
            "arn:aws:ssm:*::document/AWS-RunPatchBaseline",
            "arn:aws:ec2:*:*:instance/*",
        ],
    ),
];

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    Ok(Arc::new(PatchMachine {
        state: parameters.state("state")?,
        reboot: parameters.boolean("reboot")?,
        occasion: parameters.text("occasion")?,
    }))
}

impl Change for PatchMachine {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        Json::object([
            ("state", Json::from(self.state.as_str())),
            ("reboot", Json::from(self.reboot)),
            ("occasion", Json::from(self.occasion.as_str())),
        ])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let state = self.state;
        let operation = PatchOperation {
            reboot: self.reboot,
            occasion: self.occasion.clone(),
        };
        let restart = match self.reboot {
            true => "and restart it if a patch demands it",
            false => "without a restart: patches that demand one wait for the next",
        };
        vec![
            precondition(target, state, None),
            Task::change(
                target,
                format!("Install the missing patches on {target}, {restart}"),
                Call::of("the installation", operation),
            ),
            verify(
                target,
                &format!("is {state} again"),
                vec![Expectation::state(state)],
            ),
        ]
    }

    fn changes_load(&self) -> bool {
        false
    }

    fn reversal(&self) -> Reversal {
        Reversal::Impossible("patches are not taken off a machine again")
    }

    fn undo(&self, _: &Resource, _: &Resource) -> Option<Task> {
        None
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        _: &mut Resource,
        _: &PriceCatalogue,
    ) -> Result<(), ActError> {
        match operation.downcast_ref::<PatchOperation>() {
            Some(_) => Ok(()),
            None => Err(foreign(operation)),
        }
    }

    fn restarts(&self) -> bool {
        self.reboot
    }

    fn may_take_capacity(&self) -> bool {
        false
    }

    /// Licences and storage stay as they are.
    fn ends_cost(&self) -> bool {
        true
    }

    fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        Arc::new(self.clone())
    }

    /// Installations take longer than a restart.
    fn least_limit_s(&self) -> i64 {
        3600
    }

    /// The machine serves while patches are installed and is down for the restart alone, which takes
    /// a large one up to a quarter of an hour. There is no way back to add.
    fn interruption_limit_s(&self, _: i64) -> i64 {
        RESTART_LIMIT_S
    }
}
