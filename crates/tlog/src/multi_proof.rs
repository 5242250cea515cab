//! Multi-proofs: one proof that many leaves are in a tree, in which no hash occurs twice
//! (docs/formats/tlog.md).
//!
//!
//! The proven leaves and the hashes between them divide the tree into complete subtrees, left to
//! right. Proving and verifying follow that order with O(log n) memory, whatever the number of
//! leaves. Leaves out of order, missing or surplus hashes, and another root are refused. Size and
//! root come from one signed checkpoint: a proof alone does not fix the size.

use thiserror::Error;

use crate::frontier::{Frontier, MAX_TREE_SIZE};
use crate::hash::Hash;
use crate::reader::HashReader;

/// Reason why a multi-proof could not be made.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum MultiProveError<E> {
    /// The leaf cannot follow the ones before it.
    #[error(transparent)]
    Leaf(#[from] MultiLeafError),
    /// A hash could not be read.
    #[error("a hash of the tree cannot be read")]
    Read(#[source] E),
}

/// Reason why a leaf cannot be the next of a multi-proof.
#[derive(Debug, Clone, Copy, Error, PartialEq, Eq)]
pub enum MultiLeafError {
    /// The tree has no such leaf.
    #[error("the tree of {size} leaves has no leaf {index}")]
    NoSuchLeaf {
        /// Index of the leaf, from 0.
        index: u64,
        /// Leaves in the tree.
        size: u64,
    },
    /// Leaves come in ascending order, each once.
    #[error("leaf {index} comes after a leaf that it must precede")]
    Order {
        /// Index of the leaf, from 0.
        index: u64,
    },
}

/// Reason why a multi-proof is refused. `E` is the error of where its hashes are read from.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum MultiProofError<E = std::convert::Infallible> {
    /// The leaf cannot follow the ones before it.
    #[error(transparent)]
    Leaf(#[from] MultiLeafError),
    /// The size is beyond what a log can hold.
    #[error("a tree of {0} leaves is larger than this log supports")]
    Size(u64),
    /// The proof has too few hashes for these leaves.
    #[error("the multi-proof ends before leaf {before}")]
    Short {
        /// Leaf, or size of the tree, up to which hashes were needed.
        before: u64,
    },
    /// The proof has hashes that no subtree needs.
    #[error("the multi-proof has more hashes than these leaves need")]
    Long,
    /// The proof leads to another root.
    #[error("the multi-proof leads to the root {computed}, not to {expected}")]
    Root {
        /// Root to be met.
        expected: Hash,
        /// Root that leaves and proof lead to.
        computed: Hash,
    },
    /// A hash of the proof could not be read.
    #[error("the multi-proof cannot be read")]
    Read(#[source] E),
}

/// Makes a multi-proof from leaf indexes in ascending order.
#[derive(Debug)]
pub struct MultiProver<R> {
    reader: R,
    size: u64,
    next: u64,
}

impl<R: HashReader> MultiProver<R> {
    /// Starts a proof for leaves of the tree of the first `size` leaves.
    pub fn new(reader: R, size: u64) -> MultiProver<R> {
        MultiProver {
            reader,
            size,
            next: 0,
        }
    }

    /// Adds a leaf: `emit` receives the hashes between the previous leaf and this one.
    ///
    /// # Errors
    /// [`MultiProveError`]; nothing can be added after an error.
    pub fn leaf(
        &mut self,
        index: u64,
        emit: impl FnMut(Hash),
    ) -> Result<(), MultiProveError<R::Error>> {
        check_leaf(self.next, index, self.size)?;
        self.emit_gap(index, emit)?;
        self.next = index + 1;
        Ok(())
    }

    /// Ends the proof: `emit` gets the hashes behind the last leaf.
    ///
    /// # Errors
    /// [`MultiProveError::Read`].
    pub fn finish(mut self, emit: impl FnMut(Hash)) -> Result<(), MultiProveError<R::Error>> {
        self.emit_gap(self.size, emit)
    }

    fn emit_gap(
        &mut self,
        end: u64,
        mut emit: impl FnMut(Hash),
    ) -> Result<(), MultiProveError<R::Error>> {
        for (level, index) in subtrees(self.next, end) {
            emit(
                self.reader
                    .read(level, index)
                    .map_err(MultiProveError::Read)?,
            );
        }
        Ok(())
    }
}

/// Verifies a multi-proof leaf by leaf, in ascending order.
#[derive(Debug)]
pub struct MultiVerifier {
    size: u64,
    seen: Frontier,
}

impl MultiVerifier {
    /// Starts the verification of a proof for a tree of `size` leaves.
    ///
    /// # Errors
    /// [`MultiProofError::Size`].
    pub fn new<E>(size: u64) -> Result<MultiVerifier, MultiProofError<E>> {
        if size > MAX_TREE_SIZE {
            return Err(MultiProofError::Size(size));
        }
        Ok(MultiVerifier {
            size,
            seen: Frontier::new(),
        })
    }

    /// Adds a leaf; `hashes` yields the next hash of the proof, `None` at its end.
    ///
    /// # Errors
    /// [`MultiProofError`]. That a leaf was added says nothing before [`MultiVerifier::finish`] has
    /// accepted.
    pub fn leaf<E>(
        &mut self,
        index: u64,
        leaf: Hash,
        hashes: impl FnMut() -> Result<Option<Hash>, E>,
    ) -> Result<(), MultiProofError<E>> {
        self.skip_to(index, hashes)?;
        self.seen.append(leaf);
        Ok(())
    }

    /// Takes the hashes up to leaf `index`, which must be the next leaf.
    pub(crate) fn skip_to<E>(
        &mut self,
        index: u64,
        hashes: impl FnMut() -> Result<Option<Hash>, E>,
    ) -> Result<(), MultiProofError<E>> {
        check_leaf(self.seen.size(), index, self.size)?;
        self.take_gap(index, hashes)
    }

    /// Ends the verification: every leaf that was added is in the tree with this root.
    ///
    /// # Errors
    /// [`MultiProofError`].
    pub fn finish<E>(
        mut self,
        root: &Hash,
        mut hashes: impl FnMut() -> Result<Option<Hash>, E>,
    ) -> Result<(), MultiProofError<E>> {
        self.take_gap(self.size, &mut hashes)?;
        if hashes().map_err(MultiProofError::Read)?.is_some() {
            return Err(MultiProofError::Long);
        }

        let computed = self.seen.root();
        if computed != *root {
            return Err(MultiProofError::Root {
                expected: *root,
                computed,
            });
        }

        Ok(())
    }

    fn take_gap<E>(
        &mut self,
        end: u64,
        mut hashes: impl FnMut() -> Result<Option<Hash>, E>,
    ) -> Result<(), MultiProofError<E>> {
        for (level, _) in subtrees(self.seen.size(), end) {
            let hash = hashes().map_err(MultiProofError::Read)?;
            self.seen
                .append_subtree(level, hash.ok_or(MultiProofError::Short { before: end })?);
        }
        Ok(())
    }
}

/// Returns the multi-proof of the leaves `indexes`, ascending, in the tree of the first `size`
/// leaves.
///
/// # Errors
/// [`MultiProveError`].
pub fn prove_many<R: HashReader>(
    reader: &R,
    indexes: &[u64],
    size: u64,
) -> Result<Vec<Hash>, MultiProveError<R::Error>> {
    let mut proof = Vec::new();
    let mut prover = MultiProver::new(reader, size);
    for index in indexes {
        prover.leaf(*index, |hash| proof.push(hash))?;
    }
    prover.finish(|hash| proof.push(hash))?;
    Ok(proof)
}

/// Verifies that all `leaves` (index and leaf hash, ascending) are in the tree of `size` leaves
/// with root `root`.
///
/// # Errors
/// [`MultiProofError`].
pub fn verify_many(
    leaves: &[(u64, Hash)],
    size: u64,
    proof: &[Hash],
    root: &Hash,
) -> Result<(), MultiProofError> {
    let mut rest = proof.iter();
    let mut hashes = || Ok(rest.next().copied());
    let mut verifier = MultiVerifier::new(size)?;
    for (index, leaf) in leaves {
        verifier.leaf(*index, *leaf, &mut hashes)?;
    }
    verifier.finish(root, hashes)
}

/// Refuses a leaf that does not follow `next`, the first leaf that is still free.
fn check_leaf(next: u64, index: u64, size: u64) -> Result<(), MultiLeafError> {
    if index >= size {
        return Err(MultiLeafError::NoSuchLeaf { index, size });
    }
    if index < next {
        return Err(MultiLeafError::Order { index });
    }
    Ok(())
}

/// Returns the fewest complete subtrees that cover the leaves `start..end`, left to right, as
/// `(level, index)`.
fn subtrees(start: u64, end: u64) -> impl Iterator<Item = (u8, u64)> {
    let mut at = start;
    std::iter::from_fn(move || {
        let rest = end.checked_sub(at).filter(|rest| *rest > 0)?;
        // The subtree starts at a multiple of its width and does not reach beyond the end.
        let level = at.trailing_zeros().min(rest.ilog2()) as u8;
        let subtree = (level, at >> level);
        at += 1 << level;
        Some(subtree)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_covered_by_the_fewest_complete_subtrees() {
        let cover = |start, end| subtrees(start, end).collect::<Vec<_>>();
        assert_eq!(cover(0, 0), []);
        assert_eq!(cover(5, 5), []);
        assert_eq!(cover(0, 8), [(3, 0)]);
        assert_eq!(cover(1, 7), [(0, 1), (1, 1), (1, 2), (0, 6)]);
        assert_eq!(cover(0, MAX_TREE_SIZE), [(62, 0)]);
    }
}
