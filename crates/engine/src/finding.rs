//! Findings: how judgements become recommendations that are kept, refreshed, superseded and expired.

pub(crate) mod earlier_recommendations;
pub(crate) mod expiry;
pub(crate) mod judged;
pub(crate) mod severity;
pub(crate) mod upsert;
