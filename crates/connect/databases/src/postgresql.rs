//! PostgreSQL: its catalogue and statistics, and plans of statements.

mod plan;
mod plan_tree;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use reeve_databases::{Engine, Observation, ReplicationFacts, ServerFacts, StatementSource};
use serde::de::DeserializeOwned;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Executor as _, Row as _};
use tokio::time::timeout;

use crate::address::SessionUse;
use crate::error::{DatabaseError, words};
use crate::index_task::{IndexStanding, IndexTask};

/// Oldest version that is read, as `server_version_num`.
const OLDEST: u32 = 140_000;
/// Version from which checkpoints have statistics of their own.
const CHECKPOINTER: u32 = 170_000;
/// Limits of the session. A reading that a lock delays is refused rather than waited for.
const LIMITS: &str = "SET default_transaction_read_only = on; SET statement_timeout = '20s'; \
    SET lock_timeout = '2s'; SET idle_in_transaction_session_timeout = '60s'; \
    SET search_path = pg_catalog";
/// Limits of a session that changes something: a build takes hours, and waits for transactions.
const CHANGING_LIMITS: &str = "SET default_transaction_read_only = off; SET statement_timeout = '4h'; \
    SET lock_timeout = '60s'; SET search_path = pg_catalog";
/// Longest wait for an answer, should the server not keep its own limit.
const ANSWER: Duration = Duration::from_secs(30);

const NOT_INSTALLED: &str = "add pg_stat_statements to shared_preload_libraries, restart the server, and execute CREATE EXTENSION pg_stat_statements";

/// A session with PostgreSQL.
pub(crate) struct PostgresqlSession {
    connection: PgConnection,
    version: u32,
    version_text: String,
    database: String,
}

#[derive(serde::Deserialize)]
struct Identity {
    version: u32,
    version_text: String,
    database: String,
}

#[derive(serde::Deserialize)]
struct StatementReset {
    counted_s: Option<f64>,
    evicted: u64,
}

#[derive(serde::Deserialize)]
struct OldestTransaction {
    age_s: Option<f64>,
}

/// Number of sessions with one wait.
#[derive(serde::Deserialize)]
struct WaitCount {
    wait: String,
    sessions: u64,
}

/// Name of an object, in answers of one column.
#[derive(serde::Deserialize)]
struct Named {
    name: String,
}

impl PostgresqlSession {
    pub(crate) async fn open(
        options: &PgConnectOptions,
        purpose: SessionUse,
    ) -> Result<Self, DatabaseError> {
        let limits = match purpose {
            SessionUse::Reading => LIMITS,
            SessionUse::Changing => CHANGING_LIMITS,
        };
        let connection = options
            .connect()
            .await
            .map_err(|error| DatabaseError::of_connecting(&error))?;
        let mut session = PostgresqlSession {
            connection,
            version: 0,
            version_text: String::new(),
            database: String::new(),
        };
        session.execute("limits of the session", limits).await?;

        let identity: Identity = session
            .one(
                "version",
                "SELECT current_setting('server_version_num')::int AS version, \
                 current_setting('server_version') AS version_text, current_database() AS database",
            )
            .await?;
        if identity.version < OLDEST {
            return Err(DatabaseError::Version(identity.version_text));
        }
        session.version = identity.version;
        session.version_text = identity.version_text;
        session.database = identity.database;
        Ok(session)
    }

