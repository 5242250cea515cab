//! Sources that write files: receives the notices of a queue, reads the files that they name, and
//! deletes a message once the entries of all its files are durable.
//!
//! Digests of a trail are verified with the files that they list, where the source asks for it.
//!
//! After a crash between the append and the deletion the message comes again, and its entries are
//! known.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reeve_audit::Obstacle;
use reeve_connect_aws::{
    AwsConnection, DigestError, QueueMessage, SourceBucket, TrailDigest, region_of_queue,
};
use reeve_estate::{ConnectionId, ConnectionStatus, EstateStore};
use reeve_intake::{
    DecodeError, Encoding, FileNotice, LogSource, LogSourceId, MAX_EXPANDED_BYTES, QueueNotice,
    QueueSettings, SourceIntake, decode, read_notice,
};
use sha2::{Digest as _, Sha256};
use tokio::task::spawn_blocking;

use super::clouds::CloudRegistry;
use super::running::Running;

/// Seconds for which a reading waits for the first message.
const WAIT_S: u64 = 10;
/// Seconds for which a message is not delivered again while its files are read.
const HIDDEN_S: u64 = 300;
/// Time after which that is asked for anew.
const EXTEND_EVERY: Duration = Duration::from_secs(120);
/// Readings in a row of a queue that is never empty.
const MOST_READINGS: usize = 200;
/// Bytes of a file as it lies in the bucket.
const MAX_FILE_BYTES: usize = MAX_EXPANDED_BYTES;
/// Part of the keys of digests.
const DIGESTS: &str = "/CloudTrail-Digest/";
/// Part of the keys of files that hold no records.
const AGGREGATED: &str = "/CloudTrail-Aggregated/";

/// Reader of the queues that sources have.
pub(crate) struct LogSourceReader {
    pub(crate) intake: Arc<SourceIntake>,
    pub(crate) estate: Arc<dyn EstateStore>,
    pub(crate) clouds: Arc<CloudRegistry>,
    pub(crate) running: Running<LogSourceId>,
}

/// A queue that is read, with the source that it is of.
struct Reading<'r> {
    source: &'r LogSource,
    queue: &'r QueueSettings,
    cloud: AwsConnection,
    region: String,
}

impl LogSourceReader {
    /// Reads the queue of a source until it is empty, unless that is going on already.
    ///
    /// # Errors
    /// The course of the source could not be kept. A queue or file that could not be read is part of
    /// it.
    pub(crate) async fn read_now(&self, source: &LogSource) -> Result<(), Obstacle> {
        let Some(_turn) = self.running.begin(&source.id) else {
            return Ok(());
        };
        let Some(queue) = source.queue.as_ref().filter(|_| source.enabled) else {
            return Ok(());
        };
        if let Err(obstacle) = self.read_queue(source, queue).await {
            let now = jiff::Timestamp::now();
            let failed = self.intake.change_progress(&source.id, |progress| {
                progress.fail(obstacle.as_str().to_owned(), now);
            });
            failed.await.map_err(Obstacle::of)?;
        }
        Ok(())
    }

    async fn read_queue(&self, source: &LogSource, queue: &QueueSettings) -> Result<(), Obstacle> {
        let id = ConnectionId(queue.connection.clone());
        let connection = self
            .estate
            .connection_get(&id)
            .await
            .map_err(Obstacle::of)?;
        if connection.status == ConnectionStatus::Disabled {
            return Err("the connection of its queue is disabled".into());
        }
        let own = connection.regions.first().cloned().unwrap_or_default();
        let opened = self.clouds.aws(&connection).await;
        let reading = Reading {
            source,
            queue,
            cloud: opened.map_err(|error| Obstacle::from(error.message))?,
            region: region_of_queue(&queue.url).map_or(own, str::to_owned),
        };
        for _ in 0..MOST_READINGS {
            let received = reading
                .cloud
                .queue_receive(&reading.region, &queue.url, WAIT_S);
            let messages = received.await.map_err(Obstacle::of)?;
            if messages.is_empty() {
                break;
            }
            // A message whose file cannot be read comes again by itself; the others are not held up.
            let mut failure = None;
            for message in &messages {
                if let Err(obstacle) = self.take_in_time(&reading, message).await {
                    failure = Some(obstacle);
                }
            }
            if let Some(failure) = failure {
                return Err(failure);
            }
            // A source that was paused or changed in the meantime is not read on.
            let stored = self.intake.sources().log_source_get(&source.id).await;
            if stored.map_err(Obstacle::of)?.version != source.version {
                break;
            }
        }
        Ok(())
    }

