//! A notification channel, without its secret.

use reeve_notify::delivery::Topic;
use reeve_notify::notification::{Channel, ChannelId, ChannelSettings, Encryption};
use serde::{Deserialize, Serialize};

use super::{RowError, named, time};

/// A channel, all but its secret.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ChannelRow {
    id: String,
    name: String,
    settings: SettingsRow,
    topics: Vec<String>,
    enabled: bool,
    created_at: String,
    updated_at: String,
    version: u64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum SettingsRow {
    Email {
        host: String,
        port: u16,
        encryption: String,
        username: Option<String>,
        from: String,
        to: Vec<String>,
    },
    Slack,
    Teams,
    Pagerduty {
        url: String,
    },
}

impl From<&Channel> for ChannelRow {
    fn from(channel: &Channel) -> Self {
        let settings = match channel.settings.clone() {
            ChannelSettings::Email {
                host,
                port,
                encryption,
                username,
                from,
                to,
            } => SettingsRow::Email {
                host,
                port,
                encryption: encryption.as_str().to_owned(),
                username,
                from,
                to,
            },
            ChannelSettings::Slack => SettingsRow::Slack,
            ChannelSettings::Teams => SettingsRow::Teams,
            ChannelSettings::Pagerduty { url } => SettingsRow::Pagerduty { url },
        };
        ChannelRow {
            id: channel.id.0.clone(),
            name: channel.name.clone(),
            settings,
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
        let settings = match self.settings {
            SettingsRow::Email {
                host,
                port,
                encryption,
                username,
                from,
                to,
            } => {
                let encryption = named("encryption", &encryption, Encryption::parse)?;
                ChannelSettings::Email {
                    host,
                    port,
                    encryption,
                    username,
                    from,
                    to,
                }
            }
            SettingsRow::Slack => ChannelSettings::Slack,
            SettingsRow::Teams => ChannelSettings::Teams,
            SettingsRow::Pagerduty { url } => ChannelSettings::Pagerduty { url },
        };
        Ok(Channel {
            id: ChannelId(self.id),
            name: self.name,
            settings,
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
