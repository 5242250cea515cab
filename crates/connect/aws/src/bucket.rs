//! Objects in one S3 bucket, below one prefix: put, get, delete, and upload and download of files,
//! for what is kept away from this machine. Versions, locks and lifecycle are the bucket's own
//! business. Into memory, it refuses to read objects longer than 1 MiB.

use std::path::Path;
use std::time::Duration;

use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, Region};
use aws_sdk_s3::Client;
use aws_sdk_s3::error::SdkError;
use aws_sdk_s3::operation::get_object::GetObjectError;
use aws_sdk_s3::primitives::ByteStream;
use aws_sdk_s3::types::{CompletedMultipartUpload, CompletedPart};
use reeve_connect_aws_ec2::{At, AwsEc2Fault, Call, FaultKind};
use reeve_connect_outbound::Outbound;
use tokio::fs::File;
use tokio::io::AsyncReadExt as _;

use crate::guarded::Guarded;

/// Longest object that is read.
const MAX_OBJECT: i64 = 1 << 20;
/// Bytes of a part of a long file.
const PART: usize = 8 << 20;
/// One attempt of a call, and all of them.
const ATTEMPT: Duration = Duration::from_secs(15);
const CALL: Duration = Duration::from_secs(40);

/// Location of a bucket and the way to reach it.
#[derive(Debug, Clone, Default)]
pub struct BucketPlace {
    /// Name of the bucket.
    pub bucket: String,
    /// Put before every object's name, with a slash between; may be empty.
    pub prefix: String,
    /// Region of the bucket.
    pub region: String,
    /// Another endpoint than AWS's own.
    pub endpoint: Option<String>,
    /// Key id and secret; the environment's credentials unless given.
    pub key: Option<(String, String)>,
}

/// Client of the objects in one bucket, below one prefix.
#[derive(Debug, Clone)]
pub struct AwsBucket {
    client: Client,
    bucket: String,
    prefix: String,
    region: String,
    endpoint: Option<String>,
}

/// Reason why an object was not put or read.
#[derive(Debug, thiserror::Error)]
pub enum BucketError {
    /// The service refused, or did not answer.
    #[error("s3://{object}: {cause}")]
    Call {
        /// Bucket and key of the object.
        object: String,
        /// Cause of the failure; of the service's own answer only the error code.
        cause: String,
        /// Kind of failure, where a call failed.
        kind: Option<FaultKind>,
    },
    /// The object is longer than is read.
    #[error("s3://{0} is longer than 1 MiB")]
    TooLong(String),
}

impl BucketError {
    /// Returns `true` if another attempt would end the same: the key is wrong, the call is not
    /// permitted, the bucket is missing.
    #[must_use]
    pub fn is_permanent(&self) -> bool {
        match self {
            BucketError::Call { kind, .. } => {
                matches!(
                    kind,
                    Some(FaultKind::Unauthenticated | FaultKind::Denied | FaultKind::NotFound)
                )
            }
            BucketError::TooLong(_) => true,
        }
    }
}

impl AwsBucket {
    /// Opens a bucket, at an endpoint of its own through `outbound` alone. Nothing is called yet.
    pub async fn open(place: &BucketPlace, outbound: &Outbound) -> AwsBucket {
        let mut loader = aws_config::defaults(BehaviorVersion::v2026_01_12())
            .region(Region::new(place.region.clone()))
            .retry_config(RetryConfig::standard().with_max_attempts(2))
            .timeout_config(
                TimeoutConfig::builder()
                    .operation_attempt_timeout(ATTEMPT)
                    .operation_timeout(CALL)
                    .build(),
            );

        if let Some(url) = &place.endpoint {
            loader = loader.endpoint_url(url);
        }
        if let Some((id, secret)) = &place.key {
            let key = aws_credential_types::Credentials::new(id, secret, None, None, "reeve");
            loader = loader.credentials_provider(key);
        }

        let mut config = loader.load().await;
        if place.endpoint.is_some() {
            config = config
                .into_builder()
                .http_client(Guarded(outbound.clone()))
                .build();
        }

        let config = aws_sdk_s3::config::Builder::from(&config)
            .force_path_style(place.endpoint.is_some())
            .build();
        let prefix = place.prefix.trim_matches('/').to_owned();
        let BucketPlace {
            bucket,
            region,
            endpoint,
            ..
        } = place.clone();

        AwsBucket {
            client: Client::from_conf(config),
            bucket,
            prefix,
            region,
            endpoint,
        }
    }

