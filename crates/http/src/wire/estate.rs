//! Connections and resources on the wire. Secrets go in, never out.

pub mod bill_source;
pub mod description;
pub mod metric;
pub mod metric_source;
pub mod price;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::wire::form::enumeration;
use crate::wire::form::enumeration::{
    BucketAccessState, ConnectionStatus, Provider, PurchaseOption, ResourceState,
};
use crate::wire::guardrail::protection::ProtectionBody;

/// A connection to an account of a cloud, or to a database, to add.
#[derive(Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConnectionCreate {
    pub name: String,
    /// `aws` or `database`.
    pub provider: String,
    /// Regions to look at; default `us-east-1`.
    #[serde(default)]
    pub regions: Vec<String>,
    /// Credentials; default: the environment's own.
    pub credentials: Option<CredentialsBody>,
    /// Login of a database.
    pub login: Option<LoginBody>,
    /// Role to assume, an ARN.
    pub assume_role: Option<String>,
    /// External id for the role.
    pub external_id: Option<String>,
    /// Endpoint in place of the provider's own, http or https; of a database its address, such as
    /// `postgres://db.example.com:5432/shop`.
    pub endpoint: Option<String>,
    /// `true` if Reeve may change resources over this connection.
    #[serde(default)]
    pub allow_actions: bool,
}

/// An access key of the cloud, which is stored encrypted.
#[derive(Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CredentialsBody {
    pub access_key_id: String,
    /// Secret access key; write-only.
    #[schema(write_only)]
    pub secret_access_key: String,
    /// Session token, which is never sent back.
    #[schema(write_only)]
    pub session_token: Option<String>,
}

/// A user of a database, whose password is stored encrypted.
#[derive(Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LoginBody {
    pub user: String,
    /// Password; write-only.
    #[schema(write_only)]
    pub password: String,
}

/// A change of a connection. What is left out stays.
#[derive(Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConnectionPatch {
    pub name: Option<String>,
    pub regions: Option<Vec<String>>,
    pub credentials: Option<CredentialsBody>,
    /// Another login of a database.
    pub login: Option<LoginBody>,
    /// Role to assume; an empty string removes it.
    pub assume_role: Option<String>,
    /// External id; an empty string removes it.
    pub external_id: Option<String>,
    /// Endpoint override; an empty string removes it.
    pub endpoint: Option<String>,
    /// `true` if Reeve may change resources over this connection.
    pub allow_actions: Option<bool>,
    /// Switched off or on.
    pub enabled: Option<bool>,
}

/// A connection to an account of a cloud, without its credentials.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ConnectionBody {
    pub id: String,
    pub name: String,
    pub provider: Provider,
    /// Account; empty until it is known.
    pub account: String,
    pub regions: Vec<String>,
    /// `access_key`, `login`, `ambient` or `simulated`.
    pub credentials_kind: String,
    /// The access key's id with all but its last four characters hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_key_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assume_role: Option<String>,
    /// Endpoint in place of the provider's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// `true` if Reeve may change resources over this connection.
    pub allow_actions: bool,
    pub status: ConnectionStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_sync: Option<SyncBody>,
    /// Failure of the last sync.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    pub created_at: String,
}

/// Report of a sync: what was read, denied and failed.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SyncBody {
    pub started_at: String,
    pub finished_at: String,
    /// Number of resources that were seen.
    pub resources: u64,
    /// Number of samples that were stored.
    pub samples: u64,
    /// Calls that were not permitted.
    pub denied: Vec<DeniedBody>,
    /// Errors that did not end the sync.
    pub problems: Vec<String>,
}

/// A permission that was missing.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DeniedBody {
    /// Permission by the cloud's name.
    pub permission: String,
    pub region: String,
    /// Message as the cloud sent it.
    pub message: String,
}

/// Result of the test of a connection.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ConnectionTestBody {
    /// `true` if it does.
    pub ok: bool,
    /// The account, when it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// Error and advice, when it does not work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// A sync that was asked for.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SyncStartedBody {
    /// The connection's status now.
    pub status: String,
}

/// A page of the list of resources, and its filters.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ResourceParams {
    /// At most this many (1 to 1000).
    pub limit: Option<u32>,
    /// After skipping this many.
    pub offset: Option<u64>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
    pub connection: Option<String>,
    pub provider: Option<String>,
    pub account: Option<String>,
    #[serde(rename = "type")]
    #[param(rename = "type")]
    pub kind: Option<String>,
    pub service: Option<String>,
    /// Text in id, name or tags.
    pub text: Option<String>,
    /// Query over resources, such as `type:security_group configuration.ipPermissions.fromPort:22
    /// -tags.owner:*`.
    pub query: Option<String>,
}

