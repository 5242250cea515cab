//! Removal of an index that nothing needs, with the statement that builds it again.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{
    ActError, ActErrorKind, DatabaseIndexState, Operation, PriceCatalogue, Resource, ResourceState,
};

use crate::change::database::{
    DropIndexOperation, index_name, read_index, simulated, statement_times,
};
use crate::change::{
    Change, ChangeType, EffectEvidence, EffectJudgement, Expectation, ParameterError, Parameters,
    Parse, Reversal, Task, TaskReach, foreign, precondition, refused, verify,
};

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "drop_index",
    permissions: &[],
    parse: Parse::Typed(parse),
};

/// Longest time of the removal and of the way back, seconds.
const LONGEST_S: i64 = 4 * 3_600;
/// Share of their time that statements may lose; more is the index that they miss.
const MOST_LOSS: f64 = 0.2;

/// Operation that builds a dropped index again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreIndexOperation {
    pub schema: String,
    pub table: String,
    pub name: String,
    /// Statement by which the server itself described the index.
    pub definition: String,
}

impl Operation for RestoreIndexOperation {}

/// Removal of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DropIndex {
    /// State the finding saw.
    pub state: ResourceState,
    pub schema: String,
    pub table: String,
    pub name: String,
    /// Statement that creates it, as the server writes it.
    pub definition: String,
    /// `true` if no scan of it may have been counted.
    pub unused: bool,
}

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    Ok(Arc::new(DropIndex {
        state: parameters.state("state")?,
        schema: parameters.text("schema")?,
        table: parameters.text("table")?,
        name: parameters.text("name")?,
        definition: parameters.text("definition")?,
        unused: parameters.boolean("unused")?,
    }))
}

impl DropIndex {
    /// Expects a definition of the index, or `absent`.
    fn expect(&self, wanted: &str) -> Expectation {
        let (schema, name) = (self.schema.clone(), self.name.clone());
        Expectation::new("index", wanted.to_owned(), move |database| {
            let index = read_index(database, &schema, &name)?;
            Some(index.map_or("absent".to_owned(), |index| index.definition.clone()))
        })
    }

    fn expect_no_scan(&self) -> Expectation {
        let (schema, name) = (self.schema.clone(), self.name.clone());
        Expectation::new("scans", 0, move |database| {
            read_index(database, &schema, &name)??.scans
        })
    }

    fn found(&self) -> DatabaseIndexState {
        DatabaseIndexState {
            definition: self.definition.clone(),
            is_valid: true,
            scans: Some(0),
        }
    }
}

impl Change for DropIndex {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        Json::object([
            ("state", Json::from(self.state.as_str())),
            ("schema", Json::from(self.schema.as_str())),
            ("table", Json::from(self.table.as_str())),
            ("name", Json::from(self.name.as_str())),
            ("definition", Json::from(self.definition.as_str())),
            ("unused", Json::from(self.unused)),
        ])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let mut check = precondition(target, self.state, None);
        check.description = format!(
            "{} and index {} is the one that was found",
            check.description, self.name
        );
        check.expect.push(self.expect(&self.definition));
        if self.unused {
            check.expect.push(self.expect_no_scan());
        }

        let operation = DropIndexOperation {
            schema: self.schema.clone(),
            table: self.table.clone(),
            name: self.name.clone(),
        };
        let gone = vec![self.expect("absent")];
        let goal = TaskReach::by("the removal", operation, gone.clone());
        let words = format!(
            "Drop index {}.{} of {} while the table is read and written",
            self.schema, self.name, self.table
        );
        vec![
            check,
            Task::change(target, words, goal).expecting(gone.clone()),
            verify(target, &format!("has no index {}", self.name), gone),
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
        if let Some(index) = read_index(seen, &self.schema, &self.name)?
            && index.is_valid
        {
            return None;
        }
        let operation = RestoreIndexOperation {
            schema: self.schema.clone(),
            table: self.table.clone(),
            name: self.name.clone(),
            definition: self.definition.clone(),
        };
        let there = vec![self.expect(&self.definition)];
        let goal = TaskReach::by("the build", operation, there.clone());
        let words = format!("Build index {}.{} again", self.schema, self.name);
        Some(Task::change(seen.id.as_str(), words, goal).expecting(there))
    }

    fn as_found(&self, twin: &mut Resource) {
        let name = index_name(&self.schema, &self.name);
        let _ = simulated(twin).indexes.insert(name, self.found());
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        _: &PriceCatalogue,
    ) -> Result<(), ActError> {
        let indexes = &mut simulated(twin).indexes;
        if let Some(drop) = operation.downcast_ref::<DropIndexOperation>() {
            return match indexes.remove(&index_name(&drop.schema, &drop.name)) {
                Some(_) => Ok(()),
                None => Err(refused(ActErrorKind::NotFound, "there is no such index")),
            };
        }
        let Some(restore) = operation.downcast_ref::<RestoreIndexOperation>() else {
            return Err(foreign(operation));
        };
        let _ = indexes.insert(index_name(&restore.schema, &restore.name), self.found());
        Ok(())
    }

    fn notes(&self, seen: &Resource) -> Vec<(&'static str, Option<String>)> {
        let index = read_index(seen, &self.schema, &self.name).flatten();
        vec![("index", index.map(|index| index.definition.clone()))]
    }

    fn effect_evidence(&self) -> EffectEvidence {
        EffectEvidence::Observation
    }

    fn judge_effect(&self, prior: &Resource, seen: &Resource) -> EffectJudgement {
        let table = format!("{}.{}.", self.schema, self.table);
        match statement_times(prior, seen, |used| used.starts_with(&table)) {
            None => EffectJudgement::Good("no statement on its table was called since".to_owned()),
            Some(times) if times.saved() < -MOST_LOSS => {
                EffectJudgement::Harmful(times.to_string())
            }
            Some(times) => EffectJudgement::Good(times.to_string()),
        }
    }

    fn may_take_capacity(&self) -> bool {
        false
    }

    fn ends_cost(&self) -> bool {
        true
    }

    fn least_limit_s(&self) -> i64 {
        LONGEST_S
    }

    fn rollback_limit_s(&self) -> i64 {
        LONGEST_S
    }

    fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        Arc::new(self.clone())
    }
}
