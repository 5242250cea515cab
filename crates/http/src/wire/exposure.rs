//! Exposures and privileges on the wire: resources and principals, and the ways to and from them.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::wire::form::enumeration::{CheckAnswer, LastUseCoverage, LastUseState};

/// Edge of a path: the resource that decides, and its decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExposureStepBody {
    /// Type of the edge, such as `route_table`, `network_acl`, `security_group` or `policy`.
    pub edge: String,
    /// Resource that the edge belongs to, by the provider's identifier.
    pub resource: String,
    /// Decision, as a sentence.
    pub says: String,
}

/// A resource, and the outsiders that reach it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ExposureBody {
    pub resource_id: String,
    pub resource_name: String,
    pub kind: String,
    pub account: String,
    pub region: String,
    pub connection_id: String,
    /// `fail` if an outsider reaches the resource, `pass` if none does.
    pub result: CheckAnswer,
    /// `internet`, `organization`, `account:` with a number, `unknown` or `none`.
    pub reachable_from: String,
    /// `direct`, `load_balancer` or `indirect`; null where nothing is exposed.
    pub grade: Option<String>,
    /// Protocols with their ports, or actions, that the outsider has.
    pub access: Vec<String>,
    /// Steps from the outsider to the resource, or to the edge that stops it.
    pub path: Vec<ExposureStepBody>,
    /// Edge that stops the outsider; null where the resource is exposed.
    pub stopped_by: Option<ExposureStepBody>,
    /// The answer as a sentence.
    pub why: String,
    /// First time of this answer without another in between.
    pub since: String,
    /// Entry of the log that recorded it.
    pub event_id: String,
}

/// Exposures or privileges to list.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ExposureParams {
    /// `fail` (the default), `pass`, `unknown` or `not_applicable`.
    pub result: Option<String>,
    /// Identifier of a resource; `*` is a wildcard.
    pub resource: Option<String>,
    /// Account of the resources; `*` is a wildcard.
    pub account: Option<String>,
    /// At most this many (1 to 1000).
    pub limit: Option<u32>,
    pub offset: Option<u64>,
    pub cursor: Option<String>,
}

/// A principal, and the way by which it becomes an administrator.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PrivilegeBody {
    pub resource_id: String,
    pub resource_name: String,
    pub kind: String,
    pub account: String,
    pub connection_id: String,
    /// `fail` if it can become an administrator, `pass` if it cannot, `not_applicable` if it is one.
    pub result: CheckAnswer,
    /// Steps to the administrator, each by a technique; the steps before the edge that stops it
    /// where it cannot.
    pub path: Vec<ExposureStepBody>,
    /// Policy that stops the way; null where nothing does, or where there is no way.
    pub stopped_by: Option<ExposureStepBody>,
    /// ARNs of other principals that it can act as, at most 20.
    pub acts_as: Vec<String>,
    /// Use of its permissions; null where no run has judged it.
    pub unused: Option<PrincipalUseBody>,
    /// The answer as a sentence.
    pub why: String,
    /// First time of this answer without another in between.
    pub since: String,
    /// Entry of the log that recorded it.
    pub event_id: String,
}

/// Use of a principal's permissions, by the provider's record of last uses.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PrincipalUseBody {
    /// Days without a use after which access counts as unused.
    pub window_days: u32,
    pub coverage: LastUseCoverage,
    pub state: LastUseState,
    /// Day of the last use, where it is before the window.
    #[serde(default)]
    pub last_used: Option<String>,
    /// Services that it used in the window.
    #[serde(default)]
    #[schema(required = true)]
    pub used_services: Vec<String>,
    /// Patterns of actions that its own policies grant and that it did not use.
    #[serde(default)]
    #[schema(required = true)]
    pub unused_actions: Vec<String>,
    /// Patterns of actions whose use the record does not show; they count as used.
    #[serde(default)]
    #[schema(required = true)]
    pub not_judged: Vec<String>,
}
