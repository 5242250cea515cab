//! Notifications: messages to people over the types of [`ChannelKind`], at once or gathered once a
//! day or a week.
//!
//! Each agent's configuration says when its recommendations, actions and anomalies go out; requests
//! for signatures always go out at once. Sending is a port ([`Notifier`]); retries and dead letters
//! are those of [`crate::delivery`]. Requirements.

mod channel;
mod channel_settings;
mod channel_type;
mod digest;
mod message;
mod port;

pub use channel::{Channel, ChannelId, ChannelSecret};
pub use channel_settings::{ChannelFault, ChannelSettings, ChannelValue};
pub use channel_type::{
    ChannelField, ChannelKind, ChannelTypeRow, FieldDefault, FieldForm, Required,
    channel_type_names,
};
pub use digest::{DIGEST_HOUR, Notice, NoticeId, gather, next_digest};
pub use message::{Attachment, Gravity, Item, Message, OPEN};
pub use port::{AttachmentStore, ChannelStore, Notifier};
