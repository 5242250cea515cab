//! The estate as Reeve knows it: connections, resources, metric samples, charges, the price
//! catalogue, and the two ports a cloud implements.
//!
//! Observing and acting are two ports ([`Observe`] and [`Act`]), so that a connection can be given
//! one without the other. This crate does no I/O and knows no cloud; adapters live in `connect`.

pub mod act;
pub mod bucket;
pub mod catalogue;
pub mod change;
pub mod charge;
pub mod connection;
pub mod database_load;
mod database_state;
pub mod description;
pub mod document;
mod finite;
pub mod instant;
pub mod kind;
mod metric;
pub mod money;
mod named;
pub mod observe;
mod platform;
pub mod provider;
pub mod quantity;
pub mod relation;
pub mod resource;
pub mod sample;
pub mod store;

pub use act::{
    Act, ActError, ActErrorKind, Applied, MADE_BY, Mutation, Observed, Operation, QUARANTINE,
    REPLACEMENT_PREFIX, ResourceSnapshot,
};
pub use bucket::BucketContents;
pub use bucket::access::BucketAccess;
pub use catalogue::{
    CatalogueError, DatabaseSpec, Discount, InstanceSpec, LocalDisks, MonthlyCost, Price,
    PriceCatalogue, PriceFile, PriceFileError, PriceFiles, PriceKind, PriceOrigin, PriceTableInfo,
};
pub use change::{Attribute, ResourceChange};
pub use charge::{Amount, Charge, ChargeCategory};
pub use connection::{
    Connection, ConnectionCredentials, ConnectionId, ConnectionStatus, Denied, SyncReport,
    VisibleConnections,
};
pub use database_load::{DatabaseKey, DatabaseLoad, DatabaseLoadStore, LoadReading};
pub use database_state::{DatabaseIndexState, DatabaseState, StatementCalls};
pub use description::{
    Described, DescriptionChange, DescriptionReadError, DescriptionReading, DescriptionSink,
    DescriptionStore, DescriptionVersion, KindReader, KnownDescription, Neighbour, OwnedRelation,
    ReadOutcome,
};
pub use document::{Difference, Document};
pub use finite::finite;
pub use instant::read_instant;
pub use kind::{KindClass, KindInfo, Kinds, ResourceKind};
pub use metric::{GIB, Metric, MetricRefused, MetricRow, RegisteredMetric, Unit};
pub use money::Money;
pub use observe::{
    AccessBatch, Inventory, InventorySink, Observe, ObserveError, ObserveErrorKind, SampleBatch,
    SampleQuery,
};
pub use platform::Platform;
pub use provider::Provider;
pub use quantity::{DataSize, Percent, QuantityBaseline, QuantityError, TimeSpan};
pub use relation::{Relation, RelationKind};
pub use resource::{
    Capacity, DatabaseName, GroupTemplate, GroupUse, Lifecycle, PublicAddress, Purchase,
    ReplacementGroup, Resource, ResourceId, ResourceState, SUCCEEDS_TAG, Specification, Successor,
};
pub use sample::{Sample, SampleSeries, Track};
pub use store::{
    EstateStore, IsSeen, PriceFileStore, ResourceFilter, ResourcePages, ResourceTotal, SampleScan,
    SampleStore, StoreError, StoredPriceFile,
};
