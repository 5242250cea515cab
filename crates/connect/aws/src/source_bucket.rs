//! Objects of a bucket that a cloud exports bills or flow logs to: listing them page by page, and
//! downloading them to files. Nothing is written there.

use std::collections::HashMap;
use std::path::Path;

use aws_sdk_s3::Client;
use jiff::Timestamp;
use reeve_connect_aws_ec2::{At, AwsEc2Fault, Call, FaultKind};
use tokio::fs::File;
use tokio::io::AsyncWriteExt as _;

use crate::session::AwsConnection;

/// Objects listed at most.
const MOST_OBJECTS: usize = 100_000;

/// Object of a bucket, as a listing returns it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedObject {
    /// Name of the object.
    pub key: String,
    /// Tag that changes with the content.
    pub etag: String,
    /// Size in bytes, as the listing states it.
    pub size: u64,
    /// Time of the last write.
    pub modified: Option<Timestamp>,
}

/// Object that was read into memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedObject {
    pub bytes: Vec<u8>,
    /// Metadata that its writer gave, by name.
    pub metadata: HashMap<String, String>,
}

/// Failed call or file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SourceBucketError {
    /// `true` if the account denied the call.
    pub denied: bool,
    /// The failure and its remedy.
    pub message: String,
}

impl From<AwsEc2Fault> for SourceBucketError {
    fn from(fault: AwsEc2Fault) -> Self {
        let denied = matches!(fault.kind, FaultKind::Denied | FaultKind::Unauthenticated);
        SourceBucketError {
            denied,
            message: fault.message,
        }
    }
}

/// A bucket, read with the credentials of a connection.
#[derive(Debug, Clone)]
pub struct SourceBucket {
    client: Client,
    connection: String,
    endpoint: Option<String>,
    bucket: String,
    region: String,
}

impl SourceBucket {
    /// Opens a bucket. Nothing is called yet.
    #[must_use]
    pub fn new(connection: &AwsConnection, bucket: &str, region: &str) -> SourceBucket {
        let config = aws_sdk_s3::config::Builder::from(&connection.config(region))
            // An overridden endpoint has no name for every bucket.
            .force_path_style(connection.endpoint.is_some());
        SourceBucket {
            client: Client::from_conf(config.build()),
            connection: connection.id.0.clone(),
            endpoint: connection.endpoint.clone(),
            bucket: bucket.to_owned(),
            region: region.to_owned(),
        }
    }

    fn call(&self, operation: &'static str) -> Call<'_> {
        Call {
            operation,
            connection: &self.connection,
            region: &self.region,
            endpoint: self.endpoint.as_deref(),
        }
    }

    fn failed(&self, key: &str, cause: &dyn std::fmt::Display) -> SourceBucketError {
        SourceBucketError {
            denied: false,
            message: format!("s3://{}/{key}: {cause}", self.bucket),
        }
    }

    /// Returns the objects whose names begin so, in order of their names.
    ///
    /// # Errors
    /// The service refused or did not answer, or there are more than 100,000 objects.
    pub async fn list(&self, prefix: &str) -> Result<Vec<ListedObject>, SourceBucketError> {
        let (mut found, mut token) = (Vec::new(), None);
        loop {
            let call = self
                .client
                .list_objects_v2()
                .bucket(&self.bucket)
                .prefix(prefix)
                .set_continuation_token(token);
            let page = call.send().await.at(self.call("s3:ListBucket"))?;
            for object in page.contents() {
                let Some(key) = object.key() else { continue };
                found.push(ListedObject {
                    key: key.to_owned(),
                    etag: object
                        .e_tag()
                        .unwrap_or_default()
                        .trim_matches('"')
                        .to_owned(),
                    size: object
                        .size()
                        .and_then(|size| u64::try_from(size).ok())
                        .unwrap_or_default(),
                    modified: object
                        .last_modified()
                        .and_then(|at| Timestamp::from_millisecond(at.to_millis().ok()?).ok()),
                });
            }
            if found.len() > MOST_OBJECTS {
                let message = format!("has more than {MOST_OBJECTS} objects; name a longer prefix");
                return Err(self.failed(prefix, &message));
            }
            token = page.next_continuation_token().map(str::to_owned);
            if token.is_none() {
                return Ok(found);
            }
        }
    }

    /// Reads an object into memory; `None` for one that does not exist any more.
    ///
    /// # Errors
    /// The service refused or did not answer, or the object has more than `most` bytes.
    pub async fn fetch(
        &self,
        key: &str,
        most: usize,
    ) -> Result<Option<FetchedObject>, SourceBucketError> {
        let wrong = |cause: &dyn std::fmt::Display| self.failed(key, cause);
        let call = self.client.get_object().bucket(&self.bucket).key(key);
        let sent = call.send().await;
        let is_gone = sent.as_ref().err().is_some_and(|error| {
            error
                .as_service_error()
                .is_some_and(|error| error.is_no_such_key())
        });
        if is_gone {
            return Ok(None);
        }
        let mut answer = sent.at(self.call("s3:GetObject"))?;

        let metadata = answer.metadata.take().unwrap_or_default();
        let mut bytes = Vec::new();
        while let Some(part) = answer
            .body
            .try_next()
            .await
            .map_err(|error| wrong(&error))?
        {
            if bytes.len() + part.len() > most {
                return Err(wrong(&format!("has more than {most} bytes")));
            }
            bytes.extend_from_slice(&part);
        }
        Ok(Some(FetchedObject { bytes, metadata }))
    }

    /// Writes an object to a file, as it was listed: one that changed since is refused.
    ///
    /// # Errors
    /// The service refused or did not answer, the object changed, or the file cannot be written.
    pub async fn download(
        &self,
        object: &ListedObject,
        path: &Path,
    ) -> Result<(), SourceBucketError> {
        let wrong = |cause: &dyn std::fmt::Display| self.failed(&object.key, cause);
        let call = self
            .client
            .get_object()
            .bucket(&self.bucket)
            .key(&object.key)
            .if_match(format!("\"{}\"", object.etag));
        let mut answer = call.send().await.at(self.call("s3:GetObject"))?;

        // The files are for the service's account alone, from the first byte on.
        let mut options = File::options();
        options.write(true).create(true).truncate(true).mode(0o600);
        let mut file = options.open(path).await.map_err(|error| wrong(&error))?;
        let mut written = 0_u64;

        while let Some(bytes) = answer
            .body
            .try_next()
            .await
            .map_err(|error| wrong(&error))?
        {
            written += bytes.len() as u64;
            file.write_all(&bytes)
                .await
                .map_err(|error| wrong(&error))?;
        }

        if written != object.size {
            return Err(wrong(&format!(
                "{written} of {} bytes arrived",
                object.size
            )));
        }

        file.sync_all().await.map_err(|error| wrong(&error))
    }
}
