//! Receivers of streams, opened by their kind, and what people ask of them.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_audit::format::{EntryView, FormatError, Integrity};
use reeve_audit::{
    ActionMethod, ActionStatus, Actor, Entry, FieldCode, FieldError, Obstacle, ResourceRef, events,
};
use reeve_connect_aws::BucketPlace;
use reeve_connect_outbound::OutboundPolicy;
use reeve_connect_streams::{
    EventHubSink, HttpsSink, KafkaSink, KafkaTopic, OtlpSink, SplunkSink, SyslogSink,
};
use reeve_ledger::{Fence as _, StoredEntry};
use reeve_streams::{
    Acked, SendError, Stream, StreamLag, StreamRecord, StreamSecret, StreamSender, StreamSettings,
    StreamSink, TestOutcome,
};
use reeve_trail::Trail;

use super::security_lake::SecurityLakeSink;
use crate::active::Deadline;

/// Opens receivers, and reads entries for them.
pub(crate) struct StreamReceivers {
    /// Addresses that may be reached.
    pub(crate) policy: OutboundPolicy,
    /// Buckets that may be written to with the machine's own AWS credentials.
    pub(crate) ambient_buckets: Vec<String>,
    /// Deadline after which this server may have been replaced.
    pub(crate) deadline: Arc<Deadline>,
    /// The whole log: streams act for the service, not for the person who made them.
    pub(crate) trail: Trail,
}

/// A receiver that is asked only while this server is the active one.
struct FencedSink {
    deadline: Arc<Deadline>,
    inner: Box<dyn StreamSink>,
}

#[async_trait]
impl StreamSink for FencedSink {
    async fn send(&self, batch: &[StreamRecord]) -> Result<Acked, SendError> {
        self.deadline
            .check()
            .map_err(|fenced| SendError::passing(fenced.reason))?;
        self.inner.send(batch).await
    }
}

impl StreamReceivers {
    /// Opens the receiver of a stream. Nothing is sent yet.
    ///
    /// # Errors
    /// The settings cannot be used.
    pub(crate) fn open(
        &self,
        stream: &Stream,
        secret: &StreamSecret,
    ) -> Result<Arc<dyn StreamSink>, SendError> {
        let outbound = reeve_connect_streams::client(self.policy.clone());
        let (format, secret) = (stream.format, secret.0.as_str());
        let inner: Box<dyn StreamSink> = match &stream.settings {
            StreamSettings::Https { url, body } => {
                Box::new(HttpsSink::new(outbound, url, *body, format, secret)?)
            }
            StreamSettings::SplunkHec {
                url,
                source_type,
                index,
            } => Box::new(SplunkSink::new(
                outbound,
                url,
                source_type,
                index.as_deref(),
                format,
                secret,
            )?),
            StreamSettings::EventHub {
                namespace,
                hub,
                key_name,
                endpoint,
            } => Box::new(EventHubSink::new(
                outbound,
                namespace,
                hub,
                key_name,
                endpoint.as_deref(),
                secret,
            )?),
            StreamSettings::SecurityLake {
                account_id,
                region,
                bucket,
                source_name,
                endpoint,
                access_key_id,
            } => Box::new(SecurityLakeSink::new(
                outbound,
                BucketPlace {
                    bucket: bucket.clone(),
                    prefix: String::new(),
                    region: region.clone(),
                    endpoint: endpoint.clone(),
                    key: access_key_id.clone().map(|id| (id, secret.to_owned())),
                },
                account_id,
                source_name,
            )),
            StreamSettings::Syslog {
                host, port, tls, ..
            } => Box::new(SyslogSink::new(outbound, host, *port, *tls)),
            StreamSettings::Kafka {
                brokers,
                topic,
                tls,
                sasl,
                username,
                key,
                compression,
            } => {
                let settings = KafkaTopic {
                    brokers: brokers.clone(),
                    topic: topic.clone(),
                    tls: *tls,
                    sasl: *sasl,
                    username: username.clone().unwrap_or_default(),
                    key: *key,
                    compression: *compression,
                };
                Box::new(KafkaSink::new(outbound, settings, secret))
            }
            StreamSettings::Otlp {
                url,
                encoding,
                header,
            } => Box::new(OtlpSink::new(outbound, url, *encoding, header, secret)?),
        };
        Ok(Arc::new(FencedSink {
            deadline: self.deadline.clone(),
            inner,
        }))
    }
}

