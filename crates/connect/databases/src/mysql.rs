//! MariaDB and MySQL: their schema, and statistics of `performance_schema`.
//!
//! MariaDB starts without `performance_schema`: statements, writes and scans are not counted then,
//! and the observation says so.

mod answer;
mod schema;

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use reeve_databases::{
    ActivityFacts, BackendSession, DatabaseSetting, DatabaseStatement, Engine, IndexCandidate,
    IndexTrial, Observation, ReplicationFacts, ServerFacts, StatementSource, estimated_trials,
};
use sqlx::mysql::{MySqlConnectOptions, MySqlConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Row as _};
use tokio::time::timeout;

use crate::address::SessionUse;
use crate::error::{DatabaseError, words};
use crate::index_task::{IndexStanding, IndexTask};
use answer::AnswerRow;

/// Longest wait for an answer.
const ANSWER: Duration = Duration::from_secs(30);
/// Rows of a table that distinct values are counted in.
const SAMPLED_ROWS: u32 = 20_000;
/// Columns that are sampled at most.
const SAMPLED_COLUMNS: usize = 40;

const DISABLED: &str = "performance_schema is disabled";
const ENABLE: &str = "start the server with performance_schema=ON (a restart), and run the analysis after a day of work";

/// A session with MariaDB or MySQL.
pub(crate) struct MysqlSession {
    connection: MySqlConnection,
    engine: Engine,
    version: String,
    database: String,
}

impl MysqlSession {
    pub(crate) async fn open(
        options: &MySqlConnectOptions,
        purpose: SessionUse,
    ) -> Result<Self, DatabaseError> {
        let connection = options
            .connect()
            .await
            .map_err(|error| DatabaseError::of_connecting(&error))?;
        let mut session = MysqlSession {
            connection,
            engine: Engine::Mysql,
            version: String::new(),
            database: String::new(),
        };
        let rows = session
            .rows("version", "SELECT VERSION(), DATABASE()")
            .await?;
        let first = rows.first();
        session.version = first.and_then(|row| row.text(0)).unwrap_or_default();
        session.database = first.and_then(|row| row.text(1)).unwrap_or_default();
        if session.version.contains("MariaDB") {
            session.engine = Engine::Mariadb;
        }
        if !is_supported(session.engine, &session.version) {
            return Err(DatabaseError::Version(session.version));
        }

        // The limit of a statement has another name and another unit in each engine.
        let limits = match (purpose, session.engine) {
            (SessionUse::Changing, _) => vec!["SET SESSION lock_wait_timeout = 60"],
            (SessionUse::Reading, engine) => vec![
                match engine {
                    Engine::Mariadb => "SET SESSION max_statement_time = 20",
                    _ => "SET SESSION max_execution_time = 20000",
                },
                "SET SESSION lock_wait_timeout = 2",
                "SET SESSION TRANSACTION READ ONLY",
            ],
        };
        for statement in limits {
            session.rows("limits of the session", statement).await?;
        }
        Ok(session)
    }

    /// Looks at an index before it is built or dropped.
    pub(crate) async fn standing(
        &mut self,
        task: &IndexTask,
    ) -> Result<IndexStanding, DatabaseError> {
        let text = "SELECT NON_UNIQUE FROM information_schema.STATISTICS \
            WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND INDEX_NAME = ? LIMIT 1";
        let query = sqlx::query(text).persistent(false);
        let query = query
            .bind(&task.index.schema)
            .bind(&task.index.table)
            .bind(&task.index.name);
        let row = query.fetch_optional(&mut self.connection).await;
        let row = row.map_err(|error| DatabaseError::Read {
            reading: "the index",
            message: words(&error),
        })?;
        Ok(match row.map(AnswerRow) {
            None => IndexStanding::Absent,
            Some(row) if row.0.try_get_unchecked::<i64, _>(0).ok() == Some(0) => {
                IndexStanding::Enforcing
            }
            Some(_) => IndexStanding::Valid,
        })
    }

