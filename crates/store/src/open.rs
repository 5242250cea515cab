//! Opening: the first connection, and why there is none.

use std::fs::OpenOptions;
use std::path::Path;
use std::time::Duration;

use sqlx::any::AnyConnectOptions;
use sqlx::{AnyConnection, ConnectOptions as _};

use crate::address::{Address, Backend};
use crate::database::{quiet, set_up};

/// Delay before a busy file is tried again.
const RETRY: Duration = Duration::from_millis(20);

/// Why the store did not open.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The address is not one.
    #[error("the address of the state store {0}")]
    Address(String),
    /// The server does not answer.
    #[error("the state store at {at} does not answer: {message}; is the server running, and are host and port right?")]
    Unreachable {
        /// Address without user and password.
        at: String,
        /// Cause of the failure.
        message: String,
    },
    /// The server answers and does not let us in.
    #[error("the state store at {at} refused the sign-in: {message}; check user, password and database name")]
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
    #[error("the state store has schema {found}, written by a newer version; this program knows schemas up to {known}")]
    Newer {
        /// The schema found.
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
    /// Setting up failed.
    #[error("the state store's schema could not be set up: {message}")]
    Schema {
        /// Error of the database.
        message: String,
        /// The failure.
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

/// The first connection, by hand: a pool would hide why it fails.
pub(crate) async fn connect(address: &Address, patience: Duration) -> Result<AnyConnection, OpenError> {
    let options = quiet(&address.options);
    let connecting = async {
        loop {
            match ready(&options, address.backend).await {
                Err(error) if is_busy(address.backend, &error) => tokio::time::sleep(RETRY).await,
                other => return other,
            }
        }
    };
    match tokio::time::timeout(patience, connecting).await {
        Ok(connected) => connected.map_err(|error| refusal(address, error)),
        Err(_) => Err(silence(address, patience)),
    }
}

fn silence(address: &Address, patience: Duration) -> OpenError {
    let (at, seconds) = (address.shown.clone(), patience.as_secs_f32());
    match address.backend {
        Backend::Sqlite => OpenError::File { at, message: format!("another program has held it for {seconds} s") },
        Backend::Postgres => OpenError::Unreachable { at, message: format!("no answer within {seconds} s") },
    }
}

async fn ready(options: &AnyConnectOptions, backend: Backend) -> Result<AnyConnection, sqlx::Error> {
    let mut connection = options.connect().await?;
    set_up(&mut connection, backend, false).await?;
    Ok(connection)
}

/// SQLITE_BUSY (5) in any of its kinds. Switching a new file to WAL while another program does the same answers it at
/// once, whatever `busy_timeout` says.
fn is_busy(backend: Backend, error: &sqlx::Error) -> bool {
    let code = match error {
        sqlx::Error::Database(database) => database.code(),
        _ => None,
    };
    backend == Backend::Sqlite && code.and_then(|code| code.parse::<u32>().ok()).is_some_and(|code| code & 0xff == 5)
}

pub(crate) fn refusal(address: &Address, error: sqlx::Error) -> OpenError {
    let at = address.shown.clone();
    let message = match &error {
        sqlx::Error::Database(database) => database.message().to_owned(),
        sqlx::Error::Io(error) => error.to_string(),
        other => other.to_string(),
    };
    match (address.backend, error) {
        (Backend::Sqlite, _) => OpenError::File { at, message },
        (Backend::Postgres, sqlx::Error::Database(_)) => OpenError::Refused { at, message },
        (Backend::Postgres, sqlx::Error::Configuration(_)) => OpenError::Address(message),
        (Backend::Postgres, _) => OpenError::Unreachable { at, message },
    }
}

/// Makes the file, for nobody else to read: it holds password hashes and sealed credentials.
pub(crate) fn create(file: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;
    if let Some(directory) = file.parent() {
        std::fs::create_dir_all(directory)?;
    }
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(file) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        other => other.map(drop),
    }
}
