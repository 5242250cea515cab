//! One failure inside the store, and what it becomes for each port. Statements and parameters never stand in a message.

use reeve_access::AccessError;
use reeve_estate::StoreError;

/// Why something was not read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error("{what} {id} does not exist")]
    NotFound { what: &'static str, id: String },
    #[error("{0}")]
    Conflict(String),
    #[error("{0}")]
    Backend(String),
}

/// Why a setting or a lease was not read or written.
#[derive(Debug, thiserror::Error)]
#[error("the store failed: {0}")]
pub struct SettingError(pub(crate) String);

impl Fault {
    pub(crate) fn not_found(what: &'static str, id: &str) -> Self {
        Fault::NotFound { what, id: id.to_owned() }
    }

    /// What an insert or update of something unique failed with.
    pub(crate) fn or_taken(error: sqlx::Error, taken: impl FnOnce() -> String) -> Self {
        match &error {
            sqlx::Error::Database(database) if database.is_unique_violation() => Fault::Conflict(taken()),
            _ => error.into(),
        }
    }

    /// What an insert failed with of something that has an owner and may exist.
    pub(crate) fn or_taken_or_orphan(
        error: sqlx::Error,
        what: &'static str,
        owner: &'static str,
        owner_id: &str,
    ) -> Self {
        match &error {
            sqlx::Error::Database(database) if database.is_unique_violation() => {
                Fault::Conflict(format!("the {what} exists already"))
            }
            _ => Fault::or_orphan(error, owner, owner_id),
        }
    }

    /// What an insert or update of something that belongs to something else failed with.
    pub(crate) fn or_orphan(error: sqlx::Error, what: &'static str, id: &str) -> Self {
        match &error {
            sqlx::Error::Database(database) if database.is_foreign_key_violation() => Fault::not_found(what, id),
            _ => error.into(),
        }
    }
}

impl From<sqlx::Error> for Fault {
    fn from(error: sqlx::Error) -> Self {
        Fault::Backend(match error {
            sqlx::Error::PoolTimedOut => "no connection to the database could be had in time".into(),
            sqlx::Error::PoolClosed => "the store is closed".into(),
            sqlx::Error::Database(database) if is_full(database.as_ref()) => {
                format!("the disk is full: {}", database.message())
            }
            sqlx::Error::Database(database) => database.message().to_owned(),
            other => other.to_string(),
        })
    }
}

/// SQLITE_FULL (13), or PostgreSQL's disk_full (53100).
fn is_full(error: &dyn sqlx::error::DatabaseError) -> bool {
    matches!(error.code().as_deref(), Some("13" | "53100"))
}

impl From<Fault> for AccessError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::NotFound { what, id } => AccessError::NotFound { what, id },
            Fault::Conflict(message) => AccessError::Conflict(message),
            Fault::Backend(message) => AccessError::Backend(message),
        }
    }
}

impl From<Fault> for StoreError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::NotFound { what, id } => StoreError::NotFound { what, id },
            Fault::Conflict(message) => StoreError::Conflict(message),
            Fault::Backend(message) => StoreError::Backend(message),
        }
    }
}

impl From<Fault> for SettingError {
    fn from(fault: Fault) -> Self {
        SettingError(fault.to_string())
    }
}
