//! Configuration documents, relations and readings: the port [`DescriptionStore`].

mod document;
mod marks;
mod reading;
mod relation;
mod version;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{
    ConnectionId, Described, DescriptionChange, DescriptionReading, DescriptionStore,
    DescriptionVersion, Document, KnownDescription, Neighbour, OwnedRelation, Resource, ResourceId,
    ResourceKind, ResourceState, StoreError,
};
use sqlx::Row as _;
use sqlx::{Any, Transaction};

use super::resource::{SELECT, resource, upsert};
use super::totals::TotalWriter;
use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;

pub(super) use reading::sighted;
pub(crate) use version::time;

/// Identifiers of one answer of [`DescriptionStore::description_ids`].
const IDS_AT_ONCE: u64 = 1000;
/// Resources that are marked as no longer read in one transaction.
const RETIRED_AT_ONCE: u64 = 500;

type Result<T> = std::result::Result<T, StoreError>;

#[async_trait]
impl DescriptionStore for Store {
    async fn description_known(
        &self,
        connection: &ConnectionId,
        ids: &[ResourceId],
    ) -> Result<Vec<KnownDescription>> {
        Ok(known(self, connection, ids).await?)
    }
    async fn description_put(
        &self,
        connection: &ConnectionId,
        described: &[Described],
        at: Timestamp,
    ) -> Result<()> {
        Ok(put(self, connection, described, at).await?)
    }
    async fn description_remove(
        &self,
        connection: &ConnectionId,
        ids: &[ResourceId],
        at: Timestamp,
    ) -> Result<()> {
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
    async fn description_retire(
        &self,
        connection: &ConnectionId,
        read: Option<(ResourceKind, &str)>,
        at: Timestamp,
    ) -> Result<u64> {
        Ok(retire(self, connection, read, at).await?)
    }
    async fn documents(&self, hashes: &[String]) -> Result<Vec<Document>> {
        Ok(document::list(self, hashes).await?)
    }
    async fn versions(
        &self,
        connection: &ConnectionId,
        id: &ResourceId,
    ) -> Result<Vec<DescriptionVersion>> {
        Ok(version::list(self, connection, id).await?)
    }
    async fn document_at(
        &self,
        connection: &ConnectionId,
        id: &ResourceId,
        at: Timestamp,
    ) -> Result<Option<(DescriptionVersion, Document)>> {
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
    async fn relations_to(
        &self,
        connection: &ConnectionId,
        targets: &[ResourceId],
    ) -> Result<Vec<OwnedRelation>> {
        Ok(relation::to(self, connection, targets).await?)
    }
    async fn description_revision(&self, connection: &ConnectionId) -> Result<u64> {
        Ok(marks::last(self, connection).await?)
    }
    async fn changed_since(
        &self,
        connection: &ConnectionId,
        revision: u64,
        after: Option<&DescriptionChange>,
        limit: u64,
    ) -> Result<Vec<DescriptionChange>> {
        Ok(marks::since(self, connection, revision, after, limit).await?)
    }
    async fn reading_put(
        &self,
        connection: &ConnectionId,
        reading: &DescriptionReading,
    ) -> Result<()> {
        Ok(reading::put(self, connection, reading).await?)
    }
    async fn readings(&self, connection: &ConnectionId) -> Result<Vec<DescriptionReading>> {
        Ok(reading::list(self, connection).await?)
    }
    async fn versions_expire(&self, before: Timestamp) -> Result<u64> {
        Ok(version::expire(self, before).await?)
    }
}

async fn known(
    store: &Store,
    connection: &ConnectionId,
    ids: &[ResourceId],
) -> std::result::Result<Vec<KnownDescription>, Fault> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }

    let mut found: HashMap<String, KnownDescription> = HashMap::new();
    let empty = |id: &str| KnownDescription {
        resource: None,
        id: ResourceId::new(id),
        hash: None,
        relations: Vec::new(),
        seen_at: None,
    };

    for row in resources(store, connection, ids).await? {
        let known = found
            .entry(row.id.0.clone())
            .or_insert_with(|| empty(&row.id.0));
        known.resource = Some(row);
    }

    for (id, seen_at, hash) in version::current(store, connection, ids).await? {
        let known = found.entry(id.clone()).or_insert_with(|| empty(&id));
        (known.seen_at, known.hash) = (Some(seen_at), Some(hash));
    }

    for (id, relation) in relation::list(store, connection, ids).await? {
        if let Some(known) = found.get_mut(&id) {
            known.relations.push(relation);
        }
    }

    let mut known: Vec<KnownDescription> = found.into_values().collect();
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
    let rows = filter
        .query(filter.sql(SELECT, ""))
        .fetch_all(store.read())
        .await?;
    rows.iter().map(resource).collect()
}

