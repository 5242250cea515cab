//! A subscription, and its secrets as they are sealed.

use reeve_notify::webhook::{
    Secret, Secrets, Webhook, WebhookEvent, WebhookFilter, WebhookFormat, WebhookId,
};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::{RowError, named, time};
use crate::vault::{Vault, VaultError};

/// A subscription, all but its secrets.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WebhookRow {
    id: String,
    name: String,
    event: String,
    /// Absent in rows of releases that knew JSON alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    format: Option<WebhookFormat>,
    url: String,
    filter: String,
    enabled: bool,
    disabled_reason: Option<String>,
    created_at: String,
    updated_at: String,
    version: u64,
}

impl From<&Webhook> for WebhookRow {
    fn from(webhook: &Webhook) -> Self {
        WebhookRow {
            id: webhook.id.0.clone(),
            name: webhook.name.clone(),
            event: webhook.event.as_str().to_owned(),
            format: Some(webhook.format).filter(|format| *format != WebhookFormat::Json),
            url: webhook.url.clone(),
            filter: webhook.filter.to_string(),
            enabled: webhook.enabled,
            disabled_reason: webhook.disabled_reason.clone(),
            created_at: webhook.created_at.to_string(),
            updated_at: webhook.updated_at.to_string(),
            version: webhook.version,
        }
    }
}

impl WebhookRow {
    pub(crate) fn into_webhook(self) -> Result<Webhook, RowError> {
        let event = named("event", &self.event, WebhookEvent::parse)?;
        let filter = WebhookFilter::parse(&self.filter, event).map_err(|_| RowError::Unknown {
            field: "filter",
            value: self.filter.clone(),
        })?;
        Ok(Webhook {
            id: WebhookId(self.id),
            name: self.name,
            event,
            format: self.format.unwrap_or(WebhookFormat::Json),
            url: self.url,
            filter,
            enabled: self.enabled,
            disabled_reason: self.disabled_reason,
            created_at: time(&self.created_at)?,
            updated_at: time(&self.updated_at)?,
            version: self.version,
        })
    }
}

/// The plain text of sealed secrets. Not `Debug`.
#[derive(Serialize, Deserialize)]
struct SecretsRow {
    current: String,
    previous: Option<(String, i64)>,
}

/// Seals the secrets of a subscription.
pub(crate) fn seal(vault: &Vault, webhook: &str, secrets: &Secrets) -> Result<String, VaultError> {
    let row = SecretsRow {
        current: secrets.current.reveal().to_owned(),
        previous: secrets
            .previous
            .as_ref()
            .map(|(secret, until)| (secret.reveal().to_owned(), until.as_millisecond())),
    };
    let plain = Zeroizing::new(serde_json::to_vec(&row).map_err(|_| VaultError::Seal)?);

    vault.seal(webhook, &plain)
}

/// Opens the secrets of a subscription.
pub(crate) fn open(vault: &Vault, webhook: &str, sealed: &str) -> Result<Secrets, VaultError> {
    let plain = vault.open(webhook, sealed)?;
    let row: SecretsRow = serde_json::from_slice(&plain).map_err(|_| VaultError::Altered)?;
    let secret = |text: &str| Secret::parse(text).ok_or(VaultError::Altered);
    let previous = match &row.previous {
        None => None,
        Some((text, until)) => {
            let until =
                jiff::Timestamp::from_millisecond(*until).map_err(|_| VaultError::Altered)?;
            Some((secret(text)?, until))
        }
    };

    Ok(Secrets {
        current: secret(&row.current)?,
        previous,
    })
}
