//! Descriptions of resources: what a connector reads beyond the inventory, how it hands that over,
//! and the port of their store.
//!
//! A connector hands pages over as they arrive, so that an account with hundreds of thousands of
//! resources of one kind is read in bounded memory. What could not be read is said by kind and
//! region: a resource is gone only where its kind was read completely.

use async_trait::async_trait;
use jiff::Timestamp;

use crate::connection::{Connection, ConnectionId};
use crate::document::Document;
use crate::kind::ResourceKind;
use crate::named;
use crate::relation::{Relation, RelationKind};
use crate::resource::{Resource, ResourceId};
use crate::store::StoreError;

/// A resource with its provider's description.
#[derive(Debug, Clone, PartialEq)]
pub struct Described {
    /// The resource. For kinds of [`ResourceKind::SPECIFIED`] only its identifier counts: the
    /// inventory knows the rest better.
    pub resource: Resource,
    /// The provider's description, with secrets replaced.
    pub document: Document,
    /// Relations to other resources.
    pub relations: Vec<Relation>,
}

named!(
    /// Outcome of reading one kind in one region.
    ReadOutcome {
        /// Every page was read.
        Complete => "complete",
        /// The account's permissions do not allow it.
        Denied => "denied",
        /// The provider kept throttling.
        Throttled => "throttled",
        /// Any failure that has no outcome of its own.
        Failed => "failed",
    }
);

/// Account of reading one kind in one region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescriptionReading {
    pub kind: ResourceKind,
    /// The region; empty for global services.
    pub region: String,
    pub outcome: ReadOutcome,
    /// Permission that the listing needs, by the cloud's name.
    pub permission: String,
    /// Resources seen, even where reading broke off.
    pub seen: u64,
    /// Cause of what is missing, in words; empty if nothing is.
    pub message: String,
    /// Beginning of the reading.
    pub begun_at: Timestamp,
    /// End of the reading.
    pub read_at: Timestamp,
    /// Time of the last complete reading.
    pub complete_at: Option<Timestamp>,
}

/// Receiver of descriptions, page by page.
#[async_trait]
pub trait DescriptionSink: Send + Sync {
    /// Takes a page of resources of one kind and region.
    async fn page(&self, page: Vec<Described>) -> Result<(), StoreError>;
    /// Takes the account of a kind and region, after its last page.
    async fn end(&self, reading: DescriptionReading) -> Result<(), StoreError>;
}

/// Reader of further kinds, beside the connector of a cloud.
#[async_trait]
pub trait KindReader: Send + Sync {
    /// Hands the descriptions of a connection's resources over, and says of each kind and region
    /// how reading it ended.
    ///
    /// # Errors
    /// The store failed; or nothing could be read at all.
    async fn read(
        &self,
        connection: &Connection,
        sink: &dyn DescriptionSink,
    ) -> Result<(), DescriptionReadError>;
}

/// Error with which a reader failed as a whole.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct DescriptionReadError(pub String);

/// A described resource as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownDescription {
    /// The resource; `None` if only its description is stored.
    pub resource: Option<Resource>,
    pub id: ResourceId,
    /// Hash of its current document.
    pub hash: Option<String>,
    /// Relations to other resources, sorted.
    pub relations: Vec<Relation>,
    /// Time of the first observation of the current document.
    pub seen_at: Option<Timestamp>,
}

/// A version of a resource's configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescriptionVersion {
    /// Hash of the document; `None` from the moment at which the resource was gone.
    pub hash: Option<String>,
    /// Time of the first observation with this document.
    pub seen_at: Timestamp,
    /// Time of the first observation with another one; `None` for the current version.
    pub until: Option<Timestamp>,
}

/// A resource that another one is related to.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    /// Kind of the relation.
    pub kind: RelationKind,
    /// `true` if the relation is the other resource's: it points here.
    pub is_incoming: bool,
    /// Identifier of the other resource.
    pub id: ResourceId,
    /// The other resource, if Reeve knows it.
    pub resource: Option<Resource>,
}

/// Change of a resource's document or relations. A resource is listed with its last change alone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DescriptionChange {
    /// Number of the write that changed it, ascending within a connection.
    pub revision: u64,
    pub id: ResourceId,
}

