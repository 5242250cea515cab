//! Baselines and drifts on the wire.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::wire::form::enumeration::{DriftForm, DriftResolution, DriftState, Priority, Provider};

/// Resources that a baseline covers. All conditions must hold; an empty one is all.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BaselineScopeBody {
    /// Identifiers of connections.
    pub connections: Vec<String>,
    /// Kinds of resources, such as `security_group`.
    pub kinds: Vec<String>,
    /// Tags that a resource must have, with these values.
    pub tags: BTreeMap<String, String>,
}

/// A baseline to pin.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BaselineCreateBody {
    /// 1 to 100 characters; unique without regard to case.
    pub name: String,
    /// At most 2000 characters.
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub scope: BaselineScopeBody,
}

/// Resources to pin as they are now.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BaselinePinBody {
    /// Identifiers of resources, at most 1000; absent pins the whole scope anew.
    #[serde(default)]
    pub resources: Option<Vec<String>>,
}

/// Number of drifts by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct DriftCountsBody {
    pub open: u64,
    pub accepted: u64,
    pub resolved: u64,
}

/// The configuration of a scope, as somebody pinned it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct BaselineBody {
    pub id: String,
    pub name: String,
    pub description: String,
    pub scope: BaselineScopeBody,
    /// E-mail address of the person who pinned it last as a whole.
    pub pinned_by: String,
    pub pinned_at: String,
    /// Number of times that it was pinned as a whole.
    pub revision: u64,
    /// Number of resources whose configuration it pins.
    pub resources: u64,
    /// Drifts from it.
    pub drifts: DriftCountsBody,
}

/// Decision of a person that a drift may stay until a time.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DriftAcceptanceBody {
    /// E-mail address of the approver.
    pub by: String,
    pub at: String,
    pub reason: String,
    /// End of the acceptance; the drift is open again then.
    pub ends_at: String,
}

/// A resource that differs from a baseline.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DriftBody {
    pub id: String,
    pub baseline_id: String,
    pub baseline_name: String,
    pub resource_id: String,
    pub resource_name: String,
    pub kind: String,
    pub provider: Provider,
    pub account: String,
    pub region: String,
    pub connection_id: String,
    pub form: DriftForm,
    pub state: DriftState,
    /// SHA-256 of the pinned configuration; null if the resource was not there.
    pub pinned_hash: Option<String>,
    pub pinned_at: String,
    /// SHA-256 of the configuration that differs; null if the resource is gone.
    pub hash: Option<String>,
    /// Last time at which the resource agreed; null if no earlier reading is known.
    pub agreed_at: Option<String>,
    /// First observation of a difference.
    pub detected_at: String,
    /// First observation of the present difference.
    pub changed_at: String,
    /// The last acceptance; in force while the state is `accepted`.
    pub acceptance: Option<DriftAcceptanceBody>,
    pub resolution: Option<DriftResolution>,
    pub resolved_at: Option<String>,
    /// Entry of the log that recorded the detection.
    pub event_id: String,
}

/// Drifts, and their number by state without regard to the filter of states.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DriftListBody {
    pub items: Vec<DriftBody>,
    pub total: u64,
    /// Give this as `cursor` for the next page; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub counts: DriftCountsBody,
}

/// A member that differs.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DriftDifferenceBody {
    /// Names of members from the outside to the inside, separated by dots.
    pub path: String,
    /// Value as pinned; absent if the member was not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object)]
    pub pinned: Option<serde_json::Value>,
    /// Value as last seen; absent if the member is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object)]
    pub now: Option<serde_json::Value>,
}

/// An entry of the log that may have caused a drift.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DriftCauseBody {
    pub event_id: String,
    pub event_type: String,
    /// Operation as its source calls it, such as `AuthorizeSecurityGroupIngress`.
    pub operation: Option<String>,
    pub at: String,
    pub actor_type: Option<String>,
    pub actor_id: Option<String>,
    pub actor_email: Option<String>,
    /// `true` if the operation changes resources; others only touched it.
    pub is_change: bool,
    /// Reeve's own action, if it was one.
    pub action_id: Option<String>,
}

/// A check that passed when the resource was pinned and fails now.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DriftCheckBody {
    pub check: String,
    pub title: String,
    pub severity: Priority,
    /// Reason of the failure.
    pub why: String,
    /// First time of the failure.
    pub since: String,
    /// Entry of the log that recorded it.
    pub event_id: String,
}

/// A step in the history of a drift.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DriftStepBody {
    /// `detect`, `accept`, `reopen` or `resolve`.
    pub operation: String,
    pub at: String,
    /// E-mail address or identifier of the person; `system` for Reeve itself.
    pub by: String,
    pub reason: Option<String>,
    pub event_id: String,
}

/// A drift with its differences, and what caused it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DriftDetailBody {
    #[serde(flatten)]
    pub drift: DriftBody,
    /// Members that differ; empty for resources that appeared or are gone.
    pub differences: Vec<DriftDifferenceBody>,
    /// `true` if there are more differences or a value was cut.
    pub is_cut: bool,
    /// Entries that the caller may see about the resource, between the last observation that agreed
    /// and the first one of the present difference; the likeliest first.
    pub causes: Vec<DriftCauseBody>,
    /// Record of the provider that names who changes resources, if no entry is a change.
    pub missing_source: Option<String>,
    /// Checks that passed when the resource was pinned and fail now.
    pub failing_checks: Vec<DriftCheckBody>,
    /// Entries that the caller may see about the drift, oldest first.
    pub history: Vec<DriftStepBody>,
}

/// Acceptance of a drift.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DriftAcceptBody {
    /// 10 to 2000 characters.
    pub reason: String,
    /// End of the acceptance, at most 365 days ahead.
    pub ends_at: Option<String>,
    /// `hash` of the drift as it was seen (empty for a resource that is gone): another present
    /// configuration is refused.
    #[serde(default)]
    pub hash: Option<String>,
}

/// Withdrawal of an acceptance.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DriftReopenBody {
    #[serde(default)]
    pub reason: Option<String>,
}

/// Drifts to list.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct DriftParams {
    /// Identifier of a baseline.
    pub baseline: Option<String>,
    /// Identifier of a connection.
    pub connection: Option<String>,
    /// Kind of the resources.
    pub kind: Option<String>,
    /// Identifier of a resource.
    pub resource: Option<String>,
    /// `open`, `accepted` or `resolved`; several are separated by commas.
    pub state: Option<String>,
    /// Changed at this time or later.
    pub since: Option<String>,
    /// At most this many (1 to 1000).
    pub limit: Option<u32>,
    pub offset: Option<u64>,
    pub cursor: Option<String>,
}
