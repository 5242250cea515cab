//! Errors that prevent a verdict: a log that cannot be read is neither intact nor broken.

use std::io;
use std::path::{Path, PathBuf};

/// Reason why a log could not be verified.
#[derive(Debug, thiserror::Error)]
pub enum CannotVerify {
    /// There is nothing at the path.
    #[error("{path}: there is no such file or folder", path = .0.display())]
    NoSuchPath(PathBuf),
    /// The folder is not one of a log.
    #[error("{path} is not a data directory: it has no folder \"ledger\"", path = .0.display())]
    NotADataDirectory(PathBuf),
    /// There is no key to verify signatures with.
    #[error("no key to verify with: {0}")]
    NoKey(String),
    /// A text that should be a verifier key is malformed.
    #[error("{place} is not a verifier key (<name>+<id>+<base64>, one line): {cause}")]
    Key {
        /// The file or option.
        place: String,
        /// Fault in the key.
        cause: String,
    },
    /// A file is there and cannot be read.
    #[error("{path} cannot be read: {source}", path = path.display())]
    Unreadable {
        path: PathBuf,
        /// Error of the operating system.
        #[source]
        source: io::Error,
    },
    /// A file says that a later version wrote it.
    #[error("{file} is of the format version {found}, and this program knows only version 1")]
    Version { file: String, found: String },
    /// The log was sealed again and again while it was being read.
    #[error("{path} changes faster than it can be read; try again, or verify a snapshot of it", path = .0.display())]
    Restless(PathBuf),
    /// The proof has no entry in it.
    #[error(
        "the proof contains no entry (its payload was deleted), and so no commitment: take the commitment from an entry bundle of the log"
    )]
    NoDisclosure,
    /// The service did not answer as it should.
    #[error("{url}: {cause}")]
    Remote {
        url: String,
        /// Cause of the failure.
        cause: String,
    },
}

impl CannotVerify {
    /// Wraps an I/O error with its place.
    pub(crate) fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> CannotVerify {
        let path = path.to_owned();
        move |source| CannotVerify::Unreadable { path, source }
    }
}

/// Reason why a check stopped before the end of what it reads: the evidence is faulty, which is a
/// verdict, or it could not be looked at, which is none.
#[derive(Debug)]
pub(crate) enum Stop<F> {
    /// Fault of the evidence; the caller reports it as a finding.
    Fault(F),
    /// There is no verdict.
    CannotVerify(CannotVerify),
}

impl<F> Stop<F> {
    /// Returns the fault that a check ended with, `None` if it reached the end.
    pub(crate) fn fault_of(outcome: Result<(), Stop<F>>) -> Result<Option<F>, CannotVerify> {
        match outcome {
            Ok(()) => Ok(None),
            Err(Stop::Fault(fault)) => Ok(Some(fault)),
            Err(Stop::CannotVerify(error)) => Err(error),
        }
    }
}

impl<F> From<CannotVerify> for Stop<F> {
    fn from(error: CannotVerify) -> Stop<F> {
        Stop::CannotVerify(error)
    }
}

/// A whole file; `None` when there is none.
pub(crate) fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, CannotVerify> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if is_absence(&error) => Ok(None),
        Err(error) => Err(CannotVerify::unreadable(path)(error)),
    }
}

/// Returns `true` if an error means that the file does not exist.
pub(crate) fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// An error and what caused it, on one line.
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}
