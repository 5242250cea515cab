//! Versions of a resource's configuration, from one observation to the next that differs.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;
use reeve_estate::{ConnectionId, DescriptionVersion, Document, ResourceId};
use sqlx::any::Any;
use sqlx::{Row as _, Transaction};

use super::{document, marks};
use crate::batch::{Cell, Insert};
use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;

/// Versions of one resource that are listed at most.
const LISTED: i64 = 1000;
/// Versions and documents removed in one transaction: others wait for the store's one writer.
const EXPIRED: i64 = 500;

const INSERT: &str =
    "INSERT INTO resource_versions (connection_id, resource_id, seen_at_ms, hash, is_current)";
/// Of two observations in one millisecond the later one stands.
const REPLACE: &str = "ON CONFLICT (connection_id, resource_id, seen_at_ms)
     DO UPDATE SET hash = excluded.hash, is_current = 1";

/// Makes documents the current versions of resources, where they are not that already. Returns the
/// identifiers of the resources whose document changed.
pub(super) async fn begin(
    tx: &mut Transaction<'_, Any>,
    connection: &ConnectionId,
    hashes: &BTreeMap<&ResourceId, String>,
    at: Timestamp,
) -> Result<BTreeSet<String>, Fault> {
    let current = current_hashes(tx, connection, hashes.keys().copied()).await?;
    let differs = |(id, hash): &(&&ResourceId, &String)| current.get(id.as_str()) != Some(*hash);
    let differing: Vec<(&&ResourceId, &String)> = hashes.iter().filter(differs).collect();
    let mut ended = Filter::default();
    ended.text("connection_id = ?", &connection.0);
    ended.integer("is_current = ?", 1);
    let replaced: Vec<&str> = differing
        .iter()
        .map(|(id, _)| id.as_str())
        .filter(|id| current.contains_key(*id))
        .collect();

    if !replaced.is_empty() {
        ended.one_of("resource_id", replaced);
        ended
            .query(ended.sql("UPDATE resource_versions SET is_current = 0", ""))
            .execute(&mut **tx)
            .await?;
    }

    let mut insert = Insert::new(INSERT, REPLACE);
    let mut changed = BTreeSet::new();
    for (id, hash) in differing {
        changed.insert(id.0.clone());
        let (connection, id, hash) = (
            connection.0.as_str().into(),
            id.as_str().into(),
            hash.as_str().into(),
        );
        insert.row([
            connection,
            id,
            Cell::Integer(at.as_millisecond()),
            hash,
            Cell::Integer(1),
        ]);
    }

    insert.run_for(tx, &connection.0).await?;
    Ok(changed)
}

/// Records that resources are gone. A resource that was never described has no versions, and gets
/// none. Returns the identifiers of those that were described.
pub(in crate::estate) async fn end(
    tx: &mut Transaction<'_, Any>,
    connection: &ConnectionId,
    ids: &[&ResourceId],
    at: Timestamp,
) -> Result<BTreeSet<String>, Fault> {
    let current = current_hashes(tx, connection, ids.iter().copied()).await?;
    let described = ids.iter().filter(|id| {
        current
            .get(id.as_str())
            .is_some_and(|hash| !hash.is_empty())
    });

    begin(
        tx,
        connection,
        &described.map(|id| (*id, String::new())).collect(),
        at,
    )
    .await
}

async fn current_hashes<'i>(
    tx: &mut Transaction<'_, Any>,
    connection: &ConnectionId,
    ids: impl Iterator<Item = &'i ResourceId>,
) -> Result<HashMap<String, String>, Fault> {
    let mut filter = Filter::default();
    filter.text("connection_id = ?", &connection.0);
    filter.integer("is_current = ?", 1);
    filter.one_of("resource_id", ids.map(ResourceId::as_str));
    let sql = filter.sql("SELECT resource_id, hash FROM resource_versions", "");
    let rows = filter.query(sql).fetch_all(&mut **tx).await?;
    rows.iter()
        .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
        .collect()
}

