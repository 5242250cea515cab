//! Retention of the log: policies, legal holds and segments in, moves and expiries out; requests to
//! erase a person's entries.
//!
//! Pure: it reads no clock and no file. Refuses policies that contradict each other, and treats as
//! held whatever a hold cannot be evaluated on. What the ledger then does with an expiry is
//! described in `docs/formats/data-directory.md`.

mod course;
mod erasure;
mod fixed_query;
mod hold;
mod policy;
mod policy_set;
mod restore;
mod segment;
mod store;
mod tiers;

pub use course::{Course, Extent, PolicyCourse, course};
pub use erasure::{
    ApprovalRefused, ERASURE_APPROVALS, ErasedPart, ErasureApproval, ErasureOutcome,
    ErasureRejection, ErasureRequest, ErasureScope, ErasureSigner, ErasureStatus, NeededRestore,
};
pub use hold::{HoldCheck, HoldRelease, LegalHold, MAX_HOLDS};
pub use policy::{PERMANENT, RetentionPolicy, TierDates};
pub use policy_set::{MAX_POLICIES, PolicySet, PolicySetError, is_proof_of_deletions};
pub use restore::{MAX_RESTORES, Restore, RestoreEnd, RestoreProgress};
pub use segment::{HoldAnswer, SegmentSurvey, SegmentVerdict};
pub use store::{PolicyVersion, RetentionStore, RetentionStoreError};
pub use tiers::TierContent;
