//! Indexes of pieces of the tail, for logs that are asked again and again.
//!
//! The tail may have two hundred thousand entries, and asking each of them takes tens of
//! milliseconds. A piece that several searches have looked through is indexed in memory, beside
//! them, unless the log grows much meanwhile: then it is filled rather than read, the piece is
//! sealed soon, and an index for so short a time would take more from the writers than it gives.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use reeve_ledger::Tail;

use crate::entries::index::{EntryIndex, rows_of};

/// Blocks of a piece: 16,384 entries.
const BLOCKS: u64 = 64;
const ENTRIES: u64 = BLOCKS * Tail::BLOCK;
/// Searches that look through a piece, while the log grows by less than another, before it is worth
/// an index.
const OFTEN: u32 = 3;

/// Consecutive entries of the tail, of which every full block begins at a multiple of
/// [`Tail::BLOCK`].
#[derive(Debug, Clone)]
pub(super) struct TailPiece {
    /// The blocks of it that the tail has, by their place in the tail.
    pub(super) blocks: Range<usize>,
    /// Number of the piece from the beginning of the log.
    number: u64,
    pub(super) index: Option<Arc<EntryIndex>>,
}

impl TailPiece {
    /// The sequence of the first row of its index.
    pub(super) fn first_sequence(&self) -> u64 {
        self.number * ENTRIES
    }
}

/// Pieces that searches have looked through, and the indexes of some.
#[derive(Debug, Default)]
pub(in crate::entries) struct Pieces {
    known: Mutex<BTreeMap<u64, Known>>,
    building: AtomicBool,
}

#[derive(Debug)]
enum Known {
    /// Number of searches that looked through it since the log had a size.
    Asked {
        times: u32,
        since: u64,
    },
    Indexed(Arc<EntryIndex>),
}

impl Pieces {
    /// Returns the tail in pieces, from its first to its last.
    pub(super) fn split(&self, tail: &Tail) -> Vec<TailPiece> {
        let (first, end) = (tail.first_sequence(), tail.end_sequence());
        let mut known = self.known.lock();
        *known = known.split_off(&(first / ENTRIES));
        let place =
            |sequence: u64| (sequence.max(first) / Tail::BLOCK - first / Tail::BLOCK) as usize;
        let numbers = first / ENTRIES..end.div_ceil(ENTRIES);
        let piece = |number: u64| TailPiece {
            blocks: place(number * ENTRIES)..place((number + 1) * ENTRIES).min(tail.blocks().len()),
            number,
            index: known.get(&number).and_then(|known| match known {
                Known::Indexed(index) => Some(Arc::clone(index)),
                Known::Asked { .. } => None,
            }),
        };

        numbers
            .map(piece)
            .filter(|piece| !piece.blocks.is_empty())
            .collect()
    }

    pub(in crate::entries) fn indexed(&self) -> usize {
        self.known
            .lock()
            .values()
            .filter(|known| matches!(known, Known::Indexed(_)))
            .count()
    }

    /// Notes that a search has looked through these pieces. Those that were looked through often
    /// are indexed now.
    pub(super) fn asked(self: &Arc<Self>, pieces: impl Iterator<Item = TailPiece>, tail: &Tail) {
        let size = tail.end_sequence();
        let whole = |number: u64| {
            tail.first_sequence() <= number * ENTRIES && (number + 1) * ENTRIES <= size
        };

        let mut wanted = Vec::new();
        {
            let mut known = self.known.lock();
            for piece in pieces.filter(|piece| whole(piece.number)) {
                let fresh = Known::Asked {
                    times: 0,
                    since: size,
                };
                if let Known::Asked { times, since } = known.entry(piece.number).or_insert(fresh) {
                    if size > *since + ENTRIES {
                        (*times, *since) = (0, size);
                    }
                    *times += 1;
                    if *times >= OFTEN {
                        wanted.push(piece.number);
                    }
                }
            }
        }

        if wanted.is_empty() || self.building.swap(true, Ordering::AcqRel) {
            return;
        }

        let (pieces, tail) = (Arc::clone(self), tail.clone());
        tokio::task::spawn_blocking(move || {
            for number in wanted {
                pieces.build(number, &tail);
            }
            pieces.building.store(false, Ordering::Release);
        });
    }

    fn build(&self, number: u64, tail: &Tail) {
        let entries =
            (number * ENTRIES..(number + 1) * ENTRIES).filter_map(|sequence| tail.get(sequence));
        let rows = rows_of(entries.map(AsRef::as_ref));

        match EntryIndex::of_entries(&rows) {
            Ok(index) => drop(
                self.known
                    .lock()
                    .insert(number, Known::Indexed(Arc::new(index))),
            ),
            Err(error) => tracing::warn!(%error, "a piece of the unsealed log was not indexed"),
        }
    }
}
