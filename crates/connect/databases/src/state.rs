//! State of a database server as changes read it.

use std::collections::BTreeSet;

use reeve_databases::{DatabaseStatement, Observation, used_columns};
use reeve_estate::{DatabaseIndexState, DatabaseState, StatementCalls};

/// Parameters that Reeve changes.
pub(crate) const PARAMETERS: [&str; 4] = [
    "effective_cache_size",
    "innodb_buffer_pool_size",
    "max_wal_size",
    "work_mem",
];

/// Returns the state of an observed server. `invalid` are the indexes, by schema and name, that the
/// planner does not use: a build of theirs goes on or failed.
pub(crate) fn state_of(observation: &Observation, invalid: &BTreeSet<String>) -> DatabaseState {
    let whole = |value: f64| value.max(0.0).round() as u64;
    let indexes = observation.indexes.iter().map(|index| {
        let name = format!("{}.{}", index.schema, index.name);
        let state = DatabaseIndexState {
            definition: index.definition.clone(),
            is_valid: index.is_valid && !invalid.contains(&name),
            scans: index.scans.map(whole),
        };
        (name, state)
    });
    let parameters = PARAMETERS.into_iter().filter_map(|name| {
        let value = observation.setting(name)?.number()?;
        Some((name.to_owned(), whole(value)))
    });
    let calls = |statement: &DatabaseStatement| StatementCalls {
        calls: whole(statement.calls),
        total_us: whole(statement.total_ms * 1_000.0),
        columns: used_columns(observation, &statement.text),
    };
    let statements = observation.statements().iter();

    DatabaseState {
        indexes: indexes.collect(),
        parameters: parameters.collect(),
        statements: statements
            .map(|statement| (statement.id.clone(), calls(statement)))
            .collect(),
    }
}
