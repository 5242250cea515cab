//! Splunk's HTTP Event Collector
//! (<https://docs.splunk.com/Documentation/Splunk/latest/Data/HECRESTendpoints>).
//!
//! A status of 200 may carry an error code, so the body is read. Where a token acknowledges, the
//! answer has an `ackId`, and a batch counts once its acknowledgement came: 200 is sent before the
//! event is indexed. An acknowledgement that does not come within five minutes means that the events
//! may be lost, so they are sent again on a new channel; an error of the acknowledgement interface
//! never counts as an acknowledgement.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::time::Duration;

use async_trait::async_trait;
use flate2::Compression;
use flate2::write::GzEncoder;
use parking_lot::Mutex;
use reeve_connect_outbound::{Method, Outbound, OutboundAnswer, OutboundRequest, Url};
use reeve_streams::{Acked, SendError, StreamFormat, StreamRecord, StreamSink};
use serde::Deserialize;
use serde_json::json;
use tokio::time::Instant;
use uuid::Uuid;

use crate::answer::{Receiver, address};
use crate::https::push_json_string;

/// Bytes of a request before it is compressed: the limit of Splunk Cloud.
const REQUEST_BYTES: usize = 1_000_000;
/// Time that acknowledgements may take.
const PATIENCE: Duration = Duration::from_secs(300);
/// First and longest time between two questions for acknowledgements.
const POLLS: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// A collector.
pub struct SplunkSink {
    receiver: Receiver,
    events: Url,
    acknowledgements: Url,
    /// Members of every event: source type, index and so on, as JSON without the closing brace.
    envelope: String,
    format: StreamFormat,
    /// Identifies the sender to the collector, which numbers acknowledgements by channel.
    channel: Mutex<String>,
    patience: Duration,
}

/// Answer of the collector.
#[derive(Debug, Deserialize)]
struct Reply {
    #[serde(default)]
    text: String,
    code: u32,
    #[serde(rename = "ackId")]
    ack_id: Option<u64>,
    #[serde(rename = "invalid-event-number")]
    invalid_event: Option<usize>,
}

/// Answer of the acknowledgement interface.
#[derive(Debug, Deserialize)]
struct Acknowledged {
    acks: BTreeMap<String, bool>,
}

impl SplunkSink {
    /// A receiver. `secret` is the collector token.
    ///
    /// # Errors
    /// The address cannot be read.
    pub fn new(
        outbound: Outbound,
        url: &str,
        source_type: &str,
        index: Option<&str>,
        format: StreamFormat,
        secret: &str,
    ) -> Result<SplunkSink, SendError> {
        let url = url.trim_end_matches('/');
        let base = url
            .strip_suffix("/event")
            .unwrap_or(url)
            .trim_end_matches("/services/collector");
        let place = |name: &str| address(&format!("{base}/services/collector/{name}"));
        let mut members = json!({ "host": "reeve", "source": "reeve", "sourcetype": source_type });
        if let Some(index) = index {
            members["index"] = json!(index);
        }
        let members = members.to_string();

        Ok(SplunkSink {
            receiver: Receiver::new(outbound, secret),
            events: place("event")?,
            acknowledgements: place("ack")?,
            envelope: members.trim_end_matches('}').to_owned(),
            format,
            channel: Mutex::new(Uuid::new_v4().to_string()),
            patience: PATIENCE,
        })
    }

