//! The unsealed end of the log as readers see it, and the snapshot that pairs it with the sealed
//! segments.
//!
//! A tail is a list of blocks of up to 256 entries, aligned to sequences divisible by 256. A
//! snapshot shares the blocks; the one writer copies at most the list and the last block when a
//! snapshot is still held, so neither side waits for the other.

use std::sync::Arc;

use crate::entry::StoredEntry;
use crate::segment::SegmentMeta;

/// Entries in a full block.
const BLOCK: u64 = 256;

/// Consecutive entries that share a block: ascending, none missing.
pub type Block = Arc<Vec<Arc<StoredEntry>>>;

/// The acknowledged entries that no segment holds yet, in order, none missing. Cloning is cheap.
#[derive(Debug, Clone, Default)]
pub struct Tail {
    first: u64,
    end: u64,
    weight: usize,
    blocks: Arc<Vec<Block>>,
}

/// Snapshot of the acknowledged entries: each sequence below `tail.first_sequence()` is in exactly
/// one of the segments, each later one in the tail.
#[derive(Debug, Clone, Default)]
pub struct LogView {
    /// Sealed segments, ordered by first sequence, then class.
    pub segments: Arc<Vec<SegmentMeta>>,
    /// Segments of the cold tier that were not restored: they are in the log, and not searched.
    pub archived: Arc<Vec<SegmentMeta>>,
    /// Entries that are not sealed yet.
    pub tail: Tail,
}

/// The sealed segments as readers see them from now on.
#[derive(Debug)]
pub(crate) struct ShownSegments {
    /// Those that are searched.
    pub(crate) segments: Arc<Vec<SegmentMeta>>,
    /// Those of the cold tier that were not restored.
    pub(crate) archived: Arc<Vec<SegmentMeta>>,
}

impl LogView {
    /// Replaces the sealed segments.
    pub(crate) fn show(&mut self, shown: ShownSegments) {
        (self.segments, self.archived) = (shown.segments, shown.archived);
    }

    /// Returns the number of entries.
    pub fn count(&self) -> u64 {
        self.segments
            .iter()
            .map(|segment| segment.count)
            .sum::<u64>()
            + self.tail.len() as u64
    }
}

impl Tail {
    /// Entries in a full block; it begins at a multiple of this.
    pub const BLOCK: u64 = BLOCK;

    /// An empty tail whose first entry will have this sequence.
    pub fn starting_at(first: u64) -> Tail {
        Tail {
            first,
            end: first,
            weight: 0,
            blocks: Arc::default(),
        }
    }

    /// The sequence of its first entry, which is the number of sealed entries.
    pub fn first_sequence(&self) -> u64 {
        self.first
    }

    /// One past the sequence of its last entry, which is the size of the log.
    pub fn end_sequence(&self) -> u64 {
        self.end
    }

    /// Returns the number of unsealed entries.
    pub fn len(&self) -> usize {
        (self.end - self.first) as usize
    }

    /// Returns the canonical bytes of the tail, plus 256 for each entry.
    pub fn weight(&self) -> usize {
        self.weight
    }

    /// Returns `true` if everything is sealed.
    pub fn is_empty(&self) -> bool {
        self.end == self.first
    }

    /// The entry with this sequence, if it is in the tail.
    pub fn get(&self, sequence: u64) -> Option<&Arc<StoredEntry>> {
        if !(self.first..self.end).contains(&sequence) {
            return None;
        }

        let block = self
            .blocks
            .get((sequence / BLOCK - self.first / BLOCK) as usize)?;
        let starts = self.first.max(sequence / BLOCK * BLOCK);
        block.get((sequence - starts) as usize)
    }

