//! Webhooks: subscriptions of other programs to the three events of A-254, firings of alert
//! rules and budget alerts.
//!
//! A subscription names an event, an address and a filter. Secrets are made here, kept sealed by
//! the store, shown once, and replaced with an overlap in which both sign. Sending is a port
//! ([`WebhookSender`]); what is sent, when again, and when it is given up is in
//! [`crate::delivery`]. Requirements; signatures: Standard Webhooks.

mod filter;
mod port;
mod secret;
mod subscription;

pub use filter::{Facts, FilterError, WebhookFilter};
pub use port::{WebhookMessage, WebhookSender, WebhookStore};
pub use secret::{OVERLAP, Secret, Secrets};
pub use subscription::{Webhook, WebhookEvent, WebhookFormat, WebhookId};
