//! Webhook subscriptions: the port [`WebhookStore`]. Secrets go through the vault into a column of
//! their own.

use async_trait::async_trait;
use reeve_estate::StoreError;
use reeve_notify::webhook::{Secrets, Webhook, WebhookId, WebhookStore};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::delivery::forget;
use crate::fault::Fault;
use crate::rows::webhook::{WebhookRow, open, seal};
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

type Result<T> = std::result::Result<T, StoreError>;

#[async_trait]
impl WebhookStore for Store {
    async fn webhook_insert(&self, webhook: &Webhook, secrets: &Secrets) -> Result<()> {
        Ok(insert(self, webhook, secrets).await?)
    }
    async fn webhook_update(&self, webhook: &Webhook, secrets: Option<&Secrets>) -> Result<()> {
        Ok(update(self, webhook, secrets).await?)
    }
    async fn webhook_delete(&self, id: &WebhookId) -> Result<()> {
        Ok(delete(self, id).await?)
    }
    async fn webhook_get(&self, id: &WebhookId) -> Result<Webhook> {
        Ok(get(self, id).await?)
    }
    async fn webhook_secrets(&self, id: &WebhookId) -> Result<Secrets> {
        Ok(secrets(self, id).await?)
    }
    async fn webhook_list(&self) -> Result<Vec<Webhook>> {
        Ok(list(self).await?)
    }
}

fn sealed(store: &Store, id: &WebhookId, secrets: &Secrets) -> std::result::Result<String, Fault> {
    Ok(seal(store.vault(), &id.0, secrets)?)
}

async fn insert(
    store: &Store,
    webhook: &Webhook,
    secrets: &Secrets,
) -> std::result::Result<(), Fault> {
    sqlx::query("INSERT INTO webhooks (id, created_at_ms, version, document, secret) VALUES ($1, $2, $3, $4, $5)")
        .bind(&webhook.id.0)
        .bind(webhook.created_at.as_millisecond())
        .bind(version(webhook.version))
        .bind(encode(&WebhookRow::from(webhook))?)
        .bind(sealed(store, &webhook.id, secrets)?)
        .execute(store.write())
        .await
        .map_err(|error| Fault::or_taken(error, || format!("the webhook {} exists already", webhook.id.0)))?;
    Ok(())
}

async fn update(
    store: &Store,
    webhook: &Webhook,
    secrets: Option<&Secrets>,
) -> std::result::Result<(), Fault> {
    let record = Versioned {
        noun: "webhook",
        select: "SELECT version FROM webhooks WHERE id = $1",
        id: &webhook.id.0,
        version: webhook.version,
    };

    let secret = secrets
        .map(|secrets| sealed(store, &webhook.id, secrets))
        .transpose()?;
    let update = sqlx::query(
        "UPDATE webhooks SET version = $3, document = $4, secret = COALESCE($5, secret) WHERE id = $1 AND version = $2",
    )
    .bind(&webhook.id.0)
    .bind(record.expected())
    .bind(version(webhook.version))
    .bind(encode(&WebhookRow::from(webhook))?)
    .bind(secret);

    record
        .run(&mut *store.write().acquire().await?, update, || {
            "the webhook exists already".to_owned()
        })
        .await
}

async fn delete(store: &Store, id: &WebhookId) -> std::result::Result<(), Fault> {
    let mut tx = store.begin().await?;
    let done = sqlx::query("DELETE FROM webhooks WHERE id = $1")
        .bind(&id.0)
        .execute(&mut *tx)
        .await?;
    if done.rows_affected() == 0 {
        return Err(Fault::not_found("webhook", &id.0));
    }

    forget(&mut tx, &id.0).await?;
    Ok(tx.commit().await?)
}

async fn get(store: &Store, id: &WebhookId) -> std::result::Result<Webhook, Fault> {
    let row = sqlx::query("SELECT id, document FROM webhooks WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    webhook(&row.ok_or_else(|| Fault::not_found("webhook", &id.0))?)
}

async fn secrets(store: &Store, id: &WebhookId) -> std::result::Result<Secrets, Fault> {
    let row = sqlx::query("SELECT secret FROM webhooks WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    let sealed: String = row
        .ok_or_else(|| Fault::not_found("webhook", &id.0))?
        .try_get(0)?;
    open(store.vault(), &id.0, &sealed).map_err(|error| {
        Fault::Backend(format!(
            "the secrets of webhook {} cannot be used: {error}",
            id.0
        ))
    })
}

async fn list(store: &Store) -> std::result::Result<Vec<Webhook>, Fault> {
    let rows = sqlx::query("SELECT id, document FROM webhooks ORDER BY created_at_ms, id")
        .fetch_all(store.read())
        .await?;
    rows.iter().map(webhook).collect()
}

fn webhook(row: &AnyRow) -> std::result::Result<Webhook, Fault> {
    let id: String = row.try_get(0)?;
    decode::<WebhookRow>(row.try_get(1)?)
        .and_then(WebhookRow::into_webhook)
        .map_err(unreadable("webhook", &id))
}
