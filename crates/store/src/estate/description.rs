//! Configuration documents, relations and readings: the port [`DescriptionStore`].

mod document;
mod reading;
mod relation;
mod version;

use std::collections::HashMap;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{
    ConnectionId, Described, DescriptionStore, Document, Known, Neighbour, Reading, Resource, ResourceId, ResourceKind,
    ResourceState, StoreError, Version,
};
use sqlx::Row as _;
use sqlx::{Any, Transaction};

use super::resource::{resource, upsert};
use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;

pub(super) use version::end as end_version;

/// Identifiers of one answer of [`DescriptionStore::description_ids`].
const IDS_AT_ONCE: u64 = 1000;

type Result<T> = std::result::Result<T, StoreError>;

#[async_trait]
impl DescriptionStore for Store {
    async fn description_known(&self, connection: &ConnectionId, ids: &[ResourceId]) -> Result<Vec<Known>> {
        Ok(known(self, connection, ids).await?)
    }
    async fn description_put(&self, connection: &ConnectionId, described: &[Described], at: Timestamp) -> Result<()> {
        Ok(put(self, connection, described, at).await?)
    }
    async fn description_remove(&self, connection: &ConnectionId, ids: &[ResourceId], at: Timestamp) -> Result<()> {
        Ok(remove(self, connection, ids, at).await?)
    }
    async fn description_ids(
        &self,
        connection: &ConnectionId,
        kind: ResourceKind,
        region: &str,
        after: Option<&ResourceId>,
    ) -> Result<Vec<ResourceId>> {
        Ok(ids(self, connection, kind, region, after).await?)
    }
    async fn versions(&self, connection: &ConnectionId, id: &ResourceId) -> Result<Vec<Version>> {
        Ok(version::list(self, connection, id).await?)
    }
    async fn document_at(
        &self,
        connection: &ConnectionId,
        id: &ResourceId,
        at: Timestamp,
    ) -> Result<Option<(Version, Document)>> {
        Ok(version::document_at(self, connection, id, at).await?)
    }
    async fn neighbours(
        &self,
        connection: &ConnectionId,
        id: &ResourceId,
        limit: u64,
    ) -> Result<(Vec<Neighbour>, u64)> {
        Ok(relation::neighbours(self, connection, id, limit).await?)
    }
    async fn reading_put(&self, connection: &ConnectionId, reading: &Reading) -> Result<()> {
        Ok(reading::put(self, connection, reading).await?)
    }
    async fn readings(&self, connection: &ConnectionId) -> Result<Vec<Reading>> {
        Ok(reading::list(self, connection).await?)
    }
    async fn versions_expire(&self, before: Timestamp) -> Result<u64> {
        Ok(version::expire(self, before).await?)
    }
}

async fn known(store: &Store, connection: &ConnectionId, ids: &[ResourceId]) -> std::result::Result<Vec<Known>, Fault> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut found: HashMap<String, Known> = HashMap::new();
    let empty = |id: &str| Known {
        resource: None,
        id: ResourceId::new(id),
        document: None,
        relations: Vec::new(),
        seen_at: None,
    };
    for row in resources(store, connection, ids).await? {
        let known = found.entry(row.id.0.clone()).or_insert_with(|| empty(&row.id.0));
        known.resource = Some(row);
    }
    for (id, seen_at, document) in version::current(store, connection, ids).await? {
        let known = found.entry(id.clone()).or_insert_with(|| empty(&id));
        (known.seen_at, known.document) = (Some(seen_at), Some(document));
    }
    for (id, relation) in relation::of(store, connection, ids).await? {
        if let Some(known) = found.get_mut(&id) {
            known.relations.push(relation);
        }
    }
    let mut known: Vec<Known> = found.into_values().collect();
    for known in &mut known {
        known.relations.sort();
    }
    known.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(known)
}

async fn resources(
    store: &Store,
    connection: &ConnectionId,
    ids: &[ResourceId],
) -> std::result::Result<Vec<Resource>, Fault> {
    let mut filter = Filter::default();
    filter.text("connection_id = ?", &connection.0);
    filter.text("state <> ?", ResourceState::Deleted.as_str());
    filter.one_of("id", ids.iter().map(ResourceId::as_str));
    let rows = filter.query(filter.sql("SELECT id, document FROM resources", "")).fetch_all(store.read()).await?;
    rows.iter().map(resource).collect()
}

async fn put(
    store: &Store,
    connection: &ConnectionId,
    described: &[Described],
    at: Timestamp,
) -> std::result::Result<(), Fault> {
    let mut tx = store.begin().await?;
    for one in described {
        if one.resource.connection != *connection {
            let (id, theirs) = (&one.resource.id, &one.resource.connection);
            return Err(Fault::Conflict(format!("the resource {id} belongs to connection {theirs}, not {connection}")));
        }
        if !ResourceKind::SPECIFIED.contains(&one.resource.kind) {
            upsert(&mut *tx, &one.resource).await?;
        }
        document::insert(&mut tx, &one.document).await?;
        version::begin(&mut tx, connection, &one.resource.id, &one.document.hash(), at).await?;
        relation::replace(&mut tx, connection, &one.resource.id, &one.relations).await?;
    }
    Ok(tx.commit().await?)
}

async fn remove(
    store: &Store,
    connection: &ConnectionId,
    ids: &[ResourceId],
    at: Timestamp,
) -> std::result::Result<(), Fault> {
    if ids.is_empty() {
        return Ok(());
    }
    let gone = resources(store, connection, ids).await?;
    let mut tx = store.begin().await?;
    for gone in gone {
        end_description(&mut tx, connection, &gone.id, at).await?;
        upsert(&mut *tx, &Resource { state: ResourceState::Deleted, ..gone }).await?;
    }
    Ok(tx.commit().await?)
}

/// Ends the current version of a resource and removes its relations.
pub(super) async fn end_description(
    tx: &mut Transaction<'_, Any>,
    connection: &ConnectionId,
    id: &ResourceId,
    at: Timestamp,
) -> std::result::Result<(), Fault> {
    end_version(tx, connection, id, at).await?;
    relation::replace(tx, connection, id, &[]).await
}

async fn ids(
    store: &Store,
    connection: &ConnectionId,
    kind: ResourceKind,
    region: &str,
    after: Option<&ResourceId>,
) -> std::result::Result<Vec<ResourceId>, Fault> {
    let mut filter = Filter::default();
    filter.text("connection_id = ?", &connection.0);
    filter.text("kind = ?", kind.as_str());
    filter.text("state <> ?", ResourceState::Deleted.as_str());
    if !region.is_empty() {
        filter.text("region = ?", region);
    }
    if let Some(after) = after {
        filter.text("id > ?", after.as_str());
    }
    let page = filter.page("SELECT id FROM resources", " ORDER BY id", IDS_AT_ONCE, 0);
    let rows = filter.query(page).fetch_all(store.read()).await?;
    rows.iter().map(|row| Ok(ResourceId(row.try_get(0)?))).collect()
}