/// Returns the current version of each resource that has one and is not gone: identifier, time and
/// hash.
pub(super) async fn current(
    store: &Store,
    connection: &ConnectionId,
    ids: &[ResourceId],
) -> Result<Vec<(String, Timestamp, String)>, Fault> {
    let mut filter = Filter::default();
    filter.text("connection_id = ?", &connection.0);
    filter.integer("is_current = ?", 1);
    filter.text("hash <> ?", "");
    filter.one_of("resource_id", ids.iter().map(ResourceId::as_str));
    let sql = filter.sql(
        "SELECT resource_id, seen_at_ms, hash FROM resource_versions",
        "",
    );
    let rows = filter.query(sql).fetch_all(store.read()).await?;

    rows.iter()
        .map(|row| Ok((row.try_get(0)?, time(row.try_get(1)?)?, row.try_get(2)?)))
        .collect()
}

pub(super) async fn list(
    store: &Store,
    connection: &ConnectionId,
    id: &ResourceId,
) -> Result<Vec<DescriptionVersion>, Fault> {
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
        versions.push(DescriptionVersion {
            hash: Some(hash).filter(|hash| !hash.is_empty()),
            seen_at,
            until,
        });
        until = Some(seen_at);
    }

    Ok(versions)
}

pub(super) async fn document_at(
    store: &Store,
    connection: &ConnectionId,
    id: &ResourceId,
    at: Timestamp,
) -> Result<Option<(DescriptionVersion, Document)>, Fault> {
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
    let Some(content) = content else {
        return Ok(None);
    };

    let until: Option<i64> = row.try_get(3)?;
    let version = DescriptionVersion {
        hash: Some(hash.clone()),
        seen_at: time(row.try_get(0)?)?,
        until: until.map(time).transpose()?,
    };
    Ok(Some((version, document::read(&hash, &content)?)))
}

/// Removes versions whose successor was there at a time already, and documents and changes without a
/// version, a bounded number in each transaction.
pub(super) async fn expire(store: &Store, before: Timestamp) -> Result<u64, Fault> {
    let mut removed = 0;
    loop {
        let versions = expire_some(store, before).await?;
        removed += versions;
        if versions == 0 {
            break;
        }
    }

    while document::remove_unused(store, EXPIRED).await? > 0 {}
    while marks::remove_unused(store, EXPIRED).await? > 0 {}
    Ok(removed)
}

async fn expire_some(store: &Store, before: Timestamp) -> Result<u64, Fault> {
    let mut tx = store.begin().await?;
    let rows = sqlx::query(
        "SELECT connection_id, resource_id, seen_at_ms FROM resource_versions v
         WHERE (is_current = 0 AND seen_at_ms <= $1 AND EXISTS (
                 SELECT 1 FROM resource_versions n WHERE n.connection_id = v.connection_id
                     AND n.resource_id = v.resource_id AND n.seen_at_ms > v.seen_at_ms AND n.seen_at_ms <= $1))
             OR (is_current = 1 AND hash = '' AND seen_at_ms <= $1)
         LIMIT $2",
    )
    .bind(before.as_millisecond())
    .bind(EXPIRED)
    .fetch_all(&mut *tx)
    .await?;

    for row in &rows {
        let (connection, id, seen_at): (String, String, i64) =
            (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        sqlx::query("DELETE FROM resource_versions WHERE connection_id = $1 AND resource_id = $2 AND seen_at_ms = $3")
            .bind(connection)
            .bind(id)
            .bind(seen_at)
            .execute(&mut *tx)
            .await?;
    }

    tx.commit().await?;
    Ok(rows.len() as u64)
}

pub(crate) fn time(ms: i64) -> Result<Timestamp, Fault> {
    Timestamp::from_millisecond(ms).map_err(|error| Fault::Backend(error.to_string()))
}
