//! Names that people give: of users, teams and tokens.

use reeve_audit::{FieldCode, FieldError};

/// Longest name of a user or a token, characters.
pub(crate) const MAX_NAME: usize = 200;

/// Reads a name of at most so many characters.
pub(crate) fn read_name(name: &str, most: usize) -> Result<String, FieldError> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > most || name.contains(char::is_control) {
        let message = format!("must have 1 to {most} characters without control characters");
        return Err(FieldError::new("name", FieldCode::InvalidValue, message));
    }
    Ok(name.to_owned())
}
