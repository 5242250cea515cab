//! Erased sequences, and the marks that name them.

use std::collections::BTreeMap;

use reeve_tlog::{Commitment, Hash, Tree};

use crate::manifest::{ErasureMark, Listed};

/// A mark of the manifest, and the commitments of its sequences.
#[derive(Debug)]
pub(crate) struct ErasedRuns {
    pub(crate) segment: Listed,
    /// Position of the mark among those of the segment.
    pub(crate) nth: usize,
    /// Entries of it that were met.
    pub(crate) met: u64,
    /// Tree over their commitments; `None` once the log has one no longer.
    tree: Option<Tree>,
}

impl ErasedRuns {
    pub(crate) fn mark(&self) -> Option<&ErasureMark> {
        self.segment.erased.get(self.nth)
    }

    /// Root over the commitments; `None` where the log lacks one.
    pub(crate) fn root(&self) -> Option<Hash> {
        self.tree.as_ref().map(Tree::root)
    }
}

/// Erased sequences of a log.
#[derive(Debug, Default)]
pub(crate) struct ErasedSequences {
    marks: Vec<ErasedRuns>,
    /// Last sequence and mark of each run, by its first.
    runs: BTreeMap<u64, (u64, usize)>,
}

impl ErasedSequences {
    /// Takes the marks of the manifest.
    pub(crate) fn new(listed: &[Listed]) -> ErasedSequences {
        let mut all = ErasedSequences::default();
        for segment in listed {
            for (nth, mark) in segment.erased.iter().enumerate() {
                for (first, last) in &mark.sequences {
                    all.runs.insert(*first, (*last, all.marks.len()));
                }
                all.marks.push(ErasedRuns {
                    segment: segment.clone(),
                    nth,
                    met: 0,
                    tree: Some(Tree::new()),
                });
            }
        }
        all
    }

    /// Returns `true` if a mark names the sequence.
    pub(crate) fn includes(&self, sequence: u64) -> bool {
        let run = self.runs.range(..=sequence).next_back();
        run.is_some_and(|(_, (last, _))| sequence <= *last)
    }

    /// Takes a sequence that no live segment has. Returns `false` if no mark names it. Sequences come
    /// in order.
    pub(crate) fn take(&mut self, sequence: u64, commitment: Option<Commitment>) -> bool {
        let run = self.runs.range(..=sequence).next_back();
        let Some((_, (_, mark))) = run.filter(|(_, (last, _))| sequence <= *last) else {
            return false;
        };
        let Some(runs) = self.marks.get_mut(*mark) else {
            return false;
        };
        runs.met += 1;
        match (&mut runs.tree, commitment) {
            (Some(tree), Some(commitment)) => tree.append(commitment.leaf_hash(), |_, _| {}),
            _ => runs.tree = None,
        }
        true
    }

    /// The marks, once all sequences were given.
    pub(crate) fn finish(self) -> Vec<ErasedRuns> {
        self.marks
    }
}
