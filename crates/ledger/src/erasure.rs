//! Erasure of single entries: their segment is written anew without them.
//!
//! In this order, each step durable before the next: the new file, the tombstone entry, the new
//! segment in the manifest, the deletion of the old file. A crash between two steps leaves a file
//! that the manifest does not list, which the next run or start removes; never entries that are gone
//! without their tombstone. Commitments and hashes of the tree stay, so every other entry is proved
//! as before.
//!
//! The new file is written to the local disk, whatever tier the segment lies in, and the ordinary
//! moves bring it there again. The mark of the erasure names the tier of the old file, so that the
//! next run finds it after a crash.

use std::collections::BTreeMap;
use std::sync::Arc;

use reeve_audit::{Draft, Tier, events};
use reeve_tlog::{Hash, Tree};

use crate::entry::{Receipt, SealedEntry, StoredEntry};
use crate::expiry::{ExpireError, root_of};
use crate::ledger::Ledger;
use crate::manifest::journal::{Journal, replace};
use crate::read::leaf_hash;
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
    /// The segment has expired, is being moved, lies in the cold tier and was not restored, lacks
    /// one of the entries, is not what was sealed, or the new file cannot be written or is not what
    /// it should be.
    pub async fn rewrite(
        &self,
        path: &str,
        sequences: &[u64],
    ) -> Result<RewrittenSegment, ExpireError> {
        let before = self.rewritable(path)?;
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

        let after = self.written_anew(&before, &kept).await?;
        Ok(RewrittenSegment {
            before,
            after,
            sequences: runs(erased.keys().copied()),
            root: root_of(erased.values()),
        })
    }

    /// Writes a segment anew whose file is gone, from rows that a later file of it has: what a restored
    /// log needs whose segment was erased from in a farther tier after the backup. Nothing refers to
    /// the new file before [`Ledger::erase`].
    ///
    /// # Errors
    /// As of [`Ledger::rewrite`]; or rows and sequences do not make up the segment.
    pub async fn rewrite_from(
        &self,
        path: &str,
        rows: Vec<SealedEntry>,
        sequences: &[u64],
    ) -> Result<RewrittenSegment, ExpireError> {
        let before = self.rewritable(path)?;
        let is_erased = |row: &SealedEntry| sequences.binary_search(&row.sequence).is_ok();
        let count = rows.len() as u64 + sequences.len() as u64;
        if sequences.is_empty() || count != before.count || rows.iter().any(is_erased) {
            let cause = "the rows that are left and the erased ones do not make it up";
            return Err(ExpireError::refused(path, cause));
        }
        let kept = self.entries_of(rows).await?.into_iter().map(Arc::new);
        let kept: Vec<Arc<StoredEntry>> = kept.collect();
        let (shared, erased) = (self.shared().clone(), sequences.to_vec());
        let root = tokio::task::spawn_blocking(move || {
            let mut tree = Tree::new();
            for sequence in erased {
                tree.append(leaf_hash(&shared, sequence)?, |_, _| {});
            }
            Ok::<Hash, ExpireError>(tree.root())
        });
        let root = root.await.map_err(|_| ExpireError::Closed)??;

        let after = self.written_anew(&before, &kept).await?;
        Ok(RewrittenSegment {
            before,
            after,
            sequences: runs(sequences.iter().copied()),
            root,
        })
    }

    /// Returns a segment whose file may be replaced.
    fn rewritable(&self, path: &str) -> Result<SegmentMeta, ExpireError> {
        let segment = self.segment(path)?;
        if segment.expired.is_some() {
            return Err(ExpireError::refused(path, "it has expired"));
        }
        // The mark of an erasure names one tier, and its file may lie in two.
        if segment.leaving().is_some() {
            let cause = "its move to another tier has not ended";
            return Err(ExpireError::refused(path, cause));
        }
        let is_restored = self.shared().deadlines.read().restored.contains(path);
        if segment.tier() == Tier::Cold && !is_restored {
            let cause = "it lies in the cold tier and was not restored";
            return Err(ExpireError::refused(path, cause));
        }
        Ok(segment)
    }

    /// Writes the file of a segment with these of its entries, and reads it back.
    async fn written_anew(
        &self,
        before: &SegmentMeta,
        kept: &[Arc<StoredEntry>],
    ) -> Result<SegmentMeta, ExpireError> {
        let store = &self.shared().segments;
        self.shared().config.fence.check()?;
        // A move that was interrupted may have left a copy, which nothing would name afterwards.
        store.withdraw(before).await?;
        let after = store.rewrite(before, kept).await?;
        let is_next =
            after.moved.is_none() && after.path == before.path_after(before.erased.len() + 1);
        let mut marked = after.clone();
        marked.erased.push(Erased {
            entry: 0,
            request: String::new(),
            sequences: Vec::new(),
            tier: None,
        });
        let read = self.entries_of(store.read(&marked).await?).await?;
        let is_same = |(found, kept): (&StoredEntry, &Arc<StoredEntry>)| {
            (found.sequence, found.leaf_hash) == (kept.sequence, kept.leaf_hash)
        };
        if !is_next || read.len() != kept.len() || !read.iter().zip(kept).all(is_same) {
            let message = "it is not what was written".to_owned();
            let path = after.path;
            return Err(SegmentError::Damaged { path, message }.into());
        }
        Ok(after)
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
            tier: rewritten.before.moved.map(|moved| moved.tier),
        });
        self.change_listed(path, |_| segment, replace, Journal::erase)
            .await?;
        Ok(receipt)
    }

    /// Deletes what erasures before left, in whatever tier: files of segments that were written anew
    /// since. Returns the bytes that went.
    ///
    /// # Errors
    /// A file could not be deleted; the others are.
    pub async fn remove_replaced(&self) -> Result<u64, ExpireError> {
        self.remove_replaced_within(Tier::Cold).await
    }

    /// Deletes what erasures before left on the local disk.
    ///
    /// # Errors
    /// A file could not be deleted; the others are.
    pub async fn remove_replaced_here(&self) -> Result<u64, ExpireError> {
        self.remove_replaced_within(Tier::Hot).await
    }

    async fn remove_replaced_within(&self, farthest: Tier) -> Result<u64, ExpireError> {
        let (mut bytes, mut failure) = (0, None);
        for segment in self.segments().iter() {
            // What it replaced went before it was freed.
            if segment.expired.is_some_and(|mark| mark.freed.is_some()) {
                continue;
            }
            // A place that does not answer keeps no other file from being deleted.
            match self.remove_replaced_of(segment, farthest).await {
                Ok(removed) => bytes += removed,
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        failure.map_or(Ok(bytes), Err)
    }

    /// Deletes the files of a segment that erasures replaced in the tiers up to one.
    pub(crate) async fn remove_replaced_of(
        &self,
        segment: &SegmentMeta,
        farthest: Tier,
    ) -> Result<u64, ExpireError> {
        let shared = self.shared();
        let mut bytes = 0;
        for (erasures, erased) in segment.erased.iter().enumerate() {
            let tier = erased.tier.unwrap_or_default();
            let path = segment.path_after(erasures);
            // Asking a place again and again costs requests.
            if tier > farthest || shared.removed.lock().contains(&path) {
                continue;
            }
            shared.config.fence.check()?;
            let replaced = SegmentMeta {
                path: path.clone(),
                moved: None,
                ..segment.clone()
            };
            bytes += match tier {
                Tier::Hot => shared.segments.remove(&replaced).await?,
                _ => shared.segments.leave(&replaced, tier).await?,
            };
            shared.removed.lock().insert(path);
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
