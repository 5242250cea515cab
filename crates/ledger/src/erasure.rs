//! Erasure of single entries: their segment is written anew without them.
//!
//! In this order, each step durable before the next: the new file, the tombstone entry, the new
//! segment in the manifest, the deletion of the old file. A crash between two steps leaves a file
//! that the manifest does not list, which the next run or start removes; never entries that are gone
//! without their tombstone. Commitments and hashes of the tree stay, so every other entry is proved
//! as before.

use std::collections::BTreeMap;
use std::sync::Arc;

use reeve_audit::{Draft, events};
use reeve_tlog::Hash;

use crate::entry::{Receipt, SealedEntry, StoredEntry};
use crate::expiry::{ExpireError, root_of};
use crate::ledger::Ledger;
use crate::manifest::journal::{Journal, replace};
use crate::segment::{Erased, SegmentError, SegmentMeta};

/// Rows that are restored at a time.
const ROWS_AT_ONCE: usize = 4_096;

/// A segment that was written anew without some entries, and is not in the manifest yet.
#[derive(Debug, Clone)]
pub struct RewrittenSegment {
    /// The segment as the manifest lists it.
    pub before: SegmentMeta,
    /// The segment as the manifest will list it, with the new file.
    pub after: SegmentMeta,
    /// First and last sequence of each run of entries that it lacks.
    pub sequences: Vec<(u64, u64)>,
    /// Root over the commitments of these entries alone.
    pub root: Hash,
}

/// Entries that a request erases, ready to go.
#[derive(Debug)]
pub struct Erasure {
    pub rewritten: RewrittenSegment,
    /// Identifier of the request.
    pub request: String,
    /// Entry of the type `ledger.erase`.
    pub entry: Draft,
}

impl Ledger {
    /// Writes a segment anew without some of its entries, and reads the new file back. Nothing
    /// refers to it before [`Ledger::erase`].
    ///
    /// # Errors
    /// The segment has expired, lies in another tier, lacks one of the entries, is not what was
    /// sealed, or the new file cannot be written or is not what it should be.
    pub async fn rewrite(
        &self,
        path: &str,
        sequences: &[u64],
    ) -> Result<RewrittenSegment, ExpireError> {
        let before = self.segment(path)?;
        if before.expired.is_some() {
            return Err(ExpireError::refused(path, "it has expired"));
        }
        if before.moved.is_some() {
            let cause = "it lies in another tier, and entries are erased on the local disk alone";
            return Err(ExpireError::refused(path, cause));
        }
        let store = &self.shared().segments;
        let mut kept = Vec::new();
        let mut erased = BTreeMap::new();
        for entry in self.entries_of(store.read(&before).await?).await? {
            if sequences.binary_search(&entry.sequence).is_ok() {
                erased.insert(entry.sequence, entry);
            } else {
                kept.push(Arc::new(entry));
            }
        }
        if erased.is_empty() || erased.len() != sequences.len() {
            return Err(ExpireError::refused(path, "it lacks an entry to erase"));
        }

        self.shared().config.fence.check()?;
        // A move that was interrupted may have left a copy, which nothing would name afterwards.
        store.withdraw(&before).await?;
        let after = store.rewrite(&before, &kept).await?;
        let is_next = after.path == before.path_after(before.erased.len() + 1);
        let sequences = runs(erased.keys().copied());
        let mut marked = after.clone();
        marked.erased.push(Erased {
            entry: 0,
            request: String::new(),
            sequences: sequences.clone(),
        });
        let read = self.entries_of(store.read(&marked).await?).await?;
        let is_same = |(found, kept): (&StoredEntry, &Arc<StoredEntry>)| {
            (found.sequence, found.leaf_hash) == (kept.sequence, kept.leaf_hash)
        };
        if !is_next || read.len() != kept.len() || !read.iter().zip(&kept).all(is_same) {
            let message = "it is not what was written".to_owned();
            let path = after.path;
            return Err(SegmentError::Damaged { path, message }.into());
        }

        Ok(RewrittenSegment {
            before,
            after,
            sequences,
            root: root_of(erased.values()),
        })
    }

    /// Records the tombstone of erased entries, and puts the new segment in place of the old one;
    /// both are durable when this returns. The old file is deleted by [`Ledger::remove_replaced`].
    ///
    /// # Errors
    /// The entry is not of the type `ledger.erase`, the segment changed meanwhile, or a step failed.
    pub async fn erase(&self, erasure: Erasure) -> Result<Receipt, ExpireError> {
        let Erasure {
            rewritten,
            request,
            entry,
        } = erasure;
        let path = &rewritten.before.path;
        if entry.entry.event_type != events::ERASE.event_type() {
            return Err(ExpireError::refused(path, "its entry is no tombstone"));
        }
        if self.segment(path)? != rewritten.before {
            return Err(ExpireError::refused(path, "it changed meanwhile"));
        }

        let receipt = self.recorded(entry).await?;
        let mut segment = rewritten.after;
        segment.erased = rewritten.before.erased;
        segment.erased.push(Erased {
            entry: receipt.sequence,
            request,
            sequences: rewritten.sequences,
        });
        self.change_listed(path, |_| segment, replace, Journal::erase)
            .await?;
        Ok(receipt)
    }

    /// Deletes what erasures before left: files of segments that were written anew since. Returns
    /// the bytes that went.
    ///
    /// # Errors
    /// A file could not be deleted.
    pub async fn remove_replaced(&self) -> Result<u64, ExpireError> {
        let mut bytes = 0;
        for segment in self.segments().iter() {
            for erasures in 0..segment.erased.len() {
                self.shared().config.fence.check()?;
                // Segments are erased before they are moved: what was replaced lay here alone.
                let replaced = SegmentMeta {
                    path: segment.path_after(erasures),
                    moved: None,
                    ..segment.clone()
                };
                bytes += self.shared().segments.remove(&replaced).await?;
            }
        }
        Ok(bytes)
    }

    /// Returns the erasure that took out the entry with this sequence.
    pub fn erased(&self, sequence: u64) -> Option<Erased> {
        let all = self.segments();
        let mut marks = all.iter().flat_map(|segment| &segment.erased);
        marks.find(|erased| erased.includes(sequence)).cloned()
    }

    async fn entries_of(
        &self,
        mut rows: Vec<SealedEntry>,
    ) -> Result<Vec<StoredEntry>, ExpireError> {
        let mut entries = Vec::with_capacity(rows.len());
        while !rows.is_empty() {
            let rest = rows.split_off(rows.len().min(ROWS_AT_ONCE));
            let chunk = std::mem::replace(&mut rows, rest);
            entries.extend(self.restore(chunk).await?);
        }
        Ok(entries)
    }
}

/// First and last of each run of ascending sequences.
fn runs(sequences: impl IntoIterator<Item = u64>) -> Vec<(u64, u64)> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for sequence in sequences {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == sequence => *last = sequence,
            _ => runs.push((sequence, sequence)),
        }
    }
    runs
}
