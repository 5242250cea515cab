//! Metric sources: the port [`MetricSourceStore`]. Tokens are kept as their hashes, credentials go
//! through the vault.

use async_trait::async_trait;
use reeve_access::TokenHash;
use reeve_estate::StoreError;
use reeve_sources::{MetricSource, MetricSourceId, MetricSourceStore, QueryCredentials, SyncState};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::metric_source::{open, seal};
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

type Result<T> = std::result::Result<T, StoreError>;

#[async_trait]
impl MetricSourceStore for Store {
    async fn metric_source_insert(
        &self,
        source: &MetricSource,
        token: Option<&TokenHash>,
        credentials: &QueryCredentials,
    ) -> Result<()> {
        Ok(insert(self, source, token, credentials).await?)
    }
    async fn metric_source_update(
        &self,
        source: &MetricSource,
        token: Option<&TokenHash>,
        credentials: Option<&QueryCredentials>,
    ) -> Result<()> {
        Ok(update(self, source, token, credentials).await?)
    }
    async fn metric_source_delete(&self, id: &MetricSourceId) -> Result<()> {
        Ok(delete(self, id).await?)
    }
    async fn metric_source_get(&self, id: &MetricSourceId) -> Result<MetricSource> {
        Ok(get(self, id).await?)
    }
    async fn metric_source_list(&self) -> Result<Vec<MetricSource>> {
        Ok(list(self).await?)
    }
    async fn metric_source_by_token(&self, token: &TokenHash) -> Result<Option<MetricSource>> {
        Ok(by_token(self, token).await?)
    }
    async fn metric_source_credentials(&self, id: &MetricSourceId) -> Result<QueryCredentials> {
        Ok(credentials(self, id).await?)
    }
    async fn metric_source_state(&self, id: &MetricSourceId) -> Result<SyncState> {
        Ok(state(self, id).await?)
    }
    async fn metric_source_state_put(
        &self,
        id: &MetricSourceId,
        version: u64,
        state: &SyncState,
    ) -> Result<()> {
        Ok(state_put(self, id, version, state).await?)
    }
}

type Fallible<T> = std::result::Result<T, Fault>;

fn sealed(store: &Store, id: &MetricSourceId, credentials: &QueryCredentials) -> Fallible<String> {
    seal(store.vault(), &id.0, credentials).map_err(|error| Fault::Backend(error.to_string()))
}

fn taken(source: &MetricSource) -> String {
    format!("a metric source named {:?} exists already", source.name)
}

async fn insert(
    store: &Store,
    source: &MetricSource,
    token: Option<&TokenHash>,
    credentials: &QueryCredentials,
) -> Fallible<()> {
    sqlx::query(
        "INSERT INTO metric_sources (id, name, created_at_ms, version, token_hash, secret, document)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(&source.id.0)
    .bind(&source.name)
    .bind(source.created_at.as_millisecond())
    .bind(version(source.version))
    .bind(token.map(|token| hex::encode(token.0)))
    .bind(sealed(store, &source.id, credentials)?)
    .bind(encode(source)?)
    .execute(store.write())
    .await
    .map_err(|error| Fault::or_taken(error, || taken(source)))?;
    Ok(())
}

/// Changed rules make other samples of what was read already, so the next query begins anew.
async fn update(
    store: &Store,
    source: &MetricSource,
    token: Option<&TokenHash>,
    credentials: Option<&QueryCredentials>,
) -> Fallible<()> {
    let record = Versioned {
        noun: "metric source",
        select: "SELECT version FROM metric_sources WHERE id = $1",
        id: &source.id.0,
        version: source.version,
    };

    let before = get(store, &source.id).await?;
    let restart = i64::from(before.rules != source.rules || before.url != source.url);
    let secret = credentials
        .map(|credentials| sealed(store, &source.id, credentials))
        .transpose()?;
    let update = sqlx::query(
        "UPDATE metric_sources SET version = $3, name = $4, document = $5, secret = COALESCE($6, secret),
             token_hash = COALESCE($7, token_hash), state = CASE WHEN $8 = 1 THEN NULL ELSE state END
         WHERE id = $1 AND version = $2",
    )
    .bind(&source.id.0)
    .bind(record.expected())
    .bind(version(source.version))
    .bind(&source.name)
    .bind(encode(source)?)
    .bind(secret)
    .bind(token.map(|token| hex::encode(token.0)))
    .bind(restart);

    record
        .run(&mut *store.write().acquire().await?, update, || {
            taken(source)
        })
        .await
}

async fn delete(store: &Store, id: &MetricSourceId) -> Fallible<()> {
    let done = sqlx::query("DELETE FROM metric_sources WHERE id = $1")
        .bind(&id.0)
        .execute(store.write())
        .await?;
    if done.rows_affected() > 0 {
        Ok(())
    } else {
        Err(Fault::not_found("metric source", &id.0))
    }
}

async fn get(store: &Store, id: &MetricSourceId) -> Fallible<MetricSource> {
    let row = sqlx::query("SELECT id, document FROM metric_sources WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    source(&row.ok_or_else(|| Fault::not_found("metric source", &id.0))?)
}

async fn list(store: &Store) -> Fallible<Vec<MetricSource>> {
    let rows = sqlx::query("SELECT id, document FROM metric_sources ORDER BY created_at_ms, id")
        .fetch_all(store.read())
        .await?;
    rows.iter().map(source).collect()
}

async fn by_token(store: &Store, token: &TokenHash) -> Fallible<Option<MetricSource>> {
    let row = sqlx::query("SELECT id, document FROM metric_sources WHERE token_hash = $1")
        .bind(hex::encode(token.0))
        .fetch_optional(store.read())
        .await?;
    row.as_ref().map(source).transpose()
}

async fn credentials(store: &Store, id: &MetricSourceId) -> Fallible<QueryCredentials> {
    let row = sqlx::query("SELECT secret FROM metric_sources WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    let sealed: String = row
        .ok_or_else(|| Fault::not_found("metric source", &id.0))?
        .try_get(0)?;
    open(store.vault(), &id.0, &sealed).map_err(|error| {
        Fault::Backend(format!(
            "the credentials of metric source {} cannot be used: {error}",
            id.0
        ))
    })
}

async fn state(store: &Store, id: &MetricSourceId) -> Fallible<SyncState> {
    let row = sqlx::query("SELECT state FROM metric_sources WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    let document: Option<String> = row
        .ok_or_else(|| Fault::not_found("metric source", &id.0))?
        .try_get(0)?;
    let Some(document) = document else {
        return Ok(SyncState::default());
    };

    decode(&document).map_err(unreadable("metric source", &id.0))
}

async fn state_put(
    store: &Store,
    id: &MetricSourceId,
    read: u64,
    state: &SyncState,
) -> Fallible<()> {
    sqlx::query("UPDATE metric_sources SET state = $3 WHERE id = $1 AND version = $2")
        .bind(&id.0)
        .bind(version(read))
        .bind(encode(state)?)
        .execute(store.write())
        .await?;
    Ok(())
}

fn source(row: &AnyRow) -> Fallible<MetricSource> {
    let id: String = row.try_get(0)?;
    decode(row.try_get(1)?).map_err(unreadable("metric source", &id))
}
