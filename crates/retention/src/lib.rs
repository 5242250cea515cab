//! Retention of the log: policies, legal holds and segments in, moves and expiries out.
//!
//! Pure: it reads no clock and no file. Refuses policies that contradict each other, and treats as
//! held whatever a hold cannot be evaluated on. What the ledger then does with an expiry is
//! described in `docs/formats/data-directory.md`.

mod course;
mod hold;
mod policy;
mod policy_set;
mod segment;
mod store;

pub use course::{Course, Extent, PolicyCourse, course};
pub use hold::{HoldCheck, HoldRelease, LegalHold, MAX_HOLDS};
pub use policy::{PERMANENT, RetentionPolicy, TierDates};
pub use policy_set::{MAX_POLICIES, PolicySet, PolicySetError};
pub use segment::{HoldAnswer, SegmentSurvey, Verdict};
pub use store::{PolicyVersion, RetentionStore, RetentionStoreError};
