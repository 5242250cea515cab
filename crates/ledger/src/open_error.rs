//! Errors of opening a ledger. Each names the file, the place in it, the fault, and the remedy;
//! nothing was changed.

use std::io;
use std::path::{Path, PathBuf};

use reeve_tlog::Hash;

use crate::accept::EntryError;
use crate::segment::SegmentError;

/// Reason why a ledger does not open.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process has it open.
    #[error("{path} is locked: another process uses this data directory; stop it first, or give this one its own directory", path = path.display())]
    Locked { path: PathBuf },
    /// A disk operation failed.
    #[error("{path}: {action} failed: {source}", path = path.display())]
    Io {
        path: PathBuf,
        action: &'static str,
        /// Error of the operating system.
        #[source]
        source: io::Error,
    },
    /// A file is not what the log acknowledged.
    #[error("{path}, byte {offset}: {cause}; entries from {sequence} on are affected: restore the file from a backup", path = path.display())]
    Damaged {
        path: PathBuf,
        /// Byte offset of the damage.
        offset: u64,
        /// First entry that cannot be trusted.
        sequence: u64,
        /// Description of the damage.
        cause: String,
    },
    /// A write-ahead log file is gone.
    #[error("{path} is missing: the log has entries up to {sequence}, and the file with the next ones is not there: restore it from a backup", path = path.display())]
    WalMissing {
        /// The file that should be there.
        path: PathBuf,
        /// Number of entries before it.
        sequence: u64,
    },
    /// Acknowledged entries are gone.
    #[error(
        "{path} ends after {size} entries, but {anchored} were acknowledged ({anchor}): the end of the log was cut off; restore it from a backup",
        path = path.display(), anchor = anchor.display()
    )]
    Shorter {
        /// The newest file of the log.
        path: PathBuf,
        /// Entries that the files have.
        size: u64,
        /// Entries that were acknowledged.
        anchored: u64,
        anchor: PathBuf,
    },
    /// Acknowledged entries were replaced.
    #[error(
        "the first {size} entries of the log have the {what} {found}, but {expected} was acknowledged ({anchor}): the log was rewritten; restore it from a backup",
        anchor = anchor.display()
    )]
    Differs {
        /// Number of the first entries that the two hashes cover.
        size: u64,
        /// "root" or "chain hash".
        what: &'static str,
        /// Root hash that the log has.
        found: Hash,
        /// Root hash that the anchor has.
        expected: Hash,
        anchor: PathBuf,
    },
    /// There are entries but no anchor.
    #[error(
        "{path} is missing, so a loss of the newest entries of the log of {size} entries cannot be excluded: restore it from a backup, or check the log with reeve-verify and set accept_missing_anchor once",
        path = path.display()
    )]
    AnchorMissing {
        path: PathBuf,
        /// Entries in the log.
        size: u64,
    },
    /// The anchor does not hold.
    #[error(
        "{path} is damaged, neither of its slots holds: restore it from a backup, or check the log with reeve-verify, delete the file and set accept_missing_anchor once",
        path = path.display()
    )]
    AnchorDamaged { path: PathBuf },
    /// The manifest or the tiles are not what a seal wrote.
    #[error("{path}: {cause}: restore it from a backup", path = path.display())]
    Sealed {
        /// Manifest, tile or chain file.
        path: PathBuf,
        /// Fault in the sealed data.
        cause: String,
    },
    /// A file has a signature that does not hold, or a signed file speaks of another log than the
    /// one there is.
    #[error(
        "{path}: {cause}: the log's key did not sign what is there, so it was damaged or forged, and nothing is signed over it; check the directory with reeve-verify and restore it from a backup (docs/operate/refused-start.md)",
        path = path.display()
    )]
    Forged {
        path: PathBuf,
        /// Signature that does not hold, and why.
        cause: String,
    },
    /// The directory is of a version that did not sign its manifest and anchor.
    #[error(
        "{path} is missing: the {size} entries of this log were written by a version of Reeve that signed neither the list of their segments nor the anchor, or the signed files were removed; check the directory with reeve-verify --accept-unsigned and a checkpoint kept elsewhere, then start once with --accept-unsigned (docs/operate/refused-start.md)",
        path = path.display()
    )]
    Unsigned {
        /// The signed manifest that should be there.
        path: PathBuf,
        /// Entries in the log.
        size: u64,
    },
    /// The entry about unsigned files that were accepted could not be recorded.
    #[error(
        "unsigned files are accepted only on record, and the entry about them was not recorded: {0}"
    )]
    Unrecorded(#[source] EntryError),
    /// Another key than the log's.
    #[error("{path}: {cause}", path = path.display())]
    Key {
        /// The verifier key's file.
        path: PathBuf,
        /// Mismatch between the key and the log.
        cause: String,
    },
    /// A segment could not be read to rebuild the index of identifiers.
    #[error("the index of identifiers cannot be rebuilt")]
    Segment(#[from] SegmentError),
    /// A background thread could not be started, or died.
    #[error("the ledger's thread failed: {0}")]
    Thread(String),
}

impl OpenError {
    /// Wraps an I/O error with its place.
    pub(crate) fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> OpenError {
        move |source| OpenError::Io {
            path: path.to_owned(),
            action,
            source,
        }
    }
}
