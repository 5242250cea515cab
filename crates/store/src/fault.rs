//! Failure of the store, and its conversion for each port. Messages never contain statements or
//! parameters.

use reeve_access::AccessError;
use reeve_estate::StoreError;

use crate::vault::VaultError;

/// Reason why something was not read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error("{noun} {id} does not exist")]
    NotFound { noun: &'static str, id: String },
    #[error("{0}")]
    Conflict(String),
    #[error("the disk is full: {0}")]
    Full(String),
    #[error("the database does not answer: {0}")]
    Unavailable(String),
    #[error("{0}")]
    Backend(String),
}

/// Failure to read or write a setting or the lease of the active server.
#[derive(Debug, thiserror::Error)]
#[error("the store failed: {0}")]
pub struct SettingError(pub(crate) String);

impl Fault {
    pub(crate) fn not_found(noun: &'static str, id: &str) -> Self {
        Fault::NotFound {
            noun,
            id: id.to_owned(),
        }
    }

    /// Turns the error of an insert or update into a conflict if a unique value is taken.
    pub(crate) fn or_taken(error: sqlx::Error, taken: impl FnOnce() -> String) -> Self {
        match &error {
            sqlx::Error::Database(database) if database.is_unique_violation() => {
                Fault::Conflict(taken())
            }
            _ => error.into(),
        }
    }

    /// Turns the error of an insert into a conflict if the row exists, or "not found" if its owner
    /// does not.
    pub(crate) fn or_taken_or_orphan(
        error: sqlx::Error,
        noun: &'static str,
        owner: &'static str,
        owner_id: &str,
    ) -> Self {
        match &error {
            sqlx::Error::Database(database) if database.is_unique_violation() => {
                Fault::Conflict(format!("the {noun} exists already"))
            }
            _ => Fault::or_orphan(error, owner, owner_id),
        }
    }

    /// Turns the error of an insert or update into "not found" if the referenced row does not
    /// exist.
    pub(crate) fn or_orphan(error: sqlx::Error, noun: &'static str, id: &str) -> Self {
        match &error {
            sqlx::Error::Database(database) if database.is_foreign_key_violation() => {
                Fault::not_found(noun, id)
            }
            _ => error.into(),
        }
    }
}

impl From<VaultError> for Fault {
    fn from(error: VaultError) -> Self {
        Fault::Backend(error.to_string())
    }
}

impl From<sqlx::Error> for Fault {
    fn from(error: sqlx::Error) -> Self {
        match error {
            sqlx::Error::PoolTimedOut => {
                Fault::Unavailable("no connection to the database could be had in time".to_owned())
            }
            sqlx::Error::PoolClosed => {
                Fault::Unavailable("the store is closed to this server".to_owned())
            }
            sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::WorkerCrashed => {
                Fault::Unavailable(error.to_string())
            }
            sqlx::Error::Database(database) if is_full(database.as_ref()) => {
                Fault::Full(database.message().to_owned())
            }
            sqlx::Error::Database(database) if is_away(database.as_ref()) => {
                Fault::Unavailable(database.message().to_owned())
            }
            sqlx::Error::Database(database) => Fault::Backend(database.message().to_owned()),
            other => Fault::Backend(other.to_string()),
        }
    }
}

/// Errors of a PostgreSQL that stops, starts, or has no connection left (classes 57P and 53300),
/// and of connections (class 08).
fn is_away(error: &dyn sqlx::error::DatabaseError) -> bool {
    error.code().is_some_and(|code| {
        code.len() == 5
            && (code.starts_with("08")
                || matches!(code.as_ref(), "57P01" | "57P02" | "57P03" | "53300"))
    })
}

/// SQLITE_FULL (13), SQLITE_IOERR_SHMSIZE (4874: the index of the write-ahead log cannot grow), or
/// PostgreSQL's disk_full (53100).
fn is_full(error: &dyn sqlx::error::DatabaseError) -> bool {
    matches!(error.code().as_deref(), Some("13" | "4874" | "53100"))
}

impl From<Fault> for AccessError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::NotFound { noun, id } => AccessError::NotFound { what: noun, id },
            Fault::Conflict(message) => AccessError::Conflict(message),
            Fault::Full(message) => AccessError::Full(message),
            Fault::Unavailable(message) => AccessError::Unavailable(message),
            Fault::Backend(message) => AccessError::Backend(message),
        }
    }
}

impl From<Fault> for StoreError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::NotFound { noun, id } => StoreError::NotFound { what: noun, id },
            Fault::Conflict(message) => StoreError::Conflict(message),
            Fault::Full(message) => StoreError::Full(message),
            Fault::Unavailable(message) => StoreError::Unavailable(message),
            Fault::Backend(message) => StoreError::Backend(message),
        }
    }
}

impl From<Fault> for SettingError {
    fn from(fault: Fault) -> Self {
        SettingError(fault.to_string())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};

    use super::*;

    #[tokio::test]
    async fn a_full_database_is_distinguished() {
        let options = SqliteConnectOptions::new()
            .in_memory(true)
            .pragma("max_page_count", "8");
        let pool = SqlitePoolOptions::new()
            .max_connections(1)
            .connect_with(options)
            .await
            .unwrap();

        sqlx::query("CREATE TABLE noise (bytes BLOB)")
            .execute(&pool)
            .await
            .unwrap();
        let insert = || sqlx::query("INSERT INTO noise VALUES (zeroblob(4096))").execute(&pool);
        let error = loop {
            if let Err(error) = insert().await {
                break error;
            }
        };
        let fault = Fault::from(error);
        assert!(matches!(fault, Fault::Full(_)), "{fault}");
        assert!(matches!(StoreError::from(fault), StoreError::Full(_)));

        let error = sqlx::query("SELECT nothing")
            .execute(&pool)
            .await
            .unwrap_err();
        assert!(matches!(
            AccessError::from(Fault::from(error)),
            AccessError::Backend(_)
        ));
    }
}
