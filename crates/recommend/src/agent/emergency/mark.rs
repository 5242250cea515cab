//! Mark of the actions that standing approvals let begin.

use serde::{Deserialize, Serialize};

/// A standing approval's identifier, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StandingApprovalId(pub String);

/// Mark of an action that was applied by a standing approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmergencyMark {
    /// Rule of the finding.
    pub rule: String,
    pub approval: StandingApprovalId,
    /// Group of the resource, of which emergencies reach a share: its scaling group, or the
    /// resources of its kind in its connection.
    pub group: String,
}
