//! What was done, and how it went.

use super::{ActionMethod, ActionStatus};

/// What was done; every member is optional.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Action {
    /// Name of the operation as its source calls it, such as `RunInstances`.
    pub operation: Option<String>,
    /// How it went.
    pub status: Option<ActionStatus>,
    /// The way it came in.
    pub method: Option<ActionMethod>,
}

impl Action {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
