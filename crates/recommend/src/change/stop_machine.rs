//! Stopping an idle machine: nothing is deleted, and every disk is snapshotted first.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{ActError, Operation, PriceCatalogue, Resource, ResourceState};

use crate::change::restore::stop;
use crate::change::{
    Change, ChangePermission, ChangeType, EffectEvidence, Expectation, ParameterError, Parameters,
    Parse, Reversal, Task, aws, power, precondition, restore, verify,
};

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "stop_machine",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Stop of a machine that stays off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopMachine {
    /// State the finding saw.
    pub state: ResourceState,
    /// Size the finding saw.
    pub size: Option<String>,
    /// Identifiers of the volumes attached to it, each of which is snapshotted.
    pub volumes: Vec<String>,
}

/// Permissions that the steps and the way back need.
const PERMISSIONS: &[ChangePermission] = &[
    aws("ec2:CreateSnapshot"),
    aws("ec2:CreateTags"),
    aws("ec2:DescribeSnapshots"),
    aws("ec2:StopInstances"),
    aws("ec2:StartInstances"),
    aws("ec2:ModifyInstanceAttribute"),
];

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    let (state, size) = (parameters.state("state")?, parameters.text_or_null("size")?);
    Ok(Arc::new(StopMachine {
        state,
        size,
        volumes: parameters.texts("volumes")?,
    }))
}

impl Change for StopMachine {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        Json::object([
            ("state", Json::from(self.state.as_str())),
            ("size", Json::from(self.size.clone())),
            ("volumes", Json::from(self.volumes.clone())),
        ])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let kept = |volume: &String| {
            Task::snapshot(volume, format!("Snapshot volume {volume} of {target}"))
        };

        let mut tasks = vec![
            precondition(target, self.state, self.size.as_deref()),
            Task::snapshot(
                target,
                format!("Record the state of {target} before the change"),
            ),
        ];
        tasks.extend(self.volumes.iter().map(kept));

        tasks.push(stop(target, format!("Stop {target}; nothing is deleted")));
        tasks.push(verify(
            target,
            "is stopped",
            vec![Expectation::state(ResourceState::Stopped)],
        ));
        tasks
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

    fn effect_evidence(&self) -> EffectEvidence {
        EffectEvidence::State
    }

    fn may_take_capacity(&self) -> bool {
        false
    }

    fn ends_cost(&self) -> bool {
        true
    }

    fn retarget(&self, rename: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        let volumes = self
            .volumes
            .iter()
            .filter_map(|volume| rename(volume))
            .collect();
        Arc::new(StopMachine {
            volumes,
            ..self.clone()
        })
    }

    fn volumes_kept(&self) -> Option<&[String]> {
        Some(&self.volumes)
    }
}
