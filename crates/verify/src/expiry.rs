//! Expired and erased ranges: entries that tell of deletions, policies as the log records them, and the
//! sequences that expired segments had. Written from `docs/formats/expiry.md` alone; nothing of it is
//! shared with the service that deletes.

pub(crate) mod erasure;
pub(crate) mod evidence;
pub(crate) mod gaps;
pub(crate) mod policy;

use erasure::ErasedRuns;
use evidence::ExpiryEvidence;
use gaps::ExpiredGap;

/// What a verification finds out about expired ranges.
#[derive(Debug, Default)]
pub(crate) struct Expiries {
    /// Entries that tell of deletions.
    pub(crate) evidence: ExpiryEvidence,
    /// Segments that the manifest marks as expired.
    pub(crate) gaps: Vec<ExpiredGap>,
    /// Those of them that a policy allowed to go.
    pub(crate) ranges: Vec<ExpiredRange>,
    /// Erased sequences as the manifest marks them.
    pub(crate) erased: Vec<ErasedRuns>,
    /// Those of them that an approved request allowed to go.
    pub(crate) erasures: Vec<ErasedRange>,
}

/// Entries of one segment that were erased for a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErasedRange {
    /// First and last erased sequence; entries between them may be there.
    pub first: u64,
    /// Last erased sequence.
    pub last: u64,
    /// Number of erased entries.
    pub entries: u64,
    /// Class of the segment that they were in.
    pub class: String,
    /// Identifier of the request.
    pub request: String,
    /// Sequence of the tombstone.
    pub tombstone: u64,
}

/// A range of entries that expired by policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpiredRange {
    /// First and last sequence; entries between them may be in other segments.
    pub first: u64,
    /// Last sequence of the range.
    pub last: u64,
    /// Number of expired entries.
    pub entries: u64,
    /// Class of the segment that they were in.
    pub class: String,
    /// Version of the policies that allowed it.
    pub policy_version: u64,
    /// Sequence of the tombstone.
    pub tombstone: u64,
}
