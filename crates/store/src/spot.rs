//! Notices about spot capacity and their queues: the port [`SpotStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, StoreError};
use reeve_recommend::judgement::spot::{SpotNotice, SpotSource, SpotStore};
use sqlx::Row as _;

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable};

type Result<T> = std::result::Result<T, StoreError>;

#[async_trait]
impl SpotStore for Store {
    async fn spot_notice_put(
        &self,
        connection: &ConnectionId,
        notice: &SpotNotice,
    ) -> Result<bool> {
        Ok(put(self, connection, notice).await?)
    }
    async fn spot_notices(
        &self,
        connection: &ConnectionId,
        since: Timestamp,
    ) -> Result<Vec<SpotNotice>> {
        Ok(notices(self, connection, since).await?)
    }
    async fn spot_notice_expire(&self, before: Timestamp) -> Result<u64> {
        Ok(expire(self, before).await?)
    }
    async fn spot_source_put(&self, source: &SpotSource) -> Result<()> {
        Ok(source_put(self, source).await?)
    }
    async fn spot_source_read(&self, source: &SpotSource) -> Result<()> {
        Ok(source_read(self, source).await?)
    }
    async fn spot_source_delete(&self, connection: &ConnectionId) -> Result<()> {
        Ok(source_delete(self, connection).await?)
    }
    async fn spot_sources(&self) -> Result<Vec<SpotSource>> {
        Ok(sources(self).await?)
    }
}

async fn put(
    store: &Store,
    connection: &ConnectionId,
    notice: &SpotNotice,
) -> std::result::Result<bool, Fault> {
    let done = sqlx::query(
        "INSERT INTO spot_notices (connection_id, event_id, resource_id, at_ms, document)
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT (connection_id, event_id) DO NOTHING",
    )
    .bind(&connection.0)
    .bind(&notice.event)
    .bind(&notice.resource.0)
    .bind(notice.at.as_millisecond())
    .bind(encode(notice)?)
    .execute(store.write())
    .await?;
    Ok(done.rows_affected() > 0)
}

async fn notices(
    store: &Store,
    connection: &ConnectionId,
    since: Timestamp,
) -> std::result::Result<Vec<SpotNotice>, Fault> {
    let rows = sqlx::query(
        "SELECT event_id, document FROM spot_notices
         WHERE connection_id = $1 AND at_ms >= $2 ORDER BY at_ms, event_id",
    )
    .bind(&connection.0)
    .bind(since.as_millisecond())
    .fetch_all(store.read())
    .await?;
    rows.iter()
        .map(|row| {
            let id: String = row.try_get(0)?;
            decode::<SpotNotice>(row.try_get(1)?).map_err(unreadable("spot notice", &id))
        })
        .collect()
}

async fn expire(store: &Store, before: Timestamp) -> std::result::Result<u64, Fault> {
    let done = sqlx::query("DELETE FROM spot_notices WHERE at_ms < $1")
        .bind(before.as_millisecond())
        .execute(store.write())
        .await?;
    Ok(done.rows_affected())
}

async fn source_put(store: &Store, source: &SpotSource) -> std::result::Result<(), Fault> {
    sqlx::query(
        "INSERT INTO spot_sources (connection_id, queue_url, document) VALUES ($1, $2, $3)
         ON CONFLICT (connection_id) DO UPDATE SET queue_url = excluded.queue_url, document = excluded.document",
    )
    .bind(&source.connection.0)
    .bind(&source.queue_url)
    .bind(encode(source)?)
    .execute(store.write())
    .await?;
    Ok(())
}

async fn source_read(store: &Store, source: &SpotSource) -> std::result::Result<(), Fault> {
    sqlx::query(
        "UPDATE spot_sources SET document = $3 WHERE connection_id = $1 AND queue_url = $2",
    )
    .bind(&source.connection.0)
    .bind(&source.queue_url)
    .bind(encode(source)?)
    .execute(store.write())
    .await?;
    Ok(())
}

async fn source_delete(store: &Store, connection: &ConnectionId) -> std::result::Result<(), Fault> {
    sqlx::query("DELETE FROM spot_sources WHERE connection_id = $1")
        .bind(&connection.0)
        .execute(store.write())
        .await?;
    Ok(())
}

async fn sources(store: &Store) -> std::result::Result<Vec<SpotSource>, Fault> {
    let rows =
        sqlx::query("SELECT connection_id, document FROM spot_sources ORDER BY connection_id")
            .fetch_all(store.read())
            .await?;
    rows.iter()
        .map(|row| {
            let id: String = row.try_get(0)?;
            decode::<SpotSource>(row.try_get(1)?).map_err(unreadable("spot source", &id))
        })
        .collect()
}
