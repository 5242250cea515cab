//! The observing port: inventory and raw samples of one account.

use async_trait::async_trait;
use jiff::Timestamp;

use crate::resource::{Resource, ResourceKind};
use crate::sample::{Metric, Sample};

/// Call that the account's permissions denied. It is listed, and the inventory continues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denied {
    /// The permission by the cloud's name (`rds:DescribeDBInstances`).
    pub permission: String,
    /// The region, or empty for global services.
    pub region: String,
    /// The cloud's own message.
    pub message: String,
}

/// Why observing failed as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObserveErrorKind {
    /// The endpoint cannot be reached.
    Unreachable,
    /// The key is wrong or expired, or the role cannot be assumed.
    Unauthenticated,
    /// The call is not permitted.
    Denied,
    /// The cloud kept throttling after every retry.
    Throttled,
    /// The cloud answered with something else.
    Other,
}

/// An observing failure, in words for a person.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct ObserveError {
    /// Kind of the error.
    pub kind: ObserveErrorKind,
    /// Failed call and the remedy.
    pub message: String,
}

/// Result of an inventory.
#[derive(Debug, Clone, Default)]
pub struct Inventory {
    /// Resources of all regions.
    pub resources: Vec<Resource>,
    /// Denied calls.
    pub denied: Vec<Denied>,
    /// Other failures, in words.
    pub problems: Vec<String>,
    /// Kinds whose listing was complete: what is missing of them is gone.
    pub complete: Vec<ResourceKind>,
}

/// Raw points wanted of one resource.
#[derive(Debug, Clone)]
pub struct SampleQuery {
    /// The resource, as the inventory returned it.
    pub resource: Resource,
    /// The metrics; those the cloud does not have for it are left out of the answer.
    pub metrics: Vec<Metric>,
    /// From here (inclusive).
    pub start: Timestamp,
    /// To here (exclusive).
    pub end: Timestamp,
}

/// Samples, and what could not be had.
#[derive(Debug, Clone, Default)]
pub struct SampleBatch {
    /// Points, in no particular order.
    pub samples: Vec<Sample>,
    /// Denied calls.
    pub denied: Vec<Denied>,
    /// Other failures, in words.
    pub problems: Vec<String>,
}

/// Reads one account. Implementations page, back off when throttled, and report partial permission.
#[async_trait]
pub trait Observe: Send + Sync {
    /// Returns the account's identifier, by the cheapest call that proves the credentials.
    async fn identity(&self) -> Result<String, ObserveError>;
    /// Lists all resources of the kinds that Reeve knows.
    async fn inventory(&self) -> Result<Inventory, ObserveError>;
    /// Raw points, all pages.
    async fn samples(&self, queries: &[SampleQuery]) -> Result<SampleBatch, ObserveError>;
}
