//! Answers of receivers, as reasons.

use jiff::Timestamp;
use reeve_connect_outbound::{
    Outbound, OutboundAnswer, OutboundError, OutboundRequest, OutboundSession, Url,
};
use reeve_streams::SendError;

/// Most characters of an answer that are shown.
const SHOWN: usize = 300;

/// A receiver over HTTP, and the secret that no message may hold.
pub(crate) struct Receiver {
    session: OutboundSession,
    secret: String,
}

impl Receiver {
    pub(crate) fn new(outbound: Outbound, secret: &str) -> Receiver {
        Receiver {
            session: OutboundSession::new(outbound),
            secret: secret.trim().to_owned(),
        }
    }

    pub(crate) fn secret(&self) -> &str {
        &self.secret
    }

    /// Sends a request; an answer of any status is an answer.
    pub(crate) async fn send(
        &self,
        request: &OutboundRequest,
    ) -> Result<OutboundAnswer, SendError> {
        self.session
            .send(request)
            .await
            .map_err(|error| match error {
                OutboundError::Refused(_)
                | OutboundError::Header(_)
                | OutboundError::Redirect(_) => SendError::configuration(self.shown(&error)),
                OutboundError::Unresolved { .. }
                | OutboundError::TooLong(_)
                | OutboundError::Late(_)
                | OutboundError::Failed(_) => SendError::passing(self.shown(&error)),
            })
    }

    /// Returns the failure that a status means; `None` for success.
    pub(crate) fn failure(&self, answer: &OutboundAnswer) -> Option<SendError> {
        if answer.status.is_success() {
            return None;
        }

        let text = self.text(&answer.body);
        let message = if text.is_empty() {
            format!("answered {}", answer.status)
        } else {
            format!("answered {}: {text}", answer.status)
        };
        Some(match answer.status.as_u16() {
            400 | 413 | 422 => SendError::refused(message),
            408 | 425 | 429 | 500.. => SendError::Passing {
                message,
                retry_after_s: answer.retry_after_s(Timestamp::now()),
            },
            _ => SendError::configuration(message),
        })
    }

    /// Returns the beginning of an answer on one line.
    pub(crate) fn text(&self, body: &[u8]) -> String {
        let text = String::from_utf8_lossy(body);
        let line: String = text
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .take(SHOWN)
            .collect();
        self.shown(&line.trim())
    }

    /// Removes the secret from a text.
    fn shown(&self, text: &dyn std::fmt::Display) -> String {
        let text = text.to_string();
        if self.secret.is_empty() {
            text
        } else {
            text.replace(&self.secret, "***")
        }
    }
}

/// Reads an address that was checked when it was given.
pub(crate) fn address(text: &str) -> Result<Url, SendError> {
    text.parse()
        .map_err(|error| SendError::configuration(format!("{text} is not an address: {error}")))
}
