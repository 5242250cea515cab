//! Carrying files of exports to destinations: folders here, everything else by its adapter.

mod folder;

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use reeve_audit::FieldError;
use reeve_connect_aws::{Bucket, BucketError, BucketPlace};
use reeve_connect_outbound::Policy;
use reeve_connect_storage::azure::{self, Container};
use reeve_connect_storage::{StorageError, gcs, sftp};
use reeve_exports::{Carrier, CarryError, Destination, DestinationSecret, DestinationSettings};

/// Carries files to every kind of destination.
pub(crate) struct Carriers {
    /// Folder below which files may be put; `None` allows none.
    pub(crate) folder: Option<PathBuf>,
    /// Addresses that may be reached.
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
        self.folder.clone().ok_or_else(|| CarryError::permanent(message))
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
                self.to_folder().map(|_| ()).map_err(|error| FieldError::new("type", "not_allowed", error.message))
            }
            DestinationSettings::Sftp { host, .. } => {
                let host =
                    if host.contains(':') && !host.starts_with('[') { format!("[{host}]") } else { host.clone() };
                let wrong = |message: String| FieldError::new("settings.host", "invalid_value", message);
                self.policy.check_given(&format!("https://{host}/")).map_err(wrong)
            }
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
        match &destination.settings {
            DestinationSettings::S3 { .. } => {
                let bucket = self.bucket(&destination.settings, &secret.0, prefix).await;
                let bucket = bucket.ok_or_else(|| CarryError::permanent("the settings are not of S3"))?;
                bucket.upload(name, file).await.map_err(unstored)
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
            DestinationSettings::Sftp { host, port, username, host_key } => {
                let (host, username, host_key) = (host.clone(), username.clone(), host_key.clone());
                let server = sftp::Server { host, port: *port, username, host_key };
                sftp::put(&client, &server, &secret.0, prefix, name, file).await.map_err(refused)
            }
            DestinationSettings::Folder => {
                let (root, prefix) = (self.to_folder()?, prefix.to_owned());
                let (name, file) = (name.to_owned(), file.to_owned());
                let put = tokio::task::spawn_blocking(move || folder::put(&root, &prefix, &name, &file));
                put.await.map_err(|error| CarryError::passing(error.to_string()))?
            }
        }
    }
}

fn refused(error: StorageError) -> CarryError {
    CarryError { message: error.to_string(), is_permanent: error.is_permanent() }
}

fn unstored(error: BucketError) -> CarryError {
    CarryError { message: error.to_string(), is_permanent: error.is_permanent() }
}
