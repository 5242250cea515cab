//! A notification channel, without its secret.

use reeve_notify::delivery::Topic;
use reeve_notify::notification::{Channel, ChannelId, ChannelSettings};
use serde::{Deserialize, Serialize};

use super::{RowError, named, time};

/// A channel, all but its secret.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ChannelRow {
    id: String,
    name: String,
    settings: ChannelSettings,
    topics: Vec<String>,
    enabled: bool,
    created_at: String,
    updated_at: String,
    version: u64,
}

impl From<&Channel> for ChannelRow {
    fn from(channel: &Channel) -> Self {
        ChannelRow {
            id: channel.id.0.clone(),
            name: channel.name.clone(),
            settings: channel.settings.clone(),
            topics: channel
                .topics
                .iter()
                .map(|topic| topic.as_str().to_owned())
                .collect(),
            enabled: channel.enabled,
            created_at: channel.created_at.to_string(),
            updated_at: channel.updated_at.to_string(),
            version: channel.version,
        }
    }
}

impl ChannelRow {
    pub(crate) fn into_channel(self) -> Result<Channel, RowError> {
        Ok(Channel {
            id: ChannelId(self.id),
            name: self.name,
            settings: self.settings,
            topics: self
                .topics
                .iter()
                .map(|topic| named("topics", topic, Topic::parse))
                .collect::<Result<_, _>>()?,
            enabled: self.enabled,
            created_at: time(&self.created_at)?,
            updated_at: time(&self.updated_at)?,
            version: self.version,
        })
    }
}
