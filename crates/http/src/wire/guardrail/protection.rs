//! Losses by changes, and protections from them, on the wire.

use serde::Serialize;
use utoipa::ToSchema;

use crate::wire::form::enumeration::LossKind;

/// A loss by a change.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct LossBody {
    pub kind: LossKind,
    /// Detail as a whole sentence.
    pub detail: String,
    /// `true` if neither undoing the change nor time brings it back.
    pub lasting: bool,
}

/// Protection of a resource from some changes.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ProtectionBody {
    /// `opted_out`, `group_member`, `managed`, `spot`, `local_disks`, `local_disks_unknown`,
    /// `cluster_member`, `cannot_stop`.
    pub code: String,
    /// Reason, as a clause.
    pub reason: String,
    /// Names of the refused changes; empty where every change is refused.
    pub changes: Vec<String>,
}
