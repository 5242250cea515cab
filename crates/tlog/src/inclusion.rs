//! Inclusion proofs (RFC 9162 section 2.1.3): that a leaf is at its place in a tree of a given
//! root. Verifying is pure and refuses proofs that are too short, too long, or lead to another
//! root.

use thiserror::Error;

use crate::hash::{Hash, node_hash};
use crate::reader::{HashReader, range_root, split_point};

/// Reason why an inclusion proof could not be made.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum InclusionProveError<E> {
    /// The tree has no such leaf.
    #[error("the tree of {size} leaves has no leaf {index}")]
    NoSuchLeaf {
        /// Index of the leaf, from 0.
        index: u64,
        /// Leaves in the tree.
        size: u64,
    },
    /// A hash could not be read.
    #[error("a hash of the tree cannot be read")]
    Read(#[source] E),
}

/// Reason why an inclusion proof is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum InclusionError {
    /// The tree has no such leaf.
    #[error("the tree of {size} leaves has no leaf {index}")]
    NoSuchLeaf {
        /// Index of the leaf, from 0.
        index: u64,
        /// Leaves in the tree.
        size: u64,
    },
    /// Another number of hashes than this place in this tree needs.
    #[error("the inclusion proof has {actual} hashes instead of {expected}")]
    Length {
        /// Number of hashes that the leaf's path needs.
        expected: usize,
        /// Number of hashes that the proof has.
        actual: usize,
    },
    /// The proof leads to another root.
    #[error("the inclusion proof leads to the root {computed}, not to {expected}")]
    Root {
        /// The root to be met.
        expected: Hash,
        /// The root the proof leads to.
        computed: Hash,
    },
}

/// The proof that leaf `index` is in the tree of the first `size` leaves: sibling hashes, from the
/// leaf up.
pub fn prove_inclusion<R: HashReader>(
    reader: &R,
    index: u64,
    size: u64,
) -> Result<Vec<Hash>, InclusionProveError<R::Error>> {
    if index >= size {
        return Err(InclusionProveError::NoSuchLeaf { index, size });
    }

    let mut proof = Vec::with_capacity(64);
    let (mut start, mut end) = (0, size);

    while end - start > 1 {
        let split = start + split_point(end - start);
        let sibling = if index < split {
            let sibling = (split, end);
            end = split;
            sibling
        } else {
            let sibling = (start, split);
            start = split;
            sibling
        };
        let hash = range_root(reader, sibling.0, sibling.1);
        proof.push(hash.map_err(InclusionProveError::Read)?);
    }

    proof.reverse();
    Ok(proof)
}

/// Verifies that the leaf with hash `leaf` is at `index` in the tree of `size` leaves with root
/// `root`.
pub fn verify_inclusion(
    leaf: &Hash,
    index: u64,
    size: u64,
    proof: &[Hash],
    root: &Hash,
) -> Result<(), InclusionError> {
    let computed = inclusion_root(leaf, index, size, proof)?;
    if computed != *root {
        return Err(InclusionError::Root {
            expected: *root,
            computed,
        });
    }
    Ok(())
}

/// The root that a proof of the right length leads to.
pub fn inclusion_root(
    leaf: &Hash,
    index: u64,
    size: u64,
    proof: &[Hash],
) -> Result<Hash, InclusionError> {
    if index >= size {
        return Err(InclusionError::NoSuchLeaf { index, size });
    }

    let expected = inclusion_length(index, size);
    if proof.len() != expected {
        return Err(InclusionError::Length {
            expected,
            actual: proof.len(),
        });
    }

    // `place` and `last` are the leaf and the rightmost leaf, both seen from ever higher levels.
    let (mut place, mut last) = (index, size - 1);
    let mut hash = *leaf;

    for sibling in proof {
        if place & 1 == 1 || place == last {
            hash = node_hash(sibling, &hash);
            // A right edge without a sibling at this level rises until it has one.
            let lone = place.trailing_zeros().min(u64::BITS - 1);
            place >>= lone;
            last >>= lone;
        } else {
            hash = node_hash(&hash, sibling);
        }
        place >>= 1;
        last >>= 1;
    }

    Ok(hash)
}

/// Hashes in the proof of `index` in a tree of `size`: one a level where the paths of this leaf and
/// the last leaf are apart, and one for each complete subtree to the left above.
fn inclusion_length(index: u64, size: u64) -> usize {
    let apart = u64::BITS - (index ^ (size - 1)).leading_zeros();
    let left = index.checked_shr(apart).unwrap_or(0).count_ones();
    (apart + left) as usize
}
