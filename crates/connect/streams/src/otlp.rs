//! Log records over OTLP/HTTP (<https://opentelemetry.io/docs/specs/otlp/#otlphttp>): the
//! OpenTelemetry Collector, and platforms that take its protocol.
//!
//! A success may say that some records were not taken, and not which. The batch is then sent again
//! in halves until the record is found, so its neighbours arrive twice, with the same
//! `log.record.uid`: the protocol asks not to repeat such a request, but an audit entry that is lost
//! without a name is worse than one that comes twice.

use std::io::Write as _;

use async_trait::async_trait;
use flate2::Compression;
use flate2::write::GzEncoder;
use reeve_connect_outbound::{Method, Outbound, OutboundAnswer, OutboundRequest, Url};
use reeve_otlp::{error_message, json_request, partial_success, protobuf_request};
use reeve_streams::{Acked, OtlpEncoding, SendError, StreamRecord, StreamSink, otlp_origin};

use crate::answer::{Receiver, address};
use crate::https::all;

/// Path of logs, where an address has none.
const LOGS_PATH: &str = "/v1/logs";
/// Bodies from this size on are compressed.
const COMPRESSED_FROM: usize = 1_024;

/// A receiver of log records. A full success confirms the batch.
pub struct OtlpSink {
    receiver: Receiver,
    url: Url,
    encoding: OtlpEncoding,
    header: String,
}

impl OtlpSink {
    /// A receiver. `secret` is the value of the header `header`; empty sends none.
    ///
    /// # Errors
    /// The address cannot be read.
    pub fn new(
        outbound: Outbound,
        url: &str,
        encoding: OtlpEncoding,
        header: &str,
        secret: &str,
    ) -> Result<OtlpSink, SendError> {
        let mut url = address(url)?;
        if url.path() == "/" {
            url.set_path(LOGS_PATH);
        }
        Ok(OtlpSink {
            receiver: Receiver::new(outbound, secret),
            url,
            encoding,
            header: header.to_ascii_lowercase(),
        })
    }

    fn is_json(&self) -> bool {
        self.encoding == OtlpEncoding::Json
    }

    fn body(&self, batch: &[StreamRecord]) -> Vec<u8> {
        let (resource, scope) = otlp_origin();
        if self.is_json() {
            let records: Vec<&[u8]> = batch.iter().map(|record| record.body.as_slice()).collect();
            return json_request(&resource, &scope, &records);
        }
        let records = batch.iter().map(|record| record.body.clone()).collect();
        protobuf_request(resource, scope, records)
    }

    fn request(&self, batch: &[StreamRecord]) -> Result<OutboundRequest, SendError> {
        let media_type = if self.is_json() {
            "application/json"
        } else {
            "application/x-protobuf"
        };
        let mut headers = vec![("content-type".to_owned(), media_type.to_owned())];
        if !self.receiver.secret().is_empty() {
            headers.push((self.header.clone(), self.receiver.secret().to_owned()));
        }
        let mut body = self.body(batch);
        if body.len() >= COMPRESSED_FROM {
            let mut zip = GzEncoder::new(Vec::new(), Compression::fast());
            zip.write_all(&body).map_err(SendError::passing)?;
            body = zip.finish().map_err(SendError::passing)?;
            headers.push(("content-encoding".to_owned(), "gzip".to_owned()));
        }
        Ok(OutboundRequest {
            method: Method::POST,
            url: self.url.clone(),
            headers,
            body,
        })
    }

    /// Judges an answer. Its body is of the form that was sent, except where a proxy answers.
    fn judge(
        &self,
        mut answer: OutboundAnswer,
        batch: &[StreamRecord],
    ) -> Result<Acked, SendError> {
        if !answer.status.is_success() {
            if let Some(message) = error_message(&answer.body, self.is_json()) {
                answer.body = message.into_bytes();
            }
            let failure = self.receiver.failure(&answer);
            return Err(failure.unwrap_or_else(|| SendError::passing("the receiver failed")));
        }
        let partial = partial_success(&answer.body, self.is_json()).map_err(|error| {
            let text = self.receiver.text(&answer.body);
            SendError::configuration(format!("{error}: {text}"))
        })?;
        if partial.rejected_log_records <= 0 {
            // A message without a number is a warning.
            return all(batch);
        }
        let message = self.receiver.text(partial.error_message.as_bytes());
        Err(SendError::refused(format!(
            "{} of {} log records were not taken: {message}",
            partial.rejected_log_records,
            batch.len()
        )))
    }
}

#[async_trait]
impl StreamSink for OtlpSink {
    async fn send(&self, batch: &[StreamRecord]) -> Result<Acked, SendError> {
        let answer = self.receiver.send(&self.request(batch)?).await?;
        self.judge(answer, batch)
    }
}
