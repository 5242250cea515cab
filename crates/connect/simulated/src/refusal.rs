//! Refusals in the cloud's words.

use reeve_estate::{ActError, ActErrorKind, Resource};

/// A refusal in the cloud's words.
pub(crate) fn refuse(kind: ActErrorKind, code: &str, message: &str) -> ActError {
    ActError {
        kind,
        message: format!("{code}: {message}"),
    }
}

/// Refusal of a change that needs another state.
pub(crate) fn wrong_state(resource: &Resource, wanted: &str) -> ActError {
    let message = format!("{} is {}; it must be {wanted}", resource.id, resource.state);
    refuse(ActErrorKind::WrongState, "IncorrectInstanceState", &message)
}
