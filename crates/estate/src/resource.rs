//! Resources: what runs in an account, in terms common to the clouds.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::bucket::BucketContents;
use crate::bucket::access::BucketAccess;
use crate::connection::ConnectionId;
use crate::database_state::DatabaseState;
use crate::document::Document;
use crate::kind::ResourceKind;
use crate::money::Money;
use crate::named;
use crate::provider::Provider;

/// The provider's own identifier, in the form that is unique across regions and accounts
/// (`i-0abc...`, `vol-...`, a bucket name, an ARN for databases and load balancers).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ResourceId(pub String);

impl ResourceId {
    /// From the provider's identifier.
    pub fn new(id: impl Into<String>) -> Self {
        ResourceId(id.into())
    }
    /// Returns the identifier as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Name of an RDS instance and the place in which it is unique, as an identifier of the form
/// `arn:aws:rds:<region>:<account>:db:<name>` has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatabaseName<'a> {
    pub region: &'a str,
    pub account: &'a str,
    /// `DBInstanceIdentifier`, which calls, CloudWatch and CloudTrail use.
    pub name: &'a str,
}

impl ResourceId {
    /// Returns the parts of an RDS instance's ARN; `None` for any other identifier.
    #[must_use]
    pub fn database_name(&self) -> Option<DatabaseName<'_>> {
        let parts: Vec<&str> = self.0.splitn(7, ':').collect();
        match parts.as_slice() {
            ["arn", _, "rds", region, account, "db", name] => Some(DatabaseName {
                region,
                account,
                name,
            }),
            _ => None,
        }
    }
}

impl fmt::Display for ResourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

named!(
    /// Lifecycle state of a resource.
    ResourceState {
        /// Up; all of it is billed.
        Running => "running",
        /// Stopped; compute is not billed, disks are.
        Stopped => "stopped",
        /// On its way between states.
        Changing => "changing",
        /// Exists and has no notion of running (buckets, load balancers, attached volumes).
        Available => "available",
        /// A volume that nothing is attached to.
        Unattached => "unattached",
        /// Gone, kept for the record.
        Deleted => "deleted",
    }
);

named!(
    /// Purchase option of a resource.
    Purchase {
        /// By the hour, no commitment.
        OnDemand => "on_demand",
        /// Spot capacity, which the provider may interrupt.
        Spot => "spot",
        /// Covered by a reservation or savings plan.
        Reserved => "reserved",
    }
);

named!(
    /// Public IPv4 address of a machine, by its fate when the machine stops.
    #[derive(Default)]
    PublicAddress {
        /// The machine has none.
        #[default]
        Absent => "absent",
        /// Belongs to the account (an Elastic IP, a static or reserved address) and stays with the
        /// machine.
        Kept => "kept",
        /// The cloud assigned it at the start and takes it back at a stop; another one follows.
        Assigned => "assigned",
        NotRead => "not_read",
    }
);

