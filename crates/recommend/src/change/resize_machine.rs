//! Another size for a machine: recorded, stopped, changed, started, verified.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{ActError, Operation, PriceCatalogue, Resource, ResourceState};

use crate::change::restore::{modify, start, stop};
use crate::change::{
    Change, ChangePermission, ChangeType, Expectation, ParameterError, Parameters, Parse, Reversal,
    Task, aws, power, precondition, restore, verify,
};

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "resize_machine",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Change of a machine's size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResizeMachine {
    /// State the finding saw.
    pub state: ResourceState,
    pub from: String,
    pub to: String,
}

/// Permissions that the steps and the way back need.
const PERMISSIONS: &[ChangePermission] = &[
    aws("ec2:StopInstances"),
    aws("ec2:ModifyInstanceAttribute"),
    aws("ec2:StartInstances"),
];

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    let (state, from, to) = (
        parameters.state("state")?,
        parameters.text("from")?,
        parameters.text("to")?,
    );
    Ok(Arc::new(ResizeMachine { state, from, to }))
}

impl Change for ResizeMachine {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        Json::object([
            ("state", self.state.as_str()),
            ("from", self.from.as_str()),
            ("to", self.to.as_str()),
        ])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let (from, to, running) = (&self.from, &self.to, ResourceState::Running);
        let done = vec![Expectation::size(to), Expectation::state(running)];
        vec![
            precondition(target, self.state, Some(from)),
            Task::snapshot(
                target,
                format!("Record the state of {target} before the change"),
            ),
            stop(target, format!("Stop {target}")),
            modify(
                target,
                format!("Change {target} from {from} to {to}"),
                to,
                None,
            ),
            start(target, format!("Start {target}")),
            verify(target, &format!("is {to} and {running}"), done),
        ]
    }

    fn reversal(&self) -> Reversal {
        Reversal::Inverse
    }

    fn undo(&self, prior: &Resource, seen: &Resource) -> Option<Task> {
        restore::restore(prior, seen)
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        catalogue: &PriceCatalogue,
    ) -> Result<(), ActError> {
        power(operation, twin, catalogue)
    }

    fn restarts(&self) -> bool {
        true
    }

    fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        Arc::new(self.clone())
    }
}
