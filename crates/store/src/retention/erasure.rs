//! Requests to erase a person's entries.

use reeve_retention::ErasureRequest;
use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::Fallible;
use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable, version};

pub(super) async fn list(store: &Store) -> Fallible<Vec<ErasureRequest>> {
    let rows =
        sqlx::query("SELECT id, document FROM erasure_requests ORDER BY requested_at_ms DESC, id")
            .fetch_all(store.read())
            .await?;
    rows.iter().map(read).collect()
}

pub(super) async fn get(store: &Store, id: &str) -> Fallible<ErasureRequest> {
    let row = sqlx::query("SELECT id, document FROM erasure_requests WHERE id = $1")
        .bind(id)
        .fetch_optional(store.read())
        .await?;
    read(&row.ok_or_else(|| Fault::not_found("erasure request", id))?)
}

pub(super) async fn insert(store: &Store, request: &ErasureRequest) -> Fallible<()> {
    sqlx::query(
        "INSERT INTO erasure_requests (id, version, requested_at_ms, document) VALUES ($1, $2, $3, $4)",
    )
    .bind(&request.id)
    .bind(version(request.version))
    .bind(request.requested_at.as_millisecond())
    .bind(encode(request)?)
    .execute(store.write())
    .await
    .map_err(|error| Fault::or_taken(error, || "the erasure request exists already".to_owned()))?;
    Ok(())
}

pub(super) async fn update(store: &Store, request: &ErasureRequest) -> Fallible<()> {
    let done = sqlx::query(
        "UPDATE erasure_requests SET version = $2, document = $3 WHERE id = $1 AND version = $2 - 1",
    )
    .bind(&request.id)
    .bind(version(request.version))
    .bind(encode(request)?)
    .execute(store.write())
    .await?;

    if done.rows_affected() == 0 {
        return Err(Fault::Conflict(
            "the erasure request was changed by another request meanwhile; reload it".to_owned(),
        ));
    }
    Ok(())
}

fn read(row: &AnyRow) -> Fallible<ErasureRequest> {
    let id: String = row.try_get(0)?;
    decode(row.try_get(1)?).map_err(unreadable("erasure request", &id))
}
