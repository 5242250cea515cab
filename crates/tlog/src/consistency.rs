//! Consistency proofs (RFC 9162 section 2.1.4): that a later tree is an earlier one with leaves
//! appended. Verifying is pure. An earlier tree without leaves is consistent with everything, so a
//! proof about it says nothing and is refused.

use thiserror::Error;

use crate::hash::{Hash, node_hash};
use crate::reader::{HashReader, range_root, split_point};

/// Reason why a consistency proof could not be made.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ConsistencyProveError<E> {
    /// The earlier tree is empty, or larger than the later one.
    #[error("there is no consistency proof from a tree of {old} leaves to one of {new}")]
    Sizes {
        /// Leaves in the earlier tree.
        old: u64,
        /// Leaves in the later tree.
        new: u64,
    },
    /// A hash could not be read.
    #[error("a hash of the tree cannot be read")]
    Read(#[source] E),
}

/// Reason why a consistency proof is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ConsistencyError {
    /// The earlier tree is empty, or larger than the later one.
    #[error("there is no consistency proof from a tree of {old} leaves to one of {new}")]
    Sizes {
        /// Leaves in the earlier tree.
        old: u64,
        /// Leaves in the later tree.
        new: u64,
    },
    /// Two roots for one size.
    #[error("two trees of {size} leaves have different roots")]
    RootsDiffer {
        /// Leaves in both trees.
        size: u64,
    },
    /// Another number of hashes than these sizes need.
    #[error("the consistency proof has {actual} hashes instead of {expected}")]
    Length {
        /// Number of hashes that the two sizes need.
        expected: usize,
        /// Number of hashes that the proof has.
        actual: usize,
    },
    /// The proof leads to another earlier root.
    #[error("the consistency proof leads to the earlier root {computed}, not to {expected}")]
    OldRoot {
        /// The root to be met.
        expected: Hash,
        /// The root the proof leads to.
        computed: Hash,
    },
    /// The proof leads to another later root.
    #[error("the consistency proof leads to the later root {computed}, not to {expected}")]
    NewRoot {
        /// The root to be met.
        expected: Hash,
        /// The root the proof leads to.
        computed: Hash,
    },
}

/// The proof that the tree of `new` leaves begins with the tree of `old` leaves. Empty for equal
/// sizes.
pub fn prove_consistency<R: HashReader>(
    reader: &R,
    old: u64,
    new: u64,
) -> Result<Vec<Hash>, ConsistencyProveError<R::Error>> {
    if old == 0 || old > new {
        return Err(ConsistencyProveError::Sizes { old, new });
    }

    let read = |start, end| range_root(reader, start, end).map_err(ConsistencyProveError::Read);
    let mut proof = Vec::with_capacity(65);
    let (mut start, mut end) = (0, new);

    while end != old {
        let split = start + split_point(end - start);
        if old <= split {
            proof.push(read(split, end)?);
            end = split;
        } else {
            proof.push(read(start, split)?);
            start = split;
        }
    }

    // The verifier knows the earlier root; it needs this subtree only where that is not the whole
    // of it.
    if start > 0 {
        proof.push(read(start, end)?);
    }

    proof.reverse();
    Ok(proof)
}

/// Verifies that the tree (`new`, `new_root`) is the tree (`old`, `old_root`) with leaves appended.
pub fn verify_consistency(
    old: u64,
    old_root: &Hash,
    new: u64,
    new_root: &Hash,
    proof: &[Hash],
) -> Result<(), ConsistencyError> {
    if old == 0 || old > new {
        return Err(ConsistencyError::Sizes { old, new });
    }

    let expected = consistency_length(old, new);
    if proof.len() != expected {
        return Err(ConsistencyError::Length {
            expected,
            actual: proof.len(),
        });
    }

    if old == new {
        let equal = old_root == new_root;
        return equal
            .then_some(())
            .ok_or(ConsistencyError::RootsDiffer { size: old });
    }

    let (old_computed, new_computed) = consistency_roots(old, old_root, new, proof);
    if old_computed != *old_root {
        return Err(ConsistencyError::OldRoot {
            expected: *old_root,
            computed: old_computed,
        });
    }

    if new_computed != *new_root {
        return Err(ConsistencyError::NewRoot {
            expected: *new_root,
            computed: new_computed,
        });
    }

    Ok(())
}

/// Both roots that a proof of the right length leads to; `0 < old < new`.
fn consistency_roots(old: u64, old_root: &Hash, new: u64, proof: &[Hash]) -> (Hash, Hash) {
    // Start at the largest complete subtree that ends where the earlier tree ends.
    let level = old.trailing_zeros();
    let (mut place, mut last) = ((old - 1) >> level, (new - 1) >> level);
    let (seed, rest) = match proof.split_first() {
        Some((first, rest)) if !old.is_power_of_two() => (first, rest),
        _ => (old_root, proof),
    };
    let (mut old_hash, mut new_hash) = (*seed, *seed);

    for sibling in rest {
        if place & 1 == 1 || place == last {
            old_hash = node_hash(sibling, &old_hash);
            new_hash = node_hash(sibling, &new_hash);
            // A right edge without a sibling at this level rises until it has one.
            let lone = place.trailing_zeros().min(u64::BITS - 1);
            place >>= lone;
            last >>= lone;
        } else {
            new_hash = node_hash(&new_hash, sibling);
        }
        place >>= 1;
        last >>= 1;
    }

    (old_hash, new_hash)
}

/// Hashes in the proof from `old` to `new` leaves, `0 < old <= new`.
fn consistency_length(old: u64, new: u64) -> usize {
    if old == new {
        return 0;
    }

    let level = old.trailing_zeros();
    let (place, last) = ((old - 1) >> level, (new - 1) >> level);
    let apart = u64::BITS - (place ^ last).leading_zeros();
    let left = place.checked_shr(apart).unwrap_or(0).count_ones();
    let seed = u32::from(!old.is_power_of_two());
    (seed + apart + left) as usize
}
