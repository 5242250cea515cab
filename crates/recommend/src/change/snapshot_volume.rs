//! Snapshotting a volume: one that nothing is attached to, whose deletion is for a person, or one of
//! a machine under attack, as evidence.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{ActError, Operation, PriceCatalogue, Resource, ResourceState};

use crate::change::{
    Change, ChangePermission, ChangeType, EffectEvidence, Expectation, ParameterError, Parameters,
    Parse, Reversal, Task, aws, foreign, precondition, verify,
};

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "snapshot_volume",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Snapshot of a volume, which stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotVolume {
    /// State the finding saw.
    pub state: ResourceState,
}

/// Permissions that the steps and the way back need.
const PERMISSIONS: &[ChangePermission] = &[
    aws("ec2:CreateSnapshot"),
    aws("ec2:CreateTags"),
    aws("ec2:DescribeSnapshots"),
];

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    Ok(Arc::new(SnapshotVolume {
        state: parameters.state("state")?,
    }))
}

impl Change for SnapshotVolume {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        Json::object([("state", self.state.as_str())])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let is_same = vec![Expectation::state(self.state)];
        let words = match self.state {
            ResourceState::Unattached => "is still unattached",
            _ => "is as it was",
        };
        vec![
            precondition(target, self.state, None),
            Task::snapshot(
                target,
                format!("Snapshot volume {target}; it is not deleted"),
            ),
            verify(target, words, is_same),
        ]
    }

    fn changes_load(&self) -> bool {
        false
    }

    fn reversal(&self) -> Reversal {
        Reversal::NotNeeded
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
        Err(foreign(operation))
    }

    fn effect_evidence(&self) -> EffectEvidence {
        EffectEvidence::State
    }

    fn may_take_capacity(&self) -> bool {
        false
    }

    fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        Arc::new(self.clone())
    }
}
