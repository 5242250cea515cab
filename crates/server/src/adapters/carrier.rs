//! Carrying files of exports to destinations: folders here, everything else by its adapter.

mod folder;

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use reeve_audit::FieldError;
use reeve_connect_aws::{Bucket, BucketPlace};
use reeve_connect_outbound::Policy;
use reeve_connect_storage::azure::{self, Container};
use reeve_connect_storage::gcs;
use reeve_exports::{Carrier, CarryError, Destination, DestinationSecret, DestinationSettings};

/// Carries files to every kind of destination.
pub(crate) struct Carriers {
    /// Folder below which files may be put; `None` allows none.
    pub(crate) folder: Option<PathBuf>,
    /// What may be reached.
    pub(crate) policy: Policy,
}

impl Carriers {
    async fn bucket(&self, settings: &DestinationSettings, secret: &str, prefix: &str) -> Option<Bucket> {
        let DestinationSettings::S3 { bucket, region, endpoint, access_key_id } = settings.clone() else { return None };
        let place = BucketPlace {
            bucket,
            prefix: prefix.to_owned(),
            region,
            endpoint,
            key: access_key_id.map(|id| (id, secret.to_owned())),
        };
        Some(Bucket::open(&place, &reeve_connect_storage::client(self.policy.clone())).await)
    }

    fn to_folder(&self) -> Result<PathBuf, CarryError> {
        let message = "folders are not allowed here; set export_folder in the configuration";
        self.folder.clone().ok_or_else(|| CarryError(message.to_owned()))
    }
}

#[async_trait]
impl Carrier for Carriers {
    fn check(&self, settings: &DestinationSettings, _secret: Option<&DestinationSecret>) -> Result<(), FieldError> {
        if let Some(endpoint) = settings.endpoint() {
            let wrong = |message: String| FieldError::new("settings.endpoint", "invalid_value", message);
            return self.policy.check_given(endpoint).map_err(wrong);
        }
        match settings {
            DestinationSettings::Folder => {
                self.to_folder().map(|_| ()).map_err(|error| FieldError::new("type", "not_allowed", error.0))
            }
            DestinationSettings::Sftp { .. } => Err(FieldError::new(
                "type",
                "not_supported",
                "SFTP is not supported yet; use s3, azure_blob, gcs or folder",
            )),
            _ => Ok(()),
        }
    }

    async fn put(
        &self,
        destination: &Destination,
        secret: &DestinationSecret,
        name: &str,
        file: &Path,
    ) -> Result<String, CarryError> {
        let (prefix, client) = (destination.prefix.as_str(), reeve_connect_storage::client(self.policy.clone()));
        let object = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}/{name}") };
        let refused = |error: reeve_connect_storage::StorageError| CarryError(error.to_string());
        match &destination.settings {
            DestinationSettings::S3 { .. } => {
                let bucket = self.bucket(&destination.settings, &secret.0, prefix).await;
                let bucket = bucket.ok_or_else(|| CarryError("the settings are not of S3".to_owned()))?;
                bucket.upload(name, file).await.map_err(|error| CarryError(error.to_string()))
            }
            DestinationSettings::AzureBlob { account, container, endpoint } => {
                let (account, container) = (account.clone(), container.clone());
                let place = Container { account, container, endpoint: endpoint.clone() };
                azure::put(&client, &place, &secret.0, &object, file).await.map_err(refused)
            }
            DestinationSettings::Gcs { bucket, endpoint } => {
                let place = gcs::Bucket { bucket: bucket.clone(), endpoint: endpoint.clone() };
                gcs::put(&client, &place, &secret.0, &object, file).await.map_err(refused)
            }
            DestinationSettings::Sftp { .. } => Err(CarryError("SFTP is not supported yet".to_owned())),
            DestinationSettings::Folder => {
                let (root, prefix) = (self.to_folder()?, prefix.to_owned());
                let (name, file) = (name.to_owned(), file.to_owned());
                let put = tokio::task::spawn_blocking(move || folder::put(&root, &prefix, &name, &file));
                put.await.map_err(|error| CarryError(error.to_string()))?
            }
        }
    }
}
