//! Connections and inventory: the port [`EstateStore`].

mod change;
mod connection;
mod description;
pub(crate) mod observed;
mod resource;
mod sync;
mod totals;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{
    Connection, ConnectionId, EstateStore, IsSeen, Resource, ResourceChange, ResourceFilter,
    ResourceId, ResourceKind, ResourceTotal, StoreError,
};

use crate::database::Store;

pub(crate) use description::time;

type Result<T> = std::result::Result<T, StoreError>;

#[async_trait]
impl EstateStore for Store {
    async fn connection_insert(&self, connection: &Connection) -> Result<()> {
        Ok(connection::insert(self, connection).await?)
    }
    async fn connection_update(&self, connection: &Connection) -> Result<()> {
        Ok(connection::update(self, connection).await?)
    }
    async fn connection_delete(&self, id: &ConnectionId) -> Result<()> {
        Ok(connection::delete(self, id).await?)
    }
    async fn connection_get(&self, id: &ConnectionId) -> Result<Connection> {
        Ok(connection::get(self, id).await?)
    }
    async fn connection_list(&self) -> Result<Vec<Connection>> {
        Ok(connection::list(self).await?)
    }
    async fn resource_sync(
        &self,
        connection: &ConnectionId,
        seen: &[Resource],
        complete: &[ResourceKind],
    ) -> Result<()> {
        Ok(sync::run(self, connection, seen, complete).await?)
    }
    async fn resource_end(
        &self,
        connection: &ConnectionId,
        complete: &[ResourceKind],
        is_seen: &IsSeen<'_>,
        observed: (Timestamp, Timestamp),
    ) -> Result<()> {
        Ok(sync::end(self, connection, complete, is_seen, observed).await?)
    }
    async fn resource_put(&self, resource: &Resource) -> Result<()> {
        Ok(resource::put(self, resource).await?)
    }
    async fn resource_get(&self, id: &ResourceId) -> Result<Resource> {
        Ok(resource::get(self, id).await?)
    }
    async fn resource_list(&self, filter: &ResourceFilter) -> Result<(Vec<Resource>, u64)> {
        Ok(resource::list(self, filter).await?)
    }
    async fn resource_page(
        &self,
        filter: &ResourceFilter,
        after: Option<&(ResourceId, ConnectionId)>,
        limit: u64,
    ) -> Result<Vec<Resource>> {
        Ok(resource::page(self, filter, after, limit).await?)
    }
    async fn resource_totals(&self) -> Result<Vec<ResourceTotal>> {
        Ok(totals::list(self).await?)
    }
    async fn resource_changes(
        &self,
        connection: &ConnectionId,
        resources: &[ResourceId],
        since: Timestamp,
    ) -> Result<Vec<ResourceChange>> {
        Ok(change::list(self, connection, resources, since).await?)
    }
}
