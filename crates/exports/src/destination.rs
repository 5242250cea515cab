//! Destinations: places that the files of an export are carried to.

use std::path::Path;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_audit::{FieldCode, FieldError};
use serde::{Deserialize, Serialize};

use crate::name::names;

/// Identifier of a destination, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DestinationId(pub String);

names!(
    /// Kind of a destination.
    DestinationKind {
        /// Amazon S3, or what speaks its protocol.
        S3 => "s3",
        /// A container of Azure Blob Storage.
        AzureBlob => "azure_blob",
        /// A bucket of Google Cloud Storage.
        Gcs => "gcs",
        /// A server with SFTP.
        Sftp => "sftp",
        /// A folder of the machine that Reeve runs on, below the one that the configuration allows.
        Folder => "folder",
    }
);

/// Settings of a destination without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum DestinationSettings {
    /// S3. The secret is the secret access key.
    S3 {
        bucket: String,
        region: String,
        /// Another endpoint than AWS's own.
        endpoint: Option<String>,
        /// Access key; `None` takes the credentials of the machine.
        access_key_id: Option<String>,
    },
    /// Azure Blob. The secret is an account key, or a SAS token (`sv=...&sig=...`).
    AzureBlob {
        /// Name of the storage account.
        account: String,
        container: String,
        /// Another endpoint than `https://ACCOUNT.blob.core.windows.net`.
        endpoint: Option<String>,
    },
    /// Google Cloud Storage. The secret is the JSON key of a service account; without one no
    /// credentials are sent.
    Gcs {
        bucket: String,
        /// Another endpoint than `https://storage.googleapis.com`.
        endpoint: Option<String>,
    },
    /// SFTP. The secret is a password, or a private key in OpenSSH's format.
    Sftp {
        host: String,
        port: u16,
        username: String,
        /// SHA-256 fingerprint of the host key (`SHA256:...`), as `ssh-keygen -lf` prints it.
        /// Another host key is refused; without one every host is refused, with the fingerprints
        /// that it presented.
        host_key: Option<String>,
    },
    /// Folder, relative to the one that the configuration allows.
    Folder,
}

impl DestinationSettings {
    /// Returns the kind of the destination.
    #[must_use]
    pub const fn kind(&self) -> DestinationKind {
        match self {
            Self::S3 { .. } => DestinationKind::S3,
            Self::AzureBlob { .. } => DestinationKind::AzureBlob,
            Self::Gcs { .. } => DestinationKind::Gcs,
            Self::Sftp { .. } => DestinationKind::Sftp,
            Self::Folder => DestinationKind::Folder,
        }
    }

    /// Returns the endpoint that a person gave.
    #[must_use]
    pub fn endpoint(&self) -> Option<&str> {
        match self {
            Self::S3 { endpoint, .. }
            | Self::AzureBlob { endpoint, .. }
            | Self::Gcs { endpoint, .. } => endpoint.as_deref(),
            Self::Sftp { .. } | Self::Folder => None,
        }
    }
}

/// A secret of a destination. It is sealed before it is kept and never shown.
#[derive(Clone, Default)]
pub struct DestinationSecret(pub String);

impl std::fmt::Debug for DestinationSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DestinationSecret(..)")
    }
}

/// A destination, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportDestination {
    pub id: DestinationId,
    /// Unique among all destinations.
    pub name: String,
    pub settings: DestinationSettings,
    /// Folder, or prefix of object names, that files are put below; may be empty.
    pub prefix: String,
    /// Time it was made.
    pub created_at: Timestamp,
    /// Grows by one with each change.
    pub version: u64,
}

/// Destination as sent, before it is checked.
#[derive(Debug, Clone, Default)]
pub struct DestinationDraft {
    pub name: String,
    /// `s3`, `azure_blob`, `gcs`, `sftp` or `folder`.
    pub kind: String,
    /// Folder, or prefix of object names; may be empty.
    pub prefix: String,
    /// Bucket of S3 or Google Cloud Storage.
    pub bucket: Option<String>,
    /// Region of S3; `None` for other kinds.
    pub region: Option<String>,
    pub endpoint: Option<String>,
    /// Access key of S3.
    pub access_key_id: Option<String>,
    /// Storage account of Azure.
    pub account: Option<String>,
    /// Container of Azure; `None` for other kinds.
    pub container: Option<String>,
    /// Host of SFTP; `None` for other kinds.
    pub host: Option<String>,
    /// Port of SFTP; 22 unless given.
    pub port: Option<u16>,
    /// User of SFTP; `None` for other kinds.
    pub username: Option<String>,
    /// Fingerprint of the host key of SFTP.
    pub host_key: Option<String>,
}

