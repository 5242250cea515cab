//! An S3 bucket: `checkpoint` is the newest, and each stays under its size, so that a bucket with
//! object lock keeps a history that nobody can take back.

use anyhow::Result;
use async_trait::async_trait;

use reeve_connect_aws::AwsBucket;

use super::{PublishDestination, Published};

/// Name of the newest.
const NEWEST: &str = "checkpoint";

/// A bucket that checkpoints are put into.
pub(crate) struct BucketDestination(AwsBucket);

impl BucketDestination {
    /// Creates a destination in a bucket.
    pub(crate) fn new(bucket: AwsBucket) -> BucketDestination {
        BucketDestination(bucket)
    }
}

#[async_trait]
impl PublishDestination for BucketDestination {
    fn name(&self) -> &str {
        "s3"
    }

    async fn deliver(&self, published: &Published) -> Result<()> {
        if let Some(kept) = self.0.get(NEWEST).await? {
            published.follows(&kept).await?;
        }

        let note = published.note.clone().into_bytes();
        let of_its_size = format!("checkpoints/{:020}", published.checkpoint.size);
        self.0.put(&of_its_size, note.clone()).await?;
        self.0.put(NEWEST, note).await?;
        Ok(())
    }
}
