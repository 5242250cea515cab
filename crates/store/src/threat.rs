//! Lists of indicators: the port [`ThreatStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_anomalies::threat::feed::ThreatFeed;
use reeve_anomalies::threat::{ListState, ThreatList, ThreatStore};
use reeve_estate::StoreError;
use serde::{Deserialize, Serialize};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::alert::next_generation;
use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, time, unreadable};

type Result<T> = std::result::Result<T, StoreError>;

#[derive(Debug, Serialize, Deserialize)]
struct ThreatListRow {
    name: String,
    from_file: bool,
    updated_at: String,
    by: String,
    text: String,
    indicators: u64,
}

#[async_trait]
impl ThreatStore for Store {
    async fn threat_list_put(&self, list: &ThreatList) -> Result<()> {
        Ok(put(self, list).await?)
    }
    async fn threat_list_get(&self, name: &str) -> Result<ThreatList> {
        Ok(get(self, name).await?)
    }
    async fn threat_list_delete(&self, name: &str) -> Result<()> {
        Ok(delete(self, name).await?)
    }
    async fn threat_list_all(&self) -> Result<Vec<ThreatList>> {
        Ok(all(self).await?)
    }
    async fn threat_list_state(&self) -> Result<Vec<ListState>> {
        Ok(state(self).await?)
    }
    async fn threat_feed_put(&self, feed: &ThreatFeed) -> Result<()> {
        Ok(feed_put(self, feed).await?)
    }
    async fn threat_feed_delete(&self, name: &str) -> Result<()> {
        Ok(feed_delete(self, name).await?)
    }
    async fn threat_feed_all(&self) -> Result<Vec<ThreatFeed>> {
        Ok(feeds(self).await?)
    }
}

async fn put(store: &Store, list: &ThreatList) -> std::result::Result<(), Fault> {
    let row = ThreatListRow {
        name: list.name.clone(),
        from_file: list.from_file,
        updated_at: list.updated_at.to_string(),
        by: list.by.clone(),
        text: list.text.clone(),
        indicators: list.indicators,
    };

    let mut tx = store.begin().await?;
    // Alert rules that compare with the list are read anew.
    next_generation(&mut tx).await?;
    sqlx::query(
        "INSERT INTO threat_lists (name, updated_at_ms, from_file, document) VALUES ($1, $2, $3, $4)
         ON CONFLICT (name) DO UPDATE SET updated_at_ms = excluded.updated_at_ms, from_file = excluded.from_file,
             document = excluded.document",
    )
    .bind(&list.name)
    .bind(list.updated_at.as_millisecond())
    .bind(i64::from(list.from_file))
    .bind(encode(&row)?)
    .execute(&mut *tx)
    .await?;

    Ok(tx.commit().await?)
}

pub(crate) async fn get(store: &Store, name: &str) -> std::result::Result<ThreatList, Fault> {
    let row = sqlx::query("SELECT name, document FROM threat_lists WHERE name = $1")
        .bind(name)
        .fetch_optional(store.read())
        .await?;
    list(&row.ok_or_else(|| Fault::not_found("threat list", name))?)
}

async fn delete(store: &Store, name: &str) -> std::result::Result<(), Fault> {
    let mut tx = store.begin().await?;
    next_generation(&mut tx).await?;
    let done = sqlx::query("DELETE FROM threat_lists WHERE name = $1")
        .bind(name)
        .execute(&mut *tx)
        .await?;
    if done.rows_affected() == 0 {
        return Err(Fault::not_found("threat list", name));
    }
    sqlx::query("DELETE FROM threat_list_feeds WHERE name = $1")
        .bind(name)
        .execute(&mut *tx)
        .await?;

    Ok(tx.commit().await?)
}

async fn feed_put(store: &Store, feed: &ThreatFeed) -> std::result::Result<(), Fault> {
    sqlx::query(
        "INSERT INTO threat_list_feeds (name, due_at_ms, document) VALUES ($1, $2, $3)
         ON CONFLICT (name) DO UPDATE SET due_at_ms = excluded.due_at_ms, document = excluded.document",
    )
    .bind(&feed.name)
    .bind(feed.due_at.as_millisecond())
    .bind(encode(feed)?)
    .execute(store.write())
    .await?;
    Ok(())
}

async fn feed_delete(store: &Store, name: &str) -> std::result::Result<(), Fault> {
    let done = sqlx::query("DELETE FROM threat_list_feeds WHERE name = $1")
        .bind(name)
        .execute(store.write())
        .await?;
    if done.rows_affected() == 0 {
        return Err(Fault::not_found("feed of threat list", name));
    }
    Ok(())
}

async fn feeds(store: &Store) -> std::result::Result<Vec<ThreatFeed>, Fault> {
    let rows = sqlx::query("SELECT name, document FROM threat_list_feeds ORDER BY name")
        .fetch_all(store.read())
        .await?;
    let feed = |row: &AnyRow| {
        let name: String = row.try_get(0)?;
        decode(row.try_get(1)?).map_err(unreadable("feed of threat list", &name))
    };
    rows.iter().map(feed).collect()
}

async fn all(store: &Store) -> std::result::Result<Vec<ThreatList>, Fault> {
    let rows = sqlx::query("SELECT name, document FROM threat_lists ORDER BY name")
        .fetch_all(store.read())
        .await?;
    rows.iter().map(list).collect()
}

async fn state(store: &Store) -> std::result::Result<Vec<ListState>, Fault> {
    let rows = sqlx::query("SELECT name, updated_at_ms, from_file FROM threat_lists ORDER BY name")
        .fetch_all(store.read())
        .await?;
    let one = |row: &AnyRow| {
        let updated_at =
            Timestamp::from_millisecond(row.try_get(1)?).unwrap_or(Timestamp::UNIX_EPOCH);
        Ok(ListState {
            name: row.try_get(0)?,
            updated_at,
            from_file: row.try_get::<i64, _>(2)? != 0,
        })
    };

    rows.iter().map(one).collect()
}

fn list(row: &AnyRow) -> std::result::Result<ThreatList, Fault> {
    let name: String = row.try_get(0)?;
    let read = |row: ThreatListRow| {
        let updated_at = time(&row.updated_at)?;
        let ThreatListRow {
            name,
            from_file,
            by,
            text,
            indicators,
            ..
        } = row;
        Ok(ThreatList {
            name,
            from_file,
            updated_at,
            by,
            text,
            indicators,
        })
    };

    decode::<ThreatListRow>(row.try_get(1)?)
        .and_then(read)
        .map_err(unreadable("threat list", &name))
}
