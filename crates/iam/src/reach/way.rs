//! Ways as they are reported.

use serde::Serialize;

use crate::decision::{Blocker, BlockerKind};
use crate::policy_set::PolicyKind;

/// Certainty of a way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReachGrade {
    Certain,
    /// It depends on something that is not known.
    Possible,
    /// Something stops it; the way would exist otherwise.
    Blocked,
}

/// Permission that a step uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UsedPermission {
    /// ARN of the principal that uses it.
    pub by: String,
    pub action: String,
    /// ARN; an asterisk stands for a name that the caller chooses.
    pub resource: String,
    /// Statements that allow it, in words.
    pub statements: Vec<String>,
}

/// Step of a way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PathStep {
    /// Identifier of the technique.
    pub technique: String,
    pub title: String,
    /// ARN of the principal or group that is gained or changed.
    pub target: String,
    pub allowed_by: Vec<UsedPermission>,
    /// State that the files do not contain and that the step takes for granted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumes: Option<String>,
    /// Unknown conditions for which the step is possible rather than certain.
    pub depends_on: Vec<String>,
}

/// Something that stops a way.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct BlockedBy {
    pub action: String,
    pub by: BlockerKind,
    pub kind: PolicyKind,
    /// Policy, or the level of the organisation.
    pub policy: String,
    /// Statement; none where no statement allows.
    pub statement: Option<String>,
}

/// Reach of a principal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AccessReach {
    /// ARN of the principal.
    pub principal: String,
    /// `admin`, or the ARN of what is gained; `unknown` if a policy of the principal was not read.
    pub reaches: String,
    pub grade: ReachGrade,
    pub path: Vec<PathStep>,
    /// Permission that the target has and the principal lacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gains: Option<String>,
    pub blocked_by: Vec<BlockedBy>,
    /// Policies that are attached and were not read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<String>,
}

/// Value of `reaches` for administrators.
pub const ADMIN: &str = "admin";
/// Value of `reaches` for principals with policies that were not read.
pub const UNKNOWN: &str = "unknown";

impl BlockedBy {
    pub(super) fn new(action: &str, blocker: &Blocker) -> Self {
        BlockedBy {
            action: action.to_owned(),
            by: blocker.by,
            kind: blocker.kind,
            policy: blocker.policy.to_string(),
            statement: blocker.statement.clone(),
        }
    }
}