    /// Sets the time that acknowledgements may take.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> SplunkSink {
        SplunkSink { patience, ..self }
    }

    fn push_event(&self, record: &StreamRecord, to: &mut Vec<u8>) {
        let time = record.timestamp.as_millisecond();
        to.extend_from_slice(self.envelope.as_bytes());
        let (seconds, thousandths) = (time.div_euclid(1000), time.rem_euclid(1000));
        to.extend_from_slice(format!(",\"time\":{seconds}.{thousandths:03},\"event\":").as_bytes());
        if self.format.is_json() {
            to.extend_from_slice(&record.body);
        } else {
            push_json_string(&record.body, to);
        }
        to.push(b'}');
    }

    fn request(&self, url: &Url, body: Vec<u8>, is_compressed: bool) -> OutboundRequest {
        let mut headers = vec![
            (
                "authorization".to_owned(),
                format!("Splunk {}", self.receiver.secret()),
            ),
            (
                "x-splunk-request-channel".to_owned(),
                self.channel.lock().clone(),
            ),
            ("content-type".to_owned(), "application/json".to_owned()),
        ];
        if is_compressed {
            headers.push(("content-encoding".to_owned(), "gzip".to_owned()));
        }
        OutboundRequest {
            method: Method::POST,
            url: url.clone(),
            headers,
            body,
        }
    }

    /// Sends the records of one request; returns the number of its acknowledgement, if the token
    /// acknowledges.
    async fn post(&self, events: &[u8]) -> Result<Option<u64>, SendError> {
        let mut zip = GzEncoder::new(Vec::new(), Compression::fast());
        let body = zip.write_all(events).and_then(|()| zip.finish());
        let body = body.map_err(SendError::passing)?;
        let request = self.request(&self.events, body, true);
        let answer = self.receiver.send(&request).await?;
        let reply = self.reply(&answer)?;
        Ok(reply.ack_id)
    }

    fn reply(&self, answer: &OutboundAnswer) -> Result<Reply, SendError> {
        let Ok(reply) = serde_json::from_slice::<Reply>(&answer.body) else {
            // A proxy in between, or no collector at all.
            return Err(self.receiver.failure(answer).unwrap_or_else(|| {
                let text = self.receiver.text(&answer.body);
                SendError::configuration(format!("the answer is none of a collector: {text}"))
            }));
        };

        let message = format!(
            "code {}: {}",
            reply.code,
            self.receiver.text(reply.text.as_bytes())
        );
        match reply.code {
            0 if answer.status.is_success() => Ok(reply),
            1..=4 | 7 | 10 | 11 | 14 | 16 => Err(SendError::configuration(message)),
            5 | 6 | 12 | 13 => Err(SendError::Refused {
                message,
                index: reply.invalid_event,
            }),
            8 | 9 => Err(SendError::Passing {
                message,
                retry_after_s: answer.retry_after_s(jiff::Timestamp::now()),
            }),
            _ => Err(self
                .receiver
                .failure(answer)
                .unwrap_or_else(|| SendError::passing(message))),
        }
    }

    /// Waits until all requests are acknowledged.
    async fn acknowledged(&self, mut waiting: Vec<u64>) -> Result<(), SendError> {
        let deadline = Instant::now() + self.patience;
        let (mut pause, longest) = POLLS;
        let mut last_error = None;
        while !waiting.is_empty() {
            if Instant::now() >= deadline {
                // Numbers of the old channel mean nothing to a collector that restarted.
                *self.channel.lock() = Uuid::new_v4().to_string();
                let reason = last_error.map_or_else(String::new, |error| format!(" ({error})"));
                return Err(SendError::passing(format!(
                    "taken and not acknowledged within {} s, so sent again{reason}",
                    self.patience.as_secs()
                )));
            }

            match self.ask(&waiting).await {
                Ok(acks) => {
                    waiting.retain(|id| !acks.get(&id.to_string()).copied().unwrap_or(false));
                }
                Err(error @ SendError::Configuration { .. }) => return Err(error),
                Err(error) => last_error = Some(error),
            }
            if !waiting.is_empty() {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(longest);
            }
        }
        Ok(())
    }

    async fn ask(&self, waiting: &[u64]) -> Result<BTreeMap<String, bool>, SendError> {
        let body = json!({ "acks": waiting }).to_string().into_bytes();
        let request = self.request(&self.acknowledgements, body, false);
        let answer = self.receiver.send(&request).await?;
        if let Ok(Acknowledged { acks }) = serde_json::from_slice(&answer.body) {
            return Ok(acks);
        }
        self.reply(&answer)?;
        Err(SendError::passing("the acknowledgements cannot be read"))
    }
}

#[async_trait]
impl StreamSink for SplunkSink {
    async fn send(&self, batch: &[StreamRecord]) -> Result<Acked, SendError> {
        let mut through = None;
        let mut waiting = Vec::new();
        let mut failure = None;
        let mut rest = batch;
        while !rest.is_empty() && failure.is_none() {
            let mut events = Vec::with_capacity(REQUEST_BYTES.min(64 << 10));
            let mut count = 0;
            for record in rest {
                if count > 0 && events.len() + record.body.len() > REQUEST_BYTES {
                    break;
                }
                self.push_event(record, &mut events);
                count += 1;
            }

            let before = batch.len() - rest.len();
            match self.post(&events).await {
                Ok(ack) => {
                    waiting.extend(ack);
                    let (sent, further) = rest.split_at(count);
                    through = sent.last().map(|record| record.sequence);
                    rest = further;
                }
                Err(SendError::Refused { message, index }) => {
                    let index = index.map(|index| before + index);
                    failure = Some(SendError::Refused { message, index });
                }
                Err(error) => failure = Some(error),
            }
        }

        match (through, failure) {
            // What was taken before the failure counts; the rest is sent anew and fails anew.
            (Some(through), _) => {
                self.acknowledged(waiting).await?;
                Ok(Acked { through })
            }
            (None, Some(failure)) => Err(failure),
            (None, None) => Err(SendError::refused("the batch is empty")),
        }
    }
}
