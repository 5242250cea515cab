//! A channel to people.

use jiff::Timestamp;
use reeve_estate::named;
use serde::{Deserialize, Serialize};

use crate::delivery::Topic;

/// A channel's identifier, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ChannelId(pub String);

named!(
    /// Kind of a channel.
    ChannelKind {
        /// SMTP.
        Email => "email",
        /// Slack's incoming webhooks.
        Slack => "slack",
        /// Microsoft Teams, by a workflow that takes webhooks.
        Teams => "teams",
        /// PagerDuty's Events API, version 2.
        Pagerduty => "pagerduty",
    }
);

named!(
    /// Encryption of a connection to a mail server. Unencrypted mail is not sent.
    Encryption {
        /// Encrypted after a greeting in the clear (usually port 587); a server that does not offer
        /// it is refused.
        Starttls => "starttls",
        /// Encrypted from the first byte (usually port 465).
        Tls => "tls",
    }
);

/// Settings of a channel, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChannelSettings {
    /// SMTP. The secret is the password.
    Email {
        /// The mail server.
        host: String,
        port: u16,
        /// Encryption of the connection.
        encryption: Encryption,
        /// User name; `None` for a server without authentication.
        username: Option<String>,
        /// The sender's address.
        from: String,
        /// The receivers' addresses.
        to: Vec<String>,
    },
    /// Slack. The secret is the incoming webhook's address.
    Slack,
    /// Teams. The secret is the workflow's address.
    Teams,
    /// PagerDuty. The secret is the routing key.
    Pagerduty {
        /// Address for events; PagerDuty has one for each service region.
        url: String,
    },
}

impl ChannelSettings {
    /// The kind.
    #[must_use]
    pub const fn kind(&self) -> ChannelKind {
        match self {
            ChannelSettings::Email { .. } => ChannelKind::Email,
            ChannelSettings::Slack => ChannelKind::Slack,
            ChannelSettings::Teams => ChannelKind::Teams,
            ChannelSettings::Pagerduty { .. } => ChannelKind::Pagerduty,
        }
    }
}

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
    /// Creation time.
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
