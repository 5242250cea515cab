//! Exclusions.

use jiff::Timestamp;
use reeve_recommend::recommendation::exclusion::{Exclusion, ExclusionId};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable};

pub(super) async fn insert(store: &Store, exclusion: &Exclusion) -> Result<(), Fault> {
    let until_ms = exclusion.until.map(|until| until.as_millisecond());
    sqlx::query("INSERT INTO exclusions (id, at_ms, document, until_ms) VALUES ($1, $2, $3, $4)")
        .bind(&exclusion.id.0)
        .bind(exclusion.at.as_millisecond())
        .bind(encode(exclusion)?)
        .bind(until_ms)
        .execute(store.write())
        .await
        .map_err(|error| {
            Fault::or_taken(error, || {
                format!("the exclusion {} exists already", exclusion.id.0)
            })
        })?;
    Ok(())
}

pub(super) async fn delete(store: &Store, id: &ExclusionId) -> Result<(), Fault> {
    let done = sqlx::query("DELETE FROM exclusions WHERE id = $1")
        .bind(&id.0)
        .execute(store.write())
        .await?;
    if done.rows_affected() == 0 {
        Err(Fault::not_found("exclusion", &id.0))
    } else {
        Ok(())
    }
}

pub(super) async fn list(store: &Store) -> Result<Vec<Exclusion>, Fault> {
    let rows = sqlx::query("SELECT id, document FROM exclusions ORDER BY at_ms, id")
        .fetch_all(store.read())
        .await?;
    rows.iter().map(exclusion).collect()
}

pub(super) async fn ended(store: &Store, by: Timestamp) -> Result<Vec<Exclusion>, Fault> {
    let rows = sqlx::query(
        "SELECT id, document FROM exclusions WHERE until_ms <= $1 ORDER BY until_ms, id",
    )
    .bind(by.as_millisecond())
    .fetch_all(store.read())
    .await?;
    rows.iter().map(exclusion).collect()
}

pub(super) async fn settle(store: &Store, id: &ExclusionId) -> Result<(), Fault> {
    sqlx::query("UPDATE exclusions SET until_ms = NULL WHERE id = $1")
        .bind(&id.0)
        .execute(store.write())
        .await?;
    Ok(())
}

fn exclusion(row: &AnyRow) -> Result<Exclusion, Fault> {
    let id: String = row.try_get(0)?;
    decode::<Exclusion>(row.try_get(1)?).map_err(unreadable("exclusion", &id))
}
