//! Restores of entries of the cold tier.

use reeve_retention::{MAX_RESTORES, Restore};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::Fallible;
use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable, version};

pub(super) async fn list(store: &Store) -> Fallible<Vec<Restore>> {
    let rows = sqlx::query("SELECT id, document FROM log_restores ORDER BY created_at_ms DESC, id")
        .fetch_all(store.read())
        .await?;
    let mut restores = rows.iter().map(read).collect::<Fallible<Vec<_>>>()?;
    restores.sort_by_key(|restore| !restore.is_in_force());
    Ok(restores)
}

pub(super) async fn get(store: &Store, id: &str) -> Fallible<Restore> {
    let row = sqlx::query("SELECT id, document FROM log_restores WHERE id = $1")
        .bind(id)
        .fetch_optional(store.read())
        .await?;
    read(&row.ok_or_else(|| Fault::not_found("restore", id))?)
}

pub(super) async fn insert(store: &Store, restore: &Restore) -> Fallible<()> {
    let all = list(store).await?;
    let in_force = all.iter().filter(|restore| restore.is_in_force()).count();
    if in_force >= MAX_RESTORES {
        return Err(Fault::Conflict(format!(
            "{in_force} restores are in force, and at most {MAX_RESTORES} may be; end one first"
        )));
    }

    sqlx::query(
        "INSERT INTO log_restores (id, version, created_at_ms, document) VALUES ($1, $2, $3, $4)",
    )
    .bind(&restore.id)
    .bind(version(restore.version))
    .bind(restore.created_at.as_millisecond())
    .bind(encode(restore)?)
    .execute(store.write())
    .await
    .map_err(|error| Fault::or_taken(error, || "the restore exists already".to_owned()))?;
    Ok(())
}

/// Replaces the restore that is stored with this version.
pub(super) async fn replace(store: &Store, restore: &Restore, stored: u64) -> Fallible<()> {
    let done = sqlx::query(
        "UPDATE log_restores SET version = $2, document = $3 WHERE id = $1 AND version = $4",
    )
    .bind(&restore.id)
    .bind(version(restore.version))
    .bind(encode(restore)?)
    .bind(version(stored))
    .execute(store.write())
    .await?;

    if done.rows_affected() == 0 {
        return Err(Fault::Conflict(
            "the restore was changed by someone else meanwhile; reload it".to_owned(),
        ));
    }
    Ok(())
}

fn read(row: &AnyRow) -> Fallible<Restore> {
    let id: String = row.try_get(0)?;
    decode(row.try_get(1)?).map_err(unreadable("restore", &id))
}
