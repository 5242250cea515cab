//! Load of database servers over time: the waits of their sessions, the use of their statements,
//! and plans of the statements.
//!
//! A load is a sum over an interval of [`LOAD_INTERVAL_S`] seconds, so that readings of one interval
//! are added up. Texts and conditions have no literals: a connector masks them before they get here.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::connection::ConnectionId;
use crate::resource::ResourceId;
use crate::store::StoreError;

/// Length of an interval, seconds.
pub const LOAD_INTERVAL_S: i64 = 300;
/// Statements of an interval that are kept: those with the most time.
pub const MOST_STATEMENTS: usize = 50;
/// Waits of an interval that are kept: those with the most sessions.
pub const MOST_WAITS: usize = 40;
/// Statements of a database whose texts are kept.
pub const MOST_TEXTS: usize = 2_000;

/// A database of a connection.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DatabaseKey {
    pub connection: ConnectionId,
    pub resource: ResourceId,
}

/// Load of a database in one interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DatabaseLoad {
    /// Beginning of the interval.
    pub start: Timestamp,
    /// Looks at the sessions of the server.
    pub looks: u64,
    /// Active sessions by what they wait for (`Lock:transactionid`), summed over the looks. Sessions
    /// that wait for nothing are `CPU`.
    pub waits: BTreeMap<String, u64>,
    /// Time over which the counters of statements were compared, seconds.
    pub counted_s: f64,
    /// Statements with the most time, the first one having the most.
    pub statements: Vec<StatementUse>,
}

impl DatabaseLoad {
    /// Creates the load of the interval of a time, without any reading.
    #[must_use]
    pub fn at(time: Timestamp) -> DatabaseLoad {
        let second = time.as_second() - time.as_second().rem_euclid(LOAD_INTERVAL_S);
        DatabaseLoad {
            start: Timestamp::from_second(second).unwrap_or(time),
            looks: 0,
            waits: BTreeMap::new(),
            counted_s: 0.0,
            statements: Vec::new(),
        }
    }

    /// Adds the sessions of one look.
    pub fn add_look(&mut self, sessions: BTreeMap<String, u64>) {
        self.looks += 1;
        for (wait, count) in sessions {
            *self.waits.entry(wait).or_default() += count;
        }
    }

    /// Adds another load, and drops what exceeds the limits.
    pub fn add(&mut self, other: &DatabaseLoad) {
        self.looks += other.looks;
        self.counted_s += other.counted_s;
        for (wait, count) in &other.waits {
            *self.waits.entry(wait.clone()).or_default() += count;
        }

        let mut places: HashMap<String, usize> = self
            .statements
            .iter()
            .enumerate()
            .map(|(place, one)| (one.id.clone(), place))
            .collect();
        for statement in &other.statements {
            match places.get(&statement.id) {
                Some(&place) => self.statements[place].add(statement),
                None => {
                    let _ = places.insert(statement.id.clone(), self.statements.len());
                    self.statements.push(statement.clone());
                }
            }
        }
        self.limit();
    }

    /// Drops the waits and statements beyond the limits.
    pub fn limit(&mut self) {
        if self.waits.len() > MOST_WAITS {
            let mut counts: Vec<u64> = self.waits.values().copied().collect();
            counts.sort_unstable_by_key(|count| std::cmp::Reverse(*count));
            let least = counts[MOST_WAITS - 1];
            self.waits.retain(|_, count| *count >= least);
        }
        self.statements.sort_by(|a, b| {
            let order = b.total_ms.partial_cmp(&a.total_ms);
            order.unwrap_or(Ordering::Equal).then(a.id.cmp(&b.id))
        });
        self.statements.truncate(MOST_STATEMENTS);
    }

    /// Mean number of active sessions that wait for something; 0 without a look.
    #[must_use]
    pub fn sessions(&self, wait: &str) -> f64 {
        let count = self.waits.get(wait).copied().unwrap_or_default();
        count as f64 / self.looks.max(1) as f64
    }
}

