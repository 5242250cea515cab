//! Contents of a bucket, as its cloud counts them once a day, and its use (`access`).

pub mod access;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Size of a bucket by storage type, and its number of objects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BucketContents {
    /// Beginning of the counted day.
    pub measured_at: Timestamp,
    /// Objects of all storage types, old versions and parts of incomplete uploads included; `None`
    /// where they were not counted.
    pub objects: Option<u64>,
    /// GiB by storage type under the name of the cloud's metric (`StandardStorage`,
    /// `StandardIAStorage`).
    pub gib: BTreeMap<String, f64>,
}

impl BucketContents {
    /// Size over all storage types, GiB.
    #[must_use]
    pub fn total_gib(&self) -> f64 {
        self.gib.values().sum()
    }
}
