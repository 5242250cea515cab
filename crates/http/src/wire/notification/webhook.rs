//! Webhooks and deliveries on the wire.

use reeve_notify::delivery::{DeliveryAttempt, NotificationDelivery};
use reeve_notify::webhook::Webhook;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::time;
use crate::wire::form::enumeration::{DeliveryStatus, WebhookEvent, WebhookFormat};

/// A subscription of a program to events, without its secret.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct WebhookBody {
    pub id: String,
    /// Name; may be empty.
    pub name: String,
    pub event: WebhookEvent,
    pub format: WebhookFormat,
    /// Address of the receiver.
    pub url: String,
    /// `key=value` with the keys `priority`, `type`, `impact`; joined by commas all must hold.
    /// Empty is everything.
    pub filter: String,
    /// `true` if anything is sent.
    pub enabled: bool,
    /// Reason why Reeve switched it off.
    pub disabled_reason: Option<String>,
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
    /// Grows by one with every change.
    pub version: u64,
}

/// A subscription with its new secret, which is shown this once.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct WebhookSecretBody {
    #[serde(flatten)]
    pub webhook: WebhookBody,
    /// Signing secret (`whsec_...`), shown once.
    pub secret: String,
    /// Until when the secret before signs too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_until: Option<String>,
}

/// A subscription of a program to events, to add.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WebhookCreate {
    pub event: WebhookEvent,
    /// `json` unless said otherwise. `ocsf` sends security findings alone, at each change of their
    /// status; it is for `recommendation_ready`, `anomaly_detected` and `alert_fired`.
    pub format: Option<WebhookFormat>,
    /// Address that is called, https only.
    pub url: String,
    /// `priority=high`, `type=security`, `impact=medium`, or several joined by commas.
    #[serde(default)]
    pub filter: String,
    /// At most 100 characters.
    #[serde(default)]
    pub name: String,
    /// On unless said otherwise.
    pub enabled: Option<bool>,
}

/// A change of a subscription; what is left out stays.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WebhookPatch {
    pub event: Option<WebhookEvent>,
    pub format: Option<WebhookFormat>,
    pub url: Option<String>,
    pub filter: Option<String>,
    pub name: Option<String>,
    /// Switches it on or off.
    pub enabled: Option<bool>,
    /// The version that was read; another is a conflict.
    pub version: Option<u64>,
}

/// An attempt to deliver, with the receiver's answer.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AttemptBody {
    pub at: String,
    pub duration_ms: u64,
    /// HTTP or SMTP status of the answer.
    pub status: Option<u16>,
    /// Beginning of the receiver's answer.
    pub answer: String,
    /// Reason why there was no answer.
    pub error: Option<String>,
    /// `true` if it arrived.
    pub ok: bool,
    /// `Retry-After` of the receiver, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_s: Option<u64>,
}

/// A delivery to a receiver, with all attempts.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DeliveryBody {
    /// Identifier; a webhook's `webhook-id`.
    pub id: String,
    /// Name of the event, or `test`.
    pub event: String,
    pub status: DeliveryStatus,
    /// Attempts since it was made or last replayed.
    pub tries: u32,
    /// Attempts, the oldest first; of many the newest.
    pub attempts: Vec<AttemptBody>,
    pub created_at: String,
    /// Time of the next attempt.
    pub next_attempt_at: Option<String>,
    /// Time at which it arrived or was given up.
    pub finished_at: Option<String>,
}

impl WebhookBody {
    /// Converts a subscription, without its secret.
    #[must_use]
    pub fn new(webhook: &Webhook) -> WebhookBody {
        WebhookBody {
            id: webhook.id.0.clone(),
            name: webhook.name.clone(),
            event: webhook.event.into(),
            format: webhook.format.into(),
            url: webhook.url.clone(),
            filter: webhook.filter.to_string(),
            enabled: webhook.enabled,
            disabled_reason: webhook.disabled_reason.clone(),
            created_at: time::text(webhook.created_at),
            updated_at: time::text(webhook.updated_at),
            version: webhook.version,
        }
    }
}

impl DeliveryBody {
    /// Converts a delivery with its attempts.
    #[must_use]
    pub fn new(delivery: &NotificationDelivery) -> DeliveryBody {
        DeliveryBody {
            id: delivery.id.0.clone(),
            event: delivery.event.clone(),
            status: delivery.status.into(),
            tries: delivery.tries,
            attempts: delivery.attempts.iter().map(AttemptBody::new).collect(),
            created_at: time::text(delivery.created_at),
            next_attempt_at: delivery.next_attempt_at.map(time::text),
            finished_at: delivery.finished_at.map(time::text),
        }
    }
}

impl AttemptBody {
    fn new(attempt: &DeliveryAttempt) -> AttemptBody {
        AttemptBody {
            at: time::text(attempt.at),
            duration_ms: attempt.duration_ms,
            status: attempt.status,
            answer: attempt.answer.clone(),
            error: attempt.error.clone(),
            ok: attempt.ok,
            retry_after_s: attempt.retry_after_s,
        }
    }
}
