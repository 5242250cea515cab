//! Storage of channels, and the port for sending.

use async_trait::async_trait;
use reeve_audit::Obstacle;
use reeve_estate::StoreError;

use super::channel::{Channel, ChannelId, ChannelSecret};
use super::channel_settings::{ChannelFault, ChannelSettings};
use super::message::{Attachment, Message};
use crate::delivery::DeliveryAttempt;

/// Keeps channels and their sealed secrets. Updates compare versions, as everywhere.
#[async_trait]
pub trait ChannelStore: Send + Sync {
    /// Adds a channel with its secret.
    async fn channel_insert(
        &self,
        channel: &Channel,
        secret: &ChannelSecret,
    ) -> Result<(), StoreError>;
    /// Replaces a channel, and its secret when given; `version` is the stored one plus one.
    async fn channel_update(
        &self,
        channel: &Channel,
        secret: Option<&ChannelSecret>,
    ) -> Result<(), StoreError>;
    /// Removes a channel with its secret and its deliveries.
    async fn channel_delete(&self, id: &ChannelId) -> Result<(), StoreError>;
    async fn channel_get(&self, id: &ChannelId) -> Result<Channel, StoreError>;
    /// Its secret. One that cannot be opened (another key, an altered text) is a
    /// [`StoreError::Backend`].
    async fn channel_secret(&self, id: &ChannelId) -> Result<ChannelSecret, StoreError>;
    /// All channels, oldest first.
    async fn channel_list(&self) -> Result<Vec<Channel>, StoreError>;
}

/// Reads the files that go along with messages.
#[async_trait]
pub trait AttachmentStore: Send + Sync {
    /// Returns the bytes of a file.
    ///
    /// # Errors
    /// The reason why the file cannot go along, for the receiver: it is too large, or gone.
    async fn attachment_read(&self, attachment: &Attachment) -> Result<Vec<u8>, Obstacle>;
}

/// Sends messages to channels.
///
/// A notifier that writes titles to standard error, for a service without a network:
///
/// ```
/// use async_trait::async_trait;
/// use jiff::Timestamp;
/// use reeve_notify::delivery::DeliveryAttempt;
/// use reeve_notify::notification::{
///     Channel, ChannelFault, ChannelSecret, ChannelSettings, Message, Notifier,
/// };
///
/// struct Console;
///
/// #[async_trait]
/// impl Notifier for Console {
///     fn check(&self, _: &ChannelSettings, _: &ChannelSecret) -> Result<(), ChannelFault> {
///         Ok(())
///     }
///
///     async fn send(&self, channel: &Channel, _: &ChannelSecret, message: &Message) -> DeliveryAttempt {
///         eprintln!("{}: {}", channel.name, message.title);
///         DeliveryAttempt {
///             at: Timestamp::now(),
///             duration_ms: 0,
///             status: None,
///             answer: String::new(),
///             error: None,
///             // `false` makes the dispatcher try again after a delay.
///             ok: true,
///             gone: false,
///             retry_after_s: None,
///         }
///     }
/// }
/// ```
#[async_trait]
pub trait Notifier: Send + Sync {
    /// Checks settings and secret by their forms and the outbound policy. Nothing is contacted.
    ///
    /// # Errors
    /// The first field that is wrong.
    fn check(&self, settings: &ChannelSettings, secret: &ChannelSecret)
    -> Result<(), ChannelFault>;
    /// One attempt. Whatever happens is told in the [`DeliveryAttempt`].
    async fn send(
        &self,
        channel: &Channel,
        secret: &ChannelSecret,
        message: &Message,
    ) -> DeliveryAttempt;
}
