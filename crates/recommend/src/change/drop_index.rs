//! Removal of an index that nothing needs, with the statement that builds it again.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{
    ActError, ActErrorKind, DatabaseIndexState, Operation, PriceCatalogue, Resource, ResourceState,
};

use crate::change::database::{DropIndexOperation, IndexPlace, harm, simulated, statement_times};
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

/// Operation that builds a dropped index again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreIndexOperation {
    pub index: IndexPlace,
    /// Statement by which the server itself described the index.
    pub definition: String,
}

impl Operation for RestoreIndexOperation {}

/// Removal of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DropIndex {
    /// State the finding saw.
    pub state: ResourceState,
    pub index: IndexPlace,
    /// Statement that creates it, as the server writes it.
    pub definition: String,
    /// `true` if no scan of it may have been counted.
    pub unused: bool,
}

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    Ok(Arc::new(DropIndex {
        state: parameters.state("state")?,
        index: IndexPlace::parse(parameters)?,
        definition: parameters.text("definition")?,
        unused: parameters.boolean("unused")?,
    }))
}

impl DropIndex {
    /// Expects a definition of the index, or `absent`.
    fn expect(&self, wanted: &str) -> Expectation {
        let index = self.index.clone();
        Expectation::new("index", wanted.to_owned(), move |database| {
            let index = index.read(database)?;
            Some(index.map_or("absent".to_owned(), |index| index.definition.clone()))
        })
    }

    /// Expects the index whole: while a build goes on, the server has its definition already.
    fn expect_valid(&self) -> Expectation {
        let index = self.index.clone();
        Expectation::new("valid", true, move |database| {
            Some(index.read(database)??.is_valid)
        })
    }

    fn expect_no_scan(&self) -> Expectation {
        let index = self.index.clone();
        Expectation::new("scans", 0, move |database| index.read(database)??.scans)
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
        let [schema, table, name] = self.index.parameters();
        Json::object([
            ("state", Json::from(self.state.as_str())),
            schema,
            table,
            name,
            ("definition", Json::from(self.definition.as_str())),
            ("unused", Json::from(self.unused)),
        ])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let IndexPlace { table, name, .. } = &self.index;
        let mut check = precondition(target, self.state, None);
        check.description = format!(
            "{} and index {name} is the one that was found",
            check.description
        );
        check.expect.push(self.expect(&self.definition));
        if self.unused {
            check.expect.push(self.expect_no_scan());
        }

        let operation = DropIndexOperation {
            index: self.index.clone(),
        };
        let gone = vec![self.expect("absent")];
        let goal = TaskReach::by("the removal", operation, gone.clone());
        let words = format!(
            "Drop index {} of {table} while the table is read and written",
            self.index.key()
        );
        vec![
            check,
            Task::change(target, words, goal).expecting(gone.clone()),
            verify(target, &format!("has no index {name}"), gone),
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
        if let Some(index) = self.index.read(seen)?
            && index.is_valid
        {
            return None;
        }
        let operation = RestoreIndexOperation {
            index: self.index.clone(),
            definition: self.definition.clone(),
        };
        let there = vec![self.expect(&self.definition), self.expect_valid()];
        let goal = TaskReach::by("the build", operation, there.clone());
        let words = format!("Build index {} again", self.index.key());
        Some(Task::change(seen.id.as_str(), words, goal).expecting(there))
    }

    fn as_found(&self, twin: &mut Resource) {
        let _ = simulated(twin)
            .indexes
            .insert(self.index.key(), self.found());
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        _: &PriceCatalogue,
    ) -> Result<(), ActError> {
        let indexes = &mut simulated(twin).indexes;
        if let Some(drop) = operation.downcast_ref::<DropIndexOperation>() {
            return match indexes.remove(&drop.index.key()) {
                Some(_) => Ok(()),
                None => Err(refused(ActErrorKind::NotFound, "there is no such index")),
            };
        }
        let Some(restore) = operation.downcast_ref::<RestoreIndexOperation>() else {
            return Err(foreign(operation));
        };
        let _ = indexes.insert(restore.index.key(), self.found());
        Ok(())
    }

    fn notes(&self, seen: &Resource) -> Vec<(&'static str, Option<String>)> {
        vec![self.index.note(seen)]
    }

    fn effect_evidence(&self) -> EffectEvidence {
        EffectEvidence::Observation
    }

    fn judge_effect(&self, prior: &Resource, seen: &Resource) -> EffectJudgement {
        let table = self.index.column("");
        let times = statement_times(prior, seen, |used| used.starts_with(&table));
        harm(times, "no statement on its table was called since")
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_estate::ResourceKind;

    use super::*;
    use crate::change::tests::resource;

    #[test]
    fn a_build_that_goes_on_is_not_the_way_back() {
        let change = DropIndex {
            state: ResourceState::Running,
            index: IndexPlace {
                schema: "public".to_owned(),
                table: "orders".to_owned(),
                name: "orders_status".to_owned(),
            },
            definition: "CREATE INDEX orders_status ON public.orders (status)".to_owned(),
            unused: true,
        };
        let mut database = resource(ResourceKind::Database, ResourceState::Running, &[]);
        let _ = simulated(&mut database);
        let task = change.undo(&database, &database).unwrap();
        for (is_valid, wanted) in [(false, false), (true, true)] {
            let index = DatabaseIndexState {
                is_valid,
                ..change.found()
            };
            let indexes = &mut simulated(&mut database).indexes;
            let _ = indexes.insert(change.index.key(), index);
            assert_eq!(task.difference(&database).is_none(), wanted, "{is_valid}");
            assert_eq!(change.undo(&database, &database).is_none(), wanted);
        }
    }
}
