//! What the changes of a database server share: the reading of its state, and the times of
//! statements before and after.

use std::fmt;
use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{DatabaseIndexState, DatabaseState, Operation, Resource};

use crate::change::{EffectJudgement, ParameterError, Parameters};

/// Place of an index in a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexPlace {
    pub schema: String,
    pub table: String,
    pub name: String,
}

/// Operation that drops an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DropIndexOperation {
    pub index: IndexPlace,
}

impl Operation for DropIndexOperation {}

/// Share of their time that statements may lose by a change that was to do no harm.
const MOST_LOSS: f64 = 0.2;

impl IndexPlace {
    pub(super) fn parse(parameters: &mut Parameters<'_>) -> Result<IndexPlace, ParameterError> {
        Ok(IndexPlace {
            schema: parameters.text("schema")?,
            table: parameters.text("table")?,
            name: parameters.text("name")?,
        })
    }

    /// Members of the parameters of a change.
    pub(super) fn parameters(&self) -> [(&'static str, Json); 3] {
        [
            ("schema", Json::from(self.schema.as_str())),
            ("table", Json::from(self.table.as_str())),
            ("name", Json::from(self.name.as_str())),
        ]
    }

    /// Name of the index in a [`DatabaseState`].
    pub(super) fn key(&self) -> String {
        format!("{}.{}", self.schema, self.name)
    }

    /// Beginning of the names of the table's columns in [`StatementCalls`](reeve_estate::StatementCalls).
    pub(super) fn column(&self, name: &str) -> String {
        format!("{}.{}.{name}", self.schema, self.table)
    }

    /// Reads the index; the outer `None` where the state of the database is not known.
    pub(super) fn read<'r>(
        &self,
        database: &'r Resource,
    ) -> Option<Option<&'r DatabaseIndexState>> {
        let state = database.specification.database.as_ref()?;
        Some(state.indexes.get(&self.key()))
    }

    /// Definition of the index for the log.
    pub(super) fn note(&self, database: &Resource) -> (&'static str, Option<String>) {
        let index = self.read(database).flatten();
        ("index", index.map(|index| index.definition.clone()))
    }
}

/// State of a simulated twin; empty where it had none.
pub(super) fn simulated(twin: &mut Resource) -> &mut DatabaseState {
    let state = twin.specification.database.get_or_insert_default();
    Arc::make_mut(state)
}

/// Times of the same statements before a change and after it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct StatementTimes {
    /// Calls since the change.
    calls: u64,
    /// Time that these calls would have taken at the means before, milliseconds.
    before_ms: f64,
    /// Time that they took, milliseconds.
    after_ms: f64,
}

impl StatementTimes {
    /// Share of the time that is saved; negative where the statements became slower.
    pub(super) fn saved(self) -> f64 {
        1.0 - self.after_ms / self.before_ms.max(f64::MIN_POSITIVE)
    }
}

impl fmt::Display for StatementTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls = self.calls as f64;
        write!(
            f,
            "{} calls of its statements took {:.2} ms each instead of {:.2} ms",
            self.calls,
            self.after_ms / calls,
            self.before_ms / calls
        )
    }
}

/// Judges a change that was to do no harm by the times of statements; `unmeasured` where there are none.
pub(super) fn harm(times: Option<StatementTimes>, unmeasured: &str) -> EffectJudgement {
    match times {
        None => EffectJudgement::Good(unmeasured.to_owned()),
        Some(times) if times.saved() < -MOST_LOSS => EffectJudgement::Harmful(times.to_string()),
        Some(times) => EffectJudgement::Good(times.to_string()),
    }
}

/// Compares the statements that use columns which `uses` accepts; `None` where none of them was
/// called both before and since.
pub(super) fn statement_times(
    prior: &Resource,
    seen: &Resource,
    uses: impl Fn(&str) -> bool,
) -> Option<StatementTimes> {
    let earlier = prior.specification.database.as_ref()?;
    let now = seen.specification.database.as_ref()?;
    let mut times = StatementTimes {
        calls: 0,
        before_ms: 0.0,
        after_ms: 0.0,
    };
    for (id, before) in &earlier.statements {
        let fits = before.calls > 0 && before.columns.iter().any(|column| uses(column));
        let after = now.statements.get(id).filter(|_| fits);
        let Some(since) = after.and_then(|after| after.since(before)) else {
            continue;
        };
        let calls = since.calls as f64;
        times.calls += since.calls;
        times.before_ms += calls * before.mean_ms();
        times.after_ms += calls * since.mean_ms();
    }
    (times.calls > 0).then_some(times)
}