/// Configuration that was bought: the size by the provider's name, and the storage of resources
/// that have some.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Specification {
    /// Instance type or class (`m5.large`, `db.r6g.xlarge`, `Standard_D4s_v5`, `n2-standard-4`).
    pub instance_type: Option<String>,
    /// Operating system or engine (`linux`, `windows`, `postgres`); prices differ by it.
    pub platform: Option<String>,
    /// Processor architecture: `x86_64` or `arm64`.
    pub architecture: Option<String>,
    /// Provisioned storage, in GiB.
    pub storage_gib: Option<f64>,
    /// Volume type (`gp3`, `io2`).
    pub storage_type: Option<String>,
    /// Provisioned I/O operations per second.
    pub iops: Option<u64>,
    /// Provisioned throughput of a volume, MiB/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput_mibps: Option<u64>,
    /// Runs in more than one zone with a standby.
    pub multi_az: Option<bool>,
    /// Tenancy of a machine's hardware: `default` (shared), `dedicated` or `host`; `None` if the
    /// cloud did not report it. Prices are for shared hardware.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenancy: Option<String>,
    /// The zone that a machine or a database's primary runs in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// The zone its standby waits in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standby_zone: Option<String>,
    /// Identifiers of a database's read replicas, those that are being made included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replicas: Vec<String>,
    /// Current and allowed number of a scaling group's members.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<Capacity>,
    /// Identifiers of a machine's security groups, in order; empty where they are not known, or
    /// where the machine has several network interfaces, whose groups differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub security_groups: Vec<String>,
    /// `true` if a machine's only security group is the one that Reeve isolates with. An inventory
    /// decides by the group's name; the observation of a single machine also requires that the
    /// group lets nothing through.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub isolated: bool,
    /// Public IPv4 address of a machine.
    #[serde(default = "not_read")]
    pub public_address: PublicAddress,
    /// `true` if the cloud reports disks of the host that a machine runs on; `None` where it does
    /// not tell, and the size decides ([`crate::PriceCatalogue::local_disks`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local_disks: Option<bool>,
    /// Cluster that a database instance is a member of (Aurora, Multi-AZ clusters, DocumentDB,
    /// Neptune): the cluster stops, replicates and stores for its members.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// Contents of a bucket; `None` where they were not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contents: Option<BucketContents>,
    /// Use of a bucket by its access logs; `None` where they were not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<BucketAccess>,
    /// Lifecycle of a bucket; the observation of a single bucket alone reads it.
    #[serde(skip)]
    pub lifecycle: Option<Lifecycle>,
    /// Launch template of a scaling group; the observation of a single group alone reads it.
    #[serde(skip)]
    pub template: Option<GroupTemplate>,
    /// Configuration document; [`crate::Act::observe_configuration`] alone reads it.
    #[serde(skip)]
    pub document: Option<Arc<Document>>,
    /// Use of a security group; the observation of a single group alone reads it.
    #[serde(skip)]
    pub group_use: Option<GroupUse>,
    /// Successor that Reeve launched for a machine; the observation of a single machine alone reads
    /// it.
    #[serde(skip)]
    pub successor: Option<Successor>,
    /// State of a database server; [`crate::Act::observe_configuration`] alone reads it. The
    /// resource before a change keeps it, to compare the effect with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<Arc<DatabaseState>>,
}

/// Key of the tag by which the successor of a machine names it.
pub const SUCCEEDS_TAG: &str = "reeve:replaces";

/// Machine that Reeve launched in the place of another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Successor {
    pub id: String,
    pub running: bool,
    /// `true` if it is in every target group of either machine.
    pub attached: bool,
    /// `true` if the machine itself is in every target group of either.
    pub machine_attached: bool,
}

/// Rules and interfaces of a security group, and the group that Reeve made in its place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GroupUse {
    /// Its rules in words, sorted.
    pub rules: Vec<String>,
    /// Security groups of each network interface that has it or the group in its place.
    pub interfaces: BTreeMap<String, Vec<String>>,
    pub replacement: Option<ReplacementGroup>,
}

/// Security group that Reeve made in the place of another one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReplacementGroup {
    pub id: String,
    /// Its rules in words, sorted.
    pub rules: Vec<String>,
}

impl GroupUse {
    /// Returns `true` if an interface has a group.
    #[must_use]
    pub fn has(&self, interface: &str, group: &str) -> bool {
        let groups = self.interfaces.get(interface);
        groups.is_some_and(|groups| groups.iter().any(|own| own == group))
    }

    /// Returns the identifier of the group in its place; empty where there is none.
    #[must_use]
    pub fn replacement_id(&self) -> &str {
        self.replacement
            .as_ref()
            .map_or("", |group| group.id.as_str())
    }
}

/// Public address of a machine that a release stored which did not read it: an address that may
/// change is then not ruled out.
const fn not_read() -> PublicAddress {
    PublicAddress::NotRead
}

