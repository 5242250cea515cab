//! Deletion of a volume that nothing is attached to, after a complete snapshot of it. What the
//! snapshot holds can be had again on a new volume, which has another identifier: that is no way
//! back.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{
    ActError, ActErrorKind, Operation, PriceCatalogue, Resource, ResourceKind, ResourceState,
};

use crate::change::{
    Change, ChangePermission, ChangeType, EffectEvidence, Expectation, ParameterError, Parameters,
    Parse, RemoveOperation, Reversal, Task, TaskReach, aws, foreign, precondition, refused, verify,
};

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "delete_volume",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Permissions that the steps need.
const PERMISSIONS: &[ChangePermission] = &[
    aws("ec2:CreateSnapshot"),
    aws("ec2:CreateTags"),
    aws("ec2:DescribeSnapshots"),
    aws("ec2:DescribeVolumesModifications"),
    aws("ec2:DeleteVolume"),
];

/// Deletion of an unattached volume, whose data a snapshot keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeleteVolume {
    /// State the finding saw.
    pub state: ResourceState,
}

impl DeleteVolume {
    /// Reason why no cloud takes the deletion back, as a clause.
    pub const LOST: &'static str = "a deleted volume does not come back; a new volume made from the snapshot has its data and another identifier";
}

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    Ok(Arc::new(DeleteVolume {
        state: parameters.state("state")?,
    }))
}

impl Change for DeleteVolume {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        Json::object([("state", self.state.as_str())])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let gone = vec![Expectation::state(ResourceState::Deleted)];
        let goal = TaskReach::by("the deletion", RemoveOperation, gone.clone());
        let delete = format!("Delete volume {target}; the snapshot keeps its data");

        vec![
            precondition(target, self.state, None),
            Task::snapshot(
                target,
                format!("Snapshot volume {target} and wait until the snapshot is complete"),
            ),
            // A snapshot takes up to hours, in which somebody may attach the volume.
            precondition(target, self.state, None),
            Task::delete(target, delete, goal).expecting(gone.clone()),
            verify(target, "is gone", gone),
        ]
    }

    fn reversal(&self) -> Reversal {
        Reversal::Impossible(Self::LOST)
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

        if twin.kind != ResourceKind::Volume {
            return Err(refused(
                ActErrorKind::InvalidType,
                format_args!("it is a {}", twin.kind),
            ));
        }

        if twin.state != ResourceState::Unattached {
            return Err(refused(
                ActErrorKind::WrongState,
                "something has the volume",
            ));
        }

        twin.state = ResourceState::Deleted;
        Ok(())
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
