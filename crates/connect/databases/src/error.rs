//! Failures of a connection to a database server.

use reeve_estate::{ActError, ActErrorKind};

/// A failure, without the address and the password of the server.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    #[error(
        "write a URL such as postgres://user:password@host:5432/name or mysql://user:password@host:3306/name: {0}"
    )]
    Address(String),
    #[error("the server cannot be reached: {0}")]
    Unreachable(String),
    #[error("the server refused the user or the database: {0}")]
    Refused(String),
    #[error("the server did not answer within {0} seconds")]
    TimedOut(u64),
    #[error(
        "the server's version {0} is not supported: PostgreSQL 14, MariaDB 10.5 and MySQL 8.0 or later are"
    )]
    Version(String),
    #[error("{reading} could not be read: {message}")]
    Read {
        /// Name of the reading, such as `settings`.
        reading: &'static str,
        message: String,
    },
}

impl DatabaseError {
    /// Sorts a failure to connect. The words are the server's own, which do not repeat the password.
    pub(crate) fn of_connecting(error: &sqlx::Error) -> DatabaseError {
        match error {
            sqlx::Error::Database(refusal) => DatabaseError::Refused(refusal.message().to_owned()),
            sqlx::Error::Configuration(message) => DatabaseError::Address(message.to_string()),
            other => DatabaseError::Unreachable(other.to_string()),
        }
    }
}

/// The words of a failure for people.
pub(crate) fn words(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(refusal) => refusal.message().to_owned(),
        other => other.to_string(),
    }
}

pub(crate) fn act_error(kind: ActErrorKind, message: impl ToString) -> ActError {
    ActError {
        kind,
        message: message.to_string(),
    }
}

impl From<DatabaseError> for ActError {
    fn from(error: DatabaseError) -> ActError {
        act_error(ActErrorKind::Unknown, error)
    }
}
