//! Taking an inventory over, in transactions of bounded size that write what differs and nothing
//! else.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use reeve_estate::change::between;
use reeve_estate::{ConnectionId, IsSeen, Resource, ResourceId, ResourceKind, ResourceState};
use sqlx::{Any, Row as _, Transaction};

use super::change;
use super::description::{end_resources, sighted};
use super::resource::{SELECT, resource, upsert};
use super::totals::TotalWriter;
use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;

/// Resources of one transaction: others wait for the store's one writer.
const AT_ONCE: usize = 500;

/// Writes what was seen otherwise than it was known, the changes, and what is gone of the complete
/// kinds.
///
/// Each transaction is complete in itself. If one fails, the next inventory finds what is missing.
pub(super) async fn run(
    store: &Store,
    connection: &ConnectionId,
    seen: &[Resource],
    complete: &[ResourceKind],
) -> Result<(), Fault> {
    if let Some(stray) = seen
        .iter()
        .find(|resource| resource.connection != *connection)
    {
        let message = format!(
            "the resource {} belongs to connection {}, not {connection}",
            stray.id, stray.connection
        );
        return Err(Fault::Conflict(message));
    }

    let taken_at = seen.iter().map(|resource| resource.observed_at).max();
    for part in seen.chunks(AT_ONCE) {
        take(store, connection, part, taken_at).await?;
    }

    let ids: HashSet<&ResourceId> = seen.iter().map(|resource| &resource.id).collect();
    for kind in complete {
        let is_seen = |_: ResourceKind, id: &ResourceId| ids.contains(id);
        end_missing(
            store,
            connection,
            *kind,
            &is_seen,
            taken_at.unwrap_or_else(Timestamp::now),
        )
        .await?;
    }

    let mut tx = held(store, connection).await?;
    if let Some(now) = taken_at {
        change::expire(&mut tx, connection, now).await?;
    }
    if let Some(began_at) = seen.iter().map(|resource| resource.observed_at).min() {
        sighted_everywhere(&mut tx, connection, complete, began_at).await?;
    }

    Ok(tx.commit().await?)
}

/// Ends what an inventory that was taken over page by page has not seen of complete kinds.
pub(super) async fn end(
    store: &Store,
    connection: &ConnectionId,
    complete: &[ResourceKind],
    is_seen: &IsSeen<'_>,
    (first, last): (Timestamp, Timestamp),
) -> Result<(), Fault> {
    for kind in complete {
        end_missing(store, connection, *kind, is_seen, last).await?;
    }
    let mut tx = held(store, connection).await?;
    change::expire(&mut tx, connection, last).await?;
    sighted_everywhere(&mut tx, connection, complete, first).await?;
    Ok(tx.commit().await?)
}

/// Notes that every resource of these kinds that is not gone was seen at a time, in every region.
async fn sighted_everywhere(
    tx: &mut Transaction<'static, Any>,
    connection: &ConnectionId,
    kinds: &[ResourceKind],
    at: Timestamp,
) -> Result<(), Fault> {
    let kinds: Vec<(ResourceKind, &str)> = kinds.iter().map(|kind| (*kind, "")).collect();
    sighted(tx, connection, &kinds, at).await
}

/// Begins a transaction that keeps the connection from being removed meanwhile, and fails if it is
/// gone.
async fn held(
    store: &Store,
    connection: &ConnectionId,
) -> Result<Transaction<'static, Any>, Fault> {
    let mut tx = store.begin().await?;
    let held = sqlx::query("UPDATE connections SET name = name WHERE id = $1")
        .bind(&connection.0)
        .execute(&mut *tx)
        .await?;
    if held.rows_affected() == 0 {
        return Err(Fault::not_found("connection", &connection.0));
    }
    Ok(tx)
}

async fn take(
    store: &Store,
    connection: &ConnectionId,
    seen: &[Resource],
    taken_at: Option<Timestamp>,
) -> Result<(), Fault> {
    let mut tx = held(store, connection).await?;
    let known = stored(
        &mut tx,
        connection,
        seen.iter().map(|resource| &resource.id),
    )
    .await?;
    let known: HashMap<&ResourceId, &Resource> =
        known.iter().map(|known| (&known.id, known)).collect();

    let mut differing = Vec::new();
    for resource in seen {
        if let Some(known) = known.get(&resource.id) {
            // Something was done to it since the inventory saw it, and what came of that was
            // observed.
            if known.observed_at > resource.observed_at
                && taken_at.is_some_and(|taken| known.observed_at <= taken)
            {
                continue;
            }
            change::insert(&mut tx, &between(known, resource)).await?;
            if **known
                == (Resource {
                    observed_at: known.observed_at,
                    ..resource.clone()
                })
            {
                continue;
            }
        }
        differing.push(resource);
    }

    upsert(&mut tx, differing, TotalWriter::Sync).await?;
    Ok(tx.commit().await?)
}

/// Returns the stored resources of identifiers, deleted ones left out.
async fn stored<'i>(
    tx: &mut Transaction<'_, Any>,
    connection: &ConnectionId,
    ids: impl Iterator<Item = &'i ResourceId>,
) -> Result<Vec<Resource>, Fault> {
    let mut filter = Filter::default();
    filter.text("connection_id = ?", &connection.0);
    filter.text("state <> ?", ResourceState::Deleted.as_str());
    filter.one_of("id", ids.map(ResourceId::as_str));
    let rows = filter
        .query(filter.sql(SELECT, ""))
        .fetch_all(&mut **tx)
        .await?;
    rows.iter().map(resource).collect()
}

/// Ends the resources of a kind that were not seen.
async fn end_missing(
    store: &Store,
    connection: &ConnectionId,
    kind: ResourceKind,
    is_seen: &IsSeen<'_>,
    at: Timestamp,
) -> Result<(), Fault> {
    let mut after = String::new();
    loop {
        let mut filter = Filter::default();
        filter.text("connection_id = ?", &connection.0);
        filter.text("kind = ?", kind.as_str());
        filter.text("state <> ?", ResourceState::Deleted.as_str());
        filter.text("id > ?", after);
        let page = filter.page(
            "SELECT id FROM resources",
            " ORDER BY id",
            AT_ONCE as u64,
            0,
        );
        let rows = filter.query(page).fetch_all(store.read()).await?;
        let ids = rows
            .iter()
            .map(|row| Ok(ResourceId(row.try_get(0)?)))
            .collect::<Result<Vec<_>, Fault>>()?;
        let Some(last) = ids.last() else {
            return Ok(());
        };
        after = last.0.clone();
        let missing: Vec<&ResourceId> = ids.iter().filter(|id| !is_seen(kind, id)).collect();
        if missing.is_empty() {
            continue;
        }
        let mut tx = held(store, connection).await?;
        let gone = stored(&mut tx, connection, missing.into_iter()).await?;
        end_resources(&mut tx, connection, gone, at).await?;
        tx.commit().await?;
    }
}