/// Launch template that a scaling group starts its members from, and its members beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupTemplate {
    /// Identifier of the template.
    pub id: String,
    /// Version as the group names it: a number or `$Default`.
    pub version: String,
    /// Instance type that the version names; `None` where it leaves the type open.
    pub instance_type: Option<String>,
    /// Instance types of the members, each once, in order.
    pub member_types: Vec<String>,
    /// `true` while an instance refresh replaces members; `None` where that is not known.
    pub refreshing: Option<bool>,
}

/// Lifecycle configuration of a bucket, as the observation of the bucket reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lifecycle {
    /// SHA-256 of the configuration; `none` without one.
    pub fingerprint: String,
    /// Identifiers of the rules that Reeve added, in order.
    pub own_rules: Vec<String>,
}

impl Lifecycle {
    /// Returns the configuration of a bucket without rules.
    #[must_use]
    pub fn none() -> Lifecycle {
        Lifecycle {
            fingerprint: "none".to_owned(),
            own_rules: Vec::new(),
        }
    }
}

/// A scaling group's bounds, in members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u32, u32, u32)", into = "(u32, u32, u32)")]
pub struct Capacity {
    pub min: u32,
    /// Desired number of members.
    pub desired: u32,
    /// Largest number of members.
    pub max: u32,
}

/// Stored as its three numbers.
impl From<Capacity> for (u32, u32, u32) {
    fn from(capacity: Capacity) -> Self {
        (capacity.min, capacity.desired, capacity.max)
    }
}

impl From<(u32, u32, u32)> for Capacity {
    fn from((min, desired, max): (u32, u32, u32)) -> Self {
        Capacity { min, desired, max }
    }
}

/// A resource as last observed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Resource {
    /// The provider's identifier; unique within its connection.
    pub id: ResourceId,
    /// The connection that sees it.
    pub connection: ConnectionId,
    pub provider: Provider,
    /// The account, subscription or project.
    pub account: String,
    pub region: String,
    /// The service by the cloud's name (`ec2`, `ebs`, `rds`, `s3`, `elb`, `autoscaling`, `compute`,
    /// `sql`).
    pub service: String,
    /// Kind of the resource.
    pub kind: ResourceKind,
    /// Name tag or display name; the identifier where there is none.
    pub name: String,
    pub state: ResourceState,
    /// Configuration that was bought.
    pub specification: Specification,
    /// Purchase option; `None` if the cloud did not report it.
    pub purchase: Option<Purchase>,
    /// Tags of AWS and Azure, labels of Google Cloud.
    pub tags: BTreeMap<String, String>,
    /// The scaling group it belongs to. Members are left to the group.
    pub group: Option<ResourceId>,
    /// Resources it is attached to (a volume's instance, a load balancer's targets).
    pub attached_to: Vec<ResourceId>,
    /// Cost a month at list price, by the catalogue; `None` where the catalogue has no price.
    #[serde(rename = "monthly_cost_micros")]
    pub monthly_cost: Option<Money>,
    /// Creation or launch time as the cloud reports it.
    pub created_at: Option<Timestamp>,
    /// Time of Reeve's last observation.
    pub observed_at: Timestamp,
}

impl Resource {
    /// Tags that people or their tools gave: those of the cloud itself, of Reeve and the name are
    /// left out.
    pub fn own_tags(&self) -> impl Iterator<Item = (&str, &str)> {
        let given = |key: &str| {
            !key.starts_with("aws:")
                && !key.starts_with("reeve:")
                && !key.eq_ignore_ascii_case("name")
        };
        self.tags
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()))
            .filter(move |(key, _)| given(key))
    }

    /// Key of a tag that a service of AWS gave (`aws:backup:source-resource`,
    /// `aws:cloudformation:stack-name`, `dlm:managed`): the service manages the resource, and
    /// people cannot give such tags.
    #[must_use]
    pub fn service_tag(&self) -> Option<&str> {
        let given = |key: &&String| key.starts_with("aws:") || key.as_str() == "dlm:managed";
        self.tags.keys().find(given).map(String::as_str)
    }

    /// The value of a tag, by exact key.
    #[must_use]
    pub fn tag(&self, key: &str) -> Option<&str> {
        self.tags.get(key).map(String::as_str)
    }
}
