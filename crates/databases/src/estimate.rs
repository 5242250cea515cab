//! Estimated costs of indexes that could not be tried: from the statistics of tables and columns.
//!
//! PostgreSQL without hypopg: the statement's cost, less a scan of the whole table, plus the rows
//! that match. MariaDB and MySQL: rows that a call reads, in the place of costs.

use std::collections::BTreeMap;

use crate::candidate::IndexCandidate;
use crate::observation::{DatabaseStatement, DatabaseTable, Observation};
use crate::predicate::{TableUse, table_uses};
use crate::trial::{IndexTrial, StatementCost, TrialMethod};

/// Costs of the planner by default (`seq_page_cost`, `random_page_cost`, `cpu_tuple_cost`).
const SEQUENTIAL_PAGE: f64 = 1.0;
const RANDOM_PAGE: f64 = 4.0;
const TUPLE: f64 = 0.01;
/// Share of rows that a bound leaves, where no statistics of it are read: the planner's own.
const RANGE_SHARE: f64 = 1.0 / 3.0;
/// Bytes of a page.
const PAGE: f64 = 8_192.0;

/// Returns a trial of each candidate by estimate. `costs` has the planner's cost of one call by
/// statement; it is not read for engines whose costs are rows.
#[must_use]
pub fn estimated_trials(
    observation: &Observation,
    candidates: &[IndexCandidate],
    costs: &BTreeMap<String, f64>,
) -> Vec<IndexTrial> {
    let trial = |candidate: &IndexCandidate| {
        let table = observation.table(&candidate.schema, &candidate.table)?;
        let of_candidate = observation
            .statements()
            .iter()
            .filter(|statement| candidate.statement_ids.contains(&statement.id));
        let costs = of_candidate
            .filter_map(|statement| cost(observation, table, candidate, statement, costs))
            .collect();
        Some(IndexTrial {
            candidate: candidate.clone(),
            method: TrialMethod::Estimated,
            size_bytes: None,
            costs,
        })
    };
    candidates.iter().filter_map(trial).collect()
}

fn cost(
    observation: &Observation,
    table: &DatabaseTable,
    candidate: &IndexCandidate,
    statement: &DatabaseStatement,
    costs: &BTreeMap<String, f64>,
) -> Option<StatementCost> {
    let uses = table_uses(observation, &statement.text);
    let table_use = uses
        .iter()
        .find(|one| one.schema == table.schema && one.table == table.name)?;
    let matching = table.live_rows * selectivity(table, candidate, table_use);
    let is_mysql_like = observation.engine.is_mysql_like();

    let before = match is_mysql_like {
        true => statement.rows_examined? / statement.calls.max(1.0),
        false => *costs.get(&statement.id)?,
    };
    let (scan, lookup) = match is_mysql_like {
        true => (table.live_rows, matching),
        false => (
            table.size_bytes / PAGE * SEQUENTIAL_PAGE + table.live_rows * TUPLE,
            (matching + 1.0) * (RANDOM_PAGE + TUPLE),
        ),
    };
    // A statement that reads less than the table does not scan it: no index replaces the scan.
    let after = match before >= scan * 0.9 {
        true => (before - scan + lookup).max(lookup),
        false => before,
    };

    Some(StatementCost {
        statement_id: statement.id.clone(),
        before,
        after: after.min(before),
    })
}

/// Share of the table's rows that the candidate's columns leave.
fn selectivity(table: &DatabaseTable, candidate: &IndexCandidate, table_use: &TableUse) -> f64 {
    let mut share = 1.0;
    for name in &candidate.columns {
        let distinct = table.column(name).and_then(|column| column.distinct_values);
        if table_use.equal.contains(name) || table_use.joined.contains(name) {
            share /= distinct.unwrap_or(1.0).max(1.0);
        } else if table_use.range.contains(name) {
            share *= RANGE_SHARE;
        } else {
            // The columns behind one that is only sorted by do not narrow.
            break;
        }
    }
    share
}
