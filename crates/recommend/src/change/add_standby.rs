//! A standby of a database in another zone. The database serves meanwhile, and while the standby is
//! removed again.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{
    ActError, ActErrorKind, Operation, PriceCatalogue, Resource, ResourceKind, ResourceState,
};

use crate::change::{
    Change, ChangePermission, ChangeType, Expectation, ParameterError, Parameters, Parse, Reversal,
    SLOW_ROLLBACK_LIMIT_S, Task, TaskReach, aws, foreign, precondition, refused, verify,
};

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "add_standby",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Permissions that the steps and the way back need.
const PERMISSIONS: &[ChangePermission] = &[aws("rds:ModifyDBInstance")];

/// Operation that adds or removes the standby of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StandbyOperation {
    /// `true` adds a standby, `false` takes it away.
    pub standby: bool,
}

impl Operation for StandbyOperation {}

/// Standby of a database that has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddStandby {
    /// State the finding saw, and the state it settles in.
    pub state: ResourceState,
}

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    Ok(Arc::new(AddStandby {
        state: parameters.state("state")?,
    }))
}

fn standby(wanted: bool) -> Expectation {
    Expectation::new("standby", wanted, |database| {
        database.specification.multi_az
    })
}

fn step(target: &str, wanted: bool, state: ResourceState) -> Task {
    let words = match wanted {
        true => format!("Add a standby of {target} in another zone"),
        false => format!("Remove the standby of {target}"),
    };
    let done = vec![standby(wanted), Expectation::state(state)];
    let goal = TaskReach::by(
        "the standby",
        StandbyOperation { standby: wanted },
        done.clone(),
    );

    Task::change(target, words, goal).expecting(done)
}

impl Change for AddStandby {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        Json::object([("state", Json::from(self.state.as_str()))])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let mut check = precondition(target, self.state, None);
        check.expect.push(standby(false));
        let done = vec![standby(true), Expectation::state(self.state)];
        vec![
            check,
            step(target, true, self.state),
            verify(target, "has a standby", done),
        ]
    }

    fn reversal(&self) -> Reversal {
        Reversal::Inverse
    }

    fn undo(&self, prior: &Resource, seen: &Resource) -> Option<Task> {
        let before = prior.specification.multi_az.unwrap_or(false);
        (seen.specification.multi_az != Some(before))
            .then(|| step(seen.id.as_str(), before, self.state))
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        _: &PriceCatalogue,
    ) -> Result<(), ActError> {
        let Some(StandbyOperation { standby }) = operation.downcast_ref() else {
            return Err(foreign(operation));
        };

        if twin.kind != ResourceKind::Database {
            return Err(refused(ActErrorKind::InvalidType, "it is no database"));
        }

        twin.specification.multi_az = Some(*standby);
        Ok(())
    }

    fn notes(&self, seen: &Resource) -> Vec<(&'static str, Option<String>)> {
        vec![(
            "standby",
            seen.specification
                .multi_az
                .map(|standby| standby.to_string()),
        )]
    }

    fn rollback_limit_s(&self) -> i64 {
        SLOW_ROLLBACK_LIMIT_S
    }

    fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        Arc::new(self.clone())
    }
}
