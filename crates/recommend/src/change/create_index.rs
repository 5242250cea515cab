//! A new index of a database, built while the table serves reads and writes.
//!
//! Its use is measured afterwards: where no statement uses it, or the statements that it was made for
//! became no faster, it is dropped again.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{
    ActError, ActErrorKind, DatabaseIndexState, Operation, PriceCatalogue, Resource, ResourceState,
};

use crate::change::database::{DropIndexOperation, IndexPlace, simulated, statement_times};
use crate::change::{
    Change, ChangeType, EffectEvidence, EffectJudgement, Expectation, ParameterError, Parameters,
    Parse, Reversal, Task, TaskReach, foreign, precondition, refused, verify,
};

/// Row of the registry. Rights in a database are grants of its own, not permissions of a cloud.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "create_index",
    permissions: &[],
    parse: Parse::Typed(parse),
};

/// Longest time of a build, seconds.
const LONGEST_BUILD_S: i64 = 4 * 3_600;
/// Share of their time that the statements must save for the index to stay.
const LEAST_SAVING: f64 = 0.05;

/// Operation that builds an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildIndexOperation {
    pub index: IndexPlace,
    /// Columns of the key, the first one first.
    pub columns: Vec<String>,
}

impl Operation for BuildIndexOperation {}

/// Creation of an index that the database lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateIndex {
    /// State the finding saw.
    pub state: ResourceState,
    pub index: IndexPlace,
    /// Columns of the key, the first one first.
    pub columns: Vec<String>,
}

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    Ok(Arc::new(CreateIndex {
        state: parameters.state("state")?,
        index: IndexPlace::parse(parameters)?,
        columns: parameters.texts("columns")?,
    }))
}

impl CreateIndex {
    fn expect(&self, wanted: &'static str) -> Expectation {
        let index = self.index.clone();
        Expectation::new("index", wanted, move |database| {
            index.read(database).map(|index| match index {
                None => "absent",
                Some(index) if index.is_valid => "valid",
                Some(_) => "invalid",
            })
        })
    }
}

impl Change for CreateIndex {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        let [schema, table, name] = self.index.parameters();
        Json::object([
            ("state", Json::from(self.state.as_str())),
            schema,
            table,
            name,
            ("columns", Json::from(self.columns.clone())),
        ])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let IndexPlace {
            schema,
            table,
            name,
        } = &self.index;
        let mut check = precondition(target, self.state, None);
        check.description = format!("{} and has no index {name}", check.description);
        check.expect.push(self.expect("absent"));

        let operation = BuildIndexOperation {
            index: self.index.clone(),
            columns: self.columns.clone(),
        };
        let done = vec![self.expect("valid")];
        let goal = TaskReach::by("the build", operation, done.clone());
        let words = format!(
            "Create index {name} on {schema}.{table} ({}) while the table is read and written",
            self.columns.join(", ")
        );
        vec![
            check,
            Task::change(target, words, goal).expecting(done.clone()),
            verify(target, &format!("has the valid index {name}"), done),
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
        let _ = self.index.read(seen)??;
        let operation = DropIndexOperation {
            index: self.index.clone(),
        };
        let gone = vec![self.expect("absent")];
        let goal = TaskReach::by("the removal", operation, gone.clone());
        let words = format!("Drop index {}", self.index.key());
        Some(Task::change(seen.id.as_str(), words, goal).expecting(gone))
    }

    fn as_found(&self, twin: &mut Resource) {
        simulated(twin);
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        _: &PriceCatalogue,
    ) -> Result<(), ActError> {
        let indexes = &mut simulated(twin).indexes;
        if let Some(build) = operation.downcast_ref::<BuildIndexOperation>() {
            let state = DatabaseIndexState {
                definition: format!("({})", build.columns.join(", ")),
                is_valid: true,
                scans: Some(0),
            };
            let former = indexes.insert(build.index.key(), state);
            return match former {
                None => Ok(()),
                Some(_) => Err(refused(ActErrorKind::Other, "the index exists")),
            };
        }
        let Some(drop) = operation.downcast_ref::<DropIndexOperation>() else {
            return Err(foreign(operation));
        };
        let _ = indexes.remove(&drop.index.key());
        Ok(())
    }

    fn notes(&self, seen: &Resource) -> Vec<(&'static str, Option<String>)> {
        vec![self.index.note(seen)]
    }

    fn effect_evidence(&self) -> EffectEvidence {
        EffectEvidence::Observation
    }

    fn judge_effect(&self, prior: &Resource, seen: &Resource) -> EffectJudgement {
        let Some(index) = self.index.read(seen).flatten() else {
            return EffectJudgement::Unknown("the index was not read".to_owned());
        };
        if index.scans == Some(0) {
            return EffectJudgement::Harmful("no statement used the index".to_owned());
        }
        let used = match index.scans {
            Some(scans) => format!("{scans} scans used the index"),
            None => "scans of the index are not counted".to_owned(),
        };
        let first = self.columns.first().map_or("", String::as_str);
        let column = self.index.column(first);
        let Some(times) = statement_times(prior, seen, |used| used == column) else {
            return EffectJudgement::Good(format!("{used}; its statements were not called since"));
        };
        let detail = format!("{used}; {times}");
        if times.saved() < LEAST_SAVING {
            return EffectJudgement::Harmful(detail);
        }
        EffectJudgement::Good(detail)
    }

    fn may_take_capacity(&self) -> bool {
        false
    }

    /// Storage within the budget of the agent is not billed by the index.
    fn ends_cost(&self) -> bool {
        true
    }

    fn least_limit_s(&self) -> i64 {
        LONGEST_BUILD_S
    }

    fn undoes_while_changing(&self) -> bool {
        true
    }

    fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        Arc::new(self.clone())
    }
}
