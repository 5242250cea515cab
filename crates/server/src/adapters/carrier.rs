//! Carrying files of exports to destinations: folders here, everything else by its adapter.

mod folder;

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use reeve_audit::{FieldCode, FieldError, Obstacle};
use reeve_connect_aws::{AwsBucket, BucketError, BucketPlace};
use reeve_connect_outbound::OutboundPolicy;
use reeve_connect_storage::azure::{self, Container};
use reeve_connect_storage::{StorageError, gcs, sftp};
use reeve_exports::{
    Carrier, CarryError, DestinationSecret, DestinationSettings, ExportDestination,
};

/// Carries files to every kind of destination.
pub(crate) struct Carriers {
    /// Folder below which files may be put; `None` allows none.
    pub(crate) folder: Option<PathBuf>,
    /// Addresses that may be reached.
    pub(crate) policy: OutboundPolicy,
    /// Buckets that may be written to with the machine's own AWS credentials.
    pub(crate) ambient_buckets: Vec<String>,
}

impl Carriers {
    async fn bucket(
        &self,
        settings: &DestinationSettings,
        secret: &str,
        prefix: &str,
    ) -> Option<AwsBucket> {
        let DestinationSettings::S3 {
            bucket,
            region,
            endpoint,
            access_key_id,
        } = settings.clone()
        else {
            return None;
        };

        let place = BucketPlace {
            bucket,
            prefix: prefix.to_owned(),
            region,
            endpoint,
            key: access_key_id.map(|id| (id, secret.to_owned())),
        };

        Some(AwsBucket::open(&place, &reeve_connect_storage::client(self.policy.clone())).await)
    }

    /// Refuses a destination that would use the machine's own AWS credentials: whoever makes
    /// destinations could write with the rights of the service wherever these reach, or have signed
    /// requests sent to a server of their own.
    fn check_credentials(&self, settings: &DestinationSettings) -> Result<(), FieldError> {
        let DestinationSettings::S3 {
            bucket,
            endpoint,
            access_key_id: None,
            ..
        } = settings
        else {
            return Ok(());
        };
        check_ambient(bucket, endpoint.as_deref(), &self.ambient_buckets)
    }

    fn to_folder(&self) -> Result<PathBuf, CarryError> {
        let message = "folders are not allowed here; set export_folder in the configuration";
        self.folder
            .clone()
            .ok_or_else(|| CarryError::permanent(message))
    }
}

/// Refuses settings without an access key for a bucket that the configuration does not name.
pub(crate) fn check_ambient(
    bucket: &str,
    endpoint: Option<&str>,
    ambient_buckets: &[String],
) -> Result<(), FieldError> {
    let message = if endpoint.is_some() {
        "is required with an endpoint: the machine's own credentials are never sent to an address that a user gave"
            .to_owned()
    } else if ambient_buckets.iter().any(|name| name == bucket) {
        return Ok(());
    } else {
        format!(
            "is required: the machine's own credentials are used only for buckets that the configuration names in ambient_buckets, and {bucket} is none"
        )
    };

    Err(FieldError::new(
        "settings.access_key_id",
        FieldCode::MissingField,
        message,
    ))
}

#[async_trait]
impl Carrier for Carriers {
    fn check(
        &self,
        settings: &DestinationSettings,
        _secret: Option<&DestinationSecret>,
    ) -> Result<(), FieldError> {
        self.check_credentials(settings)?;
        if let Some(endpoint) = settings.endpoint() {
            let wrong = |reason: Obstacle| {
                FieldError::new("settings.endpoint", FieldCode::InvalidValue, reason)
            };
            return self.policy.check_given(endpoint).map_err(wrong);
        }

        match settings {
            DestinationSettings::Folder => self
                .to_folder()
                .map(|_| ())
                .map_err(|error| FieldError::new("type", FieldCode::NotAllowed, error.message)),
            DestinationSettings::Sftp { host, .. } => {
                let host = if host.contains(':') && !host.starts_with('[') {
                    format!("[{host}]")
                } else {
                    host.clone()
                };
                let wrong = |reason: Obstacle| {
                    FieldError::new("settings.host", FieldCode::InvalidValue, reason)
                };
                self.policy
                    .check_given(&format!("https://{host}/"))
                    .map_err(wrong)
            }
            _ => Ok(()),
        }
    }