impl DestinationDraft {
    /// Checks name, prefix and settings.
    ///
    /// # Errors
    /// Every failing field with a code and a reason.
    pub fn read(self) -> Result<(String, DestinationSettings, String), Vec<FieldError>> {
        let mut errors = Vec::new();
        let name = self.name.trim().to_owned();

        if name.is_empty() || name.chars().count() > 100 || name.contains(char::is_control) {
            errors.push(FieldError::new(
                "name",
                FieldCode::InvalidValue,
                "must have 1 to 100 characters on one line",
            ));
        }

        let prefix = self.prefix.trim().trim_matches('/').to_owned();
        if !prefix.is_empty() && !is_relative(&prefix) {
            errors.push(FieldError::new(
                "prefix",
                FieldCode::InvalidValue,
                "must be a relative path without . or .. parts",
            ));
        }

        let mut needed = |field: &str, value: &Option<String>, sound: fn(&str) -> bool| {
            let value = value
                .as_deref()
                .map(str::trim)
                .unwrap_or_default()
                .to_owned();
            if value.is_empty() {
                errors.push(FieldError::new(
                    field,
                    FieldCode::MissingField,
                    "is required for this kind of destination",
                ));
            } else if !sound(&value) {
                errors.push(FieldError::new(
                    field,
                    FieldCode::InvalidValue,
                    "has characters or a length that are not allowed here",
                ));
            }
            value
        };

        let given = |value: &Option<String>| value.clone().filter(|text| !text.trim().is_empty());
        let settings = match DestinationKind::parse(&self.kind) {
            Some(DestinationKind::S3) => DestinationSettings::S3 {
                bucket: needed("bucket", &self.bucket, is_name),
                region: needed("region", &self.region, is_name),
                endpoint: given(&self.endpoint),
                access_key_id: given(&self.access_key_id),
            },
            Some(DestinationKind::AzureBlob) => DestinationSettings::AzureBlob {
                account: needed("account", &self.account, is_name),
                container: needed("container", &self.container, is_name),
                endpoint: given(&self.endpoint),
            },
            Some(DestinationKind::Gcs) => DestinationSettings::Gcs {
                bucket: needed("bucket", &self.bucket, is_name),
                endpoint: given(&self.endpoint),
            },
            Some(DestinationKind::Sftp) => DestinationSettings::Sftp {
                host: needed("host", &self.host, is_name),
                port: self.port.unwrap_or(22),
                username: needed("username", &self.username, is_username),
                host_key: match given(&self.host_key) {
                    Some(_) => Some(needed("host_key", &self.host_key, is_fingerprint)),
                    None => None,
                },
            },
            Some(DestinationKind::Folder) => DestinationSettings::Folder,
            None => {
                let names: Vec<_> = DestinationKind::ALL
                    .iter()
                    .map(|kind| kind.as_str())
                    .collect();
                errors.push(FieldError::new(
                    "kind",
                    FieldCode::InvalidValue,
                    format!("must be one of {}", names.join(", ")),
                ));
                return Err(errors);
            }
        };

        if errors.is_empty() {
            Ok((name, settings, prefix))
        } else {
            Err(errors)
        }
    }
}

/// Returns `true` for names of buckets, containers, accounts, regions and hosts.
fn is_name(text: &str) -> bool {
    (1..=255).contains(&text.len())
        && text.bytes().all(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':' | b'[' | b']')
        })
        && !text.contains("..")
}

/// Returns `true` for names of SSH users that no program reads as an option, a host or a command.
fn is_username(text: &str) -> bool {
    text.len() <= 100
        && !text.starts_with('-')
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'+'))
}

/// Returns `true` for the SHA-256 fingerprint of a key: 32 bytes in base64 without padding.
fn is_fingerprint(text: &str) -> bool {
    text.strip_prefix("SHA256:").is_some_and(|digest| {
        digest.len() == 43
            && digest
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
    })
}

/// Returns `true` for paths that stay below the folder they are relative to, on every kind of
/// destination.
fn is_relative(path: &str) -> bool {
    path.len() <= 500
        && path.split('/').all(|part| {
            !matches!(part, "" | "." | "..")
                && part.chars().all(|c| {
                    c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ' | '=' | '+' | '@')
                })
        })
}

/// Reason why a file did not reach a destination. The message says what happened and never holds a
/// secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CarryError {
    /// The reason, for people.
    pub message: String,
    /// Set when another attempt would end the same: wrong credentials, an unknown host key.
    /// Attempts with a wrong password lock accounts out, so none is repeated.
    pub is_permanent: bool,
}

impl CarryError {
    /// An error that may pass.
    pub fn passing(message: impl Into<String>) -> CarryError {
        CarryError {
            message: message.into(),
            is_permanent: false,
        }
    }

    /// An error that stays until somebody changes the destination.
    pub fn permanent(message: impl Into<String>) -> CarryError {
        CarryError {
            message: message.into(),
            is_permanent: true,
        }
    }
}

