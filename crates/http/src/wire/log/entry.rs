//! Audit entries on the wire: exactly the fields of B-063 to B-085, and `recorded_at`, `category`,
//! `integrity`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::error::FieldProblem;
use crate::wire::form::enumeration::{
    ActorType, EntryMethod, EntryStatus, Severity, SubmitterType,
};

/// An entry of the audit log with its proof of integrity.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EntryBody {
    /// Unique identifier; the idempotency key.
    pub event_id: String,
    /// Time of the event, as the source says.
    pub timestamp: String,
    /// Category and operation, such as `authentication.login`.
    pub event_type: String,
    /// The event type before the first dot.
    pub category: String,
    pub severity: Severity,
    /// Time at which Reeve received it.
    pub recorded_at: String,
    /// Submitter as Reeve knows it; absent in entries that were recorded before it was noted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submitted_by: Option<SubmitterBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<ActorBody>,
    /// Resource that was acted on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<ResourceBody>,
    /// Operation and its outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<ActionBody>,
    /// State before and after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<ChangesBody>,
    /// Request id, API version, tags, and what the source added.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Value>,
    /// Place in the log, and the hashes that prove it.
    pub integrity: IntegrityBody,
}

/// The person, service or agent that acted.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ActorBody {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub actor_type: Option<ActorType>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_address: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
}

/// Submitter of an entry. It is part of what is hashed, and no source can send it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SubmitterBody {
    #[serde(rename = "type")]
    pub submitter_type: SubmitterType,
    /// Identifier of the user, or of the account of the operating system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The user's e-mail address at that time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// IP address of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_address: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_id: Option<String>,
    /// The token's name at that time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_name: Option<String>,
}

/// To what it was done.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ResourceBody {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub resource_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cloud_provider: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Tags, where the source knows them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
}

/// Operation and its outcome.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ActionBody {
    /// Name of the operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<EntryStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<EntryMethod>,
}

/// State before and after.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ChangesBody {
    /// Values before the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub before: Option<Value>,
    /// Values after the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub after: Option<Value>,
}

/// Proof of an entry's integrity. Hashes are lower-case hex.
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
    /// Hash that links the entry to the one before it.
    pub hash: String,
}

/// Receipt of an appended entry. Hashes are lower-case hex.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ReceiptBody {
    pub event_id: String,
    /// Position in the log.
    pub sequence: u64,
    /// Time at which Reeve received it.
    pub recorded_at: String,
    /// RFC 6962 leaf hash.
    pub leaf_hash: String,
    /// Hash that links the entry to the one before it.
    pub hash: String,
    /// Chain hash of the entry before.
    pub previous_hash: String,
}

/// Receipts of a batch, in its order.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ReceiptsBody {
    /// One receipt for each recorded entry.
    pub items: Vec<ReceiptBody>,
    pub total: u64,
    /// Entries that were not recorded, by their index in the batch; only with `on_conflict=report`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<Vec<FieldProblem>>,
}

/// Treatment of a batch in which an `event_id` is taken by another entry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnConflict {
    /// Nothing is recorded, and the answer is 409.
    #[default]
    Abort,
    /// The other entries are recorded; `refused` names those that are not.
    Report,
}

/// Options of an append.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct AppendParams {
    /// Treatment of entries whose `event_id` another entry has: `abort` (the default) or `report`.
    #[param(inline)]
    pub on_conflict: Option<OnConflict>,
}
