//! Sources of entries: the port [`LogSourceStore`]. Tokens are kept as their hashes.

use async_trait::async_trait;
use reeve_access::TokenHash;
use reeve_estate::StoreError;
use reeve_intake::{
    LogSource, LogSourceId, LogSourceStore, QuarantineFilter, QuarantineId, QuarantinedEvent,
    SourceProgress,
};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

mod quarantine;

type Result<T> = std::result::Result<T, StoreError>;
type Fallible<T> = std::result::Result<T, Fault>;

const NOUN: &str = "log source";

#[async_trait]
impl LogSourceStore for Store {
    async fn log_source_insert(&self, source: &LogSource, token: &TokenHash) -> Result<()> {
        Ok(insert(self, source, token).await?)
    }
    async fn log_source_update(&self, source: &LogSource, token: Option<&TokenHash>) -> Result<()> {
        Ok(update(self, source, token).await?)
    }
    async fn log_source_delete(&self, id: &LogSourceId) -> Result<()> {
        Ok(delete(self, id).await?)
    }
    async fn log_source_get(&self, id: &LogSourceId) -> Result<LogSource> {
        Ok(get(self, id).await?)
    }
    async fn log_source_list(&self) -> Result<Vec<LogSource>> {
        Ok(list(self).await?)
    }
    async fn log_source_by_token(&self, token: &TokenHash) -> Result<Option<LogSource>> {
        Ok(by_token(self, token).await?)
    }
    async fn log_source_progress(&self, id: &LogSourceId) -> Result<SourceProgress> {
        Ok(progress(self, id).await?)
    }
    async fn log_source_progress_put(
        &self,
        id: &LogSourceId,
        progress: &SourceProgress,
    ) -> Result<()> {
        Ok(progress_put(self, id, progress).await?)
    }
    async fn quarantine_insert(&self, events: &[QuarantinedEvent], most: u64) -> Result<u64> {
        Ok(quarantine::insert(self, events, most).await?)
    }
    async fn quarantine_list(
        &self,
        source: &LogSourceId,
        filter: QuarantineFilter,
    ) -> Result<(Vec<QuarantinedEvent>, u64)> {
        Ok(quarantine::list(self, source, filter).await?)
    }
    async fn quarantine_get(
        &self,
        source: &LogSourceId,
        id: &QuarantineId,
    ) -> Result<QuarantinedEvent> {
        Ok(quarantine::get(self, source, id).await?)
    }
    async fn quarantine_update(&self, event: &QuarantinedEvent) -> Result<()> {
        Ok(quarantine::update(self, event).await?)
    }
    async fn quarantine_delete(&self, source: &LogSourceId, id: &QuarantineId) -> Result<()> {
        Ok(quarantine::delete(self, source, id).await?)
    }
}

fn taken(source: &LogSource) -> String {
    format!("a source named {:?} exists already", source.name)
}

async fn insert(store: &Store, source: &LogSource, token: &TokenHash) -> Fallible<()> {
    sqlx::query(
        "INSERT INTO log_sources (id, name, created_at_ms, version, token_hash, document)
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(&source.id.0)
    .bind(&source.name)
    .bind(source.created_at.as_millisecond())
    .bind(version(source.version))
    .bind(hex::encode(token.0))
    .bind(encode(source)?)
    .execute(store.write())
    .await
    .map_err(|error| Fault::or_taken(error, || taken(source)))?;
    Ok(())
}

async fn update(store: &Store, source: &LogSource, token: Option<&TokenHash>) -> Fallible<()> {
    let record = Versioned {
        noun: NOUN,
        select: "SELECT version FROM log_sources WHERE id = $1",
        id: &source.id.0,
        version: source.version,
    };
    let update = sqlx::query(
        "UPDATE log_sources SET version = $3, name = $4, document = $5,
             token_hash = COALESCE($6, token_hash)
         WHERE id = $1 AND version = $2",
    )
    .bind(&source.id.0)
    .bind(record.expected())
    .bind(version(source.version))
    .bind(&source.name)
    .bind(encode(source)?)
    .bind(token.map(|token| hex::encode(token.0)));
    record
        .run(&mut *store.write().acquire().await?, update, || {
            taken(source)
        })
        .await
}

async fn delete(store: &Store, id: &LogSourceId) -> Fallible<()> {
    let mut tx = store.begin().await?;
    let done = sqlx::query("DELETE FROM log_sources WHERE id = $1")
        .bind(&id.0)
        .execute(&mut *tx)
        .await?;
    if done.rows_affected() == 0 {
        return Err(Fault::not_found(NOUN, &id.0));
    }
    sqlx::query("DELETE FROM log_source_quarantine WHERE source_id = $1")
        .bind(&id.0)
        .execute(&mut *tx)
        .await?;
    Ok(tx.commit().await?)
}

async fn get(store: &Store, id: &LogSourceId) -> Fallible<LogSource> {
    let row = sqlx::query("SELECT id, document FROM log_sources WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    source(&row.ok_or_else(|| Fault::not_found(NOUN, &id.0))?)
}

async fn list(store: &Store) -> Fallible<Vec<LogSource>> {
    let rows = sqlx::query("SELECT id, document FROM log_sources ORDER BY created_at_ms, id")
        .fetch_all(store.read())
        .await?;
    rows.iter().map(source).collect()
}

async fn by_token(store: &Store, token: &TokenHash) -> Fallible<Option<LogSource>> {
    let row = sqlx::query("SELECT id, document FROM log_sources WHERE token_hash = $1")
        .bind(hex::encode(token.0))
        .fetch_optional(store.read())
        .await?;
    row.as_ref().map(source).transpose()
}

async fn progress(store: &Store, id: &LogSourceId) -> Fallible<SourceProgress> {
    let row = sqlx::query("SELECT progress FROM log_sources WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.write())
        .await?;
    let document: Option<String> = row
        .ok_or_else(|| Fault::not_found(NOUN, &id.0))?
        .try_get(0)?;
    document.map_or_else(
        || Ok(SourceProgress::default()),
        |document| decode(&document).map_err(unreadable(NOUN, &id.0)),
    )
}

async fn progress_put(store: &Store, id: &LogSourceId, progress: &SourceProgress) -> Fallible<()> {
    sqlx::query("UPDATE log_sources SET progress = $2 WHERE id = $1")
        .bind(&id.0)
        .bind(encode(progress)?)
        .execute(store.write())
        .await?;
    Ok(())
}

fn source(row: &AnyRow) -> Fallible<LogSource> {
    let id: String = row.try_get(0)?;
    decode(row.try_get(1)?).map_err(unreadable(NOUN, &id))
}
