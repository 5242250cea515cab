//! Storage of subscriptions, and the port for sending.

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_audit::Obstacle;
use reeve_estate::StoreError;

use super::secret::{Secret, Secrets};
use super::subscription::{Webhook, WebhookId};
use crate::delivery::DeliveryAttempt;

/// Keeps subscriptions and their sealed secrets. Updates compare versions, as everywhere.
#[async_trait]
pub trait WebhookStore: Send + Sync {
    /// Adds a subscription with its secrets.
    async fn webhook_insert(&self, webhook: &Webhook, secrets: &Secrets) -> Result<(), StoreError>;
    /// Replaces a subscription, and its secrets when given; `version` is the stored one plus one.
    async fn webhook_update(
        &self,
        webhook: &Webhook,
        secrets: Option<&Secrets>,
    ) -> Result<(), StoreError>;
    /// Removes a subscription with its secrets and its deliveries.
    async fn webhook_delete(&self, id: &WebhookId) -> Result<(), StoreError>;
    async fn webhook_get(&self, id: &WebhookId) -> Result<Webhook, StoreError>;
    /// Its secrets. One that cannot be opened (another key, an altered text) is a
    /// [`StoreError::Backend`].
    async fn webhook_secrets(&self, id: &WebhookId) -> Result<Secrets, StoreError>;
    /// All subscriptions, oldest first.
    async fn webhook_list(&self) -> Result<Vec<Webhook>, StoreError>;
}

/// Message of a webhook.
#[derive(Debug, Clone)]
pub struct WebhookMessage {
    /// Address that the message is posted to.
    pub url: String,
    /// `webhook-id`: the same for every attempt at one delivery.
    pub id: String,
    /// `webhook-timestamp`: when this attempt is made.
    pub at: Timestamp,
    /// The body, as signed.
    pub body: String,
    /// Secrets that sign, the newest first.
    pub secrets: Vec<Secret>,
}

/// Port that sends messages to webhooks.
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Checks that an address may be configured; the error gives the reason. What its name resolves
    /// to is judged at each attempt.
    ///
    /// # Errors
    /// The reason, in words.
    fn check(&self, url: &str) -> Result<(), Obstacle>;
    /// One attempt. Whatever happens is told in the [`DeliveryAttempt`].
    async fn send(&self, message: &WebhookMessage) -> DeliveryAttempt;
}
