//! Notices about spot capacity, their queues and markets: the port [`SpotStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, StoreError};
use reeve_recommend::judgement::spot::{SpotNotice, SpotSource, SpotStore};
use reeve_recommend::judgement::spot_market::SpotMarket;
use sqlx::Row as _;

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable};

type Result<T> = std::result::Result<T, StoreError>;

#[async_trait]
impl SpotStore for Store {
    async fn spot_notices_put(
        &self,
        connection: &ConnectionId,
        notices: &[SpotNotice],
    ) -> Result<Vec<bool>> {
        Ok(put(self, connection, notices).await?)
    }
    async fn spot_notice_update(
        &self,
        connection: &ConnectionId,
        notice: &SpotNotice,
    ) -> Result<()> {
        Ok(update(self, connection, notice).await?)
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
    async fn spot_market_put(&self, market: &SpotMarket) -> Result<()> {
        Ok(market_put(self, market).await?)
    }
    async fn spot_markets(&self, connection: &ConnectionId) -> Result<Vec<SpotMarket>> {
        Ok(markets(self, connection).await?)
    }
}

async fn put(
    store: &Store,
    connection: &ConnectionId,
    notices: &[SpotNotice],
) -> std::result::Result<Vec<bool>, Fault> {
    let mut tx = store.begin().await?;
    let mut stored = Vec::with_capacity(notices.len());
    for notice in notices {
        let done = sqlx::query(
            "INSERT INTO spot_notices (connection_id, event_id, resource_id, at_ms, document)
             VALUES ($1, $2, $3, $4, $5) ON CONFLICT (connection_id, event_id) DO NOTHING",
        )
        .bind(&connection.0)
        .bind(&notice.event)
        .bind(&notice.resource.0)
        .bind(notice.at.as_millisecond())
        .bind(encode(notice)?)
        .execute(&mut *tx)
        .await?;
        stored.push(done.rows_affected() > 0);
    }
    tx.commit().await?;
    Ok(stored)
}

async fn update(
    store: &Store,
    connection: &ConnectionId,
    notice: &SpotNotice,
) -> std::result::Result<(), Fault> {
    sqlx::query("UPDATE spot_notices SET document = $3 WHERE connection_id = $1 AND event_id = $2")
        .bind(&connection.0)
        .bind(&notice.event)
        .bind(encode(notice)?)
        .execute(store.write())
        .await?;
    Ok(())
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

async fn market_put(store: &Store, market: &SpotMarket) -> std::result::Result<(), Fault> {
    sqlx::query(
        "INSERT INTO spot_markets (connection_id, region, document) VALUES ($1, $2, $3)
         ON CONFLICT (connection_id, region) DO UPDATE SET document = excluded.document",
    )
    .bind(&market.connection.0)
    .bind(&market.region)
    .bind(encode(market)?)
    .execute(store.write())
    .await?;
    Ok(())
}

async fn markets(
    store: &Store,
    connection: &ConnectionId,
) -> std::result::Result<Vec<SpotMarket>, Fault> {
    let rows = sqlx::query(
        "SELECT region, document FROM spot_markets WHERE connection_id = $1 ORDER BY region",
    )
    .bind(&connection.0)
    .fetch_all(store.read())
    .await?;
    rows.iter()
        .map(|row| {
            let region: String = row.try_get(0)?;
            decode::<SpotMarket>(row.try_get(1)?).map_err(unreadable("spot market", &region))
        })
        .collect()
}
