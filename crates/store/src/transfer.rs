//! The whole state as text, and back: what a backup keeps of a database, the same for SQLite and
//! PostgreSQL.
//!
//! Rows are read in one transaction that sees one moment, while others write. They come back into a
//! database that was never used, in one transaction, at the schema they were written with; the next
//! opening brings that up to date. Layout: `docs/formats/backup.md`.
//!
//! Left out are sessions, because whoever was signed out since must not be signed in again by a
//! restore, and the lease of the active server.

mod export;
mod import;

use std::io;

use crate::open::OpenError;

pub use import::import;

/// Name of the format, in the first line.
const FORMAT: &str = "reeve/state/v1";
/// Tables whose rows stay behind. The schema's own journal follows from the migrations.
const LEFT: [&str; 4] = ["active_server", "leases", "schema_versions", "sessions"];
/// Setting that names the backup from which a database was restored.
const RESTORED: &str = "restored_from";

/// Reason why state was not written or read.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    #[error("the copy of the state: {0}")]
    File(#[from] io::Error),
    /// The database did not open.
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("the state store failed: {0}")]
    Database(#[from] sqlx::Error),
    /// The file is not what is written.
    #[error("the copy of the state, line {line}: {cause}")]
    Form {
        /// Line number, from 1.
        line: u64,
        /// Fault in the line.
        cause: String,
    },
    /// The database is in use.
    #[error("the database at {at} is not empty: restore into a new one, or drop its tables first")]
    InUse {
        /// Address without user and password.
        at: String,
    },
    /// A column holds what the format has no form for.
    #[error("{table}.{column} has a value that cannot be copied")]
    Value { table: String, column: String },
}
