//! Multi-proofs against the definition of the tree and against single inclusion proofs.

use proptest::prelude::*;
use reeve_tlog::{
    Hash, MultiLeafError, MultiProofError, MultiProofReader, MultiProofWriter, MultiProveError,
    MultiProver, MultiVerifier, prove_inclusion, prove_many, verify_inclusion, verify_many,
};

use crate::memory::{MemoryTree, TileStore};

/// Leaves of a tree, picked by the bits of a mask.
fn picked(tree: &MemoryTree, mask: &[bool]) -> (Vec<u64>, Vec<(u64, Hash)>) {
    let indexes: Vec<u64> = (0..)
        .zip(mask)
        .filter(|(_, picked)| **picked)
        .map(|(index, _)| index)
        .collect();

    let leaves = indexes
        .iter()
        .map(|index| (*index, tree.0[*index as usize]))
        .collect();
    (indexes, leaves)
}

/// Every subset of the leaves of every tree up to ten leaves.
#[test]
fn every_subset_of_a_small_tree_is_proven() {
    for size in 0..=10u64 {
        let tree = MemoryTree::of_size(size);
        for bits in 0..1u32 << size {
            let mask: Vec<bool> = (0..size).map(|leaf| bits >> leaf & 1 == 1).collect();
            let (indexes, leaves) = picked(&tree, &mask);
            let proof = prove_many(&tree, &indexes, size).unwrap();
            assert_eq!(verify_many(&leaves, size, &proof, &tree.root(size)), Ok(()));
            if bits.count_ones() == size as u32 {
                assert_eq!(proof, [], "a proof of all leaves needs no hashes");
            }
        }
    }
}

#[test]
fn leaves_must_ascend_and_lie_in_the_tree() {
    let tree = MemoryTree::of_size(8);
    let beyond = MultiLeafError::NoSuchLeaf { index: 8, size: 8 };
    assert_eq!(
        prove_many(&tree, &[1, 8], 8),
        Err(MultiProveError::Leaf(beyond))
    );
    assert_eq!(
        prove_many(&tree, &[3, 3], 8),
        Err(MultiProveError::Leaf(MultiLeafError::Order { index: 3 }))
    );

    let (leaf, root) = (tree.0[3], tree.root(8));
    let proof = prove_many(&tree, &[3], 8).unwrap();
    let twice = verify_many(&[(3, leaf), (3, leaf)], 8, &proof, &root);
    assert_eq!(
        twice,
        Err(MultiProofError::Leaf(MultiLeafError::Order { index: 3 }))
    );
    assert_eq!(
        verify_many(&[(8, leaf)], 8, &proof, &root),
        Err(MultiProofError::Leaf(beyond))
    );

    let huge = MultiVerifier::new::<std::convert::Infallible>(u64::MAX).unwrap_err();
    assert_eq!(huge, MultiProofError::Size(u64::MAX));
}

/// A range of a large tree is proven from tiles with few hashes.
#[test]
fn a_range_needs_few_hashes() {
    let tree = MemoryTree::of_size(5_000);
    let (edge, store) = TileStore::grow(&tree.0);
    let store = store.with_partials(&edge);
    let indexes: Vec<u64> = (1_111..4_321).collect();
    let proof = prove_many(&store.reader(5_000), &indexes, 5_000).unwrap();
    assert!(proof.len() <= 2 * 13, "{} hashes", proof.len());

    let leaves: Vec<_> = indexes
        .iter()
        .map(|index| (*index, tree.0[*index as usize]))
        .collect();
    assert_eq!(
        verify_many(&leaves, 5_000, &proof, &tree.root(5_000)),
        Ok(())
    );
}

fn write_file(tree: &MemoryTree, leaves: &[(u64, Hash)]) -> Vec<u8> {
    let prover = MultiProver::new(tree, tree.0.len() as u64);
    let mut writer = MultiProofWriter::new(prover, Vec::new()).unwrap();
    leaves
        .iter()
        .for_each(|(index, leaf)| writer.leaf(*index, leaf).unwrap());
    writer.finish().unwrap()
}