async fn put(
    store: &Store,
    connection: &ConnectionId,
    described: &[Described],
    at: Timestamp,
) -> std::result::Result<(), Fault> {
    if let Some(stray) = described
        .iter()
        .find(|one| one.resource.connection != *connection)
    {
        let (id, theirs) = (&stray.resource.id, &stray.resource.connection);
        return Err(Fault::Conflict(format!(
            "the resource {id} belongs to connection {theirs}, not {connection}"
        )));
    }

    let described: BTreeMap<&ResourceId, &Described> = described
        .iter()
        .map(|one| (&one.resource.id, one))
        .collect();
    let documents = document::pack(described.values().map(|one| &one.document))?;
    let hashes = described
        .iter()
        .map(|(id, one)| (*id, one.document.hash()))
        .collect();
    let relations = described
        .iter()
        .map(|(id, one)| (*id, one.relations.as_slice()))
        .collect();
    let resources = described.values().map(|one| &one.resource);
    let mut tx = store.begin().await?;
    let unspecified =
        resources.filter(|resource| !ResourceKind::SPECIFIED.contains(&resource.kind));
    upsert(&mut tx, unspecified, TotalWriter::Sync).await?;
    document::insert(&mut tx, &documents).await?;
    let mut changed = version::begin(&mut tx, connection, &hashes, at).await?;
    changed.extend(relation::replace(&mut tx, connection, &relations).await?);
    marks::put(&mut tx, connection, &changed).await?;

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
    end_resources(&mut tx, connection, gone, at).await?;
    Ok(tx.commit().await?)
}

/// Marks resources as deleted, ends their versions and removes their relations.
pub(super) async fn end_resources(
    tx: &mut Transaction<'_, Any>,
    connection: &ConnectionId,
    gone: Vec<Resource>,
    at: Timestamp,
) -> std::result::Result<(), Fault> {
    if gone.is_empty() {
        return Ok(());
    }

    let gone: Vec<Resource> = gone
        .into_iter()
        .map(|gone| Resource {
            state: ResourceState::Deleted,
            ..gone
        })
        .collect();
    let ids: Vec<&ResourceId> = gone.iter().map(|resource| &resource.id).collect();
    let mut changed: BTreeSet<String> = version::end(tx, connection, &ids, at).await?;
    let relations = ids.iter().map(|id| (*id, [].as_slice())).collect();
    changed.extend(relation::replace(tx, connection, &relations).await?);

    upsert(tx, &gone, TotalWriter::Sync).await?;
    marks::put(tx, connection, &changed).await
}

/// Marks what is no longer read as deleted, a bounded number in each transaction, and forgets that
/// it was read.
async fn retire(
    store: &Store,
    connection: &ConnectionId,
    read: Option<(ResourceKind, &str)>,
    at: Timestamp,
) -> std::result::Result<u64, Fault> {
    let mut retired = 0;
    loop {
        let mut filter = Filter::default();
        filter.text("connection_id = ?", &connection.0);
        filter.text("state <> ?", ResourceState::Deleted.as_str());
        of_reading(&mut filter, read);
        let page = filter.page(
            "SELECT id FROM resources",
            " ORDER BY id",
            RETIRED_AT_ONCE,
            0,
        );
        let rows = filter.query(page).fetch_all(store.read()).await?;
        let ids: Vec<ResourceId> = rows
            .iter()
            .map(|row| Ok(ResourceId(row.try_get(0)?)))
            .collect::<std::result::Result<_, Fault>>()?;
        if ids.is_empty() {
            break;
        }
        remove(store, connection, &ids, at).await?;
        retired += ids.len() as u64;
    }

    let mut tx = store.begin().await?;
    for table in [
        "DELETE FROM resource_readings",
        "DELETE FROM resource_sightings",
    ] {
        let mut filter = Filter::default();
        filter.text("connection_id = ?", &connection.0);
        of_reading(&mut filter, read);
        filter
            .query(filter.sql(table, ""))
            .execute(&mut *tx)
            .await?;
    }

    tx.commit().await?;
    Ok(retired)
}

/// Restricts a filter to a kind and region; an empty region is all of them.
fn of_reading(filter: &mut Filter, read: Option<(ResourceKind, &str)>) {
    let Some((kind, region)) = read else { return };
    filter.text("kind = ?", kind.as_str());
    if !region.is_empty() {
        filter.text("region = ?", region);
    }
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
    filter.text("state <> ?", ResourceState::Deleted.as_str());
    of_reading(&mut filter, Some((kind, region)));
    if let Some(after) = after {
        filter.text("id > ?", after.as_str());
    }

    let page = filter.page("SELECT id FROM resources", " ORDER BY id", IDS_AT_ONCE, 0);
    let rows = filter.query(page).fetch_all(store.read()).await?;
    rows.iter()
        .map(|row| Ok(ResourceId(row.try_get(0)?)))
        .collect()
}
