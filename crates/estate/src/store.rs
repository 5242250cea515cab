//! Ports of what keeps the estate: inventory and connections in the state store, samples in the
//! lake.

use async_trait::async_trait;
use jiff::Timestamp;

use crate::catalogue::PriceKind;
use crate::change::ResourceChange;
use crate::connection::{Connection, ConnectionId, VisibleConnections};
use crate::kind::ResourceKind;
use crate::metric::Metric;
use crate::money::Money;
use crate::provider::Provider;
use crate::resource::{Resource, ResourceId};
use crate::sample::{Sample, SampleSeries, Track};

/// Reason why a store did not answer.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The record does not exist.
    #[error("{what} {id} does not exist")]
    NotFound {
        what: &'static str,
        /// Identifier of the record.
        id: String,
    },
    /// The record was changed in between, or already exists.
    #[error("{0}")]
    Conflict(String),
    /// There is no room on the database's disk; nothing was written.
    #[error("the disk of the store is full: {0}")]
    Full(String),
    /// The database does not answer, or this server may not write to it now.
    #[error("the store does not answer: {0}")]
    Unavailable(String),
    /// The disk or database failed.
    #[error("the store failed: {0}")]
    Backend(String),
}

/// Filter of resources; the conditions are combined by "and".
#[derive(Debug, Clone, Default)]
pub struct ResourceFilter {
    /// Connections that the reader may see.
    pub visible: VisibleConnections,
    /// Connection of the resources.
    pub connection: Option<ConnectionId>,
    /// Provider of the resource.
    pub provider: Option<Provider>,
    /// In this account (identifier or connection name).
    pub account: Option<String>,
    /// Kind of the resources.
    pub kind: Option<ResourceKind>,
    /// Service of the resources.
    pub service: Option<String>,
    /// One of these; empty is any.
    pub ids: Vec<ResourceId>,
    /// Members of this scaling group.
    pub group: Option<ResourceId>,
    /// Resources that are gone as well, if an inventory last saw them at this time or later.
    pub ended_since: Option<Timestamp>,
    /// Resource that they are attached to.
    pub attached_to: Option<ResourceId>,
    /// Text that the id, the name or a tag value has to contain, ignoring case.
    pub text: Option<String>,
    /// At most this many; 0 is no limit.
    pub limit: u64,
    /// Number of matches to skip.
    pub offset: u64,
}

/// Sum over the resources that agree in these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceTotal {
    /// Connection of the resources.
    pub connection: ConnectionId,
    /// Cloud of the resources.
    pub provider: Provider,
    /// Account of the resources.
    pub account: String,
    /// Region of the resources.
    pub region: String,
    /// Service of the resources.
    pub service: String,
    /// Kind of the resources.
    pub kind: ResourceKind,
    pub resources: u64,
    /// Number of resources without a known price.
    pub unpriced: u64,
    /// Cost of the others a month.
    pub monthly_cost: Money,
}

/// Returns `true` if an inventory has seen a resource.
pub type IsSeen<'a> = dyn Fn(ResourceKind, &ResourceId) -> bool + Send + Sync + 'a;

/// Stored resources of a filter, read page by page in the order of their identifiers.
#[derive(Debug)]
pub struct ResourcePages {
    filter: ResourceFilter,
    limit: u64,
    after: Option<(ResourceId, ConnectionId)>,
}

impl ResourcePages {
    /// Begins before the first page of at most so many resources.
    #[must_use]
    pub fn new(filter: ResourceFilter, limit: u64) -> Self {
        ResourcePages {
            filter,
            limit,
            after: None,
        }
    }

    /// Reads the next page; `None` behind the last one.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn next(
        &mut self,
        estate: &dyn EstateStore,
    ) -> Result<Option<Vec<Resource>>, StoreError> {
        let page = estate
            .resource_page(&self.filter, self.after.as_ref(), self.limit)
            .await?;
        let Some(last) = page.last() else {
            return Ok(None);
        };

        self.after = Some((last.id.clone(), last.connection.clone()));
        Ok(Some(page))
    }
}

