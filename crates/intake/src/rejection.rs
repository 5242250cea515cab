//! Rejection: the reason why an event of a source is not an entry.

use reeve_audit::FieldError;
use serde::{Deserialize, Serialize};

/// Reason why an event of a source is not an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{}{message}", prefix(.field))]
pub struct Rejection {
    /// Field of the entry or member of the event; empty for the event as a whole.
    pub field: String,
    pub message: String,
}

/// Longest name of a field, in characters: a member of an event may have any name.
const MAX_FIELD: usize = 200;
/// Longest message, in characters.
const MAX_MESSAGE: usize = 500;

/// Returns a text of bounded length without NUL, which PostgreSQL does not store.
fn clean(text: &str, most: usize) -> String {
    let kept = text.chars().take(most);
    kept.map(|c| if c == '\0' { '\u{fffd}' } else { c })
        .collect()
}

fn prefix(field: &str) -> String {
    if field.is_empty() {
        String::new()
    } else {
        format!("{field}: ")
    }
}

impl Rejection {
    pub(crate) fn new(field: &str, message: impl Into<String>) -> Rejection {
        Rejection {
            field: clean(field, MAX_FIELD),
            message: clean(&message.into(), MAX_MESSAGE),
        }
    }

    /// Names the first error, and the others in the message.
    pub(crate) fn of(errors: &[FieldError]) -> Rejection {
        let Some((first, others)) = errors.split_first() else {
            return Rejection::new("", "the entry is not valid");
        };
        let others = others.iter().map(|error| format!("; {error}"));
        Rejection::new(
            &first.path,
            format!("{}{}", first.message, others.collect::<String>()),
        )
    }
}