    /// Executes one statement that changes the server, however long it takes.
    pub(crate) async fn change(&mut self, statement: &str) -> Result<(), sqlx::Error> {
        let query = sqlx::query(AssertSqlSafe(statement.to_owned())).persistent(false);
        query.execute(&mut self.connection).await.map(drop)
    }

    pub(crate) fn engine(&self) -> Engine {
        self.engine
    }

    /// Version as the server says it.
    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    /// Counts the active sessions of the database by what they do: the state of each in the list of
    /// processes, which is there without `performance_schema`.
    pub(crate) async fn waits(&mut self) -> Result<BTreeMap<String, u64>, DatabaseError> {
        let rows = self
            .rows("sessions", include_str!("mysql/waits.sql"))
            .await?;
        let count = |row: &AnswerRow| Some((row.text(0)?, row.number(1)? as u64));
        Ok(rows.iter().filter_map(count).collect())
    }

    /// Reads the totals of statements, or the reason why there are none.
    pub(crate) async fn statement_totals(&mut self) -> Result<StatementSource, DatabaseError> {
        let query = "SHOW GLOBAL VARIABLES LIKE 'performance_schema'";
        let variables = self.named("settings", query).await?;
        let is_counted = variables
            .get("performance_schema")
            .is_some_and(|value| value == "ON");
        Ok(self.statements(is_counted, &HashMap::new()).await)
    }

