//! Faults of segments, made from what a place or a file says.

use reeve_ledger::SegmentError;

use crate::place::PlaceError;

pub(super) fn damaged(path: &str, message: impl Into<String>) -> SegmentError {
    SegmentError::Damaged {
        path: path.to_owned(),
        message: message.into(),
    }
}

pub(super) fn away(path: &str, message: String) -> SegmentError {
    SegmentError::Away {
        path: path.to_owned(),
        message,
    }
}

pub(super) fn io(path: &str, message: String) -> SegmentError {
    SegmentError::Io {
        path: path.to_owned(),
        message,
    }
}

pub(super) fn failed(error: PlaceError) -> SegmentError {
    match error {
        PlaceError::Missing(path) => damaged(&path, "the file is missing"),
        PlaceError::Io { path, message } => io(&path, message),
    }
}
