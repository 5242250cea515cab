//! Sequences that no segment at hand has, given to the segments that expired and to those that lie
//! in a farther tier.

use reeve_tlog::{Commitment, Hash, Tree};

use crate::manifest::Listed;

/// A segment that is marked as expired, and the sequences that were given to it.
#[derive(Debug)]
pub(crate) struct ExpiredGap {
    pub(crate) segment: Listed,
    /// Entries of it that have no sequence yet.
    pub(crate) left: u64,
    /// Tree over the commitments of its sequences; `None` once one of them could be of another
    /// segment too.
    tree: Option<Tree>,
}

/// Reason why a sequence is not at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gone {
    /// The segment that had the entry expired.
    Expired,
    /// Its segment lies in a tier that was not read.
    Elsewhere,
}

impl ExpiredGap {
    fn of(segment: &Listed) -> ExpiredGap {
        ExpiredGap {
            segment: segment.clone(),
            left: segment.count,
            tree: Some(Tree::new()),
        }
    }

    /// Root over its commitments; `None` where the log alone does not tell which they are.
    pub(crate) fn root(&self) -> Option<Hash> {
        let tree = self.tree.as_ref().filter(|_| self.left == 0)?;
        Some(tree.root())
    }
}

/// Expired segments in the order of their first sequence.
#[derive(Debug, Default)]
pub(crate) struct ExpiredGaps {
    gaps: Vec<ExpiredGap>,
    /// The first that may still take a sequence.
    from: usize,
}

impl ExpiredGaps {
    /// Takes the segments that are marked as expired.
    pub(crate) fn new(listed: &[Listed]) -> ExpiredGaps {
        let expired = listed.iter().filter(|segment| segment.expired.is_some());
        ExpiredGaps {
            gaps: expired.map(ExpiredGap::of).collect(),
            from: 0,
        }
    }

    /// Takes a segment of a farther tier, before a sequence of it is asked for.
    pub(crate) fn elsewhere(&mut self, segment: &Listed) {
        let first = segment.first_sequence;
        let at = self
            .gaps
            .partition_point(|gap| gap.segment.first_sequence <= first);
        self.gaps.insert(at, ExpiredGap::of(segment));
        self.from = self.from.min(at);
    }

    /// Gives a sequence that no segment at hand has to the segment that ends first of those that can
    /// take it. Sequences come in order. Returns `None` if there is none.
    pub(crate) fn take(&mut self, sequence: u64, commitment: Option<Commitment>) -> Option<Gone> {
        while self
            .gaps
            .get(self.from)
            .is_some_and(|gap| gap.segment.last_sequence < sequence)
        {
            self.from += 1;
        }

        let able = |gap: &ExpiredGap| gap.left > 0 && gap.segment.last_sequence >= sequence;
        let candidates: Vec<usize> = self
            .gaps
            .iter()
            .enumerate()
            .skip(self.from)
            .take_while(|(_, gap)| gap.segment.first_sequence <= sequence)
            .filter(|(_, gap)| able(gap))
            .map(|(at, _)| at)
            .collect();
        if candidates.len() > 1 {
            candidates.iter().for_each(|at| self.gaps[*at].tree = None);
        }
        let chosen = candidates
            .into_iter()
            .min_by_key(|at| self.gaps[*at].segment.last_sequence);

        let gap = chosen.and_then(|at| self.gaps.get_mut(at))?;
        gap.left -= 1;
        match (&mut gap.tree, commitment) {
            (Some(tree), Some(commitment)) => tree.append(commitment.leaf_hash(), |_, _| {}),
            _ => gap.tree = None,
        }
        Some(match gap.segment.expired {
            Some(_) => Gone::Expired,
            None => Gone::Elsewhere,
        })
    }

    /// The expired segments, once all sequences were given.
    pub(crate) fn finish(mut self) -> Vec<ExpiredGap> {
        self.gaps.retain(|gap| gap.segment.expired.is_some());
        self.gaps
    }
}
