//! The acting port: operations on one resource, each one call to the cloud, each refused by the
//! cloud when out of order.
//!
//! The set of operations is open: a change brings operations as types of its own, and a connector
//! recognises by their type those that it offers. [`Mutation`] holds the operations that every
//! connector knows.

use std::any::Any;
use std::fmt;

use async_trait::async_trait;

use crate::named;
use crate::resource::{Resource, ResourceId, ResourceState};

/// An operation on one resource.
pub trait Operation: Any + fmt::Debug + Send + Sync {}

impl dyn Operation {
    /// This operation as one of type `T`; `None` if it is another one.
    #[must_use]
    pub fn downcast_ref<T: Operation>(&self) -> Option<&T> {
        (self as &dyn Any).downcast_ref()
    }
}

impl Operation for Mutation {}

/// One of the common operations. The order among them is the plan's business.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mutation {
    /// Stop a running machine or database.
    Stop,
    /// Start a stopped one.
    Start,
    /// Change the size; the machine must be stopped.
    Resize {
        /// The new instance type or class.
        instance_type: String,
    },
    /// Snapshot a volume or database before something is done to it.
    Snapshot {
        /// Shown in the cloud's console; carries the recommendation's id.
        description: String,
    },
    /// Give a volume or database more storage. No cloud takes it back.
    Grow {
        /// The storage after it, GiB.
        storage_gib: u32,
    },
    /// Set how many members a scaling group has. Its own maximum stays what it is, and bounds both.
    Scale {
        /// The least it may have.
        min: u32,
        /// New desired number of members.
        desired: u32,
    },
    /// Let the standby of a database that has one in another zone take over.
    FailOver,
    /// Make a read replica of a database.
    Replicate { name: String },
    /// Delete a read replica that Reeve made.
    RemoveReplica { name: String },
    /// Cut a machine off: its security groups give way to [`QUARANTINE`], which is made where its
    /// network has none.
    Isolate,
    /// Give a machine these security groups and no others.
    SetGroups {
        /// Their identifiers; at least one.
        groups: Vec<String>,
    },
}

/// The name of the security group that lets nothing in and nothing out.
pub const QUARANTINE: &str = "reeve-quarantine";
/// Beginning of the names of security groups that take the place of others, before the identifier
/// of the other one.
pub const REPLACEMENT_PREFIX: &str = "reeve-tight-";
/// Tag of resources that Reeve made, and its value.
pub const MADE_BY: (&str, &str) = ("reeve:created-by", "reeve");

/// State of a resource as the cloud reports it now.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    pub state: ResourceState,
    /// Size of the machine or database.
    pub instance_type: Option<String>,
    /// The whole resource, freshly read.
    pub resource: Resource,
}

/// A snapshot that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceSnapshot {
    /// The cloud's identifier of the snapshot.
    pub id: String,
}

named!(
    /// Kind of a refusal or failure, by the cloud's error code.
    ActErrorKind {
        /// The resource is in a state that does not allow it (resizing a running machine).
        WrongState => "wrong_state",
        /// The size does not exist, does not fit the machine's architecture, or is beyond what the
        /// resource allows (a smaller disk, more members than a group's maximum).
        InvalidType => "invalid_type",
        /// The cloud knows no such resource.
        NotFound => "not_found",
        /// The account's permissions do not allow it.
        Denied => "denied",
        /// Throttled after every retry.
        Throttled => "throttled",
        /// The cloud has no capacity for the size now.
        NoCapacity => "no_capacity",
        /// Not reachable, or no answer: the change may or may not have happened; look before trying
        /// again.
        Unknown => "unknown",
        /// Anything else the cloud said.
        Other => "other",
    }
);

/// A failed change, in words for a person.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct ActError {
    /// Kind of the error.
    pub kind: ActErrorKind,
    /// Failed call, the cloud's error and the remedy.
    pub message: String,
}

/// Result of an applied mutation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Applied {
    /// Accepted; whether it stuck is to be observed.
    Accepted,
    /// Under way at the provider; the same operation is to be requested again to learn how it ends.
    Pending,
    /// A snapshot was begun.
    Snapshot(ResourceSnapshot),
}

/// Changes one account. An implementation never retries what may have happened: it answers
/// [`ActErrorKind::Unknown`].
///
/// A connector tells operations apart by their types and refuses those that it does not offer. This
/// one starts and stops a machine that it keeps in memory:
///
/// ```
/// use std::sync::Mutex;
///
/// use async_trait::async_trait;
/// use reeve_estate::{
///     Act, ActError, ActErrorKind, Applied, Mutation, Observed, Operation, Resource, ResourceId,
///     ResourceState, ResourceSnapshot,
/// };
///
/// struct Machine(Mutex<Resource>);
///
/// fn failed(kind: ActErrorKind, message: impl ToString) -> ActError {
///     ActError {
///         kind,
///         message: message.to_string(),
///     }
/// }
///
/// #[async_trait]
/// impl Act for Machine {
///     async fn observe(&self, _: &Resource) -> Result<Observed, ActError> {
///         let machine = self.0.lock();
///         let resource = machine
///             .map_err(|error| failed(ActErrorKind::Other, error))?
///             .clone();
///         Ok(Observed {
///             state: resource.state,
///             instance_type: resource.specification.instance_type.clone(),
///             resource,
///         })
///     }
///
///     async fn observe_configuration(&self, _: &Resource) -> Result<Observed, ActError> {
///         Err(failed(ActErrorKind::Other, "it has no configuration"))
///     }
///
///     async fn volumes_of(&self, _: &Resource) -> Result<Vec<Resource>, ActError> {
///         Ok(Vec::new())
///     }
///
///     async fn apply(
///         &self,
///         _: &Resource,
///         operation: &dyn Operation,
///     ) -> Result<Applied, ActError> {
///         let state = match operation.downcast_ref() {
///             Some(Mutation::Start) => ResourceState::Running,
///             Some(Mutation::Stop) => ResourceState::Stopped,
///             _ => return Err(failed(ActErrorKind::Other, "the operation is not offered")),
///         };
///         let machine = self.0.lock();
///         machine.map_err(|error| failed(ActErrorKind::Other, error))?.state = state;
///         Ok(Applied::Accepted)
///     }
///
///     async fn snapshot_complete(
///         &self,
///         _: &ResourceId,
///         _: &str,
///         _: &ResourceSnapshot,
///     ) -> Result<bool, ActError> {
///         Err(failed(ActErrorKind::NotFound, "no snapshot was made"))
///     }
/// }
/// ```
#[async_trait]
pub trait Act: Send + Sync {
    /// Observes one resource, with its volumes.
    async fn observe(&self, resource: &Resource) -> Result<Observed, ActError>;
    /// Observes one resource with its configuration document, as a description states it. A
    /// connector that reads none refuses.
    async fn observe_configuration(&self, resource: &Resource) -> Result<Observed, ActError>;
    /// The volumes attached to a machine.
    async fn volumes_of(&self, machine: &Resource) -> Result<Vec<Resource>, ActError>;
    /// Carries out one operation. One that the connector does not offer is refused as
    /// [`ActErrorKind::Other`].
    async fn apply(
        &self,
        resource: &Resource,
        operation: &dyn Operation,
    ) -> Result<Applied, ActError>;
    /// Returns `true` if the snapshot is complete.
    async fn snapshot_complete(
        &self,
        resource: &ResourceId,
        region: &str,
        snapshot: &ResourceSnapshot,
    ) -> Result<bool, ActError>;
}
