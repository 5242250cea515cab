//! The state before and after, and everything that has no field of its own.

use crate::json::{Json, Object};

/// The state before and after: each an object, `null`, or not given.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EntryChanges {
    /// The state before the change.
    pub before: Option<Json>,
    /// The state after the change.
    pub after: Option<Json>,
}

impl EntryChanges {
    /// Returns `true` if neither state is given.
    pub fn is_empty(&self) -> bool {
        self.before.is_none() && self.after.is_none()
    }
}

/// Metadata of an entry: the three members of B-083 to B-085, and any others that the
/// source adds.
#[derive(Debug, Clone, PartialEq)]
pub struct Metadata {
    /// Id of the request that led to the entry.
    pub request_id: Option<String>,
    /// Version of the interface that wrote it; `v1` unless the source says otherwise.
    pub api_version: String,
    /// Free labels (requirement B-085).
    pub tags: Vec<String>,
    /// Any other members, as given.
    pub extra: Object,
}

impl Metadata {
    /// The version an entry carries when its source names none.
    pub const API_VERSION: &'static str = "v1";
    /// Members with a field of their own, which `extra` must not hold.
    pub const NAMED: [&'static str; 3] = ["api_version", "request_id", "tags"];
}

impl Default for Metadata {
    fn default() -> Self {
        Self {
            request_id: None,
            api_version: Self::API_VERSION.to_owned(),
            tags: Vec::new(),
            extra: Object::new(),
        }
    }
}
