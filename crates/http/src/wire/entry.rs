//! Audit entries on the wire: exactly the specification's fields, and `recorded_at`, `category`, `integrity`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

/// An audit entry.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EntryBody {
    /// Unique identifier; the idempotency key.
    pub event_id: String,
    /// When it happened, as the source says.
    pub timestamp: String,
    /// Dotted `category.operation`.
    pub event_type: String,
    /// The event type before the first dot.
    pub category: String,
    /// `info`, `low`, `medium`, `high` or `critical`.
    pub severity: String,
    /// When Reeve received it.
    pub recorded_at: String,
    /// Who did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<ActorBody>,
    /// To what.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<ResourceBody>,
    /// What was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<ActionBody>,
    /// State before and after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<ChangesBody>,
    /// Request id, API version, tags, and what the source added.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Value>,
    /// What proves it.
    pub integrity: IntegrityBody,
}

/// Who did it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ActorBody {
    /// `user`, `service`, `system`, `agent`, `api_key`, `role` or `anonymous`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub actor_type: Option<String>,
    /// Identifier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// E-mail address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// IP address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_address: Option<String>,
    /// User agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
    /// Session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
}

/// To what it was done.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ResourceBody {
    /// Kind of resource.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub resource_type: Option<String>,
    /// Identifier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Cloud.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cloud_provider: Option<String>,
    /// Account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_id: Option<String>,
    /// Region.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Tags, where the source knows them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
}

/// What was done.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ActionBody {
    /// Name of the operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// `success`, `failed`, `denied` or `pending`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// `api`, `console`, `cli`, `automation`, `webhook`, `system` or `scheduled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
}

/// State before and after.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ChangesBody {
    /// Before the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub before: Option<Value>,
    /// After the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub after: Option<Value>,
}

/// What proves an entry. Hashes are lower-case hex.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct IntegrityBody {
    /// Position in the log, from 0.
    pub sequence: u64,
    /// SHA-256 of domain, salt and canonical bytes.
    pub commitment: String,
    /// RFC 6962 leaf hash of the commitment.
    pub leaf_hash: String,
    /// Chain hash of the entry before.
    pub previous_hash: String,
    /// Chain hash.
    pub hash: String,
}

/// What the writer gets back. Hashes are lower-case hex.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ReceiptBody {
    /// The entry's identifier.
    pub event_id: String,
    /// Position in the log.
    pub sequence: u64,
    /// When Reeve received it.
    pub recorded_at: String,
    /// RFC 6962 leaf hash.
    pub leaf_hash: String,
    /// Chain hash.
    pub hash: String,
    /// Chain hash of the entry before.
    pub previous_hash: String,
}

/// Receipts of a batch, in its order.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ReceiptsBody {
    /// One receipt an entry.
    pub items: Vec<ReceiptBody>,
    /// How many.
    pub total: u64,
}

/// Listing parameters.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct EntryListParams {
    /// At most this many (1 to 1000).
    #[param(default = 50, minimum = 1, maximum = 1000)]
    pub limit: Option<u32>,
    /// After skipping this many.
    #[param(default = 0)]
    pub offset: Option<u64>,
    /// `next_cursor` of the page before. Not together with `offset`.
    pub cursor: Option<String>,
    /// In the query language.
    pub query: Option<String>,
    /// From this time on (by `timestamp`).
    pub start_time: Option<String>,
    /// Before this time.
    pub end_time: Option<String>,
}

/// A search.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchBody {
    /// In the query language; absent or empty finds everything.
    #[schema(example = "event_type:authentication.* AND status:failed AND timestamp:>now-24h")]
    pub query: Option<String>,
    /// From this time on (by `timestamp`).
    pub start_time: Option<String>,
    /// Before this time.
    pub end_time: Option<String>,
    /// Simple filters; all must hold.
    #[serde(default)]
    pub filters: FiltersBody,
    /// At most this many (1 to 1000).
    #[schema(default = 50)]
    pub limit: Option<u32>,
    /// After skipping this many.
    pub offset: Option<u64>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
    /// Fields to count the values of: any typed field, or `hour`, `day`.
    #[serde(default)]
    pub aggregations: Vec<String>,
}

/// Simple filters. Values may end in `*`.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FiltersBody {
    /// Actor id or e-mail address.
    pub user: Option<String>,
    /// Event type.
    pub event_type: Option<String>,
    /// Resource id.
    pub resource_id: Option<String>,
    /// Kind of resource.
    pub resource_type: Option<String>,
    /// `success`, `failed`, ...
    pub status: Option<String>,
    /// IP address, `10.0.*`, or CIDR.
    pub ip_address: Option<String>,
    /// Severity.
    pub severity: Option<String>,
}

impl FiltersBody {
    /// The filters that are given, by name.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, &str)> {
        [
            ("user", &self.user),
            ("event_type", &self.event_type),
            ("resource_id", &self.resource_id),
            ("resource_type", &self.resource_type),
            ("status", &self.status),
            ("ip_address", &self.ip_address),
            ("severity", &self.severity),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.as_deref().filter(|value| !value.is_empty())?)))
    }
}

/// A page of entries, with counts where asked for.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SearchAnswer {
    /// Entries, newest first.
    pub items: Vec<EntryBody>,
    /// How many match in all.
    pub total: u64,
    /// Give this as `cursor` for the next page; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Counts by field, most first.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub aggregations: BTreeMap<String, Vec<CountBody>>,
}

/// How often a value occurs.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct CountBody {
    /// The value.
    pub value: String,
    /// How many entries have it.
    pub count: u64,
}

/// The log at a glance, within what the caller may see.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct StatsBody {
    /// Entries in the period.
    pub total: u64,
    /// By event type.
    pub by_event_type: Vec<CountBody>,
    /// By user (e-mail address, else actor id).
    pub by_user: Vec<CountBody>,
    /// By resource id.
    pub by_resource: Vec<CountBody>,
    /// By severity.
    pub by_severity: Vec<CountBody>,
    /// By status.
    pub by_status: Vec<CountBody>,
    /// By hour or day of `timestamp`, oldest first; hours for periods up to three days.
    pub by_time: Vec<CountBody>,
    /// Entries with severity high or critical.
    pub security_events: u64,
    /// Size of the whole signed log, entries.
    pub log_size: u64,
}
