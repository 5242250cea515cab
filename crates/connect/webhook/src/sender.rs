//! One attempt over the guarded client.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use reeve_audit::Obstacle;
use reeve_connect_outbound::{
    Method, Outbound, OutboundError, OutboundLimits, OutboundPolicy, OutboundRequest, StatusCode,
    Url,
};
use reeve_notify::delivery::{DeliveryAttempt, EXCERPT};
use reeve_notify::webhook::{WebhookMessage, WebhookSender};

use crate::signature::sign;

/// Limits of one attempt. Standard Webhooks recommends 15 to 30 seconds.
const LIMITS: OutboundLimits = OutboundLimits {
    time: Duration::from_secs(15),
    body: 64 * 1024,
    redirects: 0,
};

/// Longest address that is accepted, in bytes.
const LONGEST: usize = 2048;

/// [`WebhookSender`] over the guarded client.
pub struct Sender {
    policy: OutboundPolicy,
    client: Outbound,
}

impl Sender {
    /// Returns a sender that calls only the addresses that a policy allows.
    #[must_use]
    pub fn new(policy: OutboundPolicy) -> Sender {
        Sender {
            client: Outbound::new(policy.clone(), LIMITS),
            policy,
        }
    }

    /// Over a client of one's own, with the policy it has.
    #[must_use]
    pub fn over(policy: OutboundPolicy, client: Outbound) -> Sender {
        Sender { policy, client }
    }

    async fn post(
        &self,
        message: &WebhookMessage,
    ) -> Result<reeve_connect_outbound::OutboundAnswer, OutboundError> {
        let url: Url = message
            .url
            .parse()
            .map_err(|_| OutboundError::Failed("the address is none".to_owned()))?;
        let header = |name: &str, value: String| (name.to_owned(), value);
        let headers = vec![
            header("content-type", "application/json".to_owned()),
            header("webhook-id", message.id.clone()),
            header("webhook-timestamp", message.at.as_second().to_string()),
            header(
                "webhook-signature",
                sign(&message.secrets, &message.id, message.at, &message.body),
            ),
        ];

        let body = message.body.clone().into_bytes();
        self.client
            .send(OutboundRequest {
                method: Method::POST,
                url,
                headers,
                body,
            })
            .await
    }
}

#[async_trait]
impl WebhookSender for Sender {
    fn check(&self, url: &str) -> Result<(), Obstacle> {
        if url.len() > LONGEST {
            return Err(format!("must have at most {LONGEST} bytes").into());
        }
        self.policy.check_given(url)
    }

    async fn send(&self, message: &WebhookMessage) -> DeliveryAttempt {
        let begun = Instant::now();
        let outcome = self.post(message).await;
        let duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let attempt = |status: Option<StatusCode>,
                       answer: String,
                       error: Option<String>,
                       wait: Option<u64>| DeliveryAttempt {
            at: message.at,
            duration_ms,
            ok: status.is_some_and(|status| status.is_success()),
            gone: status == Some(StatusCode::GONE),
            status: status.map(|status| status.as_u16()),
            answer,
            error,
            retry_after_s: wait,
        };

        match outcome {
            Ok(answer) => {
                let wait = answer.retry_after_s(message.at);
                attempt(Some(answer.status), beginning(&answer.body), None, wait)
            }
            Err(error) => attempt(None, String::new(), Some(error.to_string()), None),
        }
    }
}

/// The beginning of an answer as text, cut between characters.
fn beginning(body: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(&body[..body.len().min(EXCERPT)]).into_owned();
    let mut end = text.len().min(EXCERPT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }

    text.truncate(end);
    text.retain(|c| c == '\n' || !c.is_control());
    text
}