    /// Takes a message, and keeps it from being delivered again as long as that lasts.
    async fn take_in_time(
        &self,
        reading: &Reading<'_>,
        message: &QueueMessage,
    ) -> Result<(), Obstacle> {
        let (region, url) = (&reading.region, &reading.queue.url);
        let taking = self.take(reading, message);
        tokio::pin!(taking);
        loop {
            let extended = reading
                .cloud
                .queue_extend(region, url, &message.receipt, HIDDEN_S);
            extended.await.map_err(Obstacle::of)?;
            tokio::select! {
                taken = &mut taking => {
                    taken?;
                    break;
                }
                () = tokio::time::sleep(EXTEND_EVERY) => {}
            }
        }
        let deleted =
            reading
                .cloud
                .queue_delete(region, url, std::slice::from_ref(&message.receipt));
        deleted.await.map_err(Obstacle::of)
    }

    async fn take(&self, reading: &Reading<'_>, message: &QueueMessage) -> Result<(), Obstacle> {
        match read_notice(&message.body) {
            Ok(QueueNotice::Files(files)) => {
                for file in &files {
                    self.take_file(reading, file).await?;
                }
                Ok(())
            }
            Ok(QueueNotice::Other(name)) => {
                tracing::debug!(
                    source = reading.source.name,
                    name,
                    "a message names no file"
                );
                Ok(())
            }
            // A message that can never be read must not come again and again: it is in quarantine.
            Err(reason) => {
                let kept = self
                    .intake
                    .reject(reading.source, message.body.as_bytes(), reason);
                kept.await.map_err(Obstacle::of)
            }
        }
    }

    async fn take_file(&self, reading: &Reading<'_>, file: &FileNotice) -> Result<(), Obstacle> {
        if file.key.contains(DIGESTS) {
            return self.take_digest(reading, file).await;
        }
        if file.key.contains(AGGREGATED) {
            return Ok(());
        }
        match reading.contents(&file.place()).await? {
            Ok((body, _)) => {
                let received = self
                    .intake
                    .receive(reading.source, (&body, Encoding::Text), None);
                received.await.map_err(Obstacle::of)?;
                Ok(())
            }
            Err(fault) => {
                let reason = fault.to_string();
                let kept = self
                    .intake
                    .reject(reading.source, file.key.as_bytes(), &reason);
                kept.await.map_err(Obstacle::of)
            }
        }
    }

    /// Verifies a digest, and that the files it lists are what it says.
    async fn take_digest(&self, reading: &Reading<'_>, file: &FileNotice) -> Result<(), Obstacle> {
        if !reading.queue.digests {
            return Ok(());
        }
        let place = file.place();
        let proof = match proven(reading, &place).await? {
            Ok(digest) => {
                let compared = compare_files(reading, &place, &digest).await?;
                compared.map(|()| digest.end)
            }
            Err(fault) => Err(fault),
        };
        let name = place.to_string();
        let noted = self.intake.prove(reading.source, &name, proof);
        noted.await.map_err(Obstacle::of)
    }
}

fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Reason for which a file of a source is not taken, or for which a digest proves nothing.
#[derive(Debug, thiserror::Error)]
enum FileFault {
    #[error("{0} does not exist any more")]
    Missing(String),
    #[error("{0}: {1}")]
    Undecodable(String, DecodeError),
    #[error("has no signature")]
    Unsigned,
    #[error(transparent)]
    Digest(#[from] DigestError),
    #[error("the account has no key {0}")]
    UnknownKey(String),
    #[error("the digest before is another one")]
    OtherPredecessor,
    #[error("the digest before: {0}")]
    Predecessor(Box<FileFault>),
    #[error("{0} is not the file that the digest names")]
    OtherFile(String),
}

/// Reads a digest whose signature is valid, and whose predecessor is there with the signature that it
/// names.
async fn proven(
    reading: &Reading<'_>,
    place: &FilePlace<'_>,
) -> Result<Result<TrailDigest, FileFault>, Obstacle> {
    let (bytes, signature) = match reading.contents(place).await? {
        Ok((bytes, Some(signature))) => (bytes, signature),
        Ok((_, None)) => return Ok(Err(FileFault::Unsigned)),
        Err(fault) => return Ok(Err(fault)),
    };
    let digest = match TrailDigest::parse(&bytes) {
        Ok(digest) => digest,
        Err(error) => return Ok(Err(error.into())),
    };
    let region = place.region.unwrap_or(&reading.region);
    let key = reading
        .cloud
        .trail_public_key(region, &digest)
        .await
        .map_err(Obstacle::of)?;
    let Some(key) = key else {
        return Ok(Err(FileFault::UnknownKey(digest.fingerprint)));
    };
    if let Err(error) = digest.verify((place.bucket, place.key), &key, &signature) {
        return Ok(Err(error.into()));
    }
    if let Some((bucket, key)) = &digest.previous {
        let before = FilePlace {
            bucket,
            key,
            ..*place
        };
        match reading.contents(&before).await? {
            Ok((_, Some(signature))) if digest.continues(&signature) => {}
            Ok(_) => return Ok(Err(FileFault::OtherPredecessor)),
            Err(fault) => return Ok(Err(FileFault::Predecessor(Box::new(fault)))),
        }
    }
    Ok(Ok(digest))
}

/// Compares the files that a digest lists with what lies in the buckets.
async fn compare_files(
    reading: &Reading<'_>,
    place: &FilePlace<'_>,
    digest: &TrailDigest,
) -> Result<Result<(), FileFault>, Obstacle> {
    for listed in &digest.files {
        let listed_place = FilePlace {
            key: &listed.key,
            bucket: &listed.bucket,
            ..*place
        };
        match reading.contents(&listed_place).await? {
            Ok((bytes, _)) if sha256(&bytes) == listed.sha256.to_ascii_lowercase() => {}
            Ok(_) => return Ok(Err(FileFault::OtherFile(listed_place.to_string()))),
            Err(fault) => return Ok(Err(fault)),
        }
    }
    Ok(Ok(()))
}

/// Place of a file in S3.
#[derive(Clone, Copy)]
struct FilePlace<'f> {
    bucket: &'f str,
    key: &'f str,
    region: Option<&'f str>,
}

impl fmt::Display for FilePlace<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "s3://{}/{}", self.bucket, self.key)
    }
}

trait Placed {
    fn place(&self) -> FilePlace<'_>;
}

impl Placed for FileNotice {
    fn place(&self) -> FilePlace<'_> {
        FilePlace {
            bucket: &self.bucket,
            key: &self.key,
            region: self.region.as_deref(),
        }
    }
}

/// Uncompressed bytes of a file with the signature in its metadata.
type Contents = Result<(Vec<u8>, Option<String>), FileFault>;

impl Reading<'_> {
    async fn contents(&self, place: &FilePlace<'_>) -> Result<Contents, Obstacle> {
        let region = place.region.unwrap_or(&self.region);
        let bucket = SourceBucket::new(&self.cloud, place.bucket, region);
        let fetched = bucket.fetch(place.key, MAX_FILE_BYTES).await;
        let Some(object) = fetched.map_err(Obstacle::of)? else {
            return Ok(Err(FileFault::Missing(place.to_string())));
        };
        let signature = object.metadata.get("signature").cloned();
        let bytes = object.bytes;
        let encoding = bytes.starts_with(&[0x1f, 0x8b]).then_some("gzip");
        let expand = move || match decode(encoding, &bytes) {
            Ok(expanded) => Ok(expanded.unwrap_or(bytes)),
            Err(error) => Err(error),
        };
        let expanded = spawn_blocking(expand).await.map_err(Obstacle::of)?;
        Ok(expanded
            .map(|bytes| (bytes, signature))
            .map_err(|error| FileFault::Undecodable(place.to_string(), error)))
    }
}