/// Use of a statement in an interval.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StatementUse {
    /// Identifier that the server gives the statement.
    pub id: String,
    pub calls: f64,
    pub total_ms: f64,
    /// Rows that were returned or changed.
    pub rows: f64,
    /// Rows that were read to find them; PostgreSQL does not count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows_examined: Option<f64>,
    /// Blocks found in the buffer; MariaDB and MySQL do not count them by statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks_hit: Option<f64>,
    /// Blocks read from outside of the buffer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks_read: Option<f64>,
    /// Blocks of temporary files that were written, or sorts on disk.
    pub temporary_writes: f64,
}

impl StatementUse {
    /// Adds the use of the same statement.
    pub fn add(&mut self, other: &StatementUse) {
        self.calls += other.calls;
        self.total_ms += other.total_ms;
        self.rows += other.rows;
        self.temporary_writes += other.temporary_writes;
        self.rows_examined = sum(self.rows_examined, other.rows_examined);
        self.blocks_hit = sum(self.blocks_hit, other.blocks_hit);
        self.blocks_read = sum(self.blocks_read, other.blocks_read);
    }

    /// Use since an earlier reading of the totals; `None` if nothing was called. Totals that are
    /// less than before were reset, and count from zero.
    #[must_use]
    pub fn since(&self, earlier: Option<&StatementUse>) -> Option<StatementUse> {
        let earlier = earlier.filter(|before| before.calls <= self.calls);
        let Some(before) = earlier else {
            return (self.calls > 0.0).then(|| self.clone());
        };
        let less = |now: f64, then: f64| (now - then).max(0.0);
        let of = |now: Option<f64>, then: Option<f64>| Some(less(now?, then.unwrap_or_default()));
        let used = StatementUse {
            id: self.id.clone(),
            calls: less(self.calls, before.calls),
            total_ms: less(self.total_ms, before.total_ms),
            rows: less(self.rows, before.rows),
            rows_examined: of(self.rows_examined, before.rows_examined),
            blocks_hit: of(self.blocks_hit, before.blocks_hit),
            blocks_read: of(self.blocks_read, before.blocks_read),
            temporary_writes: less(self.temporary_writes, before.temporary_writes),
        };
        (used.calls > 0.0).then_some(used)
    }

    /// Mean time of a call, milliseconds.
    #[must_use]
    pub fn mean_ms(&self) -> f64 {
        self.total_ms / self.calls.max(1.0)
    }
}

fn sum(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (None, None) => None,
        _ => Some(one.unwrap_or_default() + other.unwrap_or_default()),
    }
}

/// A statement of a database: its text, and its plan where one was taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownStatement {
    pub id: String,
    /// Normalized text without literals, at most 4,000 characters.
    pub text: String,
    /// Time of the last interval in which it was among the statements with the most time.
    pub seen_at: Timestamp,
    pub plan: Option<StatementPlan>,
}

/// Plan of a statement, as the server would execute it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StatementPlan {
    pub taken_at: Timestamp,
    pub root: PlanNode,
}

/// Step of a plan. Costs and rows are estimates of the planner.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanNode {
    /// Operation, such as `Seq Scan`.
    pub operation: String,
    /// Table that is read, with its alias where it has another name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// Index that is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// Conditions and sort keys by their names, without literals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<PlanDetail>,
    /// Cost before the first row.
    pub startup_cost: f64,
    /// Cost of all rows, with that of the steps below.
    pub total_cost: f64,
    pub rows: f64,
    /// Mean width of a row, bytes.
    pub width_bytes: f64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<PlanNode>,
}

/// Condition or key of a step of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanDetail {
    /// Name, such as `Filter`.
    pub name: String,
    pub text: String,
}