    pub(crate) async fn observe(
        &mut self,
        progress: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Observation, DatabaseError> {
        let mut refused = Vec::new();
        progress("settings");
        let variables = self.named("settings", "SHOW GLOBAL VARIABLES").await?;
        progress("counters of the server");
        let status = self
            .named("counters of the server", "SHOW GLOBAL STATUS")
            .await?;
        let is_counted = variables
            .get("performance_schema")
            .is_some_and(|value| value == "ON");

        progress("tables");
        let (mut tables, sequences) = self.tables().await?;
        progress("indexes");
        let mut indexes = self.indexes(&mut tables).await?;
        if is_counted {
            progress("writes and scans");
            self.count_uses(&mut tables, &mut indexes, &mut refused)
                .await?;
        }

        progress("statements");
        let statements = self.statements(is_counted, &status).await;
        progress("sessions");
        let mut activity = self.activity(&mut refused).await;
        activity.peak_connections = number(&status, "Max_used_connections");
        let mut server = server(&status);
        server.size_bytes = Some(tables.iter().map(|table| table.size_bytes).sum());

        Ok(Observation {
            engine: self.engine,
            version: self.version.clone(),
            database: self.database.clone(),
            observed_at: jiff::Timestamp::now(),
            server,
            statements,
            tables,
            indexes,
            settings: settings(&variables),
            activity,
            replication: ReplicationFacts {
                replicas: number(&status, "Slaves_connected").map(|count| count as u32),
                ..ReplicationFacts::default()
            },
            sequences,
            extensions: Vec::new(),
            refused,
        })
    }

    pub(crate) async fn try_indexes(
        &mut self,
        observation: &Observation,
        candidates: &[IndexCandidate],
    ) -> Result<Vec<IndexTrial>, DatabaseError> {
        let mut sampled = observation.clone();
        self.sample(&mut sampled, candidates).await?;
        Ok(estimated_trials(&sampled, candidates, &BTreeMap::new()))
    }

    async fn statements(
        &mut self,
        is_counted: bool,
        status: &HashMap<String, String>,
    ) -> StatementSource {
        if !is_counted {
            return StatementSource::Missing {
                reason: DISABLED.to_owned(),
                remedy: ENABLE.to_owned(),
            };
        }
        match self
            .rows("statements", include_str!("mysql/statements.sql"))
            .await
        {
            Ok(rows) => StatementSource::Read {
                statements: rows.iter().filter_map(statement).collect(),
                counted_s: number(status, "Uptime"),
                evicted: number(status, "Performance_schema_digest_lost").unwrap_or_default()
                    as u64,
            },
            Err(error) => StatementSource::Missing {
                reason: error.to_string(),
                remedy: "GRANT SELECT ON performance_schema.* TO the user".to_owned(),
            },
        }
    }

    async fn activity(&mut self, refused: &mut Vec<String>) -> ActivityFacts {
        const TRANSACTIONS: &str = "SELECT trx_mysql_thread_id, trx_state, \
            TIMESTAMPDIFF(SECOND, trx_started, NOW()) FROM information_schema.INNODB_TRX \
            WHERE trx_started < NOW() - INTERVAL 1 MINUTE ORDER BY trx_started LIMIT 50";
        const SESSIONS: &str = "SELECT COUNT(*), SUM(COMMAND <> 'Sleep') FROM information_schema.PROCESSLIST \
            WHERE ID <> CONNECTION_ID()";
        let transactions = self.rows("transactions", TRANSACTIONS).await;
        let transactions = crate::postgresql::or_refused(transactions, refused);
        let sessions = self.rows("sessions", SESSIONS).await;
        let sessions = crate::postgresql::or_refused(sessions, refused);
        let count = |position: usize| sessions.first().and_then(|row| row.number(position));
        let session = |row: &AnswerRow| {
            Some(BackendSession {
                id: row.text(0)?,
                user: String::new(),
                state: row.text(1)?.to_lowercase(),
                age_s: row.number(2)?,
                blocked_by: None,
            })
        };
        ActivityFacts {
            connections: count(0),
            active: count(1),
            long_transactions: transactions.iter().filter_map(session).collect(),
            ..ActivityFacts::default()
        }
    }

    /// Counts the distinct values of candidates' columns in the first rows of their tables, where
    /// no index says them.
    async fn sample(
        &mut self,
        observation: &mut Observation,
        candidates: &[IndexCandidate],
    ) -> Result<(), DatabaseError> {
        let mut left = SAMPLED_COLUMNS;
        for table in &mut observation.tables {
            for column in &mut table.columns {
                let is_wanted = candidates.iter().any(|candidate| {
                    candidate.table == table.name && candidate.columns.contains(&column.name)
                });
                if !is_wanted || column.distinct_values.is_some() || left == 0 {
                    continue;
                }
                left -= 1;
                let query = format!(
                    "SELECT COUNT(*), COUNT(DISTINCT c) FROM (SELECT {} AS c FROM {}.{} LIMIT {SAMPLED_ROWS}) s",
                    quoted(&column.name),
                    quoted(&table.schema),
                    quoted(&table.name)
                );
                // Without the right to read rows the column stays without statistics.
                let Ok(rows) = self.rows("values of a column", &query).await else {
                    continue;
                };
                let number = |position| rows.first().and_then(|row| row.number(position));
                if let (Some(read), Some(distinct)) = (number(0), number(1)) {
                    column.distinct_values = Some(scaled(distinct, read, table.live_rows));
                }
            }
        }
        Ok(())
    }

    async fn named(
        &mut self,
        reading: &'static str,
        query: &str,
    ) -> Result<HashMap<String, String>, DatabaseError> {
        let rows = self.rows(reading, query).await?;
        let pair = |row: &AnswerRow| Some((row.text(0)?, row.text(1)?));
        Ok(rows.iter().filter_map(pair).collect())
    }

    /// Reads the rows of a query in the text protocol, where every value is a text.
    pub(crate) async fn rows(
        &mut self,
        reading: &'static str,
        query: &str,
    ) -> Result<Vec<AnswerRow>, DatabaseError> {
        let query = sqlx::raw_sql(AssertSqlSafe(query.to_owned()));
        let rows = timeout(ANSWER, query.fetch_all(&mut self.connection))
            .await
            .map_err(|_| DatabaseError::TimedOut(ANSWER.as_secs()))?
            .map_err(|error| DatabaseError::Read {
                reading,
                message: words(&error),
            })?;
        Ok(rows.into_iter().map(AnswerRow).collect())
    }
}

fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// Distinct values of a table from those of its first rows: values that hardly repeat grow with
/// the table, others do not.
fn scaled(distinct: f64, read: f64, rows: f64) -> f64 {
    match distinct > read * 0.5 {
        true => distinct / read.max(1.0) * rows.max(read),
        false => distinct,
    }
}

fn is_supported(engine: Engine, version: &str) -> bool {
    let mut numbers = version
        .split(['.', '-'])
        .filter_map(|part| part.parse::<u32>().ok());
    let version = (
        numbers.next().unwrap_or_default(),
        numbers.next().unwrap_or_default(),
    );
    match engine {
        Engine::Mariadb => version >= (10, 5),
        _ => version >= (8, 0),
    }
}

fn statement(row: &AnswerRow) -> Option<DatabaseStatement> {
    Some(DatabaseStatement {
        id: row.text(0)?,
        text: row.text(1)?,
        calls: row.number(2)?,
        total_ms: row.number(3)?,
        deviation_ms: None,
        rows: row.number(4)?,
        rows_examined: row.number(5),
        blocks_hit: None,
        blocks_read: None,
        temporary_writes: row.number(6)?,
        lock_ms: row.number(7),
        calls_without_index: row.number(8),
    })
}

fn number(values: &HashMap<String, String>, name: &str) -> Option<f64> {
    values.get(name)?.parse().ok()
}

fn server(status: &HashMap<String, String>) -> ServerFacts {
    let sum = |names: &[&str]| {
        let numbers = names.iter().filter_map(|name| number(status, name));
        Some(numbers.sum::<f64>())
    };
    let asked = number(status, "Innodb_buffer_pool_read_requests");
    let read = number(status, "Innodb_buffer_pool_reads");
    ServerFacts {
        counted_s: number(status, "Uptime"),
        blocks_hit: asked.zip(read).map(|(asked, read)| (asked - read).max(0.0)),
        blocks_read: read,
        read_statements: sum(&["Com_select"]),
        write_statements: sum(&[
            "Com_insert",
            "Com_update",
            "Com_delete",
            "Com_replace",
            "Com_update_multi",
            "Com_delete_multi",
        ]),
        ..ServerFacts::default()
    }
}

/// Settings that are judged, with those that take a restart.
fn settings(variables: &HashMap<String, String>) -> Vec<DatabaseSetting> {
    const NAMES: [(&str, bool); 12] = [
        ("innodb_buffer_pool_size", false),
        ("max_connections", false),
        ("innodb_flush_log_at_trx_commit", false),
        ("innodb_doublewrite", true),
        ("sync_binlog", false),
        ("tmp_table_size", false),
        ("sort_buffer_size", false),
        ("join_buffer_size", false),
        ("read_buffer_size", false),
        ("read_rnd_buffer_size", false),
        ("thread_stack", true),
        ("performance_schema", true),
    ];
    let setting = |(name, needs_restart): (&str, bool)| {
        Some(DatabaseSetting {
            name: name.to_owned(),
            value: variables.get(name)?.clone(),
            needs_restart,
        })
    };
    NAMES.into_iter().filter_map(setting).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_told_apart() {
        assert!(is_supported(Engine::Mariadb, "10.11.19-MariaDB-0+deb12u1"));
        assert!(!is_supported(Engine::Mariadb, "10.4.1-MariaDB"));
        assert!(is_supported(Engine::Mysql, "8.0.36"));
        assert!(!is_supported(Engine::Mysql, "5.7.44"));
    }

    #[test]
    fn values_that_repeat_do_not_grow_with_the_table() {
        assert!((scaled(10.0, 1_000.0, 1e6) - 10.0).abs() < 1e-9);
        assert!((scaled(1_000.0, 1_000.0, 1e6) - 1e6).abs() < 1e-6);
    }
}
