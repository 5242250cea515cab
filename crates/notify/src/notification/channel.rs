//! A channel to people.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::channel_settings::ChannelSettings;
use crate::delivery::Topic;

/// A channel's identifier, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ChannelId(pub String);

/// A channel's secret: a password, an address that lets whoever knows it write, a routing key. No
/// `Debug` shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct ChannelSecret(pub String);

impl std::fmt::Debug for ChannelSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ChannelSecret(...)")
    }
}

/// A channel to people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    pub id: ChannelId,
    /// Name given by a user.
    pub name: String,
    pub settings: ChannelSettings,
    /// Topics that the channel receives; empty means all.
    pub topics: Vec<Topic>,
    /// `false` stops all messages to the channel.
    pub enabled: bool,
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Grows by one with every change.
    pub version: u64,
}

impl Channel {
    /// Returns `true` if the channel receives a topic.
    #[must_use]
    pub fn takes(&self, topic: Topic) -> bool {
        self.enabled && (self.topics.is_empty() || self.topics.contains(&topic))
    }

    /// Returns `true` if one of these names is the channel's identifier, its name, or its kind. Who
    /// names the kind reaches the channels of that kind that take the topic.
    #[must_use]
    pub fn is_named(&self, names: &[String], topic: Topic) -> bool {
        let by_kind = |name: &str| name == self.settings.kind().as_str() && self.takes(topic);
        self.enabled
            && names
                .iter()
                .any(|name| *name == self.id.0 || *name == self.name || by_kind(name))
    }
}
