//! Deletion of a snapshot that newer ones supersede or whose volume is gone. The newer snapshots
//! that stay are part of the plan, and must still be there right before the deletion.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{
    ActError, ActErrorKind, Operation, PriceCatalogue, Resource, ResourceKind, ResourceState,
};

use crate::change::{
    Change, ChangePermission, ChangeType, EffectEvidence, Expectation, ParameterError, Parameters,
    Parse, Reversal, Task, TaskReach, aws, foreign, precondition, refused, verify,
};

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "delete_snapshot",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Permissions that the steps need.
const PERMISSIONS: &[ChangePermission] = &[
    aws("ec2:DeleteSnapshot"),
    aws("ec2:DescribeSnapshots"),
    aws("ec2:DescribeImages"),
];

/// Operation that deletes a snapshot. A cloud refuses it while an image uses the snapshot; a
/// connector refuses it as well once one of the snapshots that stay is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeleteSnapshotOperation {
    /// Identifiers of newer snapshots that must be there.
    pub kept: Vec<String>,
}

impl Operation for DeleteSnapshotOperation {}

/// Deletion of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeleteSnapshot {
    /// State the finding saw.
    pub state: ResourceState,
    /// Identifier of the volume that it is a snapshot of.
    pub volume: String,
    /// Identifiers of newer snapshots of the volume, which stay.
    pub kept: Vec<String>,
}

impl DeleteSnapshot {
    /// Reason why no cloud takes the deletion back, as a clause.
    pub const LOST: &'static str = "a deleted snapshot does not come back, and the volume cannot be restored to its time any more";
}

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    Ok(Arc::new(DeleteSnapshot {
        state: parameters.state("state")?,
        volume: parameters.text("volume")?,
        kept: parameters.texts("kept")?,
    }))
}

impl Change for DeleteSnapshot {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        Json::object([
            ("state", Json::from(self.state.as_str())),
            ("volume", Json::from(self.volume.as_str())),
            ("kept", Json::from(self.kept.clone())),
        ])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let gone = vec![Expectation::state(ResourceState::Deleted)];
        let operation = DeleteSnapshotOperation {
            kept: self.kept.clone(),
        };
        let goal = TaskReach::by("the deletion", operation, gone.clone());
        let stays = if self.kept.is_empty() {
            "no snapshot of it stays".to_owned()
        } else {
            format!("{} stay", self.kept.join(", "))
        };

        let words = format!(
            "Delete snapshot {target} of volume {}; {stays}",
            self.volume
        );
        vec![
            precondition(target, self.state, None),
            Task::delete(target, words, goal).expecting(gone.clone()),
            verify(target, "is gone", gone),
        ]
    }

    fn changes_load(&self) -> bool {
        false
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
        let Some(DeleteSnapshotOperation { .. }) = operation.downcast_ref() else {
            return Err(foreign(operation));
        };

        if twin.kind != ResourceKind::Snapshot {
            return Err(refused(
                ActErrorKind::InvalidType,
                format_args!("it is a {}", twin.kind),
            ));
        }

        twin.state = ResourceState::Deleted;
        Ok(())
    }

    fn notes(&self, _: &Resource) -> Vec<(&'static str, Option<String>)> {
        vec![("volume", Some(self.volume.clone()))]
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
