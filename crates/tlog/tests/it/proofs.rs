//! Every proof made is accepted; whatever is changed in it is refused.

use proptest::prelude::*;
use reeve_tlog::{
    ConsistencyError, ConsistencyProveError, Frontier, Hash, InclusionError, InclusionProveError,
    prove_consistency, prove_inclusion, tree_root, verify_consistency, verify_inclusion,
};

use crate::memory::MemoryTree;

/// Small trees, in full: every leaf of every size, every pair of sizes.
const SIZES: u64 = 40;

#[test]
fn roots_agree_with_the_definition() {
    let tree = MemoryTree::of_size(300);
    let mut frontier = Frontier::new();

    for size in 0..=300 {
        assert_eq!(frontier.root(), tree.root(size));
        assert_eq!(tree_root(&tree, size), Ok(tree.root(size)));
        assert_eq!(Frontier::restore(size, &tree), Ok(frontier.clone()));
        if size < 300 {
            frontier.append(tree.0[size as usize]);
        }
    }
}

#[test]
fn every_small_inclusion_proof_holds_only_where_it_was_made() {
    let tree = MemoryTree::of_size(SIZES);
    for size in 1..=SIZES {
        let root = tree.root(size);
        for index in 0..size {
            let leaf = tree.0[index as usize];
            let proof = prove_inclusion(&tree, index, size).unwrap();
            assert_eq!(verify_inclusion(&leaf, index, size, &proof, &root), Ok(()));
            for other in (0..size + 2).filter(|other| *other != index) {
                verify_inclusion(&leaf, other, size, &proof, &root).unwrap_err();
            }
            refuse_other_lengths(&proof, |proof| {
                verify_inclusion(&leaf, index, size, proof, &root).is_err()
            });
        }
    }
}

#[test]
fn every_small_consistency_proof_holds_only_where_it_was_made() {
    let tree = MemoryTree::of_size(SIZES);
    for new in 1..=SIZES {
        let new_root = tree.root(new);
        for old in 1..=new {
            let old_root = tree.root(old);
            let proof = prove_consistency(&tree, old, new).unwrap();
            let verify = |proof: &[Hash]| verify_consistency(old, &old_root, new, &new_root, proof);
            assert_eq!(verify(&proof), Ok(()));
            refuse_other_lengths(&proof, |proof| verify(proof).is_err());
            for other in (1..=new).filter(|other| *other != old) {
                let other_root = tree.root(other);
                verify_consistency(other, &old_root, new, &new_root, &proof).unwrap_err();
                verify_consistency(old, &other_root, new, &new_root, &proof).unwrap_err();
            }
        }
    }
}

/// One hash less at either end, one more at either end.
fn refuse_other_lengths(proof: &[Hash], refused: impl Fn(&[Hash]) -> bool) {
    if let [_, tail @ ..] = proof {
        assert!(refused(tail));
        assert!(refused(&proof[..proof.len() - 1]));
    }
    assert!(refused(&[proof, &[Hash::ZERO]].concat()));
    assert!(refused(&[&[Hash::ZERO], proof].concat()));
}

#[test]
fn sizes_that_have_no_proof() {
    let tree = MemoryTree::of_size(4);
    let (zero, root) = (tree.root(0), tree.root(4));
    assert_eq!(
        prove_inclusion(&tree, 4, 4),
        Err(InclusionProveError::NoSuchLeaf { index: 4, size: 4 })
    );
    assert_eq!(
        verify_inclusion(&zero, 0, 0, &[], &zero),
        Err(InclusionError::NoSuchLeaf { index: 0, size: 0 })
    );

    for (old, new) in [(0, 4), (0, 0), (4, 3)] {
        assert_eq!(
            prove_consistency(&tree, old, new),
            Err(ConsistencyProveError::Sizes { old, new })
        );
        assert_eq!(
            verify_consistency(old, &zero, new, &root, &[]),
            Err(ConsistencyError::Sizes { old, new })
        );
    }

    assert_eq!(
        verify_consistency(4, &zero, 4, &root, &[]),
        Err(ConsistencyError::RootsDiffer { size: 4 })
    );
}

/// The verifiers meet numbers from files: none may overflow or loop.
#[test]
fn extreme_numbers_are_refused_without_panic() {
    let hash = Hash::ZERO;
    let numbers = [0, 1, 2, 1 << 62, 1 << 63, u64::MAX - 1, u64::MAX];

    for (a, b) in numbers.iter().flat_map(|a| numbers.map(|b| (*a, b))) {
        for length in [0, 1, 62, 63, 64, 65, 127, 128] {
            let proof = vec![hash; length];
            verify_inclusion(&hash, a, b, &proof, &hash)
                .map_or_else(drop, |()| assert_eq!((a, b, length), (0, 1, 0)));
            verify_consistency(a, &hash, b, &hash, &proof)
                .map_or_else(drop, |()| assert!(a == b && length == 0));
        }
    }
}

fn flip(hash: &Hash, bit: usize) -> Hash {
    let mut bytes = hash.0;
    bytes[bit / 8] ^= 1 << (bit % 8);
    Hash(bytes)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_single_bit_of_an_inclusion_proof_can_change(size in 1u64..1200, at in any::<u64>()) {
        let tree = MemoryTree::of_size(size);
        let index = at % size;
        let (leaf, root) = (tree.0[index as usize], tree.root(size));
        let mut proof = prove_inclusion(&tree, index, size).unwrap();
        prop_assert_eq!(verify_inclusion(&leaf, index, size, &proof, &root), Ok(()));

        for bit in 0..256 {
            prop_assert!(verify_inclusion(&flip(&leaf, bit), index, size, &proof, &root).is_err());
            prop_assert!(verify_inclusion(&leaf, index, size, &proof, &flip(&root, bit)).is_err());
            for i in 0..proof.len() {
                let good = proof[i];
                proof[i] = flip(&good, bit);
                prop_assert!(verify_inclusion(&leaf, index, size, &proof, &root).is_err());
                proof[i] = good;
            }
        }

        for bit in 0..64 {
            let other = index ^ (1 << bit);
            prop_assert!(verify_inclusion(&leaf, other, size, &proof, &root).is_err());
        }
    }

    #[test]
    fn no_single_bit_of_a_consistency_proof_can_change(new in 1u64..1200, at in any::<u64>()) {
        let tree = MemoryTree::of_size(new);
        let old = 1 + at % new;
        let (old_root, new_root) = (tree.root(old), tree.root(new));
        let mut proof = prove_consistency(&tree, old, new).unwrap();
        let verify = |old_root, new_root, proof: &[Hash]| {
            verify_consistency(old, &old_root, new, &new_root, proof)
        };
        prop_assert_eq!(verify(old_root, new_root, &proof), Ok(()));

        for bit in 0..256 {
            prop_assert!(verify(flip(&old_root, bit), new_root, &proof).is_err());
            prop_assert!(verify(old_root, flip(&new_root, bit), &proof).is_err());
            for i in 0..proof.len() {
                let good = proof[i];
                proof[i] = flip(&good, bit);
                prop_assert!(verify(old_root, new_root, &proof).is_err());
                proof[i] = good;
            }
        }
    }
}
