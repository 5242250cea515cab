//! Requests to erase a person's entries on the wire.

use std::collections::BTreeMap;

use reeve_retention::{ErasedPart, ErasureApproval, ErasureRequest};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::erasures::NeededRestoreBody;
use crate::time;
use crate::wire::form::enumeration::ErasureStatus;

/// Entries that a request includes.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ErasureScopeBody {
    /// `actor.id` of the person.
    #[serde(default)]
    pub actor_id: String,
    /// `actor.email` of the person. Where both are given, one of them suffices.
    #[serde(default)]
    pub email: String,
    /// Query that entries must satisfy too, without lists and relative times. It alone decides where
    /// no person is named.
    #[serde(default)]
    pub query: String,
    /// First `timestamp` that is included (RFC 3339).
    pub start_time: Option<String>,
    /// Last `timestamp` that is included.
    pub end_time: Option<String>,
    /// `true` if entries under legal hold are left in the log and the others are erased; by default
    /// one such entry refuses the request.
    #[serde(default)]
    pub keep_held: bool,
}

/// A new request.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ErasureCreate {
    pub scope: ErasureScopeBody,
    /// Reason, at most 2,000 characters.
    pub reason: String,
    /// Legal basis, at most 200 characters.
    #[schema(example = "GDPR Art. 17(1)(b)")]
    pub legal_basis: String,
}

/// Rejection or withdrawal of a request.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ErasureReject {
    /// Reason, at most 2,000 characters.
    pub reason: String,
}

/// Approval of a request.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ErasureApprovalBody {
    /// E-mail address of the user.
    pub by: String,
    pub at: String,
}

impl From<&ErasureApproval> for ErasureApprovalBody {
    fn from(approval: &ErasureApproval) -> Self {
        ErasureApprovalBody {
            by: approval.by.email.clone(),
            at: time::text(approval.at),
        }
    }
}

/// Entries of one segment that were erased.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ErasedPartBody {
    /// Path that the segment had before.
    pub segment: String,
    pub class: String,
    /// First and last sequence of the segment.
    pub first_sequence: u64,
    pub last_sequence: u64,
    /// Number of erased entries.
    pub entries: u64,
    /// Sequence of the tombstone.
    pub entry: u64,
    /// Identifier of the tombstone.
    pub tombstone: String,
    pub at: String,
}

impl From<&ErasedPart> for ErasedPartBody {
    fn from(part: &ErasedPart) -> Self {
        ErasedPartBody {
            segment: part.segment.clone(),
            class: part.class.clone(),
            first_sequence: part.first_sequence,
            last_sequence: part.last_sequence,
            entries: part.entries,
            entry: part.entry,
            tombstone: part.tombstone.clone(),
            at: time::text(part.at),
        }
    }
}

/// A request to erase a person's entries.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ErasureBody {
    pub id: String,
    pub status: ErasureStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    pub query: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_time: Option<String>,
    /// Number of entries that the log had when it was made: later ones are not included.
    pub log_size: u64,
    pub keep_held: bool,
    pub reason: String,
    pub legal_basis: String,
    /// Digest of the request, hex: the entries about it have it in place of the person.
    pub digest: String,
    /// E-mail address of the user who made it.
    pub requested_by: String,
    pub requested_at: String,
    pub approvals: Vec<ErasureApprovalBody>,
    /// `true` if the caller may approve it.
    pub can_approve: bool,
    /// E-mail address of the user who rejected or withdrew it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejection_reason: Option<String>,
    /// Number of entries that were erased so far.
    pub erased: u64,
    pub parts: Vec<ErasedPartBody>,
    /// Entries that legal holds keep, by the identifier of the hold.
    pub held: BTreeMap<String, u64>,
    /// Entries that prove deletions and are never erased.
    pub evidence: u64,
    /// Included entries that wait for the next seal.
    pub unsealed: u64,
    /// Restore from the cold tier that the request waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needed_restore: Option<NeededRestoreBody>,
    /// Bytes of the files that were deleted.
    pub freed_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    pub version: u64,
}

/// Entries that a legal hold kept.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct HeldEntries {
    /// Identifier of the hold.
    pub hold: String,
    /// Name of its case.
    pub case: String,
    pub entries: u64,
}

/// An export, report or backup that was made before the end of a request.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct MadeCopy {
    #[schema(example = "audit.export")]
    pub event_type: String,
    /// Identifier of the entry about it.
    pub event_id: String,
    pub at: String,
    /// E-mail address of the user who made it; empty for Reeve.
    pub by: String,
}

/// Report about an erasure for a data-protection officer.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ErasureReport {
    pub generated_at: String,
    pub request: ErasureBody,
    pub held: Vec<HeldEntries>,
    /// Copies, the newest first.
    pub copies: Vec<MadeCopy>,
    /// Number of copies, listed or not.
    pub copies_total: u64,
    /// Places that an erasure does not reach.
    pub remains: Vec<String>,
}

impl ErasureBody {
    pub(crate) fn new(request: &ErasureRequest, can_approve: bool) -> Self {
        let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let (scope, outcome) = (&request.scope, &request.outcome);
        let rejection = request.rejection.as_ref();
        ErasureBody {
            id: request.id.clone(),
            status: request.status.into(),
            actor_id: given(&scope.actor_id),
            email: given(&scope.email),
            query: scope.query.clone(),
            start_time: scope.start_time.map(time::text),
            end_time: scope.end_time.map(time::text),
            log_size: scope.log_size,
            keep_held: scope.keep_held,
            reason: request.reason.clone(),
            legal_basis: request.legal_basis.clone(),
            digest: request.digest.clone(),
            requested_by: request.requested_by.email.clone(),
            requested_at: time::text(request.requested_at),
            approvals: request.approvals.iter().map(Into::into).collect(),
            can_approve,
            rejected_by: rejection.map(|rejection| rejection.by.email.clone()),
            rejected_at: rejection.map(|rejection| time::text(rejection.at)),
            rejection_reason: rejection.map(|rejection| rejection.reason.clone()),
            erased: outcome.erased(),
            parts: outcome.parts.iter().map(Into::into).collect(),
            held: outcome.held.clone(),
            evidence: outcome.evidence,
            unsealed: outcome.unsealed,
            needed_restore: outcome.needed_restore.as_ref().map(Into::into),
            freed_bytes: outcome.freed_bytes,
            finished_at: outcome.finished_at.map(time::text),
            version: request.version,
        }
    }
}
