//! The action of an entry: operation, status and method.

use super::{ActionMethod, ActionStatus};

/// Operation that the actor performed; every member is optional.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Action {
    /// Name of the operation as its source calls it, such as `RunInstances`.
    pub operation: Option<String>,
    /// Outcome of the operation.
    pub status: Option<ActionStatus>,
    /// The way it came in.
    pub method: Option<ActionMethod>,
}

impl Action {
    /// Returns `true` if no member is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