impl ResourceParams {
    /// The filters without the page.
    #[must_use]
    pub fn filters(self) -> ResourceFilterParams {
        ResourceFilterParams {
            connection: self.connection,
            provider: self.provider,
            account: self.account,
            kind: self.kind,
            service: self.service,
            text: self.text,
            query: self.query,
        }
    }
}

/// Filters of resources; a resource must match all of them.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ResourceFilterParams {
    pub connection: Option<String>,
    pub provider: Option<String>,
    pub account: Option<String>,
    #[serde(rename = "type")]
    #[param(rename = "type")]
    pub kind: Option<String>,
    pub service: Option<String>,
    /// Text in id, name or tags.
    pub text: Option<String>,
    /// Query over resources, such as `type:security_group configuration.ipPermissions.fromPort:22
    /// -tags.owner:*`.
    pub query: Option<String>,
}

/// A resource of the inventory, as its last sync saw it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EstateResourceBody {
    /// Identifier by the provider, such as an ARN.
    pub id: String,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub provider: Provider,
    pub account: String,
    pub region: String,
    pub service: String,
    pub connection_id: String,
    pub state: ResourceState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage_gib: Option<f64>,
    /// Contents of a bucket, as its cloud counted them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contents: Option<BucketContentsBody>,
    /// Use of a bucket by its access logs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<BucketAccessBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purchase: Option<PurchaseOption>,
    /// Scaling group it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Reasons for which some changes of it are never made; empty for most resources.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub protections: Vec<ProtectionBody>,
    pub tags: BTreeMap<String, String>,
    /// Cost a month, dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub monthly_cost: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// Time at which it was last seen.
    pub observed_at: String,
}

/// Contents of a bucket, as its cloud counted them.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct BucketContentsBody {
    /// Beginning of the counted day.
    pub measured_at: String,
    /// Objects of all storage types.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objects: Option<u64>,
    /// Size over all storage types, GiB.
    pub total_gib: f64,
    /// GiB by storage type, by the name of the cloud's metric.
    pub gib: BTreeMap<String, f64>,
}

/// Use of a bucket by its access logs.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct BucketAccessBody {
    pub state: BucketAccessState,
    /// Time of the last reading.
    pub read_at: String,
    /// Days between the first and the last request in the logs.
    pub days: f64,
    /// Requests in the logs.
    pub records: u64,
    /// Last read of an object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_read: Option<String>,
    /// Objects of the class STANDARD of at least 128 KiB by age, and their reads.
    pub ages: Vec<AgeUseBody>,
}

/// Objects of an age, and reads of objects that had it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AgeUseBody {
    /// Least age of this group, days.
    pub from_days: i64,
    pub objects: u64,
    /// Size of all of them, GiB.
    pub gib: f64,
    pub reads: u64,
    /// Size of what was read, GiB.
    pub read_gib: f64,
}

/// Metric and time span of the samples to answer.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct SampleParams {
    /// Metrics, separated by commas; default all.
    pub metrics: Option<String>,
    /// From (default: seven days ago).
    pub start_time: Option<String>,
    /// End of the span; now unless given.
    pub end_time: Option<String>,
    /// At most this many points a metric; more are averaged down (default 500).
    pub max_points: Option<u32>,
}

/// Samples of a resource.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SamplesBody {
    pub resource_id: String,
    /// One series a metric.
    pub series: Vec<SeriesBody>,
}

/// One metric over time.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SeriesBody {
    pub metric: enumeration::Metric,
    pub unit: enumeration::Unit,
    /// `[time in ms since the epoch, value]`, oldest first.
    pub points: Vec<(i64, f64)>,
    /// Number of points before they were averaged.
    pub data_points: u64,
}

/// Monthly cost of the estate.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CostsBody {
    /// In all, dollars.
    pub monthly: f64,
    /// Currency, which is always `USD`.
    pub currency: String,
    /// Resources whose price is not known; they are not in the sums.
    pub not_priced: u64,
    /// By provider, account, service.
    pub by_provider: BTreeMap<String, f64>,
    pub by_account: BTreeMap<String, f64>,
    pub by_service: BTreeMap<String, f64>,
}

/// Permissions that a policy is to hold.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct PolicyParams {
    /// `true` leaves out all changes; default `false`.
    pub observe_only: Option<bool>,
    /// Names of changes (`resize_machine`), separated by commas; all where it is left out.
    pub changes: Option<String>,
}

/// The policy of a connection.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PolicyBody {
    /// IAM policy document: one statement for reading, and one for each change.
    #[schema(value_type = Object)]
    pub policy: serde_json::Value,
}