/// Refuses a lake that would be written to with the machine's own AWS credentials, unless the
/// configuration names its bucket.
fn check_credentials(
    settings: &StreamSettings,
    ambient_buckets: &[String],
) -> Result<(), FieldError> {
    match settings {
        StreamSettings::SecurityLake {
            bucket,
            endpoint,
            access_key_id: None,
            ..
        } => crate::adapters::carrier::check_ambient(bucket, endpoint.as_deref(), ambient_buckets),
        _ => Ok(()),
    }
}

/// Writes an entry of the log as a stream sends it.
///
/// # Errors
/// The entry cannot be written in the format of the stream.
pub(crate) fn record_of(
    stream: &Stream,
    stored: &StoredEntry,
) -> Result<StreamRecord, FormatError> {
    let integrity = crate::exports::integrity(stored);
    let view = EntryView {
        entry: &stored.entry,
        recorded_at: stored.recorded_at,
        integrity: &integrity,
    };
    StreamRecord::write(&stream.settings, stream.format, &view)
}

/// An entry that says that it is a test. It is not in the log, and its proof is all zeros.
fn test_record(stream: &Stream) -> Result<StreamRecord, FormatError> {
    let entry = Entry::for_event(&events::INTEGRATION_TEST)
        .by(Actor::system())
        .on(ResourceRef::new("stream", stream.id.0.clone()))
        .with_action("stream.test", ActionStatus::Success, ActionMethod::Api)
        .with_metadata("test", true);
    let zeros = [0; 32];
    let integrity = Integrity {
        sequence: 0,
        commitment: zeros,
        leaf_hash: zeros,
        previous_hash: zeros,
        hash: zeros,
        salt: None,
    };
    let view = EntryView {
        recorded_at: entry.timestamp,
        entry: &entry,
        integrity: &integrity,
    };
    StreamRecord::write(&stream.settings, stream.format, &view)
}

#[async_trait]
impl StreamSender for StreamReceivers {
    fn check(&self, settings: &StreamSettings) -> Result<(), FieldError> {
        check_credentials(settings, &self.ambient_buckets)?;
        let Some((field, address)) = settings.address() else {
            return Ok(());
        };
        self.policy.check_given(address).map_err(|reason| {
            FieldError::new(format!("settings.{field}"), FieldCode::InvalidValue, reason)
        })
    }

    async fn test(&self, stream: &Stream, secret: &StreamSecret) -> TestOutcome {
        let record = test_record(stream).map_err(SendError::refused)?;
        self.open(stream, secret)?.send(&[record]).await?;
        Ok(())
    }

    async fn lag(&self, cursor: u64) -> Result<StreamLag, Obstacle> {
        let entries = self.trail.end().saturating_sub(cursor);
        if entries == 0 {
            return Ok(StreamLag::default());
        }
        let oldest = self.trail.by_sequence(cursor).await.map_err(Obstacle::of)?;
        let now = Timestamp::now();
        Ok(StreamLag {
            entries,
            age: oldest.map(|oldest| now.duration_since(oldest.recorded_at)),
        })
    }

    async fn resend(
        &self,
        stream: &Stream,
        secret: &StreamSecret,
        sequence: u64,
    ) -> Result<TestOutcome, Obstacle> {
        let stored = self
            .trail
            .by_sequence(sequence)
            .await
            .map_err(Obstacle::of)?
            .ok_or_else(|| Obstacle::of(format!("the log has no entry {sequence} any more")))?;
        let record = match record_of(stream, &stored) {
            Ok(record) => record,
            Err(error) => return Ok(Err(SendError::refused(error))),
        };
        let sink = match self.open(stream, secret) {
            Ok(sink) => sink,
            Err(error) => return Ok(Err(error)),
        };
        Ok(sink.send(&[record]).await.map(|_| ()))
    }
}
