//! Another class for a database. The service changes it on the running database, with a restart of
//! its own, so there is no stop; a snapshot is taken first.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{ActError, Operation, PriceCatalogue, Resource, ResourceState};

use crate::change::restore::modify;
use crate::change::{
    Change, ChangePermission, ChangeType, Expectation, ParameterError, Parameters, Parse, Reversal,
    SLOW_ROLLBACK_LIMIT_S, Task, aws, power, precondition, restore, verify,
};

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "resize_database",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Change of a database's class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResizeDatabase {
    /// State the finding saw, and the state it settles in.
    pub state: ResourceState,
    pub from: String,
    pub to: String,
}

/// Permissions that the steps and the way back need.
const PERMISSIONS: &[ChangePermission] = &[
    aws("rds:CreateDBSnapshot"),
    aws("rds:AddTagsToResource"),
    aws("rds:DescribeDBSnapshots"),
    aws("rds:DescribeOrderableDBInstanceOptions"),
    aws("rds:ModifyDBInstance"),
];

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    let (state, from, to) = (
        parameters.state("state")?,
        parameters.text("from")?,
        parameters.text("to")?,
    );
    Ok(Arc::new(ResizeDatabase { state, from, to }))
}

impl Change for ResizeDatabase {
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
        let (from, to, state) = (&self.from, &self.to, self.state);
        vec![
            precondition(target, state, Some(from)),
            Task::snapshot(target, format!("Snapshot database {target}")),
            modify(
                target,
                format!("Change {target} from {from} to {to}"),
                to,
                Some(state),
            ),
            verify(
                target,
                &format!("is {to} and {state}"),
                vec![Expectation::size(to), Expectation::state(state)],
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

    fn restarts(&self) -> bool {
        true
    }

    fn rollback_limit_s(&self) -> i64 {
        SLOW_ROLLBACK_LIMIT_S
    }

    fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        Arc::new(self.clone())
    }
}
