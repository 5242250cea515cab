//! Notification channels: the port [`ChannelStore`]. Secrets go through the vault into a column of
//! their own.

use async_trait::async_trait;
use reeve_estate::StoreError;
use reeve_notify::notification::{Channel, ChannelId, ChannelSecret, ChannelStore};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::delivery::forget;
use crate::fault::Fault;
use crate::rows::channel::ChannelRow;
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

type Result<T> = std::result::Result<T, StoreError>;

#[async_trait]
impl ChannelStore for Store {
    async fn channel_insert(&self, channel: &Channel, secret: &ChannelSecret) -> Result<()> {
        Ok(insert(self, channel, secret).await?)
    }
    async fn channel_update(
        &self,
        channel: &Channel,
        secret: Option<&ChannelSecret>,
    ) -> Result<()> {
        Ok(update(self, channel, secret).await?)
    }
    async fn channel_delete(&self, id: &ChannelId) -> Result<()> {
        Ok(delete(self, id).await?)
    }
    async fn channel_get(&self, id: &ChannelId) -> Result<Channel> {
        Ok(get(self, id).await?)
    }
    async fn channel_secret(&self, id: &ChannelId) -> Result<ChannelSecret> {
        Ok(secret(self, id).await?)
    }
    async fn channel_list(&self) -> Result<Vec<Channel>> {
        Ok(list(self).await?)
    }
}

fn sealed(
    store: &Store,
    id: &ChannelId,
    secret: &ChannelSecret,
) -> std::result::Result<String, Fault> {
    Ok(store.vault().seal(&id.0, secret.0.as_bytes())?)
}

async fn insert(
    store: &Store,
    channel: &Channel,
    secret: &ChannelSecret,
) -> std::result::Result<(), Fault> {
    sqlx::query(
        "INSERT INTO notification_channels (id, created_at_ms, version, document, secret) VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(&channel.id.0)
    .bind(channel.created_at.as_millisecond())
    .bind(version(channel.version))
    .bind(encode(&ChannelRow::from(channel))?)
    .bind(sealed(store, &channel.id, secret)?)
    .execute(store.write())
    .await
    .map_err(|error| Fault::or_taken(error, || format!("the channel {} exists already", channel.id.0)))?;
    Ok(())
}

async fn update(
    store: &Store,
    channel: &Channel,
    secret: Option<&ChannelSecret>,
) -> std::result::Result<(), Fault> {
    let record = Versioned {
        noun: "notification channel",
        select: "SELECT version FROM notification_channels WHERE id = $1",
        id: &channel.id.0,
        version: channel.version,
    };

    let secret = secret
        .map(|secret| sealed(store, &channel.id, secret))
        .transpose()?;
    let update = sqlx::query(
        "UPDATE notification_channels SET version = $3, document = $4, secret = COALESCE($5, secret)
         WHERE id = $1 AND version = $2",
    )
    .bind(&channel.id.0)
    .bind(record.expected())
    .bind(version(channel.version))
    .bind(encode(&ChannelRow::from(channel))?)
    .bind(secret);

    record
        .run(&mut *store.write().acquire().await?, update, || {
            "the channel exists already".to_owned()
        })
        .await
}

async fn delete(store: &Store, id: &ChannelId) -> std::result::Result<(), Fault> {
    let mut tx = store.begin().await?;
    let done = sqlx::query("DELETE FROM notification_channels WHERE id = $1")
        .bind(&id.0)
        .execute(&mut *tx)
        .await?;
    if done.rows_affected() == 0 {
        return Err(Fault::not_found("notification channel", &id.0));
    }

    forget(&mut tx, &id.0).await?;
    Ok(tx.commit().await?)
}

async fn get(store: &Store, id: &ChannelId) -> std::result::Result<Channel, Fault> {
    let row = sqlx::query("SELECT id, document FROM notification_channels WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    channel(&row.ok_or_else(|| Fault::not_found("notification channel", &id.0))?)
}

async fn secret(store: &Store, id: &ChannelId) -> std::result::Result<ChannelSecret, Fault> {
    let row = sqlx::query("SELECT secret FROM notification_channels WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    let sealed: String = row
        .ok_or_else(|| Fault::not_found("notification channel", &id.0))?
        .try_get(0)?;
    let unusable = |error: String| {
        Fault::Backend(format!(
            "the secret of channel {} cannot be used: {error}",
            id.0
        ))
    };

    let plain = store
        .vault()
        .open(&id.0, &sealed)
        .map_err(|error| unusable(error.to_string()))?;
    let text = std::str::from_utf8(&plain).map_err(|error| unusable(error.to_string()))?;
    Ok(ChannelSecret(text.to_owned()))
}

async fn list(store: &Store) -> std::result::Result<Vec<Channel>, Fault> {
    let rows =
        sqlx::query("SELECT id, document FROM notification_channels ORDER BY created_at_ms, id")
            .fetch_all(store.read())
            .await?;
    rows.iter().map(channel).collect()
}

fn channel(row: &AnyRow) -> std::result::Result<Channel, Fault> {
    let id: String = row.try_get(0)?;
    decode::<ChannelRow>(row.try_get(1)?)
        .and_then(ChannelRow::into_channel)
        .map_err(unreadable("notification channel", &id))
}