/// Storage of connections and of the inventory.
#[async_trait]
pub trait EstateStore: Send + Sync {
    async fn connection_insert(&self, connection: &Connection) -> Result<(), StoreError>;
    async fn connection_update(&self, connection: &Connection) -> Result<(), StoreError>;
    /// Removes a connection with its inventory.
    async fn connection_delete(&self, id: &ConnectionId) -> Result<(), StoreError>;
    async fn connection_get(&self, id: &ConnectionId) -> Result<Connection, StoreError>;
    /// All connections, oldest first.
    async fn connection_list(&self) -> Result<Vec<Connection>, StoreError>;
    /// Takes an inventory over: what was seen is written, what is gone of complete kinds is marked
    /// deleted. What it saw otherwise than it was known is kept as a change; what was observed anew
    /// while the inventory was being taken stays.
    async fn resource_sync(
        &self,
        connection: &ConnectionId,
        seen: &[Resource],
        complete: &[ResourceKind],
    ) -> Result<(), StoreError>;
    /// Ends an inventory that was taken over page by page, each page by
    /// [`EstateStore::resource_sync`]: what it did not see of complete kinds is marked deleted, and
    /// everything else of them was seen. `observed` are the times of its first and last
    /// observation.
    async fn resource_end(
        &self,
        connection: &ConnectionId,
        complete: &[ResourceKind],
        is_seen: &IsSeen<'_>,
        observed: (Timestamp, Timestamp),
    ) -> Result<(), StoreError>;
    /// Writes one resource as freshly observed.
    async fn resource_put(&self, resource: &Resource) -> Result<(), StoreError>;
    /// One resource, by the provider's id; the newest when several connections see the same id.
    async fn resource_get(&self, id: &ResourceId) -> Result<Resource, StoreError>;
    /// Resources (deleted ones left out), ordered by id, and how many there are in all.
    async fn resource_list(
        &self,
        filter: &ResourceFilter,
    ) -> Result<(Vec<Resource>, u64), StoreError>;
    /// Returns the next resources of a filter (deleted ones left out) after one of them, by
    /// identifier and connection. The filter's own limit and offset are not read: a walk over a
    /// large estate costs the same on every page.
    async fn resource_page(
        &self,
        filter: &ResourceFilter,
        after: Option<&(ResourceId, ConnectionId)>,
        limit: u64,
    ) -> Result<Vec<Resource>, StoreError>;
    /// Sums over the resources of every connection (deleted ones left out).
    async fn resource_totals(&self) -> Result<Vec<ResourceTotal>, StoreError>;
    /// Returns the changes that a connection's inventories found in these resources, observed at or
    /// after a time, oldest first. The newest hundred of each resource are kept, for ninety days.
    /// Writes by [`EstateStore::resource_put`] are not recorded as changes.
    async fn resource_changes(
        &self,
        connection: &ConnectionId,
        resources: &[ResourceId],
        since: Timestamp,
    ) -> Result<Vec<ResourceChange>, StoreError>;
}

/// An imported price file as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPriceFile {
    /// Cloud of the prices.
    pub provider: Provider,
    /// Kind of the prices.
    pub kind: PriceKind,
    /// SHA-256 of the file as it was given, hexadecimal.
    pub sha256: String,
    /// Size of the file as it was given.
    pub bytes: u64,
    /// Time of the import.
    pub imported_at: Timestamp,
    /// E-mail address of the user who imported it.
    pub imported_by: String,
    /// The file after unpacking.
    pub text: String,
}

/// Imported price files: at most one of each provider and kind.
#[async_trait]
pub trait PriceFileStore: Send + Sync {
    /// Stores a file in place of the earlier one of its provider and kind.
    async fn price_file_put(&self, file: &StoredPriceFile) -> Result<(), StoreError>;
    /// Removes the file of a provider and kind.
    async fn price_file_delete(
        &self,
        provider: Provider,
        kind: PriceKind,
    ) -> Result<(), StoreError>;
    /// All files, by provider and kind.
    async fn price_file_list(&self) -> Result<Vec<StoredPriceFile>, StoreError>;
}

/// Storage of metric samples.
#[async_trait]
pub trait SampleStore: Send + Sync {
    /// Adds samples; a point given again replaces the earlier one.
    async fn sample_insert(&self, samples: &[Sample]) -> Result<(), StoreError>;
    /// Declares senders of samples that are metric sources and no connections: their samples are of
    /// whichever resource they name.
    fn sample_sources(&self, sources: &[ConnectionId]);
    /// Series of a connection's resources and metrics within `[start, end)`, those of metric
    /// sources included; a series without points is left out. Samples of another connection are
    /// never among them, even where it has a resource of the same identifier.
    async fn sample_series(
        &self,
        connection: &ConnectionId,
        resources: &[ResourceId],
        metrics: &[Metric],
        start: Timestamp,
        end: Timestamp,
    ) -> Result<Vec<SampleSeries>, StoreError>;
    /// Highest value of each day that is over, as [`SampleStore::sample_series`] gives the values
    /// themselves: one point a day, at its beginning (UTC). They are kept for longer than the values.
    async fn sample_maxima(
        &self,
        connection: &ConnectionId,
        resources: &[ResourceId],
        metrics: &[Metric],
        start: Timestamp,
        end: Timestamp,
    ) -> Result<Vec<SampleSeries>, StoreError>;
    /// Number that grows with every insert of samples of a connection, for as long as the store is
    /// open: while it stays the same there is nothing new to read.
    fn sample_revision(&self, connection: &ConnectionId) -> u64;
    /// The newest stored point of each metric of a connection's resources: where the next sync goes
    /// on.
    async fn sample_newest(
        &self,
        connection: &ConnectionId,
    ) -> Result<Vec<(ResourceId, Metric, Timestamp)>, StoreError>;
}

/// A pass over every series there is, in bounded memory: bands of neighbouring resources, in order,
/// which may be read side by side.
#[async_trait]
pub trait SampleScan: Send + Sync {
    /// Returns the number of bands.
    fn bands(&self) -> usize;
    /// The series of a band, by resource and metric; those without points are left out. A conflict
    /// means that what is read was merged or has expired meanwhile: begin the pass again.
    async fn band(&self, band: usize) -> Result<Vec<Track>, StoreError>;
}
