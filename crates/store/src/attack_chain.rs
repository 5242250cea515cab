//! Attack chains: the port [`AttackChainStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_anomalies::chain::{AttackChain, AttackChainStore};
use reeve_estate::StoreError;
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable};

/// Chains of a list at most: the newest.
const MOST: i64 = 1_000;

type Result<T> = std::result::Result<T, StoreError>;

#[async_trait]
impl AttackChainStore for Store {
    async fn attack_chain_put(&self, chain: &AttackChain) -> Result<()> {
        Ok(put(self, chain).await?)
    }
    async fn attack_chain_get(&self, id: &str) -> Result<AttackChain> {
        Ok(get(self, id).await?)
    }
    async fn attack_chain_list(&self, since: Timestamp) -> Result<Vec<AttackChain>> {
        Ok(list(self, since).await?)
    }
    async fn attack_chain_forget(&self, before: Timestamp) -> Result<()> {
        Ok(forget(self, before).await?)
    }
}

async fn put(store: &Store, chain: &AttackChain) -> std::result::Result<(), Fault> {
    let mut tx = store.begin().await?;
    sqlx::query(
        "INSERT INTO attack_chains (id, last_at_ms, document) VALUES ($1, $2, $3)
         ON CONFLICT (id) DO UPDATE SET last_at_ms = excluded.last_at_ms, document = excluded.document",
    )
    .bind(&chain.id)
    .bind(chain.last_at.as_millisecond())
    .bind(encode(chain)?)
    .execute(&mut *tx)
    .await?;

    Ok(tx.commit().await?)
}

async fn get(store: &Store, id: &str) -> std::result::Result<AttackChain, Fault> {
    let row = sqlx::query("SELECT id, document FROM attack_chains WHERE id = $1")
        .bind(id)
        .fetch_optional(store.read())
        .await?;
    chain(&row.ok_or_else(|| Fault::not_found("attack chain", id))?)
}

async fn list(store: &Store, since: Timestamp) -> std::result::Result<Vec<AttackChain>, Fault> {
    let rows = sqlx::query(
        "SELECT id, document FROM attack_chains WHERE last_at_ms >= $1 ORDER BY last_at_ms DESC, id LIMIT $2",
    )
    .bind(since.as_millisecond())
    .bind(MOST)
    .fetch_all(store.read())
    .await?;
    rows.iter().map(chain).collect()
}

async fn forget(store: &Store, before: Timestamp) -> std::result::Result<(), Fault> {
    let mut tx = store.begin().await?;
    sqlx::query("DELETE FROM attack_chains WHERE last_at_ms < $1")
        .bind(before.as_millisecond())
        .execute(&mut *tx)
        .await?;

    Ok(tx.commit().await?)
}

fn chain(row: &AnyRow) -> std::result::Result<AttackChain, Fault> {
    let id: String = row.try_get("id")?;
    let document: String = row.try_get("document")?;
    decode(&document).map_err(unreadable("attack chain", &id))
}