    /// Entries in order; reverse it for the newest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<StoredEntry>> {
        self.blocks.iter().flat_map(|block| block.iter())
    }

    /// The blocks in order. A block of 256 never changes; the first may be cut short by a seal, the
    /// last grows.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Adds entries at the end; their sequences continue the tail's.
    pub fn extend(&mut self, entries: impl IntoIterator<Item = Arc<StoredEntry>>) {
        let blocks = Arc::make_mut(&mut self.blocks);
        for entry in entries {
            debug_assert_eq!(entry.sequence, self.end);
            self.weight += entry.weight();
            if self.end.is_multiple_of(BLOCK) || blocks.is_empty() {
                blocks.push(Arc::new(Vec::with_capacity(BLOCK as usize)));
            }
            if let Some(block) = blocks.last_mut() {
                Arc::make_mut(block).push(entry);
            }
            self.end += 1;
        }
    }

    /// The weight of the entries before a sequence.
    pub(crate) fn weight_before(&self, sequence: u64) -> usize {
        self.iter()
            .take_while(|entry| entry.sequence < sequence)
            .map(|entry| entry.weight())
            .sum()
    }

    /// Drops the entries before a sequence, which segments hold from now on and which weigh as much
    /// as this. The blocks are given back, so that they can be let go of when nobody waits for
    /// that.
    pub(crate) fn drop_before(&mut self, sequence: u64, weight: usize) -> Vec<Block> {
        self.weight -= weight.min(self.weight);
        let sequence = sequence.clamp(self.first, self.end);
        let gone = (sequence / BLOCK - self.first / BLOCK) as usize;
        let blocks = Arc::make_mut(&mut self.blocks);
        let first_left = self.first.max(sequence / BLOCK * BLOCK);
        let mut dropped: Vec<Block> = blocks.drain(..gone.min(blocks.len())).collect();
        let cut = (sequence - first_left) as usize;
        if cut > 0
            && let Some(block) = blocks.first_mut()
        {
            let left = Arc::new(block.get(cut..).unwrap_or_default().to_vec());
            dropped.push(std::mem::replace(block, left));
        }

        blocks.retain(|block| !block.is_empty());
        self.first = sequence;
        dropped
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use reeve_tlog::Hash;

    fn entry(sequence: u64) -> Arc<StoredEntry> {
        let canonical = br#"{"event_id":"a","event_type":"user.login","metadata":{"api_version":"v1"},"recorded_at":"2026-11-20T10:00:00.000Z","severity":"info","timestamp":"2026-11-20T10:00:00.000Z"}"#;
        Arc::new(StoredEntry::restore(sequence, [0; 16], canonical.to_vec(), Hash::ZERO).unwrap())
    }

    fn check(tail: &Tail, first: u64, end: u64) {
        assert_eq!((tail.first_sequence(), tail.end_sequence()), (first, end));
        assert_eq!(
            (tail.len() as u64, tail.is_empty()),
            (end - first, end == first)
        );
        assert_eq!(tail.weight(), tail.weight_before(end));
        assert!(tail.iter().map(|entry| entry.sequence).eq(first..end));
        assert!(
            tail.iter()
                .rev()
                .map(|entry| entry.sequence)
                .eq((first..end).rev())
        );

        for sequence in first.saturating_sub(2)..end + 2 {
            let expect = (first..end).contains(&sequence).then_some(sequence);
            assert_eq!(tail.get(sequence).map(|entry| entry.sequence), expect);
        }

        assert!(
            tail.blocks()
                .iter()
                .all(|block| !block.is_empty() && block.len() <= 256)
        );

        assert!(
            tail.blocks()
                .iter()
                .skip(1)
                .all(|block| block[0].sequence.is_multiple_of(256))
        );
    }

    #[test]
    fn entries_come_and_go() {
        for start in [0, 1, 255, 256, 1000] {
            let mut tail = Tail::starting_at(start);
            check(&tail, start, start);
            let (mut first, mut end) = (start, start);
            for (more, gone) in [
                (1, 0),
                (254, 0),
                (1, 3),
                (600, 300),
                (0, 200),
                (256, 409),
                (10, 0),
                (246, 256),
                (5, 1),
            ] {
                let before = tail.clone();
                tail.extend((end..end + more).map(entry));
                check(&before, first, end);
                end += more;
                check(&tail, first, end);
                let before = tail.clone();
                first = end.min(first + gone);
                let weight = tail.weight_before(first);
                tail.drop_before(first, weight);
                check(&tail, first, end);
                tail.drop_before(first - 1.min(first), 0);
                check(&tail, first, end);
                assert!(before.len() >= tail.len());
            }
        }
    }
}
