//! Database servers: PostgreSQL, MariaDB and MySQL read for `reeve_databases`.
//!
//! A session only reads: its transactions are read-only, each statement has a time-out, one
//! statement is executed at a time, and no text of a statement is executed: it is prepared and
//! planned. Changes have sessions of their own ([`change_database`]).

mod address;
mod changing;
mod error;
mod index_task;
mod mysql;
mod postgresql;
mod session;
mod state;

pub use address::DatabaseAddress;
pub use changing::change_database;
pub use error::DatabaseError;
pub use session::DatabaseSession;
