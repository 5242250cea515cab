//! Pinned documents: which document a resource had when somebody pinned it.

use std::collections::{BTreeMap, BTreeSet};

use reeve_estate::{ConnectionId, ResourceId};
use reeve_recommend::drift::{BaselineId, PinnedDocument};
use sqlx::Row as _;

use super::number;
use crate::batch::{Cell, Insert};
use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::{decode, encode, unreadable};

const INSERT: &str = "INSERT INTO pinned_documents
     (baseline_id, revision, connection_id, resource_id, hash, document)";
const REPLACE: &str = "ON CONFLICT (baseline_id, revision, connection_id, resource_id)
     DO UPDATE SET hash = excluded.hash, document = excluded.document";
/// Hashes that one statement asks about.
const AT_ONCE: usize = 500;

/// A revision of a baseline.
type Revision<'r> = (&'r BaselineId, u64);

pub(super) async fn put(
    store: &Store,
    baseline: &BaselineId,
    revision: u64,
    pinned: &[PinnedDocument],
) -> Result<(), Fault> {
    let mut by_connection: BTreeMap<&ConnectionId, Insert<6>> = BTreeMap::new();
    for one in pinned {
        let insert = by_connection
            .entry(&one.subject.connection)
            .or_insert_with(|| Insert::new(INSERT, REPLACE));
        insert.row([
            baseline.0.as_str().into(),
            Cell::Integer(number(revision)),
            one.subject.connection.0.as_str().into(),
            one.subject.resource.as_str().into(),
            one.hash.as_str().into(),
            Cell::Text(encode(one)?),
        ]);
    }

    let mut tx = store.begin().await?;
    // Expiry removes documents that nothing names; it must see these rows, or these must see that
    // the document is gone.
    store
        .serialize_writers(&mut tx, "resource_documents")
        .await?;
    for (connection, insert) in by_connection {
        insert.run_for(&mut tx, &connection.0).await?;
    }

    let hashes: BTreeSet<&str> = pinned.iter().map(|one| one.hash.as_str()).collect();
    let hashes: Vec<&str> = hashes.into_iter().collect();
    for some in hashes.chunks(AT_ONCE) {
        let mut filter = Filter::default();
        filter.one_of("hash", some.iter().copied());
        let sql = filter.sql("SELECT COUNT(*) FROM resource_documents", "");
        let stored: i64 = filter.query(sql).fetch_one(&mut *tx).await?.try_get(0)?;
        if usize::try_from(stored) != Ok(some.len()) {
            return Err(Fault::Conflict(
                "a configuration changed while it was pinned; try again".to_owned(),
            ));
        }
    }

    Ok(tx.commit().await?)
}

fn of(revision: Revision<'_>) -> Filter {
    let mut filter = Filter::default();
    filter.text("baseline_id = ?", &revision.0.0);
    filter.integer("revision = ?", number(revision.1));
    filter
}

pub(super) async fn remove(
    store: &Store,
    revision: Revision<'_>,
    connection: &ConnectionId,
    resources: &[ResourceId],
) -> Result<(), Fault> {
    let mut tx = store.begin().await?;
    for some in resources.chunks(AT_ONCE) {
        let mut filter = of(revision);
        filter.text("connection_id = ?", &connection.0);
        filter.one_of("resource_id", some.iter().map(ResourceId::as_str));
        filter
            .query(filter.sql("DELETE FROM pinned_documents", ""))
            .execute(&mut *tx)
            .await?;
    }

    Ok(tx.commit().await?)
}

pub(super) async fn discard(store: &Store, revision: Revision<'_>) -> Result<(), Fault> {
    let mut tx = store.begin().await?;
    let filter = of(revision);
    filter
        .query(filter.sql("DELETE FROM pinned_documents", ""))
        .execute(&mut *tx)
        .await?;
    Ok(tx.commit().await?)
}

pub(super) async fn list(
    store: &Store,
    revision: Revision<'_>,
    connection: &ConnectionId,
    resources: &[ResourceId],
) -> Result<Vec<PinnedDocument>, Fault> {
    let mut found = Vec::new();
    for some in resources.chunks(AT_ONCE) {
        let mut filter = of(revision);
        filter.text("connection_id = ?", &connection.0);
        filter.one_of("resource_id", some.iter().map(ResourceId::as_str));
        let sql = filter.sql("SELECT resource_id, document FROM pinned_documents", "");
        for row in filter.query(sql).fetch_all(store.read()).await? {
            let id: String = row.try_get(0)?;
            let read = decode::<PinnedDocument>(row.try_get(1)?);
            found.push(read.map_err(unreadable("pinned document", &id))?);
        }
    }

    Ok(found)
}

pub(super) async fn count(store: &Store, revision: Revision<'_>) -> Result<u64, Fault> {
    let filter = of(revision);
    let sql = filter.sql("SELECT COUNT(*) FROM pinned_documents", "");
    let count: i64 = filter
        .query(sql)
        .fetch_one(store.read())
        .await?
        .try_get(0)?;
    Ok(count.unsigned_abs())
}
