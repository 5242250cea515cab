//! Notifications: what people are told, over e-mail, Slack, Teams and PagerDuty, at once or
//! gathered once a day or a week.
//!
//! Each agent's configuration says when its recommendations, actions and anomalies go out; requests
//! for signatures always go out at once. Sending is a port ([`Notifier`]); retries and dead letters
//! are those of [`crate::delivery`]. Requirements.

mod channel;
mod digest;
mod message;
mod port;

pub use channel::{Channel, ChannelId, ChannelKind, ChannelSecret, ChannelSettings, Encryption};
pub use digest::{DIGEST_HOUR, Notice, NoticeId, gather, next_digest};
pub use message::{Attachment, Gravity, Item, Message, OPEN};
pub use port::{AttachmentStore, ChannelStore, Notifier};
