//! Errors of the files of a catalogue.

/// Error of a file of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}{field}: {reason}", if field.is_empty() { "" } else { ", " })]
pub struct CatalogueError {
    /// Identifier of the check or framework, or the path of the file.
    pub file: String,
    /// Field that is wrong; empty if the file as a whole is.
    pub field: String,
    /// Reason, as a clause.
    pub reason: String,
}

impl CatalogueError {
    pub(crate) fn field(file: &str, field: &str, reason: String) -> CatalogueError {
        CatalogueError {
            file: file.to_owned(),
            field: field.to_owned(),
            reason,
        }
    }
}
