//! A session with a database server.

use std::collections::BTreeSet;
use std::time::Duration;

use reeve_databases::{Engine, IndexCandidate, IndexTrial, Observation};
use reeve_estate::DatabaseState;
use tokio::time::timeout;

use crate::address::{AddressOptions, DatabaseAddress};
use crate::error::DatabaseError;
use crate::mysql::MysqlSession;
use crate::postgresql::PostgresqlSession;
use crate::state::state_of;

/// Longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(15);

/// An open, read-only session; one statement is executed at a time.
pub struct DatabaseSession {
    kind: SessionKind,
}

enum SessionKind {
    Postgresql(PostgresqlSession),
    Mysql(MysqlSession),
}

impl DatabaseSession {
    /// Connects, and makes the session read-only.
    ///
    /// # Errors
    /// The server cannot be reached, refuses the user, or its version is too old.
    pub async fn open(address: &DatabaseAddress) -> Result<DatabaseSession, DatabaseError> {
        let opening = async {
            Ok(match &address.options {
                AddressOptions::Postgresql(options) => {
                    SessionKind::Postgresql(PostgresqlSession::open(options).await?)
                }
                AddressOptions::Mysql(options) => {
                    SessionKind::Mysql(MysqlSession::open(options).await?)
                }
            })
        };
        let kind = timeout(CONNECT, opening)
            .await
            .map_err(|_| DatabaseError::TimedOut(CONNECT.as_secs()))??;
        Ok(DatabaseSession { kind })
    }

    /// Engine of the server.
    #[must_use]
    pub fn engine(&self) -> Engine {
        match &self.kind {
            SessionKind::Postgresql(_) => Engine::Postgresql,
            SessionKind::Mysql(session) => session.engine(),
        }
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
        match &mut self.kind {
            SessionKind::Postgresql(session) => session.observe(progress).await,
            SessionKind::Mysql(session) => session.observe(progress).await,
        }
    }

    /// Reads the state of the server as changes read it.
    ///
    /// # Errors
    /// As [`DatabaseSession::observe`].
    pub async fn state(&mut self) -> Result<DatabaseState, DatabaseError> {
        let observation = self.observe(&mut |_: &str| {}).await?;
        let invalid = match &mut self.kind {
            SessionKind::Postgresql(session) => session.invalid_indexes().await?,
            // An ALTER TABLE that fails leaves no index behind.
            SessionKind::Mysql(_) => BTreeSet::new(),
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
        match &mut self.kind {
            SessionKind::Postgresql(session) => session.try_indexes(observation, candidates).await,
            SessionKind::Mysql(session) => session.try_indexes(observation, candidates).await,
        }
    }
}
