//! Another value of a parameter of a database server, in force at once.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{
    ActError, ActErrorKind, DatabaseState, Operation, PriceCatalogue, Resource, ResourceState,
};

use crate::change::database::{harm, simulated, statement_times};
use crate::change::{
    Change, ChangeType, EffectEvidence, EffectJudgement, Expectation, ParameterError, Parameters,
    Parse, Reversal, Task, TaskReach, foreign, precondition, refused, verify,
};

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "set_parameter",
    permissions: &[],
    parse: Parse::Typed(parse),
};

/// Operation that sets a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterOperation {
    pub name: String,
    /// Number, in bytes where the parameter is a size.
    pub value: u64,
}

impl Operation for ParameterOperation {}

/// Another value of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetParameter {
    /// State the finding saw.
    pub state: ResourceState,
    pub name: String,
    /// Value that the finding saw: a number, in bytes where the parameter is a size.
    pub from: u64,
    /// Wanted value, as `from`.
    pub to: u64,
    /// `true` if the server keeps the value after its next start.
    pub lasting: bool,
}

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    Ok(Arc::new(SetParameter {
        state: parameters.state("state")?,
        name: parameters.text("name")?,
        from: parameters.whole("from")?,
        to: parameters.whole("to")?,
        lasting: parameters.boolean("lasting")?,
    }))
}

impl SetParameter {
    fn expect(&self, wanted: u64) -> Expectation {
        let name = self.name.clone();
        Expectation::new("parameter", wanted, move |database| {
            value_of(database.specification.database.as_deref()?, &name)
        })
    }

    fn task(&self, target: &str, words: String, value: u64) -> Task {
        let operation = ParameterOperation {
            name: self.name.clone(),
            value,
        };
        let done = vec![self.expect(value)];
        let goal = TaskReach::by("the new value", operation, done.clone());
        Task::change(target, words, goal).expecting(done)
    }
}

fn value_of(state: &DatabaseState, name: &str) -> Option<u64> {
    state.parameters.get(name).copied()
}

impl Change for SetParameter {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        Json::object([
            ("state", Json::from(self.state.as_str())),
            ("name", Json::from(self.name.as_str())),
            ("from", Json::from(self.from)),
            ("to", Json::from(self.to)),
            ("lasting", Json::from(self.lasting)),
        ])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let SetParameter { name, from, to, .. } = self;
        let mut check = precondition(target, self.state, None);
        check.description = format!("{} and {name} is {from}", check.description);
        check.expect.push(self.expect(*from));
        let until = if self.lasting {
            ""
        } else {
            "; its option file decides after the next start"
        };
        vec![
            check,
            self.task(
                target,
                format!("Set {name} from {from} to {to}{until}"),
                *to,
            ),
            verify(
                target,
                &format!("has {name} at {to}"),
                vec![self.expect(*to)],
            ),
        ]
    }

    fn reads_configuration(&self) -> bool {
        true
    }

    fn changes_load(&self) -> bool {
        false
    }

    fn reversal(&self) -> Reversal {
        Reversal::Inverse
    }

    fn undo(&self, _: &Resource, seen: &Resource) -> Option<Task> {
        let value = value_of(seen.specification.database.as_deref()?, &self.name)?;
        let words = format!("Set {} back to {}", self.name, self.from);
        (value != self.from).then(|| self.task(seen.id.as_str(), words, self.from))
    }

    fn as_found(&self, twin: &mut Resource) {
        let parameters = &mut simulated(twin).parameters;
        let _ = parameters.insert(self.name.clone(), self.from);
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        _: &PriceCatalogue,
    ) -> Result<(), ActError> {
        let Some(ParameterOperation { name, value }) = operation.downcast_ref() else {
            return Err(foreign(operation));
        };
        match simulated(twin).parameters.get_mut(name) {
            Some(known) => *known = *value,
            None => {
                return Err(refused(
                    ActErrorKind::NotFound,
                    "there is no such parameter",
                ));
            }
        }
        Ok(())
    }

    fn notes(&self, seen: &Resource) -> Vec<(&'static str, Option<String>)> {
        let state = seen.specification.database.as_deref();
        let value = state.and_then(|state| value_of(state, &self.name));
        vec![("parameter", value.map(|value| value.to_string()))]
    }

    fn effect_evidence(&self) -> EffectEvidence {
        EffectEvidence::Observation
    }

    /// A parameter is of the whole server: every statement counts.
    fn judge_effect(&self, prior: &Resource, seen: &Resource) -> EffectJudgement {
        let times = statement_times(prior, seen, |_| true);
        harm(times, "no known statement was called since")
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
