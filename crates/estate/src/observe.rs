//! The observing port: inventory and raw samples of one account.

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};

use crate::bucket::access::BucketAccess;
use crate::connection::Denied;
use crate::description::DescriptionSink;
use crate::kind::ResourceKind;
use crate::metric::Metric;
use crate::resource::{Resource, ResourceId, ResourceState};
use crate::sample::Sample;
use crate::store::StoreError;

/// Reach of the first query for samples of a resource.
const HISTORY: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Time before the newest sample that is read again: late points replace early ones.
const OVERLAP: SignedDuration = SignedDuration::from_mins(15);

/// Reason why observing failed as a whole.
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
    /// Calls that the account's permissions denied.
    pub denied: Vec<Denied>,
    /// Other failures, in words.
    pub problems: Vec<String>,
    /// Kinds whose listing was complete: what is missing of them is gone.
    pub complete: Vec<ResourceKind>,
}

/// Receiver of an inventory's resources, page by page.
#[async_trait]
pub trait InventorySink: Send + Sync {
    /// Takes a page of resources.
    async fn page(&self, page: Vec<Resource>) -> Result<(), StoreError>;
}

/// Raw points wanted of one resource.
#[derive(Debug, Clone)]
pub struct SampleQuery {
    /// The resource, as the inventory returned it.
    pub resource: Resource,
    /// The metrics; those the cloud does not have for it are left out of the answer.
    pub metrics: Vec<Metric>,
    /// Start of the period, inclusive.
    pub start: Timestamp,
    /// End of the period, exclusive.
    pub end: Timestamp,
}

impl SampleQuery {
    /// Returns the query for the samples that came since the newest of a resource: all metrics of
    /// its kind. `newest` returns the time of a metric's newest sample. `None` for a resource that
    /// is gone or has no metrics.
    #[must_use]
    pub fn since(
        resource: &Resource,
        newest: impl Fn(Metric) -> Option<Timestamp>,
        now: Timestamp,
    ) -> Option<SampleQuery> {
        let metrics = resource.kind.metrics();
        if resource.state == ResourceState::Deleted || metrics.is_empty() {
            return None;
        }

        let newest = metrics.iter().filter_map(|metric| newest(*metric)).max();
        let start = newest
            .and_then(|at| at.checked_sub(OVERLAP).ok())
            .or_else(|| now.checked_sub(HISTORY).ok())?;
        (start < now).then(|| SampleQuery {
            resource: resource.clone(),
            metrics: metrics.to_vec(),
            start,
            end: now,
        })
    }
}

/// Samples, and what could not be had.
#[derive(Debug, Clone, Default)]
pub struct SampleBatch {
    /// Points, in no particular order.
    pub samples: Vec<Sample>,
    /// Calls that the account's permissions denied.
    pub denied: Vec<Denied>,
    /// Other failures, in words.
    pub problems: Vec<String>,
}

/// Use of buckets, and what could not be read.
#[derive(Debug, Clone, Default)]
pub struct AccessBatch {
    /// Buckets whose logs were read; others stay as they are known.
    pub read: Vec<(ResourceId, BucketAccess)>,
    /// Calls that the account's permissions denied.
    pub denied: Vec<Denied>,
    /// Other failures, in words.
    pub problems: Vec<String>,
}