/// Leaves of a file that holds.
fn read_file(file: &[u8], size: u64, root: &Hash) -> Option<Vec<(u64, Hash)>> {
    let mut reader = MultiProofReader::new(size, file).ok()?;
    let mut leaves = Vec::new();
    while let Some(leaf) = reader.leaf().ok()? {
        leaves.push(leaf);
    }
    reader.finish(root).ok().map(|()| leaves)
}

/// A proof file with a changed, missing or added byte is refused.
#[test]
fn a_file_is_read_only_as_it_was_written() {
    let tree = MemoryTree::of_size(37);
    let root = tree.root(37);

    for chosen in [
        vec![],
        vec![0],
        vec![36],
        vec![3, 4, 5, 9, 20, 36],
        (0..37).collect::<Vec<u64>>(),
    ] {
        let leaves: Vec<_> = chosen
            .iter()
            .map(|index| (*index, tree.0[*index as usize]))
            .collect();
        let file = write_file(&tree, &leaves);
        assert_eq!(read_file(&file, 37, &root), Some(leaves));
        for at in 0..file.len() {
            let mut changed = file.clone();
            changed[at] ^= 1;
            assert_eq!(
                read_file(&changed, 37, &root),
                None,
                "byte {at} of {} was changed",
                file.len()
            );
            assert_eq!(
                read_file(&file[..at], 37, &root),
                None,
                "cut at {at} of {}",
                file.len()
            );
        }
        assert_eq!(read_file(&[&file[..], &[0]].concat(), 37, &root), None);
        assert_eq!(read_file(&[&file[..], &[0; 32]].concat(), 37, &root), None);
    }
}

fn flip(hash: &Hash, bit: usize) -> Hash {
    let mut bytes = hash.0;
    bytes[bit / 8 % 32] ^= 1 << (bit % 8);
    Hash(bytes)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Accepts exactly what single inclusion proofs accept, and nothing that was changed.
    #[test]
    fn agrees_with_single_proofs(mask in proptest::collection::vec(any::<bool>(), 1..300), at in any::<usize>()) {
        let size = mask.len() as u64;
        let tree = MemoryTree::of_size(size);
        let root = tree.root(size);
        let (indexes, leaves) = picked(&tree, &mask);
        let proof = prove_many(&tree, &indexes, size).unwrap();
        prop_assert_eq!(verify_many(&leaves, size, &proof, &root), Ok(()));
        let mut apart = 0;

        for (index, leaf) in &leaves {
            let single = prove_inclusion(&tree, *index, size).unwrap();
            prop_assert_eq!(verify_inclusion(leaf, *index, size, &single, &root), Ok(()));
            apart += single.len();
        }

        if leaves.len() > 16 {
            prop_assert!(proof.len() < apart, "{} hashes, {} in single proofs", proof.len(), apart);
        }

        if !proof.is_empty() {
            let mut changed = proof.clone();
            changed[at % proof.len()] = flip(&proof[at % proof.len()], at);
            prop_assert!(verify_many(&leaves, size, &changed, &root).is_err());
            prop_assert!(verify_many(&leaves, size, &proof[1..], &root).is_err());
            prop_assert!(verify_many(&leaves, size, &proof[..proof.len() - 1], &root).is_err());
        }

        prop_assert!(verify_many(&leaves, size, &[&proof[..], &[Hash::ZERO]].concat(), &root).is_err());
        if !leaves.is_empty() {
            let chosen = at % leaves.len();
            let mut changed = leaves.clone();
            changed[chosen].1 = flip(&leaves[chosen].1, at);
            prop_assert!(verify_many(&changed, size, &proof, &root).is_err());
            let mut fewer = leaves.clone();
            fewer.remove(chosen);
            prop_assert!(verify_many(&fewer, size, &proof, &root).is_err());
            let mut moved = leaves.clone();
            moved[chosen].0 ^= 1;
            prop_assert!(verify_many(&moved, size, &proof, &root).is_err());
        }

        prop_assert!(verify_many(&leaves, size, &proof, &flip(&root, at)).is_err());
    }
}
