//! Consent to a log of a version that did not sign its manifest and its anchor: given by an
//! operator, for one start.
//!
//! It covers files that have no signature by their format, never one whose signature is wrong: what
//! the newest frame of the write-ahead log and `ledger/checkpoint` say is verified all the same.
//! The entry about it comes before the manifest is signed, so a start that is interrupted in
//! between is refused again.

use std::sync::Arc;

use reeve_audit::Draft;
use reeve_tlog::Hash;

/// Extent of what was accepted without a signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsigned {
    /// Entries in the log.
    pub size: u64,
    /// Root of the tree over them.
    pub root: Hash,
    /// Entries that the unsigned manifest lists in segments.
    pub sealed_size: u64,
    /// Entries that a signed checkpoint in the directory covers. Nothing signed speaks for those
    /// beyond.
    pub signed_size: u64,
}

/// Reason why the entry cannot be made.
pub type EntryError = Box<dyn std::error::Error + Send + Sync>;

type EntryAbout = dyn Fn(&Unsigned) -> Result<Option<Draft>, EntryError> + Send + Sync;

/// Consent of an operator, with the entry that keeps it on record.
#[derive(Clone)]
pub struct AcceptUnsigned(Arc<EntryAbout>);

impl AcceptUnsigned {
    /// Consents. `entry` makes the entry about it; `None` where the caller records it otherwise.
    pub fn new(
        entry: impl Fn(&Unsigned) -> Result<Option<Draft>, EntryError> + Send + Sync + 'static,
    ) -> AcceptUnsigned {
        AcceptUnsigned(Arc::new(entry))
    }

    pub(crate) fn entry(&self, unsigned: &Unsigned) -> Result<Option<Draft>, EntryError> {
        (self.0)(unsigned)
    }
}

impl std::fmt::Debug for AcceptUnsigned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AcceptUnsigned")
    }
}
