//! The estate as Reeve knows it: connections, resources, metric samples, charges, the price catalogue, and the two
//! ports a cloud implements.
//!
//! Observing and acting are two ports ([`Observe`] and [`Act`]), so that a connection can be given one without the other.
//! This crate does no I/O and knows no cloud; adapters live in `connect`.

pub mod act;
pub mod catalogue;
pub mod change;
pub mod charge;
pub mod connection;
pub mod instant;
pub mod money;
mod named;
pub mod observe;
mod platform;
pub mod quantity;
pub mod resource;
pub mod sample;
pub mod store;

pub use act::{Act, ActError, ActErrorKind, Applied, Mutation, Observed, Operation, QUARANTINE, Snapshot};
pub use catalogue::{Catalogue, CatalogueError, DatabaseSpec, Discount, InstanceSpec, MonthlyCost, Price};
pub use change::{Attribute, ResourceChange};
pub use charge::{Amount, Charge, ChargeCategory};
pub use connection::{Connection, ConnectionId, ConnectionStatus, Credentials, Denied, SyncReport};
pub use instant::read_instant;
pub use money::Money;
pub use observe::{Inventory, Observe, ObserveError, ObserveErrorKind, SampleBatch, SampleQuery};
pub use platform::Platform;
pub use quantity::{Baseline, DataSize, Percent, QuantityError, TimeSpan};
pub use resource::{Capacity, Provider, Purchase, Resource, ResourceId, ResourceKind, ResourceState, Specification};
pub use sample::{GIB, Metric, Sample, Series, Track, Unit};
pub use store::{EstateStore, ResourceFilter, SampleScan, SampleStore, StoreError};
