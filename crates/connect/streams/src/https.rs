//! Any HTTPS endpoint: one record a line, or a JSON array.

use async_trait::async_trait;
use reeve_connect_outbound::{Method, Outbound, OutboundRequest, Url};
use reeve_streams::{Acked, HttpsBody, SendError, StreamFormat, StreamRecord, StreamSink};

use crate::answer::{Receiver, address};

/// An HTTPS endpoint. Any status of 2xx confirms the batch.
pub struct HttpsSink {
    receiver: Receiver,
    url: Url,
    body: HttpsBody,
    format: StreamFormat,
}

impl HttpsSink {
    /// A receiver. `secret` is the value of the `Authorization` header; empty sends none.
    ///
    /// # Errors
    /// The address cannot be read.
    pub fn new(
        outbound: Outbound,
        url: &str,
        body: HttpsBody,
        format: StreamFormat,
        secret: &str,
    ) -> Result<HttpsSink, SendError> {
        Ok(HttpsSink {
            receiver: Receiver::new(outbound, secret),
            url: address(url)?,
            body,
            format,
        })
    }

    fn media_type(&self) -> &'static str {
        match self.body {
            HttpsBody::Array => "application/json",
            HttpsBody::Lines if self.format.is_json() => "application/x-ndjson",
            HttpsBody::Lines => "text/plain; charset=utf-8",
        }
    }

    fn body(&self, batch: &[StreamRecord]) -> Vec<u8> {
        let bytes = batch.iter().map(|record| record.body.len() + 1).sum();
        let mut body = Vec::with_capacity(bytes);
        match self.body {
            HttpsBody::Lines => {
                for record in batch {
                    body.extend_from_slice(&record.body);
                    body.push(b'\n');
                }
            }
            HttpsBody::Array => {
                for (at, record) in batch.iter().enumerate() {
                    body.push(if at == 0 { b'[' } else { b',' });
                    if self.format.is_json() {
                        body.extend_from_slice(&record.body);
                    } else {
                        push_json_string(&record.body, &mut body);
                    }
                }
                body.push(b']');
            }
        }
        body
    }
}

/// Writes a text as a JSON string.
pub(crate) fn push_json_string(text: &[u8], to: &mut Vec<u8>) {
    let text = String::from_utf8_lossy(text);
    to.extend_from_slice(serde_json::Value::from(text).to_string().as_bytes());
}

/// Returns the confirmation of a whole batch.
pub(crate) fn all(batch: &[StreamRecord]) -> Result<Acked, SendError> {
    let last = batch
        .last()
        .ok_or_else(|| SendError::refused("the batch is empty"))?;
    Ok(Acked {
        through: last.sequence,
    })
}

#[async_trait]
impl StreamSink for HttpsSink {
    async fn send(&self, batch: &[StreamRecord]) -> Result<Acked, SendError> {
        let mut headers = vec![("content-type".to_owned(), self.media_type().to_owned())];
        if !self.receiver.secret().is_empty() {
            let value = self.receiver.secret().to_owned();
            headers.push(("authorization".to_owned(), value));
        }

        let request = OutboundRequest {
            method: Method::POST,
            url: self.url.clone(),
            headers,
            body: self.body(batch),
        };
        let answer = self.receiver.send(&request).await?;
        match self.receiver.failure(&answer) {
            Some(failure) => Err(failure),
            None => all(batch),
        }
    }
}