    fn key(&self, name: &str) -> String {
        if self.prefix.is_empty() {
            name.to_owned()
        } else {
            format!("{}/{name}", self.prefix)
        }
    }

    fn call(&self, operation: &'static str) -> Call<'_> {
        Call {
            operation,
            connection: "",
            region: &self.region,
            endpoint: self.endpoint.as_deref(),
        }
    }

    fn object(&self, name: &str) -> String {
        format!("{}/{}", self.bucket, self.key(name))
    }

    fn failed(&self, name: &str, cause: impl ToString) -> BucketError {
        BucketError::Call {
            object: self.object(name),
            cause: cause.to_string(),
            kind: None,
        }
    }

    fn refused(&self, name: &str, fault: AwsEc2Fault) -> BucketError {
        BucketError::Call {
            object: self.object(name),
            cause: fault.message,
            kind: Some(fault.kind),
        }
    }

    /// Writes an object of text.
    ///
    /// # Errors
    /// The service refused or did not answer.
    pub async fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), BucketError> {
        let call = self
            .client
            .put_object()
            .bucket(&self.bucket)
            .key(self.key(name));

        let call = call
            .content_type("text/plain; charset=utf-8")
            .body(ByteStream::from(bytes));
        let put = call.send().await.at(self.call("s3:PutObject"));
        put.map(|_| ())
            .map_err(|fault: AwsEc2Fault| self.refused(name, fault))
    }

    /// Writes a file as an object, in parts where it is long: memory does not grow with it, and the
    /// object appears once it is whole.
    ///
    /// # Errors
    /// The service refused or did not answer, or the file cannot be read.
    pub async fn upload(&self, name: &str, path: &Path) -> Result<String, BucketError> {
        let mut file = File::open(path)
            .await
            .map_err(|error| self.failed(name, error))?;
        let first = self.part(name, &mut file).await?;

        if first.len() < PART {
            let call = self
                .client
                .put_object()
                .bucket(&self.bucket)
                .key(self.key(name))
                .body(ByteStream::from(first));
            let put = call.send().await.at(self.call("s3:PutObject"));
            put.map_err(|fault: AwsEc2Fault| self.refused(name, fault))?;
        } else {
            let call = self
                .client
                .create_multipart_upload()
                .bucket(&self.bucket)
                .key(self.key(name));
            let begun = call.send().await.at(self.call("s3:PutObject"));
            let begun = begun.map_err(|fault: AwsEc2Fault| self.refused(name, fault))?;
            let id = begun.upload_id().unwrap_or_default();
            if let Err(error) = self.parts(name, id, first, &mut file).await {
                let abort = self
                    .client
                    .abort_multipart_upload()
                    .bucket(&self.bucket)
                    .key(self.key(name))
                    .upload_id(id);
                // The parts that arrived would be charged for; where this fails too, the bucket's
                // lifecycle removes them.
                abort.send().await.ok();
                return Err(error);
            }
        }

        Ok(format!("s3://{}/{}", self.bucket, self.key(name)))
    }

