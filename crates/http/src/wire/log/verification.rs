//! Verifications of the log on the wire.

use serde::Serialize;
use utoipa::ToSchema;

/// A verification of the whole log.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct VerificationBody {
    pub id: String,
    /// `running`, `done` or `failed` (nothing could be found out).
    pub status: String,
    /// The user who asked for it.
    pub started_by: String,
    pub started_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// Findings, once it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<VerifiedBody>,
    /// Reason why nothing could be found out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Result of a verification.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct VerifiedBody {
    /// `true` if every check passed.
    pub holds: bool,
    /// Entries in the log when it began.
    pub checked: u64,
    /// Entries whose payload was checked.
    pub intact: u64,
    /// Entries whose payload is gone by policy; their commitments were checked.
    pub expired: u64,
    /// Entries in the warm or cold tier whose payload was not read, because the tier is a bucket;
    /// their commitments were checked.
    pub elsewhere: u64,
    /// Entries that are nowhere.
    pub missing: u64,
    /// First and last sequence of each run of missing ones, at most a hundred runs.
    pub missing_ranges: Vec<[u64; 2]>,
    /// Root over the entries as recomputed, hex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Segment files that were checked.
    pub segments: u64,
    /// Checkpoints whose signature holds.
    pub checkpoints: u64,
    /// Number of failed checks.
    pub findings_total: u64,
    /// The first hundred of them.
    pub findings: Vec<FaultBody>,
    /// Remarks that break nothing.
    pub notes: Vec<String>,
    /// Parts that were not looked at.
    pub not_checked: Vec<String>,
}

/// One thing that does not hold.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct FaultBody {
    /// The file it stands in, below the data directory.
    pub file: String,
    /// First sequence concerned, where known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_sequence: Option<u64>,
    /// Last sequence number that it concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_sequence: Option<u64>,
    pub what: String,
}