/// Reads one account. Implementations page, back off when throttled, and report partial permission.
///
/// Three methods suffice for an account that is small. This one has no
/// resources, and may not list buckets:
///
/// ```
/// use async_trait::async_trait;
/// use reeve_estate::{Denied, Inventory, Observe, ObserveError, ResourceKind};
/// use reeve_estate::{SampleBatch, SampleQuery};
///
/// struct Empty;
///
/// #[async_trait]
/// impl Observe for Empty {
///     async fn identity(&self) -> Result<String, ObserveError> {
///         Ok("123456789012".to_owned())
///     }
///
///     async fn inventory(&self) -> Result<Inventory, ObserveError> {
///         Ok(Inventory {
///             // Kinds that are left out stay as they are known.
///             complete: vec![ResourceKind::VirtualMachine],
///             denied: vec![Denied {
///                 permission: "s3:ListAllMyBuckets".to_owned(),
///                 region: String::new(),
///                 message: "access denied".to_owned(),
///             }],
///             ..Inventory::default()
///         })
///     }
///
///     async fn samples(&self, _: &[SampleQuery]) -> Result<SampleBatch, ObserveError> {
///         Ok(SampleBatch::default())
///     }
/// }
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), ObserveError> {
/// let inventory = Empty.inventory().await?;
/// assert!(!inventory.complete.contains(&ResourceKind::Bucket));
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait Observe: Send + Sync {
    /// Returns the account's identifier, by the cheapest call that proves the credentials.
    async fn identity(&self) -> Result<String, ObserveError>;
    /// Lists all resources of the kinds that Reeve knows.
    async fn inventory(&self) -> Result<Inventory, ObserveError>;
    /// Lists the same resources, and hands those of the kinds of which an account may have hundreds
    /// of thousands over page by page. The answer has all others. A connector whose accounts are
    /// small hands nothing over.
    ///
    /// # Errors
    /// As of [`Observe::inventory`]. Where the sink failed, the kind is not complete.
    async fn inventory_by_pages(
        &self,
        _sink: &dyn InventorySink,
    ) -> Result<Inventory, ObserveError> {
        self.inventory().await
    }
    /// Returns `true` if resources of a region are looked at: what is missing there is gone.
    fn watches(&self, _region: &str) -> bool {
        true
    }
    /// Hands the providers' own descriptions over, page by page, and says of each kind and region
    /// how reading it ended. A connector that has none hands nothing over.
    ///
    /// # Errors
    /// The store failed; or nothing could be read at all.
    async fn describe(&self, _sink: &dyn DescriptionSink) -> Result<(), ObserveError> {
        Ok(())
    }
    /// Reads on in the access logs of buckets, which carry what is known of their use. A connector
    /// that reads none returns none.
    async fn access(&self, _buckets: &[Resource]) -> AccessBatch {
        AccessBatch::default()
    }
    /// Raw points, all pages.
    async fn samples(&self, queries: &[SampleQuery]) -> Result<SampleBatch, ObserveError>;
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::metric::Metric;
    use crate::{ConnectionId, Provider, ResourceId, Specification};
    use std::collections::BTreeMap;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn resource(kind: ResourceKind, state: ResourceState) -> Resource {
        Resource {
            id: ResourceId::new("i-1"),
            connection: ConnectionId("c".into()),
            provider: Provider::Aws,
            account: "1234".into(),
            region: "us-east-1".into(),
            service: "ec2".into(),
            kind,
            name: "i-1".into(),
            state,
            specification: Specification::default(),
            purchase: None,
            tags: BTreeMap::new(),
            group: None,
            attached_to: Vec::new(),
            monthly_cost: None,
            created_at: None,
            observed_at: at(0),
        }
    }

    #[test]
    fn samples_are_read_on_from_the_newest_or_thirty_days_back() {
        let now = at(10_000_000);
        let of = |kind, newest: Option<i64>| {
            let newest = |metric| newest.filter(|_| metric == Metric::CpuUtilization).map(at);
            SampleQuery::since(&resource(kind, ResourceState::Running), newest, now)
        };
        let first = of(ResourceKind::VirtualMachine, None).unwrap();
        assert_eq!((first.start, first.end), (now - HISTORY, now));

        assert_eq!(first.metrics, ResourceKind::VirtualMachine.metrics());

        let next = of(ResourceKind::VirtualMachine, Some(9_999_000)).unwrap();
        assert_eq!(next.start, at(9_999_000) - OVERLAP);
        assert!(
            of(ResourceKind::Volume, Some(9_999_000)).unwrap().start == now - HISTORY,
            "a volume has no processor"
        );
        assert!(of(ResourceKind::Bucket, None).is_none());

        let gone = resource(ResourceKind::Database, ResourceState::Deleted);
        assert!(SampleQuery::since(&gone, |_| None, now).is_none());
    }
}
