//! Moves of whole segments to another tier.
//!
//! In this order, each step durable before the next: the copy, read back and verified; the entry
//! about the move; the record of the manifest that names the new tier; the deletion of the file
//! from before; the record that it is gone. A crash between two steps leaves the file in its old
//! place, in both, or in the new one alone, and the manifest always names a place that has it.

use std::collections::HashSet;

use reeve_audit::{Draft, Tier, events};

use crate::entry::Receipt;
use crate::expiry::ExpireError;
use crate::ledger::Ledger;
use crate::manifest::journal::{Journal, relocate};
use crate::segment::{Moved, SegmentContent, SegmentMeta};

/// Move of a segment, with the entry about it.
#[derive(Debug)]
pub struct Relocation {
    /// Path of the segment.
    pub path: String,
    /// Tier that it goes to, farther than the one that it lies in.
    pub to: Tier,
    /// Its content, as the bytes say that were sealed.
    pub content: SegmentContent,
    /// Entry of the type `ledger.move`.
    pub entry: Draft,
}

impl Ledger {
    /// Copies a segment to another tier, verifies the copy, records it, and lets the manifest name
    /// the new tier; all of it is durable when this returns. The file from before is deleted by
    /// [`Ledger::settle`].
    ///
    /// # Errors
    /// The entry is not of the type `ledger.move`, the segment has expired, lies there already or
    /// has not settled since its move before, or a step failed.
    pub async fn relocate(&self, relocation: Relocation) -> Result<Receipt, ExpireError> {
        let Relocation {
            path,
            to,
            content,
            entry,
        } = relocation;
        if entry.entry.event_type != events::MOVE.event_type() {
            return Err(ExpireError::refused(path, "its entry is about no move"));
        }
        let segment = self.segment(&path)?;
        let from = segment.tier();
        if segment.expired.is_some() || to <= from || segment.leaving().is_some() {
            return Err(ExpireError::refused(
                path,
                "it is not in the state for this move",
            ));
        }

        self.shared().segments.copy(&segment, to).await?;
        let receipt = self.recorded(entry).await?;
        let moved = Moved {
            tier: to,
            entry: receipt.sequence,
            leaving: Some(from),
            content,
        };
        self.note(&path, moved).await?;
        Ok(receipt)
    }

    /// Deletes the file that a moved segment left behind, and notes that it is gone. Returns its
    /// bytes.
    ///
    /// # Errors
    /// No move of the segment waits for this, or the file could not be deleted.
    pub async fn settle(&self, path: &str) -> Result<u64, ExpireError> {
        let segment = self.segment(path)?;
        let (Some(moved), Some(tier)) = (segment.moved.clone(), segment.leaving()) else {
            return Err(ExpireError::refused(path, "it leaves no tier"));
        };
        self.shared().config.fence.check()?;
        let bytes = self.shared().segments.leave(&segment, tier).await?;
        let leaving = None;
        self.note(path, Moved { leaving, ..moved }).await?;
        Ok(bytes)
    }

    /// Shows these segments of the cold tier, and no others of it. It replaces what was given
    /// before.
    pub async fn restored(&self, paths: HashSet<String>) {
        let _no_seal = self.not_sealing().await;
        let shared = self.shared();
        shared.deadlines.write().restored = paths;
        shared.show_segments(None, |shown| shared.view.write().show(shown));
    }

    async fn note(&self, path: &str, moved: Moved) -> Result<(), ExpireError> {
        let noted = |segment| SegmentMeta {
            moved: Some(moved),
            ..segment
        };
        self.change_listed(path, noted, relocate, Journal::relocate)
            .await
    }
}
