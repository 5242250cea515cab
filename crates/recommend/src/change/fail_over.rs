//! Failover: the standby of a database takes over now. Connections break for a minute or two.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{
    ActError, ActErrorKind, Mutation, Operation, PriceCatalogue, Resource, ResourceState,
};

use crate::change::task::settled;
use crate::change::{
    Change, ChangePermission, ChangeType, Expectation, Goal as _, ParameterError, Parameters,
    Parse, Reversal, SLOW_ROLLBACK_LIMIT_S, Task, TaskReach, aws, foreign, precondition, refused,
    restore, verify,
};
use crate::plan::StepKind;

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "fail_over",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Failover of a database to the zone of its standby.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailOver {
    /// State the finding saw, and the state it settles in.
    pub state: ResourceState,
    /// Zone of the primary before.
    pub from: String,
    /// Zone of the standby, and of the primary after.
    pub to: String,
}

/// Permissions that the steps and the way back need.
const PERMISSIONS: &[ChangePermission] = &[aws("rds:RebootDBInstance")];

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    let (state, from, to) = (
        parameters.state("state")?,
        parameters.text("from")?,
        parameters.text("to")?,
    );
    Ok(Arc::new(FailOver { state, from, to }))
}

fn zone(name: &str) -> Expectation {
    Expectation::new("zone", name.to_owned(), |database| {
        database.specification.zone.clone()
    })
}

fn to_zone(name: &str, state: ResourceState) -> TaskReach {
    TaskReach::by(
        "the failover",
        Mutation::FailOver,
        settled(state, vec![zone(name)]),
    )
}

impl Change for FailOver {
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
        let (to, state) = (&self.to, self.state);
        let mut check = precondition(target, state, None);
        check.expect.push(zone(&self.from));
        let words = format!("Let the standby of {target} in {to} take over");

        vec![
            check,
            Task::of_kind(StepKind::FailOver, target, words, to_zone(to, state))
                .expecting(vec![zone(to)]),
            verify(
                target,
                &format!("serves from {to}"),
                settled(state, vec![zone(to)]),
            ),
        ]
    }

    fn changes_load(&self) -> bool {
        false
    }

    fn reversal(&self) -> Reversal {
        Reversal::Inverse
    }

    fn undo(&self, prior: &Resource, seen: &Resource) -> Option<Task> {
        let before = prior.specification.zone.as_deref().unwrap_or(&self.from);
        let goal = to_zone(before, prior.state);
        if goal.is_reached(seen) {
            return restore(prior, seen);
        }
        let (id, words) = (seen.id.as_str(), format!("Let {} fail back", seen.id));
        Some(Task::of_kind(StepKind::FailOver, id, words, goal).expecting(vec![zone(before)]))
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        _: &PriceCatalogue,
    ) -> Result<(), ActError> {
        let Some(Mutation::FailOver) = operation.downcast_ref() else {
            return Err(foreign(operation));
        };

        let spec = &mut twin.specification;
        if spec.standby_zone.is_none() {
            return Err(refused(ActErrorKind::InvalidType, "it has no standby"));
        }

        std::mem::swap(&mut spec.zone, &mut spec.standby_zone);
        Ok(())
    }

    fn restarts(&self) -> bool {
        true
    }

    fn notes(&self, seen: &Resource) -> Vec<(&'static str, Option<String>)> {
        vec![("zone", seen.specification.zone.clone())]
    }

    fn rollback_limit_s(&self) -> i64 {
        SLOW_ROLLBACK_LIMIT_S
    }

    /// RDS completes a failover within one to two minutes; a switch and the switch back are counted
    /// with five minutes each. The rest of the limit the database serves, while RDS still calls it
    /// modifying.
    fn interruption_limit_s(&self, _: i64) -> i64 {
        600
    }

    fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        Arc::new(self.clone())
    }
}