    pub(crate) async fn observe(
        &mut self,
        progress: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Observation, DatabaseError> {
        let mut refused = Vec::new();

        progress("tables");
        let tables = self
            .rows("tables", include_str!("postgresql/tables.sql"))
            .await?;
        progress("indexes");
        let indexes = self
            .rows("indexes", include_str!("postgresql/indexes.sql"))
            .await?;
        progress("settings");
        let settings = self
            .rows("settings", include_str!("postgresql/settings.sql"))
            .await?;

        progress("extensions");
        let extensions = self.extensions().await?;

        progress("statements");
        let statements = self.statements(&extensions).await;
        progress("counters of the server");
        let server = self.server().await;
        progress("sessions");
        let activity = self
            .one("sessions", include_str!("postgresql/activity.sql"))
            .await;
        progress("replication");
        let replication = self
            .one("replication", include_str!("postgresql/replication.sql"))
            .await;
        progress("sequences");
        let sequences = self
            .rows("sequences", include_str!("postgresql/sequences.sql"))
            .await;

        Ok(Observation {
            engine: Engine::Postgresql,
            version: self.version_text.clone(),
            database: self.database.clone(),
            observed_at: jiff::Timestamp::now(),
            server: or_refused(server, &mut refused),
            statements,
            tables,
            indexes,
            settings,
            activity: or_refused(activity, &mut refused),
            replication: or_refused::<ReplicationFacts>(replication, &mut refused),
            sequences: or_refused(sequences, &mut refused),
            extensions,
            refused,
        })
    }

    /// Version as the server says it.
    pub(crate) fn version(&self) -> &str {
        &self.version_text
    }

    /// Counts the active sessions of the database by what they wait for.
    pub(crate) async fn waits(&mut self) -> Result<BTreeMap<String, u64>, DatabaseError> {
        let counts: Vec<WaitCount> = self
            .rows("sessions", include_str!("postgresql/waits.sql"))
            .await?;
        Ok(counts
            .into_iter()
            .map(|count| (count.wait, count.sessions))
            .collect())
    }

    /// Reads the totals of statements, or the reason why there are none.
    pub(crate) async fn statement_totals(&mut self) -> Result<StatementSource, DatabaseError> {
        let extensions = self.extensions().await?;
        Ok(self.statements(&extensions).await)
    }

    async fn extensions(&mut self) -> Result<Vec<String>, DatabaseError> {
        let query = "SELECT extname AS name FROM pg_catalog.pg_extension";
        let named: Vec<Named> = self.rows("extensions", query).await?;
        Ok(named.into_iter().map(|one| one.name).collect())
    }

    /// Indexes that the planner does not use, by schema and name.
    pub(crate) async fn invalid_indexes(&mut self) -> Result<BTreeSet<String>, DatabaseError> {
        let named: Vec<Named> = self
            .rows("invalid indexes", include_str!("postgresql/invalid.sql"))
            .await?;
        Ok(named.into_iter().map(|one| one.name).collect())
    }

    /// Looks at an index before it is built or dropped.
    pub(crate) async fn standing(
        &mut self,
        task: &IndexTask,
    ) -> Result<IndexStanding, DatabaseError> {
        let text = include_str!("postgresql/standing.sql");
        let failed = |error: sqlx::Error| DatabaseError::Read {
            reading: "the index",
            message: words(&error),
        };
        let row = sqlx::query(text)
            .persistent(false)
            .bind(&task.index.schema)
            .bind(&task.index.name)
            .fetch_optional(&mut self.connection)
            .await
            .map_err(failed)?;
        let Some(row) = row else {
            return Ok(IndexStanding::Absent);
        };
        let flag = |place: usize| row.try_get::<bool, _>(place).map_err(failed);
        Ok(match (flag(0)?, flag(1)?, flag(2)?) {
            (true, _, _) => IndexStanding::Enforcing,
            (_, true, _) => IndexStanding::InWork,
            (_, _, true) => IndexStanding::Valid,
            _ => IndexStanding::Invalid,
        })
    }

    /// Age of the oldest transaction of another session, seconds.
    pub(crate) async fn oldest_transaction_s(&mut self) -> Result<Option<f64>, DatabaseError> {
        let query = "SELECT max(extract(epoch FROM now() - xact_start))::float8 AS age_s \
            FROM pg_catalog.pg_stat_activity \
            WHERE pid <> pg_catalog.pg_backend_pid() AND backend_type = 'client backend'";
        let oldest: OldestTransaction = self.one("open transactions", query).await?;
        Ok(oldest.age_s)
    }

    /// Executes one statement that changes the server, however long it takes.
    pub(crate) async fn change(&mut self, statement: &str) -> Result<(), sqlx::Error> {
        let query = sqlx::query(AssertSqlSafe(statement.to_owned())).persistent(false);
        query.execute(&mut self.connection).await.map(drop)
    }

    async fn server(&mut self) -> Result<ServerFacts, DatabaseError> {
        let (view, timed, requested) = match self.version >= CHECKPOINTER {
            true => (
                "pg_catalog.pg_stat_checkpointer",
                "num_timed",
                "num_requested",
            ),
            false => (
                "pg_catalog.pg_stat_bgwriter",
                "checkpoints_timed",
                "checkpoints_req",
            ),
        };
        let text = include_str!("postgresql/server.sql")
            .replace("{checkpoints}", view)
            .replace("{timed}", timed)
            .replace("{requested}", requested);
        self.one("counters of the server", &text).await
    }

    /// Reads the statements; a failure is the reason why there are none.
    async fn statements(&mut self, extensions: &[String]) -> StatementSource {
        let missing = |reason: String, remedy: &str| StatementSource::Missing {
            reason,
            remedy: remedy.to_owned(),
        };
        if !extensions.iter().any(|name| name == "pg_stat_statements") {
            return missing(
                "pg_stat_statements is not installed".to_owned(),
                NOT_INSTALLED,
            );
        }

        let schema = "SELECT quote_ident(n.nspname) AS name FROM pg_catalog.pg_extension e \
            JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_stat_statements'";
        let read = async {
            let schema = self.one::<Named>("statements", schema).await?.name;
            let text = include_str!("postgresql/statements.sql").replace("{schema}", &schema);
            let statements = self.rows("statements", &text).await?;
            let reset = format!(
                "SELECT extract(epoch FROM now() - stats_reset)::float8 AS counted_s, dealloc AS evicted \
                 FROM {schema}.pg_stat_statements_info"
            );
            let reset: StatementReset = self.one("statements", &reset).await?;
            Ok::<_, DatabaseError>((statements, reset))
        };
        match read.await {
            Ok((statements, reset)) => StatementSource::Read {
                statements,
                counted_s: reset.counted_s,
                evicted: reset.evicted,
            },
            Err(error) => missing(error.to_string(), NOT_INSTALLED),
        }
    }

    /// Reads the rows of a query, each as JSON that the server makes.
    async fn rows<T: DeserializeOwned>(
        &mut self,
        reading: &'static str,
        query: &str,
    ) -> Result<Vec<T>, DatabaseError> {
        let text = format!("SELECT row_to_json(x)::text FROM ({query}) x");
        let query = sqlx::query(AssertSqlSafe(text)).persistent(false);
        let failed = |message: String| DatabaseError::Read { reading, message };
        let rows = timeout(ANSWER, query.fetch_all(&mut self.connection))
            .await
            .map_err(|_| DatabaseError::TimedOut(ANSWER.as_secs()))?
            .map_err(|error| failed(words(&error)))?;

        let mut values = Vec::with_capacity(rows.len());
        for row in rows {
            let json: String = row.try_get(0).map_err(|error| failed(words(&error)))?;
            values.push(serde_json::from_str(&json).map_err(|error| failed(error.to_string()))?);
        }
        Ok(values)
    }

    async fn one<T: DeserializeOwned>(
        &mut self,
        reading: &'static str,
        query: &str,
    ) -> Result<T, DatabaseError> {
        let message = "the answer has no row".to_owned();
        let first = self.rows(reading, query).await?.into_iter().next();
        first.ok_or(DatabaseError::Read { reading, message })
    }

    /// Executes statements of Reeve's own, which need no answer.
    async fn execute(&mut self, reading: &'static str, text: &str) -> Result<(), DatabaseError> {
        let text = sqlx::raw_sql(AssertSqlSafe(text.to_owned()));
        let executed = timeout(ANSWER, self.connection.execute(text))
            .await
            .map_err(|_| DatabaseError::TimedOut(ANSWER.as_secs()))?;
        executed.map(drop).map_err(|error| DatabaseError::Read {
            reading,
            message: words(&error),
        })
    }
}

/// Takes a reading; where it failed, its reason is kept and the reading is empty.
pub(crate) fn or_refused<T: Default>(
    reading: Result<T, DatabaseError>,
    refused: &mut Vec<String>,
) -> T {
    reading.unwrap_or_else(|error| {
        refused.push(error.to_string());
        T::default()
    })
}