/// Last reading of the load of a database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadReading {
    pub database: DatabaseKey,
    /// Name of the engine, such as `PostgreSQL`.
    pub engine: String,
    /// Version as the server says it.
    pub version: String,
    pub read_at: Timestamp,
    /// Reason why the server was not read; empty if it was.
    pub failure: String,
    /// Reason why no statements are known; empty if they are.
    pub no_statements: String,
    /// Step that makes statements known.
    pub remedy: String,
    /// Reason why no plans are taken; empty if they are.
    pub no_plans: String,
}

/// Loads of databases by interval, with texts and plans of their statements.
#[async_trait]
pub trait DatabaseLoadStore: Send + Sync {
    /// Adds a load to that of its interval, and replaces the statements whose texts it has.
    async fn database_load_add(
        &self,
        database: &DatabaseKey,
        load: &DatabaseLoad,
        statements: &[KnownStatement],
    ) -> Result<(), StoreError>;
    /// Returns the loads of intervals that begin in `from..to`, the oldest first.
    async fn database_loads(
        &self,
        database: &DatabaseKey,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<DatabaseLoad>, StoreError>;
    /// Returns the known statements of a database, those seen last first.
    async fn database_statements(
        &self,
        database: &DatabaseKey,
    ) -> Result<Vec<KnownStatement>, StoreError>;
    /// Writes the last reading of a database.
    async fn database_reading_put(&self, reading: &LoadReading) -> Result<(), StoreError>;
    /// Returns the last readings of all databases.
    async fn database_readings(&self) -> Result<Vec<LoadReading>, StoreError>;
    /// Removes intervals that begin before a time, and statements last seen before it; returns the
    /// number of intervals.
    async fn database_load_expire(&self, before: Timestamp) -> Result<u64, StoreError>;
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn used(id: &str, calls: f64, total_ms: f64) -> StatementUse {
        StatementUse {
            id: id.to_owned(),
            calls,
            total_ms,
            ..StatementUse::default()
        }
    }

    #[test]
    fn loads_of_an_interval_are_added_up() {
        let time = "2026-11-20T10:07:31Z".parse().unwrap();
        let mut load = DatabaseLoad::at(time);
        assert_eq!(load.start.to_string(), "2026-11-20T10:05:00Z");
        load.add_look([("CPU".to_owned(), 2)].into());
        load.add_look([("Lock:relation".to_owned(), 1)].into());
        load.statements = vec![used("a", 2.0, 10.0)];

        let mut further = DatabaseLoad::at(time);
        further.add_look([("CPU".to_owned(), 1)].into());
        further.statements = vec![used("b", 1.0, 50.0), used("a", 1.0, 5.0)];
        load.add(&further);
        assert!((load.sessions("CPU") - 1.0).abs() < 1e-9);
        assert_eq!(
            load.statements,
            [used("b", 1.0, 50.0), used("a", 3.0, 15.0)]
        );
    }

    #[test]
    fn what_exceeds_the_limits_is_dropped() {
        let mut load = DatabaseLoad::at(Timestamp::UNIX_EPOCH);
        let waits = (0..60_u64).map(|number| (format!("wait {number:02}"), number));
        load.add_look(waits.collect());
        let statements = (0..80).map(|number| used(&number.to_string(), 1.0, f64::from(number)));
        load.statements = statements.collect();
        load.limit();
        assert_eq!((load.waits.len(), load.statements.len()), (40, 50));
        assert!(load.waits.contains_key("wait 59") && !load.waits.contains_key("wait 19"));
        assert_eq!(load.statements[0].id, "79");
    }

    #[test]
    fn totals_become_the_use_between_two_readings() {
        let earlier = used("a", 10.0, 100.0);
        let since = |now: StatementUse| now.since(Some(&earlier));
        assert_eq!(since(used("a", 12.0, 130.0)), Some(used("a", 2.0, 30.0)));
        assert_eq!(since(used("a", 10.0, 100.0)), None);
        assert_eq!(
            since(used("a", 1.0, 3.0)),
            Some(used("a", 1.0, 3.0)),
            "reset"
        );
        assert_eq!(used("b", 4.0, 8.0).since(None), Some(used("b", 4.0, 8.0)));
    }
}