    async fn parts(
        &self,
        name: &str,
        id: &str,
        first: Vec<u8>,
        file: &mut File,
    ) -> Result<(), BucketError> {
        let (mut bytes, mut done) = (first, CompletedMultipartUpload::builder());
        for number in 1.. {
            let call = self
                .client
                .upload_part()
                .bucket(&self.bucket)
                .key(self.key(name))
                .upload_id(id);
            let put = call
                .part_number(number)
                .body(ByteStream::from(bytes))
                .send()
                .await
                .at(self.call("s3:PutObject"));
            let put = put.map_err(|fault: AwsEc2Fault| self.refused(name, fault))?;
            let part = CompletedPart::builder()
                .part_number(number)
                .set_e_tag(put.e_tag().map(str::to_owned))
                .build();
            done = done.parts(part);
            bytes = self.part(name, file).await?;
            if bytes.is_empty() {
                break;
            }
        }

        let call = self
            .client
            .complete_multipart_upload()
            .bucket(&self.bucket)
            .key(self.key(name))
            .upload_id(id);

        let put = call
            .multipart_upload(done.build())
            .send()
            .await
            .at(self.call("s3:PutObject"));
        put.map(|_| ())
            .map_err(|fault: AwsEc2Fault| self.refused(name, fault))
    }

    async fn part(&self, name: &str, file: &mut File) -> Result<Vec<u8>, BucketError> {
        let mut bytes = Vec::with_capacity(PART);
        file.take(PART as u64)
            .read_to_end(&mut bytes)
            .await
            .map_err(|error| self.failed(name, error))?;
        Ok(bytes)
    }

    /// Returns the length of an object; `None` if there is none.
    ///
    /// # Errors
    /// The service refused or did not answer.
    pub async fn size(&self, name: &str) -> Result<Option<u64>, BucketError> {
        let call = self
            .client
            .head_object()
            .bucket(&self.bucket)
            .key(self.key(name));
        match call.send().await {
            Err(SdkError::ServiceError(error)) if error.err().is_not_found() => Ok(None),
            answer => match answer.at(self.call("s3:GetObject")) {
                Ok(found) => Ok(found
                    .content_length()
                    .and_then(|length| u64::try_from(length).ok())),
                Err(fault) => Err(self.refused(name, fault)),
            },
        }
    }

    /// Reads an object of any length into a new file.
    ///
    /// # Errors
    /// The service refused or did not answer, there is no such object, or the file cannot be
    /// written.
    pub async fn download(&self, name: &str, into: &Path) -> Result<(), BucketError> {
        let call = self
            .client
            .get_object()
            .bucket(&self.bucket)
            .key(self.key(name));
        let found = call.send().await.at(self.call("s3:GetObject"));
        let found = found.map_err(|fault: AwsEc2Fault| self.refused(name, fault))?;
        let written = async {
            let mut file = File::create(into).await?;
            tokio::io::copy(&mut found.body.into_async_read(), &mut file).await?;
            file.sync_all().await
        };
        written.await.map_err(|error| self.failed(name, error))
    }

    /// Deletes an object; one that is not there is fine.
    ///
    /// # Errors
    /// The service refused or did not answer.
    pub async fn delete(&self, name: &str) -> Result<(), BucketError> {
        let call = self
            .client
            .delete_object()
            .bucket(&self.bucket)
            .key(self.key(name));
        let deleted = call.send().await.at(self.call("s3:DeleteObject"));
        deleted
            .map(|_| ())
            .map_err(|fault: AwsEc2Fault| self.refused(name, fault))
    }

    /// Reads an object; `None` when there is none.
    ///
    /// # Errors
    /// The service refused or did not answer, or the object is too long.
    pub async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, BucketError> {
        let found = match self
            .client
            .get_object()
            .bucket(&self.bucket)
            .key(self.key(name))
            .send()
            .await
        {
            Err(SdkError::ServiceError(error))
                if matches!(error.err(), GetObjectError::NoSuchKey(_)) =>
            {
                return Ok(None);
            }
            refused => match refused.at(self.call("s3:GetObject")) {
                Ok(found) => found,
                Err(fault) => return Err(self.refused(name, fault)),
            },
        };

        if found
            .content_length()
            .is_none_or(|length| length > MAX_OBJECT)
        {
            return Err(BucketError::TooLong(self.object(name)));
        }

        let bytes = found
            .body
            .collect()
            .await
            .map_err(|error| self.failed(name, error))?;
        Ok(Some(bytes.to_vec()))
    }
}
