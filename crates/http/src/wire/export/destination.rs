//! Destinations of exports.

use reeve_exports::{DestinationDraft, DestinationSettings, ExportDestination};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::time;
use crate::wire::form::enumeration;
use crate::wire::form::enumeration::ExportDestinationType;

/// Settings of a destination; which ones depends on its type.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportDestinationSettingsBody {
    /// Bucket, of `s3` and `gcs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bucket: Option<String>,
    /// Region of the bucket, of `s3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// `s3`, `azure_blob`, `gcs`: another endpoint than the provider's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// `s3`: access key; left out, the credentials of the machine that Reeve runs on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_key_id: Option<String>,
    /// Storage account, of `azure_blob`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// Container of the files, of `azure_blob`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// Host name or address, of `sftp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// `sftp`: port; 22 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// User name on the host, of `sftp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// `sftp`: fingerprint of the host key, `SHA256:...` as `ssh-keygen -lf` prints it. Without it
    /// every attempt is refused with the fingerprints that the server presents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_key: Option<String>,
}

/// A place that exports are written to, without its secret.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ExportDestinationBody {
    pub id: String,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: ExportDestinationType,
    pub settings: ExportDestinationSettingsBody,
    /// Folder, or prefix of object names, that files are put below.
    pub prefix: String,
    /// Time it was made.
    pub created_at: String,
    /// Grows with every change.
    pub version: u64,
}

/// A place that exports are written to, to add.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportDestinationCreate {
    /// Name, 1 to 100 characters, unique.
    pub name: String,
    /// `s3`, `azure_blob`, `gcs`, `sftp` or `folder`.
    #[serde(rename = "type")]
    #[schema(value_type = enumeration::ExportDestinationType)]
    pub kind: String,
    #[serde(default)]
    pub settings: ExportDestinationSettingsBody,
    /// Folder, or prefix of object names; empty for none.
    #[serde(default)]
    pub prefix: String,
    /// Secret access key (`s3`), account key or SAS token (`azure_blob`), JSON key of a service
    /// account (`gcs`), password or private key (`sftp`).
    #[serde(default)]
    #[schema(write_only)]
    pub secret: String,
}

/// A change of a destination; what is left out stays. The type stays as it is.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportDestinationPatch {
    /// The version that was read; left out, the newest is changed.
    pub version: Option<u64>,
    pub name: Option<String>,
    /// All settings anew. Another place needs the secret again.
    pub settings: Option<ExportDestinationSettingsBody>,
    /// Folder, or prefix of names, to write under.
    pub prefix: Option<String>,
    #[schema(write_only)]
    pub secret: Option<String>,
}

/// Outcome of a test.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ExportDestinationTestBody {
    /// `true` if a small file was written.
    pub reachable: bool,
    /// Address of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Reason of the failure; absent after a success.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl ExportDestinationSettingsBody {
    fn new(settings: &DestinationSettings) -> Self {
        let none = Self::default();
        match settings.clone() {
            DestinationSettings::S3 {
                bucket,
                region,
                endpoint,
                access_key_id,
            } => Self {
                bucket: Some(bucket),
                region: Some(region),
                endpoint,
                access_key_id,
                ..none
            },
            DestinationSettings::AzureBlob {
                account,
                container,
                endpoint,
            } => Self {
                account: Some(account),
                container: Some(container),
                endpoint,
                ..none
            },
            DestinationSettings::Gcs { bucket, endpoint } => Self {
                bucket: Some(bucket),
                endpoint,
                ..none
            },
            DestinationSettings::Sftp {
                host,
                port,
                username,
                host_key,
            } => Self {
                host: Some(host),
                port: Some(port),
                username: Some(username),
                host_key,
                ..none
            },
            DestinationSettings::Folder => none,
        }
    }

    pub(crate) fn draft(self, name: String, kind: String, prefix: String) -> DestinationDraft {
        DestinationDraft {
            name,
            kind,
            prefix,
            bucket: self.bucket,
            region: self.region,
            endpoint: self.endpoint,
            access_key_id: self.access_key_id,
            account: self.account,
            container: self.container,
            host: self.host,
            port: self.port,
            username: self.username,
            host_key: self.host_key,
        }
    }
}

impl ExportDestinationBody {
    pub(crate) fn new(destination: &ExportDestination) -> Self {
        ExportDestinationBody {
            id: destination.id.0.clone(),
            name: destination.name.clone(),
            kind: destination.settings.kind().into(),
            settings: ExportDestinationSettingsBody::new(&destination.settings),
            prefix: destination.prefix.clone(),
            created_at: time::text(destination.created_at),
            version: destination.version,
        }
    }
}
