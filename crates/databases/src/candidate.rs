//! Candidates for new indexes: columns that the workload's statements filter, join and sort by.
//!
//! A candidate is one column, the columns of a conjunction with the most selective first, or those
//! and one bound or the order of the result behind them. Candidates that an index serves already
//! are left out.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::change_statement::{build_index, column_list, drop_index};
use crate::engine::Engine;
use crate::observation::{DatabaseTable, Observation};
use crate::predicate::{TableUse, table_uses};
use crate::quote;

/// Columns of a candidate at most: further ones rarely narrow, and each makes writes dearer.
const MAX_COLUMNS: usize = 3;
/// Candidates at most, those of the most time first.
const MAX_CANDIDATES: usize = 60;
/// Smallest table that an index is worth, rows: below it a scan reads a few pages.
const MIN_ROWS: f64 = 1_000.0;
/// Longest name of an object in PostgreSQL, bytes; MySQL has one more.
const MAX_NAME: usize = 63;

/// An index that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct IndexCandidate {
    pub schema: String,
    pub table: String,
    pub columns: Vec<String>,
    /// Identifiers of the statements that it was derived from.
    pub statement_ids: Vec<String>,
}

impl IndexCandidate {
    /// Name that the index gets.
    #[must_use]
    pub fn name(&self) -> String {
        let mut name = format!("reeve_{}_{}", self.table, self.columns.join("_"));
        if name.len() > MAX_NAME {
            // Two long names with one beginning stay two names by the sum of their bytes.
            let sum = name.bytes().fold(7_u32, |sum, byte| {
                sum.wrapping_mul(31).wrapping_add(u32::from(byte))
            });
            let mut end = MAX_NAME - 9;
            while !name.is_char_boundary(end) {
                end -= 1;
            }
            name.truncate(end);
            name = format!("{name}_{sum:08x}");
        }
        name
    }

    /// Statement that creates the index without blocking writes, where `concurrently` is set.
    #[must_use]
    pub fn create(&self, engine: Engine, concurrently: bool) -> String {
        let IndexCandidate {
            schema,
            table,
            columns,
            ..
        } = self;
        if engine == Engine::Postgresql && !concurrently {
            return format!(
                "CREATE INDEX {} ON {} ({})",
                quote::name(engine, &self.name()),
                quote::qualified(engine, schema, table),
                column_list(engine, columns)
            );
        }
        build_index(engine, schema, table, &self.name(), columns)
    }

    /// Statement that drops the index again.
    #[must_use]
    pub fn drop(&self, engine: Engine) -> String {
        match engine {
            Engine::Postgresql => format!(
                "DROP INDEX CONCURRENTLY IF EXISTS {}",
                quote::qualified(engine, &self.schema, &self.name())
            ),
            Engine::Mariadb | Engine::Mysql => {
                drop_index(engine, &self.schema, &self.table, &self.name())
            }
        }
    }

    /// Returns `true` if the columns of the other candidate begin with those of this one.
    #[must_use]
    pub fn is_prefix_of(&self, other: &IndexCandidate) -> bool {
        self.schema == other.schema
            && self.table == other.table
            && other.columns.starts_with(&self.columns)
    }

    /// Expected size, bytes: the columns and 16 bytes for each row, in pages that are 90 % full.
    #[must_use]
    pub fn size_bytes(&self, table: &DatabaseTable) -> f64 {
        let width = |name: &String| {
            let column = table.column(name);
            column.and_then(|column| column.width_bytes).unwrap_or(8.0)
        };
        let entry: f64 = self.columns.iter().map(width).sum::<f64>() + 16.0;
        table.live_rows * entry / 0.9
    }
}

/// Schema, table and columns of a candidate.
type CandidateKey = (String, String, Vec<String>);

/// Returns the candidates of the workload, those of the most time first.
#[must_use]
pub fn candidates(observation: &Observation) -> Vec<IndexCandidate> {
    let mut found: BTreeMap<CandidateKey, (f64, Vec<String>)> = BTreeMap::new();
    for statement in observation.statements() {
        for table_use in table_uses(observation, &statement.text) {
            let Some(table) = observation.table(&table_use.schema, &table_use.table) else {
                continue;
            };
            if table.live_rows < MIN_ROWS {
                continue;
            }
            for columns in column_lists(table, &table_use) {
                if !can_be_keys(observation.engine, table, &columns)
                    || is_served(observation, table, &columns)
                {
                    continue;
                }
                let key = (table.schema.clone(), table.name.clone(), columns);
                let (time, statements) = found.entry(key).or_default();
                if !statements.contains(&statement.id) {
                    *time += statement.total_ms;
                    statements.push(statement.id.clone());
                }
            }
        }
    }

    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by(|(_, (one, _)), (_, (other, _))| other.total_cmp(one));
    let candidate = |((schema, table, columns), (_, statement_ids))| IndexCandidate {
        schema,
        table,
        columns,
        statement_ids,
    };
    found
        .into_iter()
        .take(MAX_CANDIDATES)
        .map(candidate)
        .collect()
}

/// Lists of columns for one use of a table.
fn column_lists(table: &DatabaseTable, table_use: &TableUse) -> Vec<Vec<String>> {
    let mut equal = table_use.equal.clone();
    // The most selective first: it narrows most, and serves the most other statements.
    equal.sort_by(|one, other| distinct(table, other).total_cmp(&distinct(table, one)));
    equal.truncate(MAX_COLUMNS);

    let single = table_use
        .equal
        .iter()
        .chain(&table_use.range)
        .chain(&table_use.joined);
    let mut lists: Vec<Vec<String>> = single.map(|column| vec![column.clone()]).collect();
    let with = |tail: &[String]| -> Vec<String> {
        let new = tail.iter().filter(|column| !equal.contains(column));
        let all = equal.iter().chain(new).take(MAX_COLUMNS);
        all.cloned().collect()
    };

    lists.push(equal.clone());
    lists.extend(
        table_use
            .range
            .iter()
            .map(|column| with(std::slice::from_ref(column))),
    );
    lists.extend(
        table_use
            .joined
            .iter()
            .map(|column| with(std::slice::from_ref(column))),
    );
    lists.push(with(&table_use.sorted));

    let mut unique = Vec::new();
    for list in lists {
        if !list.is_empty() && !unique.contains(&list) {
            unique.push(list);
        }
    }
    unique
}

fn distinct(table: &DatabaseTable, column: &str) -> f64 {
    let column = table.column(column);
    column
        .and_then(|column| column.distinct_values)
        .unwrap_or(1.0)
}

/// Returns `true` if the types of all columns can be keys of a B-tree without a length.
fn can_be_keys(engine: Engine, table: &DatabaseTable, columns: &[String]) -> bool {
    let refused: &[&str] = match engine {
        Engine::Postgresql => &["json", "xml", "point", "polygon", "box", "jsonb"],
        Engine::Mariadb | Engine::Mysql => &["text", "blob", "json", "geometry", "point"],
    };
    columns.iter().all(|name| {
        table.column(name).is_some_and(|column| {
            let data_type = column.data_type.to_ascii_lowercase();
            !refused.iter().any(|refused| match engine.is_mysql_like() {
                true => data_type.ends_with(refused),
                false => data_type == *refused,
            })
        })
    })
}

/// Returns `true` if a valid index without a condition begins with these columns.
fn is_served(observation: &Observation, table: &DatabaseTable, columns: &[String]) -> bool {
    observation.indexes_of(table).any(|index| {
        index.is_valid && index.predicate.is_none() && index.columns.starts_with(columns)
    })
}

#[cfg(test)]
mod tests;
