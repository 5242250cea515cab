//! A channel to people.

use jiff::Timestamp;
use reeve_estate::named;

use crate::delivery::Topic;

/// A channel's identifier, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChannelId(pub String);

named!(
    /// What kind of channel.
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
    /// How a connection to a mail server is encrypted. Unencrypted mail is not sent.
    Encryption {
        /// Encrypted after a greeting in the clear (usually port 587); a server that does not offer it is refused.
        Starttls => "starttls",
        /// Encrypted from the first byte (usually port 465).
        Tls => "tls",
    }
);

/// What a channel needs beside its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChannelSettings {
    /// SMTP. The secret is the password.
    Email {
        /// The mail server.
        host: String,
        /// Its port.
        port: u16,
        /// How the connection is encrypted.
        encryption: Encryption,
        /// Who signs in; `None` does not.
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
        /// Where events go; PagerDuty has one address for each service region.
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

/// A channel's secret: a password, an address that lets whoever knows it write, a routing key. No `Debug` shows it.
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
    /// Identifier.
    pub id: ChannelId,
    /// What people call it.
    pub name: String,
    /// What it needs.
    pub settings: ChannelSettings,
    /// What it is told; empty is everything.
    pub topics: Vec<Topic>,
    /// Whether anything is sent.
    pub enabled: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Grows by one with every change.
    pub version: u64,
}

impl Channel {
    /// Whether it is told of a topic.
    #[must_use]
    pub fn takes(&self, topic: Topic) -> bool {
        self.enabled && (self.topics.is_empty() || self.topics.contains(&topic))
    }

    /// Returns `true` if one of these names is the channel's identifier, its name, or its kind. Who names the kind reaches the
    /// channels of that kind that take the topic.
    #[must_use]
    pub fn is_named(&self, names: &[String], topic: Topic) -> bool {
        let by_kind = |name: &str| name == self.settings.kind().as_str() && self.takes(topic);
        self.enabled && names.iter().any(|name| *name == self.id.0 || *name == self.name || by_kind(name))
    }
}
