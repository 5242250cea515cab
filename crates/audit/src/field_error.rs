//! Errors of an entry: the field, a stable code, a sentence.

use std::fmt;

use crate::json::JsonError;

/// One failing field of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// Dotted path, such as `actor.emial` or `metadata.tags[2]`; empty for the entry as a whole.
    pub path: String,
    /// Stable name for programs: `unknown_field`, `wrong_type`, `missing_field`, `invalid_value`,
    /// `duplicate_key`, `lone_surrogate`, `invalid_utf8`, `integer_too_large`, `number_too_large`,
    /// `too_deep`, `trailing_bytes`, `invalid_json`, `entry_too_large`, `batch_too_large`,
    /// `empty_batch`.
    pub code: &'static str,
    /// A sentence for people that follows the path.
    pub message: String,
    /// Byte offset of the fault in the submitted text, from 0; `None` if the text is well-formed
    /// JSON and a value is wrong.
    pub offset: Option<usize>,
}

impl FieldError {
    /// An error about the field at `path`.
    pub fn new(path: impl Into<String>, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            code,
            message: message.into(),
            offset: None,
        }
    }
}

impl From<JsonError> for FieldError {
    fn from(e: JsonError) -> Self {
        Self {
            path: e.path.to_string(),
            code: e.fault.code(),
            message: format!("{} (byte {})", e.fault, e.offset),
            offset: Some(e.offset),
        }
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

impl std::error::Error for FieldError {}
