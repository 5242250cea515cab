//! Access of outsiders by policies of resources.

use serde_json::Value;

use crate::finding::{Audience, Step};

/// Access that a statement gives to an outsider.
#[derive(Debug)]
pub(crate) struct Grant {
    /// [`Audience::Unknown`] if it depends on what is not known.
    pub(crate) audience: Audience,
    pub(crate) access: Vec<String>,
    pub(crate) step: Option<Step>,
}

pub(crate) fn grants(_document: &Value, _member: &str, _id: &str, _account: &str) -> Vec<Grant> {
    Vec::new()
}

pub(crate) fn delegates_to_access_points(_bucket: &Value) -> bool {
    false
}