/// Carries files to destinations; adapters implement it for each kind.
///
/// A carrier of folders below one directory:
///
/// ```
/// use std::fs;
/// use std::path::{Path, PathBuf};
///
/// use async_trait::async_trait;
/// use reeve_audit::{FieldCode, FieldError};
/// use reeve_exports::{
///     Carrier, CarryError, ExportDestination, DestinationSecret, DestinationSettings,
/// };
///
/// struct Folders(PathBuf);
///
/// #[async_trait]
/// impl Carrier for Folders {
///     fn check(
///         &self,
///         settings: &DestinationSettings,
///         _: Option<&DestinationSecret>,
///     ) -> Result<(), FieldError> {
///         match settings {
///             DestinationSettings::Folder => Ok(()),
///             _ => Err(FieldError::new("kind", FieldCode::Unsupported, "must be folder")),
///         }
///     }
///
///     async fn put(
///         &self,
///         destination: &ExportDestination,
///         _: &DestinationSecret,
///         name: &str,
///         file: &Path,
///     ) -> Result<String, CarryError> {
///         // A full disk may have room later: the job tries again.
///         let failed = |error: std::io::Error| CarryError::passing(error.to_string());
///         let folder = self.0.join(&destination.prefix);
///         fs::create_dir_all(&folder).map_err(failed)?;
///         let target = folder.join(name);
///         fs::copy(file, &target).map_err(failed)?;
///         Ok(target.display().to_string())
///     }
/// }
/// ```
#[async_trait]
pub trait Carrier: Send + Sync {
    /// Checks what can be checked without asking anybody: addresses that may not be reached, a
    /// folder that is not allowed.
    ///
    /// # Errors
    /// The field that is wrong.
    fn check(
        &self,
        settings: &DestinationSettings,
        secret: Option<&DestinationSecret>,
    ) -> Result<(), FieldError>;
    /// Puts a file below the destination's prefix under a name; replaces a file of that name.
    /// Returns its address there.
    ///
    /// # Errors
    /// [`CarryError`].
    async fn put(
        &self,
        destination: &ExportDestination,
        secret: &DestinationSecret,
        name: &str,
        file: &Path,
    ) -> Result<String, CarryError>;
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn draft(kind: &str) -> DestinationDraft {
        DestinationDraft {
            name: "Archive".into(),
            kind: kind.into(),
            ..DestinationDraft::default()
        }
    }

    #[test]
    fn every_wrong_field_is_named() {
        let fields = |draft: DestinationDraft| {
            draft
                .read()
                .unwrap_err()
                .into_iter()
                .map(|error| error.path)
                .collect::<Vec<_>>()
        };
        assert_eq!(fields(draft("s3")), ["bucket", "region"]);

        assert_eq!(fields(draft("azure_blob")), ["account", "container"]);
        assert_eq!(fields(draft("gcs")), ["bucket"]);
        assert_eq!(fields(draft("sftp")), ["host", "username"]);
        assert_eq!(fields(draft("ftp")), ["kind"]);

        for prefix in ["../up", "a/../b", "a//b", "a\\b", "a/\u{0}"] {
            assert_eq!(
                fields(DestinationDraft {
                    prefix: prefix.into(),
                    ..draft("folder")
                }),
                ["prefix"],
                "{prefix:?}"
            );
        }

        for bucket in ["a/b", "a?b", "a b", "a..b"] {
            let gcs = DestinationDraft {
                bucket: Some(bucket.into()),
                ..draft("gcs")
            };
            assert_eq!(fields(gcs), ["bucket"], "{bucket:?}");
        }
    }

    #[test]
    fn users_and_host_keys_of_sftp_are_checked() {
        let sftp = |username: &str, host_key: Option<&str>| DestinationDraft {
            host: Some("files.example.com".into()),
            username: Some(username.into()),
            host_key: host_key.map(str::to_owned),
            ..draft("sftp")
        };

        let fingerprint = format!("SHA256:{}", "a".repeat(43));
        for host_key in [None, Some(""), Some(fingerprint.as_str())] {
            let (_, settings, _) = sftp("reeve", host_key).read().unwrap();
            let DestinationSettings::Sftp {
                port,
                host_key: kept,
                ..
            } = settings
            else {
                panic!("{settings:?}")
            };
            assert_eq!(
                (port, kept.as_deref()),
                (22, host_key.filter(|text| !text.is_empty()))
            );
        }

        for username in ["-oProxyCommand=x", "a b", "a@b", "a;b", "$(id)"] {
            assert_eq!(
                sftp(username, None).read().unwrap_err()[0].path,
                "username",
                "{username}"
            );
        }

        for host_key in ["MD5:aa:bb", "SHA256:short", &format!("{fingerprint}=")] {
            assert_eq!(
                sftp("reeve", Some(host_key)).read().unwrap_err()[0].path,
                "host_key",
                "{host_key}"
            );
        }
    }

    #[test]
    fn sound_settings_are_read() {
        let sound = DestinationDraft {
            prefix: "/audit/2026/".into(),
            bucket: Some("logs".into()),
            ..draft("gcs")
        };
        let (name, settings, prefix) = sound.read().unwrap();
        assert_eq!((name.as_str(), prefix.as_str()), ("Archive", "audit/2026"));
        assert_eq!(
            settings,
            DestinationSettings::Gcs {
                bucket: "logs".into(),
                endpoint: None
            }
        );
    }

    #[test]
    fn secrets_are_not_shown() {
        assert!(!format!("{:?}", DestinationSecret("hunter2".into())).contains("hunter2"));
    }
}
