//! Bill sources: the port [`BillSourceStore`].

use async_trait::async_trait;
use reeve_estate::StoreError;
use reeve_sources::{BillSource, BillSourceId, BillSourceStore, BillSync};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

type Result<T> = std::result::Result<T, StoreError>;

#[async_trait]
impl BillSourceStore for Store {
    async fn bill_source_insert(&self, source: &BillSource) -> Result<()> {
        Ok(insert(self, source).await?)
    }
    async fn bill_source_update(&self, source: &BillSource) -> Result<()> {
        Ok(update(self, source).await?)
    }
    async fn bill_source_delete(&self, id: &BillSourceId) -> Result<()> {
        Ok(delete(self, id).await?)
    }
    async fn bill_source_get(&self, id: &BillSourceId) -> Result<(BillSource, Option<BillSync>)> {
        Ok(get(self, id).await?)
    }
    async fn bill_source_list(&self) -> Result<Vec<(BillSource, Option<BillSync>)>> {
        Ok(list(self).await?)
    }
    async fn bill_source_sync_put(&self, id: &BillSourceId, sync: &BillSync) -> Result<()> {
        Ok(sync_put(self, id, sync).await?)
    }
}

type Fallible<T> = std::result::Result<T, Fault>;

fn taken(source: &BillSource) -> String {
    format!("a bill source named {:?} exists already", source.name)
}

async fn insert(store: &Store, source: &BillSource) -> Fallible<()> {
    sqlx::query("INSERT INTO bill_sources (id, name, created_at_ms, version, document) VALUES ($1, $2, $3, $4, $5)")
        .bind(&source.id.0)
        .bind(&source.name)
        .bind(source.created_at.as_millisecond())
        .bind(version(source.version))
        .bind(encode(source)?)
        .execute(store.write())
        .await
        .map_err(|error| Fault::or_taken(error, || taken(source)))?;
    Ok(())
}

async fn update(store: &Store, source: &BillSource) -> Fallible<()> {
    let record = Versioned {
        noun: "bill source",
        select: "SELECT version FROM bill_sources WHERE id = $1",
        id: &source.id.0,
        version: source.version,
    };

    let update =
        sqlx::query("UPDATE bill_sources SET version = $3, name = $4, document = $5 WHERE id = $1 AND version = $2")
            .bind(&source.id.0)
            .bind(record.expected())
            .bind(version(source.version))
            .bind(&source.name)
            .bind(encode(source)?);

    record
        .run(&mut *store.write().acquire().await?, update, || {
            taken(source)
        })
        .await
}

async fn delete(store: &Store, id: &BillSourceId) -> Fallible<()> {
    let done = sqlx::query("DELETE FROM bill_sources WHERE id = $1")
        .bind(&id.0)
        .execute(store.write())
        .await?;
    if done.rows_affected() > 0 {
        Ok(())
    } else {
        Err(Fault::not_found("bill source", &id.0))
    }
}

async fn get(store: &Store, id: &BillSourceId) -> Fallible<(BillSource, Option<BillSync>)> {
    let row = sqlx::query("SELECT id, document, state FROM bill_sources WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    source(&row.ok_or_else(|| Fault::not_found("bill source", &id.0))?)
}

async fn list(store: &Store) -> Fallible<Vec<(BillSource, Option<BillSync>)>> {
    let rows =
        sqlx::query("SELECT id, document, state FROM bill_sources ORDER BY created_at_ms, id")
            .fetch_all(store.read())
            .await?;
    rows.iter().map(source).collect()
}

async fn sync_put(store: &Store, id: &BillSourceId, sync: &BillSync) -> Fallible<()> {
    sqlx::query("UPDATE bill_sources SET state = $2 WHERE id = $1")
        .bind(&id.0)
        .bind(encode(sync)?)
        .execute(store.write())
        .await?;
    Ok(())
}

fn source(row: &AnyRow) -> Fallible<(BillSource, Option<BillSync>)> {
    let id: String = row.try_get(0)?;
    let source = decode::<BillSource>(row.try_get(1)?);
    let state: Option<String> = row.try_get(2)?;
    let sync = state.map(|state| decode::<BillSync>(&state)).transpose();
    let wrong = |error| unreadable("bill source", &id)(error);

    Ok((
        source.map_err(wrong)?,
        sync.map_err(|error| unreadable("bill source", &id)(error))?,
    ))
}