    async fn put(
        &self,
        destination: &ExportDestination,
        secret: &DestinationSecret,
        name: &str,
        file: &Path,
    ) -> Result<String, CarryError> {
        let (prefix, client) = (
            destination.prefix.as_str(),
            reeve_connect_storage::client(self.policy.clone()),
        );
        let object = if prefix.is_empty() {
            name.to_owned()
        } else {
            format!("{prefix}/{name}")
        };

        match &destination.settings {
            DestinationSettings::S3 { .. } => {
                // Destinations from before the rule, and buckets that the configuration no longer
                // names.
                self.check_credentials(&destination.settings)
                    .map_err(|error| CarryError::permanent(error.to_string()))?;
                let bucket = self.bucket(&destination.settings, &secret.0, prefix).await;
                let bucket =
                    bucket.ok_or_else(|| CarryError::permanent("the settings are not of S3"))?;
                bucket.upload(name, file).await.map_err(unstored)
            }
            DestinationSettings::AzureBlob {
                account,
                container,
                endpoint,
            } => {
                let (account, container) = (account.clone(), container.clone());
                let place = Container {
                    account,
                    container,
                    endpoint: endpoint.clone(),
                };
                azure::put(&client, &place, &secret.0, &object, file)
                    .await
                    .map_err(refused)
            }
            DestinationSettings::Gcs { bucket, endpoint } => {
                let place = gcs::GcsBucket {
                    bucket: bucket.clone(),
                    endpoint: endpoint.clone(),
                };
                gcs::put(&client, &place, &secret.0, &object, file)
                    .await
                    .map_err(refused)
            }
            DestinationSettings::Sftp {
                host,
                port,
                username,
                host_key,
            } => {
                let (host, username, host_key) = (host.clone(), username.clone(), host_key.clone());
                let server = sftp::Server {
                    host,
                    port: *port,
                    username,
                    host_key,
                };
                sftp::put(&client, &server, &secret.0, prefix, name, file)
                    .await
                    .map_err(refused)
            }
            DestinationSettings::Folder => {
                let (root, prefix) = (self.to_folder()?, prefix.to_owned());
                let (name, file) = (name.to_owned(), file.to_owned());
                let put =
                    tokio::task::spawn_blocking(move || folder::put(&root, &prefix, &name, &file));
                put.await
                    .map_err(|error| CarryError::passing(error.to_string()))?
            }
        }
    }
}

fn refused(error: StorageError) -> CarryError {
    CarryError {
        message: error.to_string(),
        is_permanent: error.is_permanent(),
    }
}

fn unstored(error: BucketError) -> CarryError {
    CarryError {
        message: error.to_string(),
        is_permanent: error.is_permanent(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use jiff::Timestamp;
    use reeve_exports::DestinationId;

    use super::*;

    fn s3(bucket: &str, endpoint: Option<&str>, key: Option<&str>) -> DestinationSettings {
        DestinationSettings::S3 {
            bucket: bucket.to_owned(),
            region: "us-east-1".to_owned(),
            endpoint: endpoint.map(str::to_owned),
            access_key_id: key.map(str::to_owned),
        }
    }

    #[tokio::test]
    async fn the_machines_credentials_serve_named_buckets_alone() {
        let carriers = Carriers {
            folder: None,
            policy: OutboundPolicy::default(),
            ambient_buckets: vec!["allowed".to_owned()],
        };
        let elsewhere = Some("https://storage.example.com");

        for (settings, field) in [
            (s3("allowed", None, None), None),
            (s3("other", None, Some("AKIA")), None),
            (s3("other", elsewhere, Some("AKIA")), None),
            (s3("other", None, None), Some("settings.access_key_id")),
            (
                s3("allowed", elsewhere, None),
                Some("settings.access_key_id"),
            ),
        ] {
            let refused = carriers
                .check(&settings, None)
                .err()
                .map(|error| error.path);
            assert_eq!(refused.as_deref(), field, "{settings:?}");
        }

        let kept = ExportDestination {
            id: DestinationId("d".to_owned()),
            name: "from before".to_owned(),
            settings: s3("allowed", elsewhere, None),
            prefix: String::new(),
            created_at: Timestamp::UNIX_EPOCH,
            version: 1,
        };

        let put = carriers
            .put(
                &kept,
                &DestinationSecret::default(),
                "a",
                Path::new("/none"),
            )
            .await;

        assert!(put.unwrap_err().is_permanent);
    }
}
