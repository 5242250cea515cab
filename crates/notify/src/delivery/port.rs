//! Storage of deliveries.

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::StoreError;

use super::record::{DeliveryId, DeliveryTarget, NotificationDelivery};
use crate::notification::Notice;

/// A delivery with its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// State of the delivery and its attempts.
    pub delivery: NotificationDelivery,
    /// Body to send: the signed bytes of a webhook, or a message to a channel.
    pub body: String,
}

/// Keeps deliveries, notices that wait for a digest, and how far the log has been read.
#[async_trait]
pub trait DeliveryStore: Send + Sync {
    /// The next sequence of the log to look at; `None` before the first time.
    async fn outbox_cursor(&self) -> Result<Option<u64>, StoreError>;
    /// Moves the cursor from where it was read, and keeps what follows from the entries in between:
    /// all or nothing. When somebody else has moved it, a [`StoreError::Conflict`]. A delivery
    /// whose target and subject exist already is left out.
    async fn outbox_advance(
        &self,
        from: Option<u64>,
        to: u64,
        outgoing: &[Outgoing],
        notices: &[Notice],
    ) -> Result<(), StoreError>;

    async fn delivery_insert(&self, outgoing: &Outgoing) -> Result<(), StoreError>;
    /// Replaces a delivery's record; `version` is the stored one plus one.
    async fn delivery_update(&self, delivery: &NotificationDelivery) -> Result<(), StoreError>;
    async fn delivery_get(&self, id: &DeliveryId) -> Result<NotificationDelivery, StoreError>;
    /// Returns the body to send.
    async fn delivery_body(&self, id: &DeliveryId) -> Result<String, StoreError>;
    /// A target's deliveries, newest first, and how many there are.
    async fn delivery_list(
        &self,
        of: &DeliveryTarget,
        limit: u64,
        offset: u64,
    ) -> Result<(Vec<NotificationDelivery>, u64), StoreError>;
    /// Returns what a target was told, or is to be told, of a subject.
    async fn delivery_about(
        &self,
        target: &DeliveryTarget,
        subject: &str,
    ) -> Result<Option<NotificationDelivery>, StoreError>;
    /// Deliveries that are due, the longest waiting first; of each target at most so many, so that
    /// one that fails hides no other.
    async fn delivery_due(
        &self,
        now: Timestamp,
        of_each: u64,
    ) -> Result<Vec<NotificationDelivery>, StoreError>;
    /// Forgets deliveries that ended before a time; how many.
    async fn delivery_prune(&self, before: Timestamp) -> Result<u64, StoreError>;

    /// Notices whose digest is due, oldest first.
    async fn notice_due(&self, now: Timestamp) -> Result<Vec<Notice>, StoreError>;
    /// Puts digests in place of the notices they gather: both or neither. A conflict when somebody
    /// else has gathered one of them.
    async fn notice_gather(
        &self,
        notices: &[Notice],
        digests: &[Outgoing],
    ) -> Result<(), StoreError>;
}
