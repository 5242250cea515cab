//! Opening: the first connection, and why there is none.

use std::fs::OpenOptions;
use std::path::Path;
use std::time::Duration;

use sqlx::any::AnyConnectOptions;
use sqlx::{AnyConnection, ConnectOptions as _};

use crate::address::{Address, Backend};
use crate::database::{quiet, set_up};
pub use error::OpenError;

mod error;

/// Delay before a busy file is tried again.
const RETRY: Duration = Duration::from_millis(20);

/// The first connection, by hand: a pool would hide why it fails.
pub(crate) async fn connect(
    address: &Address,
    patience: Duration,
) -> Result<AnyConnection, OpenError> {
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
        Backend::Sqlite => OpenError::File {
            at,
            message: format!("another program has held it for {seconds} s"),
        },
        Backend::Postgres => OpenError::Unreachable {
            at,
            message: format!("no answer within {seconds} s"),
        },
    }
}

async fn ready(
    options: &AnyConnectOptions,
    backend: Backend,
) -> Result<AnyConnection, sqlx::Error> {
    let mut connection = options.connect().await?;
    set_up(&mut connection, backend, false).await?;
    Ok(connection)
}

/// SQLITE_BUSY (5) in any of its kinds. Switching a new file to WAL while another program does the
/// same answers it at once, whatever `busy_timeout` says.
fn is_busy(backend: Backend, error: &sqlx::Error) -> bool {
    let code = match error {
        sqlx::Error::Database(database) => database.code(),
        _ => None,
    };
    backend == Backend::Sqlite
        && code
            .and_then(|code| code.parse::<u32>().ok())
            .is_some_and(|code| code & 0xff == 5)
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

    match OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)
    {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        other => other.map(drop),
    }
}
