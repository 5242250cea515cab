//! Sequences that no segment has, given to the segments that expired.

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

impl ExpiredGap {
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
            gaps: expired
                .map(|segment| ExpiredGap {
                    segment: segment.clone(),
                    left: segment.count,
                    tree: Some(Tree::new()),
                })
                .collect(),
            from: 0,
        }
    }

    /// Gives a sequence that no live segment has to the expired segment that ends first of those
    /// that can take it. Sequences come in order. Returns `false` if there is none.
    pub(crate) fn take(&mut self, sequence: u64, commitment: Option<Commitment>) -> bool {
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

        let Some(gap) = chosen.and_then(|at| self.gaps.get_mut(at)) else {
            return false;
        };
        gap.left -= 1;
        match (&mut gap.tree, commitment) {
            (Some(tree), Some(commitment)) => tree.append(commitment.leaf_hash(), |_, _| {}),
            _ => gap.tree = None,
        }
        true
    }

    /// The segments, once all sequences were given.
    pub(crate) fn finish(self) -> Vec<ExpiredGap> {
        self.gaps
    }
}
