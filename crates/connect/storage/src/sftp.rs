//! SFTP by the OpenSSH client of the machine (`sftp`, `ssh`, `ssh-keyscan`), which the distribution
//! keeps secure; `docs/adr/0012` says why no library of SSH is compiled in.
//!
//! The host is resolved and judged by the guarded client, and the program is given the address that
//! was judged. Only the host key that the settings name is accepted. A file is written beside its
//! place as `.NAME.part` and renamed once it is whole and synced. Nothing of the user's or the
//! system's configuration of SSH is read.

mod batch;
mod host_key;
mod program;

use std::path::Path;
use std::time::Duration;

use reeve_connect_outbound::Outbound;

use crate::upload::StorageError;
use program::SftpSession;

/// Time to connect, sign in and rename.
const OVERHEAD: Duration = Duration::from_secs(120);
/// Slowest transfer that is waited for, bytes a second.
const SLOWEST: u64 = 50_000;

/// A server, and the user to sign in as.
#[derive(Debug, Clone)]
pub struct Server {
    /// Host name or address.
    pub host: String,
    pub port: u16,
    /// Name of the user that signs in.
    pub username: String,
    /// SHA-256 fingerprint of the host key; without one the host is refused.
    pub host_key: Option<String>,
}

/// Puts a file into a folder below the user's own, which is made if it is missing; returns its
/// address. The secret is a password, or a private key without a passphrase.
///
/// # Errors
/// [`StorageError`].
pub async fn put(
    client: &Outbound,
    server: &Server,
    secret: &str,
    prefix: &str,
    name: &str,
    file: &Path,
) -> Result<String, StorageError> {
    let length = tokio::fs::metadata(file).await?.len();
    let address = client.address_of(&server.host, server.port).await?;
    let host_key = host_key::pinned(server, address).await?;
    let session = SftpSession::begin(server, address, &host_key, secret)?;
    let time = OVERHEAD + Duration::from_secs(length / SLOWEST);
    let upload = batch::Upload { prefix, name, file };
    tokio::time::timeout(time, upload.run(&session))
        .await
        .map_err(|_| {
            StorageError::Ssh(format!("the server took longer than {} s", time.as_secs()))
        })??;

    let folder = if prefix.is_empty() {
        String::new()
    } else {
        format!("{prefix}/")
    };

    Ok(format!(
        "sftp://{}:{}/{folder}{name}",
        server.host, server.port
    ))
}