/// Relation with the resource that has it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OwnedRelation {
    pub source: ResourceId,
    pub relation: Relation,
}

/// Documents with their versions, relations, and accounts of readings.
#[async_trait]
pub trait DescriptionStore: Send + Sync {
    /// Returns the stored resources of these identifiers, deleted ones left out, with the hashes of
    /// their documents and their relations.
    async fn description_known(
        &self,
        connection: &ConnectionId,
        ids: &[ResourceId],
    ) -> Result<Vec<KnownDescription>, StoreError>;
    /// Writes descriptions that differ from the stored ones, all or nothing: a new version where
    /// the document differs, the relations, and the resource unless the inventory keeps it.
    async fn description_put(
        &self,
        connection: &ConnectionId,
        described: &[Described],
        at: Timestamp,
    ) -> Result<(), StoreError>;
    /// Marks resources as deleted, ends their versions and removes their relations.
    async fn description_remove(
        &self,
        connection: &ConnectionId,
        ids: &[ResourceId],
        at: Timestamp,
    ) -> Result<(), StoreError>;
    /// Marks what is no longer read as deleted: the resources of a kind and region (an empty one is
    /// all), or all of the connection. Forgets its readings, so that the next one finds what is
    /// there already; returns the number of resources.
    async fn description_retire(
        &self,
        connection: &ConnectionId,
        read: Option<(ResourceKind, &str)>,
        at: Timestamp,
    ) -> Result<u64, StoreError>;
    /// Returns the documents of these hashes, in no particular order; hashes that are not stored
    /// are left out.
    async fn documents(&self, hashes: &[String]) -> Result<Vec<Document>, StoreError>;
    /// Returns identifiers of a kind and region that are not deleted, in order, after one of them;
    /// an empty region is all.
    async fn description_ids(
        &self,
        connection: &ConnectionId,
        kind: ResourceKind,
        region: &str,
        after: Option<&ResourceId>,
    ) -> Result<Vec<ResourceId>, StoreError>;
    /// Returns the versions of a resource's configuration, newest first.
    async fn versions(
        &self,
        connection: &ConnectionId,
        id: &ResourceId,
    ) -> Result<Vec<DescriptionVersion>, StoreError>;
    /// Returns the document that a resource had at a time; `None` before the first and while it was
    /// gone.
    async fn document_at(
        &self,
        connection: &ConnectionId,
        id: &ResourceId,
        at: Timestamp,
    ) -> Result<Option<(DescriptionVersion, Document)>, StoreError>;
    /// Returns the neighbours of a resource in both directions, at most `limit`, and their number.
    async fn neighbours(
        &self,
        connection: &ConnectionId,
        id: &ResourceId,
        limit: u64,
    ) -> Result<(Vec<Neighbour>, u64), StoreError>;
    /// Returns the relations of other resources that point at these, sorted.
    async fn relations_to(
        &self,
        connection: &ConnectionId,
        targets: &[ResourceId],
    ) -> Result<Vec<OwnedRelation>, StoreError>;
    /// Returns the number of the last write that changed a document or a relation; 0 before the
    /// first. A write that commits later has a higher number.
    async fn description_revision(&self, connection: &ConnectionId) -> Result<u64, StoreError>;
    /// Returns resources whose document or relations changed after a revision, by revision and
    /// identifier: new ones, gone ones, and those that a relation no longer points at. At most
    /// `limit` of those after another change.
    async fn changed_since(
        &self,
        connection: &ConnectionId,
        revision: u64,
        after: Option<&DescriptionChange>,
        limit: u64,
    ) -> Result<Vec<DescriptionChange>, StoreError>;
    /// Writes the account of a reading. The time of the last complete one is kept by the store.
    async fn reading_put(
        &self,
        connection: &ConnectionId,
        reading: &DescriptionReading,
    ) -> Result<(), StoreError>;
    /// Returns the accounts of a connection's readings, by kind and region.
    async fn readings(
        &self,
        connection: &ConnectionId,
    ) -> Result<Vec<DescriptionReading>, StoreError>;
    /// Removes versions that had ended before a time, and documents that no version has; returns
    /// the number of versions.
    async fn versions_expire(&self, before: Timestamp) -> Result<u64, StoreError>;
}
