//! Account and region of a listing, and the result of the listing.

use std::collections::BTreeMap;

use aws_smithy_runtime::client::retries::RetryPartition;
use aws_smithy_types::DateTime;
use jiff::Timestamp;
use reeve_estate::{
    ConnectionId, Provider, Resource, ResourceId, ResourceKind, ResourceState, Specification,
};

use crate::fault::{AwsEc2Fault, Call};

/// One region of one account, as one connection sees it.
#[derive(Debug, Clone)]
pub struct Place {
    pub connection: ConnectionId,
    /// Identifier of the account.
    pub account: String,
    pub region: String,
    /// The endpoint override, for messages.
    pub endpoint: Option<String>,
}

impl Place {
    /// A call made here, by the name of the permission it needs (`ec2:DescribeInstances`).
    #[must_use]
    pub fn call(&self, operation: &'static str) -> Call<'_> {
        let connection = &self.connection.0;
        Call {
            operation,
            connection,
            region: &self.region,
            endpoint: self.endpoint.as_deref(),
        }
    }

    /// Returns the budget of retries of a client here. By default all clients of a service share
    /// one, so that an account that is throttled takes the retries of all others.
    #[must_use]
    pub fn retries(&self, service: &str) -> RetryPartition {
        retries(&self.connection.0, service)
    }

    /// A resource here, with the least that is known of it. The name is the `Name` tag, or else the
    /// identifier.
    #[must_use]
    pub fn resource(
        &self,
        kind: ResourceKind,
        service: &str,
        id: &str,
        tags: BTreeMap<String, String>,
    ) -> Resource {
        Resource {
            id: ResourceId::new(id),
            connection: self.connection.clone(),
            provider: Provider::Aws,
            account: self.account.clone(),
            region: self.region.clone(),
            service: service.to_owned(),
            kind,
            name: tags
                .get("Name")
                .filter(|n| !n.is_empty())
                .cloned()
                .unwrap_or_else(|| id.to_owned()),
            state: ResourceState::Available,
            specification: Specification::default(),
            purchase: None,
            tags,
            group: None,
            attached_to: Vec::new(),
            monthly_cost: None,
            created_at: None,
            observed_at: Timestamp::now(),
        }
    }
}

/// Returns the budget of retries of a connection's calls to a service.
#[must_use]
pub fn retries(connection: &str, service: &str) -> RetryPartition {
    RetryPartition::new(format!("{service} of {connection}"))
}

/// Result of listing one kind of resource in one region: the resources, the failures, and whether
/// any may be missing.
#[derive(Debug)]
pub struct Listing {
    /// Kind of the resources.
    pub kind: ResourceKind,
    /// Resources found, even when the listing broke off.
    pub resources: Vec<Resource>,
    /// Calls that were denied or failed.
    pub faults: Vec<AwsEc2Fault>,
    /// Every page was read; what is not in `resources` is not there.
    pub complete: bool,
}

impl Listing {
    /// Returns an empty listing.
    #[must_use]
    pub fn new(kind: ResourceKind) -> Self {
        Listing {
            kind,
            resources: Vec::new(),
            faults: Vec::new(),
            complete: false,
        }
    }

    /// Notes how reading the pages ended.
    pub fn end(&mut self, outcome: Result<(), AwsEc2Fault>) {
        match outcome {
            Ok(()) => self.complete = true,
            Err(fault) => self.faults.push(fault),
        }
    }
}

/// The SDK's time as ours; `None` beyond the representable.
#[must_use]
pub fn timestamp(time: &DateTime) -> Option<Timestamp> {
    Timestamp::new(time.secs(), i32::try_from(time.subsec_nanos()).ok()?).ok()
}
