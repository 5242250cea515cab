//! Stopping an idle database: nothing is deleted, and it is snapshotted first.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{ActError, Operation, PriceCatalogue, Resource, ResourceState};

use crate::change::restore::stop;
use crate::change::{
    Change, ChangePermission, ChangeType, EffectEvidence, Expectation, ParameterError, Parameters,
    Parse, Reversal, SLOW_ROLLBACK_LIMIT_S, Task, aws, power, precondition, restore, verify,
};

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "stop_database",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Stop of a database that stays off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopDatabase {
    /// State the finding saw.
    pub state: ResourceState,
    /// Class the finding saw.
    pub size: Option<String>,
}

/// Permissions that the steps and the way back need.
const PERMISSIONS: &[ChangePermission] = &[
    aws("rds:CreateDBSnapshot"),
    aws("rds:AddTagsToResource"),
    aws("rds:DescribeDBSnapshots"),
    aws("rds:StopDBInstance"),
    aws("rds:StartDBInstance"),
    aws("rds:ModifyDBInstance"),
];

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    let (state, size) = (parameters.state("state")?, parameters.text_or_null("size")?);
    Ok(Arc::new(StopDatabase { state, size }))
}

impl Change for StopDatabase {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        Json::object([
            ("state", Json::from(self.state.as_str())),
            ("size", Json::from(self.size.clone())),
        ])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        vec![
            precondition(target, self.state, self.size.as_deref()),
            Task::snapshot(target, format!("Snapshot database {target}")),
            stop(target, format!("Stop {target}; nothing is deleted")),
            verify(
                target,
                "is stopped",
                vec![Expectation::state(ResourceState::Stopped)],
            ),
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

    fn effect_evidence(&self) -> EffectEvidence {
        EffectEvidence::State
    }

    fn may_take_capacity(&self) -> bool {
        false
    }

    fn ends_cost(&self) -> bool {
        true
    }

    fn rollback_limit_s(&self) -> i64 {
        SLOW_ROLLBACK_LIMIT_S
    }

    fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        Arc::new(self.clone())
    }
}
