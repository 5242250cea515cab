//! A wrong query: where, why, and what to write instead.

use std::fmt;

/// Reason why a query was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryError {
    /// The character it was found at, counted from 0.
    pub position: usize,
    /// The part of the query that is wrong, as written; empty where something is missing.
    pub part: String,
    /// Description of the fault.
    pub message: String,
    /// Correction to suggest to the user, if there is one.
    pub hint: Option<String>,
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (character {})", self.message, self.position)?;
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for QueryError {}

/// A fault whose place the caller knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

impl Problem {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
        }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Returns the error for `part` at `position`.
    pub(super) fn at(self, position: usize, part: impl Into<String>) -> QueryError {
        QueryError {
            position,
            part: part.into(),
            message: self.message,
            hint: self.hint,
        }
    }
}
