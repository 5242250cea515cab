//! Credentials of a metric source as they are sealed.

use reeve_sources::QueryCredentials;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::vault::{Vault, VaultError};

/// The plain text of sealed credentials. Not `Debug`.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum CredentialsRow {
    None,
    Bearer { token: String },
    Basic { username: String, password: String },
}

/// Seals the credentials of a source.
pub(crate) fn seal(
    vault: &Vault,
    source: &str,
    credentials: &QueryCredentials,
) -> Result<String, VaultError> {
    let row = match credentials.clone() {
        QueryCredentials::None => CredentialsRow::None,
        QueryCredentials::Bearer(token) => CredentialsRow::Bearer { token },
        QueryCredentials::Basic { username, password } => {
            CredentialsRow::Basic { username, password }
        }
    };
    vault.seal(
        source,
        &Zeroizing::new(serde_json::to_vec(&row).map_err(|_| VaultError::Seal)?),
    )
}

/// Opens the credentials of a source.
pub(crate) fn open(
    vault: &Vault,
    source: &str,
    sealed: &str,
) -> Result<QueryCredentials, VaultError> {
    let plain = vault.open(source, sealed)?;
    Ok(
        match serde_json::from_slice(&plain).map_err(|_| VaultError::Altered)? {
            CredentialsRow::None => QueryCredentials::None,
            CredentialsRow::Bearer { token } => QueryCredentials::Bearer(token),
            CredentialsRow::Basic { username, password } => {
                QueryCredentials::Basic { username, password }
            }
        },
    )
}
