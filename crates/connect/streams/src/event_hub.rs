//! Azure Event Hubs over HTTPS: batches of events, authorised by a shared access signature
//! (<https://learn.microsoft.com/rest/api/eventhub/send-batch-events>).

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::{SignedDuration, Timestamp};
use reeve_connect_outbound::{Method, Outbound, OutboundRequest, Url};
use reeve_streams::{Acked, SendError, StreamRecord, StreamSink};
use sha2::Sha256;

use crate::answer::{Receiver, address};
use crate::https::{all, push_json_string};

/// Version of the REST interface.
const VERSION: &str = "2014-01";
/// Time that a signature holds: a machine's clock may be some minutes wrong.
const HOLDS: SignedDuration = SignedDuration::from_mins(20);
/// Largest request that the standard tier takes, bytes.
const LARGEST: usize = 1_000_000;

/// A hub. The status 201 confirms the batch.
pub struct EventHubSink {
    receiver: Receiver,
    /// Address of the hub, which is also what the signature is about.
    resource: Url,
    key_name: String,
}

impl EventHubSink {
    /// A receiver. `secret` is the shared access key.
    ///
    /// # Errors
    /// The address cannot be read.
    pub fn new(
        outbound: Outbound,
        namespace: &str,
        hub: &str,
        key_name: &str,
        endpoint: Option<&str>,
        secret: &str,
    ) -> Result<EventHubSink, SendError> {
        // People paste the whole host name too.
        let namespace = namespace.trim_end_matches(".servicebus.windows.net");
        let base = match endpoint {
            Some(endpoint) => endpoint.trim_end_matches('/').to_owned(),
            None => format!("https://{namespace}.servicebus.windows.net"),
        };
        Ok(EventHubSink {
            receiver: Receiver::new(outbound, secret),
            resource: address(&format!("{base}/{hub}"))?,
            key_name: key_name.to_owned(),
        })
    }

    /// Returns the value of the `Authorization` header until a time.
    fn signature(&self, expires: Timestamp) -> Result<String, SendError> {
        let resource = encoded(self.resource.as_str());
        let expires = expires.as_second();
        let mac = Hmac::<Sha256>::new_from_slice(self.receiver.secret().as_bytes());
        let mut mac =
            mac.map_err(|_| SendError::configuration("the shared access key cannot be used"))?;
        mac.update(format!("{resource}\n{expires}").as_bytes());
        let signature = encoded(&STANDARD.encode(mac.finalize().into_bytes()));
        Ok(format!(
            "SharedAccessSignature sr={resource}&sig={signature}&se={expires}&skn={}",
            encoded(&self.key_name)
        ))
    }

    fn body(batch: &[StreamRecord]) -> Vec<u8> {
        let mut body = Vec::new();
        for (at, record) in batch.iter().enumerate() {
            body.push(if at == 0 { b'[' } else { b',' });
            body.extend_from_slice(b"{\"Body\":");
            push_json_string(&record.body, &mut body);
            body.extend_from_slice(b",\"UserProperties\":{\"event_id\":");
            push_json_string(record.event_id.as_bytes(), &mut body);
            body.extend_from_slice(format!(",\"sequence\":{}}}}}", record.sequence).as_bytes());
        }
        body.push(b']');
        body
    }
}

fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[async_trait]
impl StreamSink for EventHubSink {
    async fn send(&self, batch: &[StreamRecord]) -> Result<Acked, SendError> {
        let body = Self::body(batch);
        if body.len() > LARGEST {
            // The service would refuse the batch after all of it was sent.
            let message = format!(
                "the request has {} bytes, and at most {LARGEST}",
                body.len()
            );
            return Err(SendError::refused(message));
        }

        let mut url = self.resource.clone();
        url.set_path(&format!("{}/messages", self.resource.path()));
        url.query_pairs_mut().append_pair("api-version", VERSION);
        let request = OutboundRequest {
            method: Method::POST,
            url,
            headers: vec![
                (
                    "authorization".to_owned(),
                    self.signature(Timestamp::now() + HOLDS)?,
                ),
                (
                    "content-type".to_owned(),
                    "application/vnd.microsoft.servicebus.json".to_owned(),
                ),
            ],
            body,
        };

        let answer = self.receiver.send(&request).await?;
        match self.receiver.failure(&answer) {
            Some(failure) => Err(failure),
            None => all(batch),
        }
    }
}
