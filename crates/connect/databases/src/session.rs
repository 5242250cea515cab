//! A session with a database server.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use reeve_databases::{Engine, IndexCandidate, IndexTrial, Observation, StatementSource};
use reeve_estate::DatabaseState;
use reeve_estate::database_load::PlanNode;
use tokio::time::timeout;

use crate::address::{AddressOptions, DatabaseAddress, SessionUse};
use crate::error::DatabaseError;
use crate::mysql::MysqlSession;
use crate::postgresql::PostgresqlSession;
use crate::state::state_of;

/// Longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(15);

/// Session with a server of either kind.
pub(crate) enum ServerSession {
    Postgresql(PostgresqlSession),
    Mysql(MysqlSession),
}

impl ServerSession {
    /// Connects, and sets the limits of the use.
    ///
    /// # Errors
    /// As [`DatabaseSession::open`].
    pub(crate) async fn open(
        address: &DatabaseAddress,
        purpose: SessionUse,
    ) -> Result<ServerSession, DatabaseError> {
        let opening = async {
            Ok(match &address.options {
                AddressOptions::Postgresql(options) => {
                    ServerSession::Postgresql(PostgresqlSession::open(options, purpose).await?)
                }
                AddressOptions::Mysql(options) => {
                    ServerSession::Mysql(MysqlSession::open(options, purpose).await?)
                }
            })
        };
        timeout(CONNECT, opening)
            .await
            .map_err(|_| DatabaseError::TimedOut(CONNECT.as_secs()))?
    }

    pub(crate) fn engine(&self) -> Engine {
        match self {
            ServerSession::Postgresql(_) => Engine::Postgresql,
            ServerSession::Mysql(session) => session.engine(),
        }
    }
}

/// An open, read-only session; one statement is executed at a time.
pub struct DatabaseSession {
    server: ServerSession,
}

impl DatabaseSession {
    /// Connects, and makes the session read-only.
    ///
    /// # Errors
    /// The server cannot be reached, refuses the user, or its version is too old.
    pub async fn open(address: &DatabaseAddress) -> Result<DatabaseSession, DatabaseError> {
        let server = ServerSession::open(address, SessionUse::Reading).await?;
        Ok(DatabaseSession { server })
    }

    /// Engine of the server.
    #[must_use]
    pub fn engine(&self) -> Engine {
        self.server.engine()
    }

    /// Reads statistics and settings; `progress` is called with the name of each reading. Readings
    /// that the server refuses are listed in the observation.
    ///
    /// # Errors
    /// The connection ended, or the tables of the catalogue could not be read.
    pub async fn observe(
        &mut self,
        progress: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Observation, DatabaseError> {
        match &mut self.server {
            ServerSession::Postgresql(session) => session.observe(progress).await,
            ServerSession::Mysql(session) => session.observe(progress).await,
        }
    }

    /// Version as the server says it.
    #[must_use]
    pub fn version(&self) -> &str {
        match &self.server {
            ServerSession::Postgresql(session) => session.version(),
            ServerSession::Mysql(session) => session.version(),
        }
    }

    /// Counts the active sessions of the database by what they wait for; `CPU` for those that wait
    /// for nothing.
    ///
    /// # Errors
    /// The connection ended, or the user may not see sessions.
    pub async fn waits(&mut self) -> Result<BTreeMap<String, u64>, DatabaseError> {
        match &mut self.server {
            ServerSession::Postgresql(session) => session.waits().await,
            ServerSession::Mysql(session) => session.waits().await,
        }
    }

    /// Reads the totals of statements since the counters were reset, or the reason why there are
    /// none.
    ///
    /// # Errors
    /// The connection ended.
    pub async fn statement_totals(&mut self) -> Result<StatementSource, DatabaseError> {
        match &mut self.server {
            ServerSession::Postgresql(session) => session.statement_totals().await,
            ServerSession::Mysql(session) => session.statement_totals().await,
        }
    }

    /// Plans a normalized statement without executing it; `None` for one that cannot be planned.
    /// MariaDB and MySQL plan no text with placeholders.
    ///
    /// # Errors
    /// The connection ended.
    pub async fn plan(&mut self, text: &str) -> Result<Option<PlanNode>, DatabaseError> {
        match &mut self.server {
            ServerSession::Postgresql(session) => session.plan(text).await,
            ServerSession::Mysql(_) => Ok(None),
        }
    }

    /// Reads the state of the server as changes read it.
    ///
    /// # Errors
    /// As [`DatabaseSession::observe`].
    pub async fn state(&mut self) -> Result<DatabaseState, DatabaseError> {
        let observation = self.observe(&mut |_: &str| {}).await?;
        let invalid = match &mut self.server {
            ServerSession::Postgresql(session) => session.invalid_indexes().await?,
            // An ALTER TABLE that fails leaves no index behind.
            ServerSession::Mysql(_) => BTreeSet::new(),
        };
        Ok(state_of(&observation, &invalid))
    }

    /// Tries candidates: by hypothetical plans where hypopg is installed, otherwise by estimates.
    ///
    /// # Errors
    /// The connection ended.
    pub async fn try_indexes(
        &mut self,
        observation: &Observation,
        candidates: &[IndexCandidate],
    ) -> Result<Vec<IndexTrial>, DatabaseError> {
        match &mut self.server {
            ServerSession::Postgresql(session) => {
                session.try_indexes(observation, candidates).await
            }
            ServerSession::Mysql(session) => session.try_indexes(observation, candidates).await,
        }
    }
}
