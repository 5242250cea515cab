//! Writes a resolved batch: number, hash, sign, write, sync, anchor, show, acknowledge, in this
//! order.

use std::sync::Arc;

use reeve_tlog::Hash;

use super::Sequencer;
use super::plan::{BatchPlan, Place, Waiter};
use super::recent::Recent;
use crate::anchor::AnchorHead;
use crate::append::{AppendError, PreparedEntry, Recorded, Submission};
use crate::entry::StoredEntry;
use crate::ids::{IdKey, Mark};
use crate::shared::{LedgerFault, LedgerHead};
use crate::tiles::TileGrowth;
use crate::wal::{FrameHead, encode_frame};

/// A batch that is numbered and signed, but not written.
struct Batch {
    entries: Vec<Arc<StoredEntry>>,
    marks: Vec<(IdKey, Mark)>,
    growth: TileGrowth,
    head: LedgerHead,
}

impl Sequencer {
    /// Records a batch and answers every submission in it. `hurry`: something else waits behind it.
    pub(super) fn record(&mut self, batch: Vec<Submission>, hurry: bool) {
        let BatchPlan { fresh, waiters, .. } = self.plan(batch);
        let written = if fresh.is_empty() {
            Ok(Vec::new())
        } else {
            self.write(fresh)
        };
        self.unpublished |= written.as_ref().is_ok_and(|entries| !entries.is_empty());

        // The process may have been paused since the frame was written, and another server may have
        // begun without it. An earlier receipt is not repeated either: the entry may be one that
        // was written and never acknowledged.
        if let Err(fenced) = self.shared.config.fence.check() {
            for waiter in waiters {
                refuse(waiter, AppendError::Fenced(fenced.clone()));
            }
            return;
        }

        for waiter in waiters {
            answer(waiter, &written);
        }

        if let Ok(entries) = written
            && self.shared.live.receiver_count() > 0
        {
            for entry in entries {
                // Nobody listening any more is no error.
                let _ = self.shared.live.send(entry);
            }
        }

        if !hurry && self.unpublished && self.shared.room.waiting() == 0 {
            self.publish();
        }
    }

    fn write(&mut self, fresh: Vec<PreparedEntry>) -> Result<Vec<Arc<StoredEntry>>, AppendError> {
        if let Some(LedgerFault::Unknown(message) | LedgerFault::Removed(message)) =
            self.shared.fault.lock().clone()
        {
            return Err(AppendError::Storage {
                message,
                full_disk: false,
            });
        }

        let batch = self.number(fresh)?;
        let first_sequence = self.shared.head.read().size;
        let head = FrameHead {
            first_sequence,
            committed_at_ms: self.shared.config.clock.now().as_millisecond(),
            note: batch.head.note.to_string(),
        };

        let entries = batch
            .entries
            .iter()
            .map(|entry| (&entry.salt, entry.canonical.as_slice()));
        let frame = encode_frame(&head, entries).map_err(|fault| AppendError::Storage {
            message: format!("the batch cannot be written: {fault}"),
            full_disk: false,
        })?;

        // As late as possible: compressing a batch takes milliseconds.
        self.shared.config.fence.check()?;
        self.wal
            .append(&frame)
            .map_err(|failure| self.failed(failure))?;
        Ok(self.show(batch))
    }

    /// Gives each entry its place in log, chain and tree, and signs the tree they make. Changes
    /// nothing that is shared.
    fn number(&self, fresh: Vec<PreparedEntry>) -> Result<Batch, AppendError> {
        let (first, mut previous_hash) = {
            let head = self.shared.head.read();
            (head.size, head.chain_hash)
        };
        let mut growth = self.shared.tiles.grow();
        let mut entries = Vec::with_capacity(fresh.len());
        let mut marks = Vec::with_capacity(fresh.len());

        for (sequence, PreparedEntry { mut entry, claim }) in (first..).zip(fresh) {
            // Nobody else has it yet, so nothing is copied.
            Arc::make_mut(&mut entry).place(sequence, previous_hash);
            growth.append(entry.leaf_hash);
            previous_hash = entry.hash;
            marks.push((claim.key, claim.mark));
            entries.push(entry);
        }

        let head = self.sign(&growth, previous_hash)?;
        Ok(Batch {
            entries,
            marks,
            growth,
            head,
        })
    }

    fn sign(&self, growth: &TileGrowth, chain_hash: Hash) -> Result<LedgerHead, AppendError> {
        let (size, root) = (growth.tree().size(), growth.tree().root());
        let note = self
            .shared
            .sign(size, root)
            .map_err(|error| AppendError::Storage {
                message: format!("the checkpoint cannot be signed: {error}"),
                full_disk: false,
            })?;

        Ok(LedgerHead {
            size,
            root,
            chain_hash,
            note: note.into(),
        })
    }

    /// Shows a durable batch to readers: anchor, tree, entries, checkpoint.
    fn show(&mut self, batch: Batch) -> Vec<Arc<StoredEntry>> {
        let Batch {
            entries,
            marks,
            growth,
            head,
        } = batch;

        let anchor = AnchorHead::signed(head.size, head.root, head.chain_hash, &head.note);
        match self.anchor.write(&anchor) {
            Ok(()) => *self.shared.anchor_fault.lock() = None,
            Err(error) => self.anchor_failed(&error),
        }

        self.recent.reserve(entries.len());
        for (entry, (key, mark)) in entries.iter().zip(marks) {
            let (sequence, recorded_at) = (entry.sequence, entry.recorded_at);
            self.recent.insert(
                key,
                Recent {
                    mark,
                    sequence,
                    recorded_at,
                },
            );
        }

        self.shared.tiles.adopt(growth);
        let unsealed = {
            let mut view = self.shared.view.write();
            let before = view.tail.weight();
            view.tail.extend(entries.iter().cloned());
            before..view.tail.weight()
        };
        *self.shared.head.write() = head;

        if unsealed.start == 0 || self.shared.is_seal_due() {
            self.shared.seal_due.notify_one();
        }

        entries
    }
}

/// Answers a submission: with what became of its entries, or with why the batch was not written if
/// any of them is in it.
fn answer(waiter: Waiter, written: &Result<Vec<Arc<StoredEntry>>, AppendError>) {
    let recorded = |place| match (place, written) {
        (Place::Known(receipt), _) => Ok(Recorded::Known(receipt)),
        (Place::New { nth, duplicate }, Ok(entries)) => {
            let entry = entries.get(nth).cloned().ok_or(AppendError::Closed)?;
            Ok(Recorded::New { entry, duplicate })
        }
        (Place::New { .. }, Err(error)) => Err(error.clone()),
    };
    let answer = waiter.places.into_iter().map(recorded).collect();

    // Whoever has an answer may count on the room being free again.
    drop(waiter.reservation);
    // A caller that went away has its entries recorded all the same.
    let _ = waiter.reply.send(answer);
}

/// Answers a submission with an error, whatever its entries are.
fn refuse(waiter: Waiter, error: AppendError) {
    drop(waiter.reservation);
    let _ = waiter.reply.send(Err(error));
}
