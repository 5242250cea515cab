//! Credentials as they are sealed. The plain text exists only between here and the vault.

use reeve_estate::ConnectionCredentials;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::vault::{Vault, VaultError};

/// The plain text of a sealed secret. Not `Debug`.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum CredentialsRow {
    AccessKey {
        access_key_id: String,
        secret_access_key: String,
        session_token: Option<String>,
    },
    Login {
        user: String,
        password: String,
    },
    Ambient,
    Simulated,
}

/// Seals the credentials of a connection.
pub(crate) fn seal(
    vault: &Vault,
    connection: &str,
    credentials: &ConnectionCredentials,
) -> Result<String, VaultError> {
    let row = match credentials.clone() {
        ConnectionCredentials::AccessKey {
            access_key_id,
            secret_access_key,
            session_token,
        } => CredentialsRow::AccessKey {
            access_key_id,
            secret_access_key,
            session_token,
        },
        ConnectionCredentials::Login { user, password } => CredentialsRow::Login { user, password },
        ConnectionCredentials::Ambient => CredentialsRow::Ambient,
        ConnectionCredentials::Simulated => CredentialsRow::Simulated,
    };
    let plain = Zeroizing::new(serde_json::to_vec(&row).map_err(|_| VaultError::Seal)?);

    vault.seal(connection, &plain)
}

/// Opens the credentials of a connection.
pub(crate) fn open(
    vault: &Vault,
    connection: &str,
    sealed: &str,
) -> Result<ConnectionCredentials, VaultError> {
    let plain = vault.open(connection, sealed)?;
    Ok(
        match serde_json::from_slice(&plain).map_err(|_| VaultError::Altered)? {
            CredentialsRow::AccessKey {
                access_key_id,
                secret_access_key,
                session_token,
            } => ConnectionCredentials::AccessKey {
                access_key_id,
                secret_access_key,
                session_token,
            },
            CredentialsRow::Login { user, password } => {
                ConnectionCredentials::Login { user, password }
            }
            CredentialsRow::Ambient => ConnectionCredentials::Ambient,
            CredentialsRow::Simulated => ConnectionCredentials::Simulated,
        },
    )
}

/// An access key without a key: what a connection shows while its own cannot be opened. No cloud
/// accepts it.
pub(crate) fn withheld() -> ConnectionCredentials {
    ConnectionCredentials::AccessKey {
        access_key_id: String::new(),
        secret_access_key: String::new(),
        session_token: None,
    }
}

/// Returns `true` for [`withheld`] credentials, which must not overwrite sealed ones.
pub(crate) fn is_withheld(credentials: &ConnectionCredentials) -> bool {
    *credentials == withheld()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_kind_there_and_back() {
        let vault = Vault::from_bytes(&[1; 32]).unwrap();
        let key = |token: Option<&str>| ConnectionCredentials::AccessKey {
            access_key_id: "AKIDEXAMPLE".into(),
            secret_access_key: "secret".into(),
            session_token: token.map(str::to_owned),
        };

        for credentials in [
            key(None),
            key(Some("token")),
            ConnectionCredentials::Ambient,
            ConnectionCredentials::Simulated,
        ] {
            let sealed = seal(&vault, "c-1", &credentials).unwrap();
            assert!(!sealed.contains("AKIDEXAMPLE"));
            assert!(open(&vault, "c-1", &sealed).unwrap() == credentials);
            assert!(!is_withheld(&credentials));
        }

        assert!(is_withheld(&withheld()));
    }
}
