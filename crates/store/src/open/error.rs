//! Reasons why the state store does not open.

/// Reason why the store did not open.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The address is not one.
    #[error("the address of the state store {0}")]
    Address(String),
    /// The server does not answer.
    #[error(
        "the state store at {at} does not answer: {message}; is the server running, and are host and port right?"
    )]
    Unreachable {
        /// Address without user and password.
        at: String,
        /// Cause of the failure.
        message: String,
    },
    /// The server answers and does not let us in.
    #[error(
        "the state store at {at} refused the sign-in: {message}; check user, password and database name"
    )]
    Refused {
        /// Address without user and password.
        at: String,
        /// Error of the server.
        message: String,
    },
    /// The SQLite file cannot be opened or created, or is no SQLite file.
    #[error("the state store's file {at} cannot be used: {message}")]
    File {
        /// Path of the file.
        at: String,
        /// Cause of the failure.
        message: String,
    },
    /// A newer program wrote it.
    #[error(
        "the state store has schema {found}, written by a newer version; this program knows schemas up to {known}"
    )]
    Newer {
        /// Version of the schema that was found.
        found: i64,
        /// The newest this program knows.
        known: i64,
    },
    /// A migration was applied that reads otherwise here.
    #[error(
        "migration {version} of the state store was applied in another wording than this program's; it is not one of ours"
    )]
    Altered {
        /// Version of the altered migration.
        version: i64,
    },
    #[error("the state store's schema could not be set up: {message}")]
    Schema {
        /// Error of the database.
        message: String,
        #[source]
        source: sqlx::Error,
    },
}

impl OpenError {
    pub(crate) fn statement(source: sqlx::Error) -> Self {
        let message = match &source {
            sqlx::Error::Database(database) => database.message().to_owned(),
            other => other.to_string(),
        };
        OpenError::Schema { message, source }
    }
}
