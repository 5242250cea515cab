//! Sources of alerts: the port [`AlertSourceStore`]. Tokens are kept as their hashes, credentials of
//! callbacks go through the vault.

use async_trait::async_trait;
use reeve_access::TokenHash;
use reeve_estate::StoreError;
use reeve_siem::{AlertSource, AlertSourceId, AlertSourceStore, SourceState};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

type Result<T> = std::result::Result<T, StoreError>;
type Fallible<T> = std::result::Result<T, Fault>;

const NOUN: &str = "alert source";

#[async_trait]
impl AlertSourceStore for Store {
    async fn alert_source_insert(
        &self,
        source: &AlertSource,
        token: &TokenHash,
        credentials: Option<&str>,
    ) -> Result<()> {
        Ok(insert(self, source, token, credentials).await?)
    }
    async fn alert_source_update(
        &self,
        source: &AlertSource,
        token: Option<&TokenHash>,
        credentials: Option<Option<&str>>,
    ) -> Result<()> {
        Ok(update(self, source, token, credentials).await?)
    }
    async fn alert_source_delete(&self, id: &AlertSourceId) -> Result<()> {
        Ok(delete(self, id).await?)
    }
    async fn alert_source_get(&self, id: &AlertSourceId) -> Result<AlertSource> {
        Ok(get(self, id).await?)
    }
    async fn alert_source_list(&self) -> Result<Vec<AlertSource>> {
        Ok(list(self).await?)
    }
    async fn alert_source_by_token(&self, token: &TokenHash) -> Result<Option<AlertSource>> {
        Ok(by_token(self, token).await?)
    }
    async fn alert_source_credentials(&self, id: &AlertSourceId) -> Result<Option<String>> {
        Ok(credentials(self, id).await?)
    }
    async fn alert_source_state(&self, id: &AlertSourceId) -> Result<SourceState> {
        Ok(state(self, id).await?)
    }
    async fn alert_source_state_put(&self, id: &AlertSourceId, state: &SourceState) -> Result<()> {
        Ok(state_put(self, id, state).await?)
    }
}

fn sealed(store: &Store, id: &AlertSourceId, credentials: &str) -> Fallible<String> {
    let sealed = store.vault().seal(&id.0, credentials.as_bytes());
    sealed.map_err(|error| Fault::Backend(error.to_string()))
}

fn taken(source: &AlertSource) -> String {
    format!("an alert source named {:?} exists already", source.name)
}

async fn insert(
    store: &Store,
    source: &AlertSource,
    token: &TokenHash,
    credentials: Option<&str>,
) -> Fallible<()> {
    let secret = credentials
        .map(|credentials| sealed(store, &source.id, credentials))
        .transpose()?;
    sqlx::query(
        "INSERT INTO alert_sources (id, name, created_at_ms, version, token_hash, secret, document)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(&source.id.0)
    .bind(&source.name)
    .bind(source.created_at.as_millisecond())
    .bind(version(source.version))
    .bind(hex::encode(token.0))
    .bind(secret)
    .bind(encode(source)?)
    .execute(store.write())
    .await
    .map_err(|error| Fault::or_taken(error, || taken(source)))?;
    Ok(())
}

async fn update(
    store: &Store,
    source: &AlertSource,
    token: Option<&TokenHash>,
    credentials: Option<Option<&str>>,
) -> Fallible<()> {
    let record = Versioned {
        noun: NOUN,
        select: "SELECT version FROM alert_sources WHERE id = $1",
        id: &source.id.0,
        version: source.version,
    };
    let secret = credentials
        .flatten()
        .map(|credentials| sealed(store, &source.id, credentials))
        .transpose()?;

    let update = sqlx::query(
        "UPDATE alert_sources SET version = $3, name = $4, document = $5,
             token_hash = COALESCE($6, token_hash), secret = CASE WHEN $7 = 1 THEN $8 ELSE secret END
         WHERE id = $1 AND version = $2",
    )
    .bind(&source.id.0)
    .bind(record.expected())
    .bind(version(source.version))
    .bind(&source.name)
    .bind(encode(source)?)
    .bind(token.map(|token| hex::encode(token.0)))
    .bind(i64::from(credentials.is_some()))
    .bind(secret);
    record
        .run(&mut *store.write().acquire().await?, update, || {
            taken(source)
        })
        .await
}

async fn delete(store: &Store, id: &AlertSourceId) -> Fallible<()> {
    let mut tx = store.begin().await?;
    let done = sqlx::query("DELETE FROM alert_sources WHERE id = $1")
        .bind(&id.0)
        .execute(&mut *tx)
        .await?;
    if done.rows_affected() == 0 {
        return Err(Fault::not_found(NOUN, &id.0));
    }
    for statement in [
        "DELETE FROM inbound_alert_reports WHERE source_id = $1",
        "DELETE FROM inbound_alerts WHERE source_id = $1",
    ] {
        sqlx::query(statement).bind(&id.0).execute(&mut *tx).await?;
    }
    Ok(tx.commit().await?)
}

async fn get(store: &Store, id: &AlertSourceId) -> Fallible<AlertSource> {
    let row = sqlx::query("SELECT id, document FROM alert_sources WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    source(&row.ok_or_else(|| Fault::not_found(NOUN, &id.0))?)
}

async fn list(store: &Store) -> Fallible<Vec<AlertSource>> {
    let rows = sqlx::query("SELECT id, document FROM alert_sources ORDER BY created_at_ms, id")
        .fetch_all(store.read())
        .await?;
    rows.iter().map(source).collect()
}

async fn by_token(store: &Store, token: &TokenHash) -> Fallible<Option<AlertSource>> {
    let row = sqlx::query("SELECT id, document FROM alert_sources WHERE token_hash = $1")
        .bind(hex::encode(token.0))
        .fetch_optional(store.read())
        .await?;
    row.as_ref().map(source).transpose()
}

async fn credentials(store: &Store, id: &AlertSourceId) -> Fallible<Option<String>> {
    let row = sqlx::query("SELECT secret FROM alert_sources WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    let sealed: Option<String> = row
        .ok_or_else(|| Fault::not_found(NOUN, &id.0))?
        .try_get(0)?;
    sealed
        .map(|sealed| store.open_text(NOUN, &id.0, &sealed))
        .transpose()
}

async fn state(store: &Store, id: &AlertSourceId) -> Fallible<SourceState> {
    let row = sqlx::query("SELECT state FROM alert_sources WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    let document: Option<String> = row
        .ok_or_else(|| Fault::not_found(NOUN, &id.0))?
        .try_get(0)?;
    document.map_or_else(
        || Ok(SourceState::default()),
        |document| decode(&document).map_err(unreadable(NOUN, &id.0)),
    )
}

async fn state_put(store: &Store, id: &AlertSourceId, state: &SourceState) -> Fallible<()> {
    sqlx::query("UPDATE alert_sources SET state = $2 WHERE id = $1")
        .bind(&id.0)
        .bind(encode(state)?)
        .execute(store.write())
        .await?;
    Ok(())
}

fn source(row: &AnyRow) -> Fallible<AlertSource> {
    let id: String = row.try_get(0)?;
    decode(row.try_get(1)?).map_err(unreadable(NOUN, &id))
}
