//! Indexes: those that are missing, and those that are in the way.

pub(crate) mod missing;
pub(crate) mod usage;
