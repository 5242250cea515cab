//! Places of the farther tiers of the log, as the configuration names them: folders and buckets.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use async_trait::async_trait;
use reeve_audit::Obstacle;
use reeve_connect_aws::{AwsBucket, BucketPlace};
use reeve_connect_outbound::OutboundPolicy;
use reeve_lake::{ArchivePlace, FolderPlace, TierPlaces};

use crate::config::{Config, TierSection};

/// Opens the places of a configuration. Nothing is called yet.
///
/// # Errors
/// The section `outbound` is not valid.
pub(crate) async fn places(config: &Config) -> Result<TierPlaces> {
    let policy = config.outbound.policy()?;
    let tiers = &config.tiers;
    Ok(TierPlaces {
        warm: place(tiers.warm.as_ref(), &policy).await,
        cold: place(tiers.cold.as_ref(), &policy).await,
    })
}

async fn place(
    section: Option<&TierSection>,
    policy: &OutboundPolicy,
) -> Option<Arc<dyn ArchivePlace>> {
    let section = section?;
    if let Some(folder) = &section.folder {
        return Some(Arc::new(FolderPlace::new(folder.clone())));
    }
    let (id, secret) = (&section.access_key_id, &section.secret_access_key);
    let place = BucketPlace {
        bucket: section.bucket.clone().unwrap_or_default(),
        prefix: section.prefix.clone(),
        region: section.region.clone().unwrap_or_default(),
        endpoint: section.endpoint.clone(),
        key: id.clone().zip(secret.clone()),
    };
    let client = reeve_connect_storage::client(policy.clone());
    Some(Arc::new(BucketArchive {
        bucket: AwsBucket::open(&place, &client).await,
        address: section.address(),
    }))
}

/// A bucket of S3, or of what speaks its protocol.
#[derive(Debug)]
struct BucketArchive {
    bucket: AwsBucket,
    address: String,
}

#[async_trait]
impl ArchivePlace for BucketArchive {
    fn address(&self) -> &str {
        &self.address
    }

    async fn size(&self, name: &str) -> Result<Option<u64>, Obstacle> {
        self.bucket.size(name).await.map_err(Obstacle::of)
    }

    async fn put(&self, name: &str, from: &Path) -> Result<(), Obstacle> {
        let put = self.bucket.upload(name, from).await;
        put.map(|_| ()).map_err(Obstacle::of)
    }

    async fn fetch(&self, name: &str, into: &Path) -> Result<(), Obstacle> {
        self.bucket.download(name, into).await.map_err(Obstacle::of)
    }

    async fn delete(&self, name: &str) -> Result<(), Obstacle> {
        self.bucket.delete(name).await.map_err(Obstacle::of)
    }
}
