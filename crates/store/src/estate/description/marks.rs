//! Marks of changed descriptions: the revision at which the document or the relations of a resource
//! last changed.
//!
//! A time would not do: of two writes the one that began later may be there first, and a reader that
//! looks in between would never see the other. The row of the connection's revision is locked until
//! the write is over, so that a higher revision is there later.

use std::collections::BTreeSet;

use reeve_estate::{ConnectionId, DescriptionChange, ResourceId};
use sqlx::any::Any;
use sqlx::{Row as _, Transaction};

use crate::batch::{Cell, Insert};
use crate::database::Store;
use crate::fault::Fault;

const INSERT: &str = "INSERT INTO description_changes (connection_id, resource_id, revision)";
const REPLACE: &str =
    "ON CONFLICT (connection_id, resource_id) DO UPDATE SET revision = excluded.revision";

/// Marks resources as changed by this transaction. It is the last step of a transaction, because
/// other writes of the connection wait from here on.
pub(super) async fn put(
    tx: &mut Transaction<'_, Any>,
    connection: &ConnectionId,
    changed: &BTreeSet<String>,
) -> Result<(), Fault> {
    if changed.is_empty() {
        return Ok(());
    }

    let next = sqlx::query(
        "INSERT INTO description_revisions (connection_id, revision) VALUES ($1, 1)
         ON CONFLICT (connection_id) DO UPDATE SET revision = description_revisions.revision + 1
         RETURNING revision",
    )
    .bind(&connection.0)
    .fetch_one(&mut **tx)
    .await
    .map_err(|error| Fault::or_orphan(error, "connection", &connection.0))?;
    let revision: i64 = next.try_get(0)?;

    let mut insert = Insert::new(INSERT, REPLACE);
    for id in changed {
        insert.row([
            connection.0.as_str().into(),
            id.as_str().into(),
            Cell::Integer(revision),
        ]);
    }
    insert.run_for(tx, &connection.0).await
}

/// Returns the last revision of a connection; 0 before the first.
pub(super) async fn last(store: &Store, connection: &ConnectionId) -> Result<u64, Fault> {
    let row = sqlx::query("SELECT revision FROM description_revisions WHERE connection_id = $1")
        .bind(&connection.0)
        .fetch_optional(store.read())
        .await?;
    let revision: i64 = row.map_or(Ok(0), |row| row.try_get(0))?;
    Ok(revision.unsigned_abs())
}

pub(super) async fn since(
    store: &Store,
    connection: &ConnectionId,
    revision: u64,
    after: Option<&DescriptionChange>,
    limit: u64,
) -> Result<Vec<DescriptionChange>, Fault> {
    // Every identifier is greater than the empty one.
    let (revision, id) = after.map_or((revision.saturating_add(1), ""), |after| {
        (after.revision, after.id.as_str())
    });
    let rows = sqlx::query(
        "SELECT revision, resource_id FROM description_changes
         WHERE connection_id = $1 AND (revision, resource_id) > ($2, $3)
         ORDER BY revision, resource_id LIMIT $4",
    )
    .bind(&connection.0)
    .bind(i64::try_from(revision).unwrap_or(i64::MAX))
    .bind(id)
    .bind(i64::try_from(limit).unwrap_or(i64::MAX))
    .fetch_all(store.read())
    .await?;

    rows.iter()
        .map(|row| {
            let revision: i64 = row.try_get(0)?;
            Ok(DescriptionChange {
                revision: revision.unsigned_abs(),
                id: ResourceId(row.try_get(1)?),
            })
        })
        .collect()
}

/// Removes the marks of resources that have no version, at most so many; returns their number.
pub(super) async fn remove_unused(store: &Store, most: i64) -> Result<u64, Fault> {
    let mut tx = store.begin().await?;
    let removed = sqlx::query(
        "DELETE FROM description_changes WHERE (connection_id, resource_id) IN (
             SELECT c.connection_id, c.resource_id FROM description_changes c
             WHERE NOT EXISTS (SELECT 1 FROM resource_versions v
                 WHERE v.connection_id = c.connection_id AND v.resource_id = c.resource_id) LIMIT $1)",
    )
    .bind(most)
    .execute(&mut *tx)
    .await?;

    tx.commit().await?;
    Ok(removed.rows_affected())
}
