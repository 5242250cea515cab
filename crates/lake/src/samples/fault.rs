//! Failures of reading a file of samples.

use crate::place::PlaceError;

/// Reason why a file of samples was not read.
#[derive(Debug, thiserror::Error)]
pub(super) enum SampleReadError {
    /// It is gone: merged away, or lost.
    #[error("{0} is missing")]
    Missing(String),
    /// It cannot be read.
    #[error("{path}: {message}")]
    Io { path: String, message: String },
    /// It is not what was written.
    #[error("{path} is damaged: {message}")]
    Damaged { path: String, message: String },
}

impl From<PlaceError> for SampleReadError {
    fn from(error: PlaceError) -> Self {
        match error {
            PlaceError::Missing(path) => SampleReadError::Missing(path),
            PlaceError::Io { path, message } => SampleReadError::Io { path, message },
        }
    }
}
