//! Configuration drift: baselines that pin the configuration documents of a scope, and the
//! resources that differ from them.
//!
//! A baseline keeps the hash of each document; the documents themselves are kept once, in the store
//! of descriptions. A resource drifts from a baseline when its document differs in a member that
//! people decide on ([`comparison`]), when it appeared in the scope, or when it is gone. What was
//! not read is no drift.

pub mod baseline;
pub mod cause;
pub mod comparison;
pub mod record;
pub mod standard;
pub mod store;
pub mod unstable;

pub use baseline::{BaselineId, BaselineScope, DriftBaseline, PinnedDocument, ReadPlaces};
pub use record::{
    Acceptance, Drift, DriftId, DriftKind, DriftState, DriftSubject, Observed, Resolution,
};
pub use store::{DriftCount, DriftFilter, DriftStore, ObservedFilter};
