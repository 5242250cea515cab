//! Expiry of whole segments: concealed at their time, then marked and deleted.
//!
//! In this order, each step durable before the next: the tombstone entry, the mark in the manifest,
//! the files, the entry about the freed bytes. A crash between two steps leaves a segment that is
//! expired and still there, which the next run finishes; never a file that is gone without its
//! tombstone. Commitments and hashes of the tree stay.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use reeve_audit::{Draft, Tier, events};
use reeve_tlog::{Hash, Tree};

use crate::append::AppendError;
use crate::deadlines::Classes;
use crate::entry::{Receipt, StoredEntry};
use crate::fence::Fenced;
use crate::ledger::Ledger;
use crate::manifest::ManifestError;
use crate::manifest::journal::{Journal, mark};
use crate::read::ReadError;
use crate::segment::{Expired, SegmentError, SegmentMeta};

/// Entry of an expiry, ready to be appended, and the segment that it speaks of.
#[derive(Debug)]
pub struct Tombstone {
    /// Path of the segment.
    pub path: String,
    /// Entry of the type `ledger.expire`.
    pub entry: Draft,
    /// Version of the policies that allow it.
    pub policy_version: u64,
}

/// Reason why a segment was not expired, freed or written anew. It stays as it is, and the next run tries again.
#[derive(Debug, thiserror::Error)]
pub enum ExpireError {
    /// There is no such segment, or it is not in the state that the step needs.
    #[error("{path} stays as it is: {cause}")]
    Refused {
        /// Path of the segment.
        path: String,
        /// Fault of the request.
        cause: &'static str,
    },
    /// The entry about it was not recorded.
    #[error("the expiry or erasure was not recorded")]
    Append(#[from] AppendError),
    /// The manifest was not written.
    #[error("the manifest was not written: {0}")]
    Manifest(#[from] ManifestError),
    /// Another server may write the log instead of this one.
    #[error(transparent)]
    Fenced(#[from] Fenced),
    /// Files could not be read, written or deleted.
    #[error(transparent)]
    Segment(#[from] SegmentError),
    /// An entry is not what the log committed to.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The ledger was closed.
    #[error("the log is closed")]
    Closed,
}

/// Records changed segments in the journal of the manifest, with the list as it is afterwards.
pub(crate) type ListRecord =
    fn(&mut Journal, Vec<SegmentMeta>, &[SegmentMeta]) -> Result<(), ManifestError>;

impl Ledger {
    /// All segments that the manifest lists, expired ones too.
    pub fn segments(&self) -> Arc<Vec<SegmentMeta>> {
        self.shared().all_segments.read().clone()
    }

    /// Gives new entries other classes, from the next seal on.
    pub fn classify(&self, classes: Arc<Classes>) {
        *self.shared().classes.write() = Some(classes);
    }

    /// Conceals segments from views from these times on. It replaces what was given before: a
    /// segment without a time is shown again.
    pub async fn conceal(&self, deadlines: HashMap<String, Timestamp>) {
        let _no_seal = self.not_sealing().await;
        let shared = self.shared();
        shared.deadlines.write().by_path = deadlines;
        shared.show_segments(None, |shown| shared.view.write().show(shown));
    }

    /// Records the tombstone of a segment and marks the segment as expired; both are durable when
    /// this returns. Its files are deleted by [`Ledger::free`].
    ///
    /// # Errors
    /// The entry is not of the type `ledger.expire`, the segment is not live, or a step failed.
    pub async fn expire(&self, tombstone: Tombstone) -> Result<Receipt, ExpireError> {
        let Tombstone {
            path,
            entry,
            policy_version,
        } = tombstone;
        if entry.entry.event_type != events::EXPIRE.event_type() {
            return Err(ExpireError::refused(path, "its entry is no tombstone"));
        }
        if self.segment(&path)?.expired.is_some() {
            return Err(ExpireError::refused(path, "it has expired already"));
        }

        let receipt = self.recorded(entry).await?;
        let expired = Expired {
            entry: receipt.sequence,
            policy_version,
            freed: None,
        };
        self.mark(&path, expired).await?;
        Ok(receipt)
    }

    /// Deletes the files of an expired segment, or what is left of them. Returns the bytes that
    /// went.
    ///
    /// # Errors
    /// The segment is not marked as expired, or a file could not be deleted.
    pub async fn free(&self, path: &str) -> Result<u64, ExpireError> {
        let segment = self.segment(path)?;
        if segment.expired.is_none() {
            return Err(ExpireError::refused(path, "it has not expired"));
        }
        // Nothing looks for files that erasures replaced once the segment is freed.
        let replaced = self.remove_replaced_of(&segment, Tier::Cold).await?;
        self.shared().config.fence.check()?;
        Ok(replaced + self.shared().segments.remove(&segment).await?)
    }

    /// Records that the files of an expired segment are gone.
    ///
    /// # Errors
    /// The entry is not of the type `ledger.free`, or a step failed.
    pub async fn freed(&self, path: &str, entry: Draft) -> Result<Receipt, ExpireError> {
        let Some(expired) = self
            .segment(path)?
            .expired
            .filter(|mark| mark.freed.is_none())
        else {
            return Err(ExpireError::refused(
                path,
                "it is not waiting for its deletion",
            ));
        };
        if entry.entry.event_type != events::FREE.event_type() {
            return Err(ExpireError::refused(
                path,
                "its entry is not about freed bytes",
            ));
        }

        let receipt = self.recorded(entry).await?;
        let freed = Some(receipt.sequence);
        self.mark(path, Expired { freed, ..expired }).await?;
        Ok(receipt)
    }

    pub(crate) async fn recorded(&self, entry: Draft) -> Result<Receipt, ExpireError> {
        let receipts = self.append(vec![entry]).await?;
        receipts.into_iter().next().ok_or(ExpireError::Closed)
    }

    pub(crate) fn segment(&self, path: &str) -> Result<SegmentMeta, ExpireError> {
        let all = self.segments();
        let found = all.iter().find(|segment| segment.path == path);
        found
            .cloned()
            .ok_or_else(|| ExpireError::refused(path, "the manifest does not list it"))
    }

    async fn mark(&self, path: &str, expired: Expired) -> Result<(), ExpireError> {
        let marked = |segment| SegmentMeta {
            expired: Some(expired),
            ..segment
        };
        self.change_listed(path, marked, mark, Journal::expire)
            .await
    }

    /// Changes a segment that the manifest lists, and shows readers the list with it; durable when
    /// this returns. `apply` makes the change in a list or refuses it, `append` records it.
    pub(crate) async fn change_listed(
        &self,
        path: &str,
        changed: impl FnOnce(SegmentMeta) -> SegmentMeta,
        apply: fn(&mut [SegmentMeta], &[SegmentMeta]) -> Result<(), ManifestError>,
        append: ListRecord,
    ) -> Result<(), ExpireError> {
        // A seal reads the list of segments at its beginning and writes it at its end.
        let _no_seal = self.not_sealing().await;
        let segment = changed(self.segment(path)?);
        let shared = self.shared().clone();
        let changing = move || {
            let mut all = shared.all_segments.read().as_ref().clone();
            apply(&mut all, std::slice::from_ref(&segment))?;
            let mut journal = shared.journal.lock();
            shared.config.fence.check()?;
            append(
                journal.as_mut().ok_or(ExpireError::Closed)?,
                vec![segment],
                &all,
            )?;
            drop(journal);
            shared.show_segments(Some(all), |shown| shared.view.write().show(shown));
            Ok::<(), ExpireError>(())
        };
        tokio::task::spawn_blocking(changing)
            .await
            .map_err(|_| ExpireError::Closed)?
    }
}

/// Root over the leaves of some entries alone, in the order given: what a tombstone says of the
/// commitments of its segment.
pub fn root_of<'e>(entries: impl IntoIterator<Item = &'e StoredEntry>) -> Hash {
    let mut tree = Tree::new();
    for entry in entries {
        tree.append(entry.leaf_hash, |_, _| {});
    }
    tree.root()
}

impl ExpireError {
    /// Refusal of a request about a segment.
    pub(crate) fn refused(path: impl Into<String>, cause: &'static str) -> ExpireError {
        let path = path.into();
        ExpireError::Refused { path, cause }
    }
}
