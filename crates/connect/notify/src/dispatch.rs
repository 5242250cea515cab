//! The port [`Notifier`] over the table of services.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_audit::Obstacle;
use reeve_connect_outbound::{
    Method, Outbound, OutboundLimits, OutboundPolicy, OutboundRequest, Url,
};
use reeve_notify::delivery::DeliveryAttempt;
use reeve_notify::notification::{
    AttachmentStore, Channel, ChannelFault, ChannelSecret, ChannelSettings, Message, Notifier,
};

use crate::outcome::NotifyOutcome;
use crate::service::{NotifyService, Post, service};
use crate::{check, email};

/// Limits of one request.
const LIMITS: OutboundLimits = OutboundLimits {
    time: Duration::from_secs(15),
    body: 64 * 1024,
    redirects: 0,
};

/// [`Notifier`] that sends to the services of all channel types.
pub struct People {
    policy: OutboundPolicy,
    client: Outbound,
    attachments: Option<Arc<dyn AttachmentStore>>,
}

impl People {
    /// Returns a notifier that calls only the addresses that a policy allows.
    #[must_use]
    pub fn new(policy: OutboundPolicy) -> People {
        People {
            client: Outbound::new(policy.clone(), LIMITS),
            policy,
            attachments: None,
        }
    }

    /// Creates the notifier with a given HTTP client and its outbound policy.
    #[must_use]
    pub fn over(policy: OutboundPolicy, client: Outbound) -> People {
        People {
            policy,
            client,
            attachments: None,
        }
    }

    /// Attaches the files that messages name to e-mail.
    #[must_use]
    pub fn with_attachments(self, attachments: Arc<dyn AttachmentStore>) -> People {
        People {
            attachments: Some(attachments),
            ..self
        }
    }

    /// The file of a message, or the reason why it does not go along.
    async fn attached(&self, message: &Message) -> Option<Result<email::File, Obstacle>> {
        let attachment = message.attachment.as_ref()?;
        let read = self.attachments.as_ref()?.attachment_read(attachment).await;
        let (name, media_type) = (attachment.name.clone(), attachment.media_type.clone());
        Some(read.map(|bytes| email::File {
            name,
            media_type,
            bytes,
        }))
    }

    async fn post(&self, post: Post) -> NotifyOutcome {
        // Neither the address nor a part of it stands in a message: whoever knows it can write.
        let Ok(url) = post.url.parse::<Url>() else {
            return NotifyOutcome::failed("the stored address is not a URL").for_good();
        };

        let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        headers.extend(
            post.authorization
                .map(|value| ("authorization".to_owned(), value)),
        );
        let request = OutboundRequest {
            method: Method::POST,
            url,
            headers,
            body: post.body.to_string().into_bytes(),
        };

        match self.client.send(request).await {
            Ok(answer) => {
                let text = String::from_utf8_lossy(&answer.body).into_owned();
                let wait = answer.retry_after_s(Timestamp::now());
                let outcome = NotifyOutcome::answered(
                    answer.status.is_success(),
                    Some(answer.status.as_u16()),
                    &text,
                );
                NotifyOutcome {
                    retry_after_s: wait,
                    ..outcome
                }
            }
            Err(error) => NotifyOutcome::failed(error),
        }
    }
}

#[async_trait]
impl Notifier for People {
    fn check(
        &self,
        settings: &ChannelSettings,
        secret: &ChannelSecret,
    ) -> Result<(), ChannelFault> {
        check::check(&self.policy, settings, secret)
    }

    async fn send(
        &self,
        channel: &Channel,
        secret: &ChannelSecret,
        message: &Message,
    ) -> DeliveryAttempt {
        let (at, begun) = (Timestamp::now(), Instant::now());
        let settings = &channel.settings;
        let outcome = match service(settings.kind()) {
            NotifyService::Mail => {
                let file = self.attached(message).await;
                email::send(&self.policy, settings, secret, message, file).await
            }
            NotifyService::Http { post, judged } => {
                judged(self.post(post(settings, secret, message)).await)
            }
        };

        let duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let NotifyOutcome {
            ok,
            gone,
            status,
            answer,
            error,
            retry_after_s,
        } = outcome;

        DeliveryAttempt {
            at,
            duration_ms,
            status,
            answer,
            error,
            ok,
            gone,
            retry_after_s,
        }
    }
}
