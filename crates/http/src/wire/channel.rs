//! Notification channels on the wire. Secrets go in and never come out.

use reeve_notify::notification::{Channel, ChannelSettings};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::time;
use crate::wire::enumeration::{self, ChannelTopic, ChannelType};

/// A channel.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ChannelBody {
    pub id: String,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: ChannelType,
    /// Settings beside its secret.
    pub settings: ChannelSettingsBody,
    /// Topics of the notifications; empty is all of them.
    pub topics: Vec<ChannelTopic>,
    /// `true` if anything is sent.
    pub enabled: bool,
    /// Time of creation.
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
    /// Grows by one with every change.
    pub version: u64,
}

/// Settings; which ones depends on the type. Slack and Teams have none.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelSettingsBody {
    /// `email`: the mail server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// `email`: its port; 587 unless given, 465 with `tls`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// `email`: `starttls` (unless given) or `tls`. Mail is not sent unencrypted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<enumeration::MailEncryption>)]
    pub encryption: Option<String>,
    /// `email`: who signs in; the secret is the password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// `email`: the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// `email`: the receivers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Vec<String>>,
    /// `pagerduty`: where events go; the US region's address unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// A new channel.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelCreate {
    /// Name, 1 to 100 characters.
    pub name: String,
    #[serde(rename = "type")]
    #[schema(value_type = enumeration::ChannelType)]
    pub kind: String,
    /// Requirement.
    #[serde(default)]
    pub settings: ChannelSettingsBody,
    /// The password (`email`), the webhook's address (`slack`, `teams`) or the integration key
    /// (`pagerduty`).
    #[serde(default)]
    #[schema(write_only)]
    pub secret: String,
    /// Topics of the notifications; empty is all of them.
    #[serde(default)]
    #[schema(value_type = Vec<enumeration::ChannelTopic>)]
    pub topics: Vec<String>,
    /// On unless said otherwise.
    pub enabled: Option<bool>,
}

/// A change of a channel; what is left out stays. The type stays as it is.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelPatch {
    /// Another name.
    pub name: Option<String>,
    /// All settings anew.
    pub settings: Option<ChannelSettingsBody>,
    /// Another secret.
    #[schema(write_only)]
    pub secret: Option<String>,
    /// Other topics.
    #[schema(value_type = Option<Vec<enumeration::ChannelTopic>>)]
    pub topics: Option<Vec<String>>,
    /// On or off.
    pub enabled: Option<bool>,
    /// The version that was read; another is a conflict.
    pub version: Option<u64>,
}

impl ChannelBody {
    /// Of a channel.
    #[must_use]
    pub fn new(channel: &Channel) -> ChannelBody {
        ChannelBody {
            id: channel.id.0.clone(),
            name: channel.name.clone(),
            kind: channel.settings.kind().into(),
            settings: ChannelSettingsBody::new(&channel.settings),
            topics: channel.topics.iter().copied().map(Into::into).collect(),
            enabled: channel.enabled,
            created_at: time::text(channel.created_at),
            updated_at: time::text(channel.updated_at),
            version: channel.version,
        }
    }
}

impl ChannelSettingsBody {
    fn new(settings: &ChannelSettings) -> ChannelSettingsBody {
        match settings.clone() {
            ChannelSettings::Email {
                host,
                port,
                encryption,
                username,
                from,
                to,
            } => ChannelSettingsBody {
                host: Some(host),
                port: Some(port),
                encryption: Some(encryption.as_str().to_owned()),
                username,
                from: Some(from),
                to: Some(to),
                url: None,
            },
            ChannelSettings::Slack | ChannelSettings::Teams => ChannelSettingsBody::default(),
            ChannelSettings::Pagerduty { url } => ChannelSettingsBody {
                url: Some(url),
                ..ChannelSettingsBody::default()
            },
        }
    }
}
