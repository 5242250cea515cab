//! Versions of a resource's configuration, from one observation to the next that differs.

use jiff::Timestamp;
use reeve_estate::{ConnectionId, Document, ResourceId, Version};
use sqlx::any::{Any, AnyRow};
use sqlx::{Row as _, Transaction};

use super::document;
use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;

/// Versions of one resource that are listed at most.
const LISTED: i64 = 1000;

/// Makes a document the current version, unless it is that already.
pub(super) async fn begin(
    tx: &mut Transaction<'_, Any>,
    connection: &ConnectionId,
    id: &ResourceId,
    hash: &str,
    at: Timestamp,
) -> Result<(), Fault> {
    let current = sqlx::query(
        "SELECT hash FROM resource_versions WHERE connection_id = $1 AND resource_id = $2 AND is_current = 1",
    )
    .bind(&connection.0)
    .bind(&id.0)
    .fetch_optional(&mut **tx)
    .await?;
    if let Some(row) = current {
        let current: String = row.try_get(0)?;
        if current == hash {
            return Ok(());
        }
        sqlx::query(
            "UPDATE resource_versions SET is_current = 0
             WHERE connection_id = $1 AND resource_id = $2 AND is_current = 1",
        )
        .bind(&connection.0)
        .bind(&id.0)
        .execute(&mut **tx)
        .await?;
    }
    // Two observations of one millisecond: the later one stands.
    sqlx::query(
        "INSERT INTO resource_versions (connection_id, resource_id, seen_at_ms, hash, is_current)
         VALUES ($1, $2, $3, $4, 1)
         ON CONFLICT (connection_id, resource_id, seen_at_ms) DO UPDATE SET hash = excluded.hash, is_current = 1",
    )
    .bind(&connection.0)
    .bind(&id.0)
    .bind(at.as_millisecond())
    .bind(hash)
    .execute(&mut **tx)
    .await
    .map_err(|error| Fault::or_orphan(error, "connection", &connection.0))?;
    Ok(())
}

/// Says that a resource is gone. One that was never described has no versions, and gets none.
pub(in crate::estate) async fn end(
    tx: &mut Transaction<'_, Any>,
    connection: &ConnectionId,
    id: &ResourceId,
    at: Timestamp,
) -> Result<(), Fault> {
    let described = sqlx::query(
        "SELECT 1 FROM resource_versions
         WHERE connection_id = $1 AND resource_id = $2 AND is_current = 1 AND hash <> ''",
    )
    .bind(&connection.0)
    .bind(&id.0)
    .fetch_optional(&mut **tx)
    .await?;
    match described {
        Some(_) => begin(tx, connection, id, "", at).await,
        None => Ok(()),
    }
}

/// Returns the current documents of resources.
pub(super) async fn current(
    store: &Store,
    connection: &ConnectionId,
    ids: &[ResourceId],
) -> Result<Vec<(String, Timestamp, Document)>, Fault> {
    let mut filter = Filter::default();
    filter.text("v.connection_id = ?", &connection.0);
    filter.integer("v.is_current = ?", 1);
    filter.one_of("v.resource_id", ids.iter().map(ResourceId::as_str));
    let sql = filter.sql(
        "SELECT v.resource_id, v.seen_at_ms, v.hash, d.content
         FROM resource_versions v JOIN resource_documents d ON d.hash = v.hash",
        "",
    );
    let rows = filter.query(sql).fetch_all(store.read()).await?;
    let read = |row: &AnyRow| {
        let (hash, content): (String, String) = (row.try_get(2)?, row.try_get(3)?);
        Ok((row.try_get(0)?, time(row.try_get(1)?)?, document::read(&hash, &content)?))
    };
    rows.iter().map(read).collect()
}

pub(super) async fn list(store: &Store, connection: &ConnectionId, id: &ResourceId) -> Result<Vec<Version>, Fault> {
    let rows = sqlx::query(
        "SELECT seen_at_ms, hash FROM resource_versions WHERE connection_id = $1 AND resource_id = $2
         ORDER BY seen_at_ms DESC LIMIT $3",
    )
    .bind(&connection.0)
    .bind(&id.0)
    .bind(LISTED)
    .fetch_all(store.read())
    .await?;
    let mut until = None;
    let mut versions = Vec::with_capacity(rows.len());
    for row in &rows {
        let (seen_at, hash): (Timestamp, String) = (time(row.try_get(0)?)?, row.try_get(1)?);
        versions.push(Version { hash: Some(hash).filter(|hash| !hash.is_empty()), seen_at, until });
        until = Some(seen_at);
    }
    Ok(versions)
}

pub(super) async fn document_at(
    store: &Store,
    connection: &ConnectionId,
    id: &ResourceId,
    at: Timestamp,
) -> Result<Option<(Version, Document)>, Fault> {
    let row = sqlx::query(
        "SELECT v.seen_at_ms, v.hash, d.content,
             (SELECT MIN(n.seen_at_ms) FROM resource_versions n WHERE n.connection_id = v.connection_id
                 AND n.resource_id = v.resource_id AND n.seen_at_ms > v.seen_at_ms)
         FROM resource_versions v LEFT JOIN resource_documents d ON d.hash = v.hash
         WHERE v.connection_id = $1 AND v.resource_id = $2 AND v.seen_at_ms <= $3
         ORDER BY v.seen_at_ms DESC LIMIT 1",
    )
    .bind(&connection.0)
    .bind(&id.0)
    .bind(at.as_millisecond())
    .fetch_optional(store.read())
    .await?;
    let Some(row) = row else { return Ok(None) };
    let (hash, content): (String, Option<String>) = (row.try_get(1)?, row.try_get(2)?);
    let Some(content) = content else { return Ok(None) };
    let until: Option<i64> = row.try_get(3)?;
    let version =
        Version { hash: Some(hash.clone()), seen_at: time(row.try_get(0)?)?, until: until.map(time).transpose()? };
    Ok(Some((version, document::read(&hash, &content)?)))
}

/// Removes versions whose successor was there at a time already, and documents without a version.
pub(super) async fn expire(store: &Store, before: Timestamp) -> Result<u64, Fault> {
    let mut tx = store.begin().await?;
    let removed = sqlx::query(
        "DELETE FROM resource_versions WHERE is_current = 0 AND EXISTS (
             SELECT 1 FROM resource_versions n WHERE n.connection_id = resource_versions.connection_id
                 AND n.resource_id = resource_versions.resource_id
                 AND n.seen_at_ms > resource_versions.seen_at_ms AND n.seen_at_ms <= $1)",
    )
    .bind(before.as_millisecond())
    .execute(&mut *tx)
    .await?;
    sqlx::query("DELETE FROM resource_versions WHERE is_current = 1 AND hash = '' AND seen_at_ms <= $1")
        .bind(before.as_millisecond())
        .execute(&mut *tx)
        .await?;
    sqlx::query(
        "DELETE FROM resource_documents WHERE NOT EXISTS (
             SELECT 1 FROM resource_versions v WHERE v.hash = resource_documents.hash)",
    )
    .execute(&mut *tx)
    .await?;
    tx.commit().await?;
    Ok(removed.rows_affected())
}

pub(super) fn time(ms: i64) -> Result<Timestamp, Fault> {
    Timestamp::from_millisecond(ms).map_err(|error| Fault::Backend(error.to_string()))
}
