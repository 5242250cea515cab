//! Tiles cut while a tree grows are the tiles of the specification, and give back every hash.

use proptest::prelude::*;
use reeve_tlog::{
    Hash, HashReader, TileId, TileReadError, TileReader, Tree, decode_tile, encode_tile,
    partial_tiles, prove_consistency, prove_inclusion, tiles_completed, tree_root,
    verify_consistency, verify_inclusion,
};

use crate::memory::{MemoryTree, TileStore};

/// Past one full tile of level 1, so that level 2 exists.
const LARGE: u64 = 70_000;

#[test]
fn the_published_tree_of_70_000() {
    let memory = MemoryTree::of_size(LARGE);
    let (tree, store) = TileStore::grow(&memory.0);
    let mut expect: Vec<_> = tiles_completed(0, LARGE).map(|t| t.path()).collect();
    expect.sort();
    assert_eq!(store.tiles.keys().cloned().collect::<Vec<_>>(), expect);

    let partials: Vec<_> = tree.partials().map(|(tile, _)| tile).collect();
    assert_eq!(partials, partial_tiles(LARGE).collect::<Vec<_>>());

    let root = memory.root(LARGE);
    assert_eq!(tree.root(), root);

    let store = store.with_partials(&tree);
    for path in store.tiles.keys() {
        check_tile(&memory, &store, path);
    }

    let size = LARGE;
    for index in [0, 255, 256, 65_535, 65_536, 69_887, 69_888, LARGE - 1] {
        let proof = prove_inclusion(&store.reader(size), index, size).unwrap();
        let leaf = memory.0[index as usize];
        assert_eq!(verify_inclusion(&leaf, index, size, &proof, &root), Ok(()));
    }

    for old in [1, 256, 257, 65_536, 65_537, 69_888, LARGE - 1] {
        let old_root = memory.root(old);
        let proof = prove_consistency(&store.reader(size), old, size).unwrap();
        assert_eq!(
            verify_consistency(old, &old_root, size, &root, &proof),
            Ok(())
        );
    }
}

/// Each hash of a tile is the hash the specification puts there.
fn check_tile(memory: &MemoryTree, store: &TileStore, path: &str) {
    let reeve_tlog::TileResource::Hashes(tile) = reeve_tlog::TileResource::parse(path).unwrap()
    else {
        panic!("{path} is not a hash tile");
    };

    let hashes = decode_tile(&store.tiles[path], tile.width()).unwrap();
    for (i, hash) in (0..).zip(&hashes) {
        let index = tile.index() * 256 + i;
        assert_eq!(memory.read(tile.level() * 8, index).as_ref(), Ok(hash));
    }
}

#[test]
fn a_proof_reads_few_tiles_and_each_once() {
    let memory = MemoryTree::of_size(LARGE);
    let (tree, store) = TileStore::grow(&memory.0);
    let store = store.with_partials(&tree);
    prove_inclusion(&store.reader(LARGE), 12_345, LARGE).unwrap();
    let mut reads = store.reads.borrow().clone();
    reads.sort();
    let expect = [
        "tile/0/048",
        "tile/0/273.p/112",
        "tile/1/000",
        "tile/1/001.p/17",
    ];

    assert_eq!(reads, expect);
}

#[test]
fn full_tiles_and_the_last_leaves_are_enough_to_restore() {
    let memory = MemoryTree::of_size(LARGE);
    for size in [0, 1, 255, 256, 257, 511, 512, 65_535, 65_536, 65_792, LARGE] {
        let (tree, mut store) = TileStore::grow(&memory.0[..size as usize]);
        if let Some((tile, hashes)) = tree.partial(0) {
            store.tiles.insert(tile.path(), encode_tile(hashes));
        }
        assert_eq!(Tree::restore(size, &store.reader(size)), Ok(tree.clone()));
        assert_eq!(tree_root(&store.reader(size), size), Ok(tree.root()));
    }
}

#[test]
fn missing_tiles_are_an_error() {
    let memory = MemoryTree::of_size(600);
    let (tree, store) = TileStore::grow(&memory.0);
    let missing = TileId::at(0, 2, 600).unwrap();
    assert_eq!(
        store.reader(600).read(0, 599),
        Err(TileReadError::Missing(missing))
    );

    for (level, index) in [(0, 600), (3, 75), (9, 1), (64, 0), (255, 0), (0, u64::MAX)] {
        assert_eq!(
            store.reader(600).read(level, index),
            Err(TileReadError::OutsideTree {
                level,
                index,
                size: 600
            })
        );
    }

    let mut store = store.with_partials(&tree);
    for bytes in [0, 31, 33, 87 * 32] {
        store.tiles.insert(missing.path(), vec![0; bytes]);
        assert_eq!(
            store.reader(600).read(0, 512),
            Err(TileReadError::Length {
                tile: missing,
                bytes
            })
        );
    }

    let broken = TileReader::new(600, |_| Err::<Option<Vec<u8>>, _>("disk on fire"));
    assert_eq!(
        broken.read(0, 512),
        Err(TileReadError::Fetch {
            tile: missing,
            source: "disk on fire"
        })
    );
}

#[test]
fn a_longer_tile_serves_for_a_shorter_one() {
    let memory = MemoryTree::of_size(300);
    let (_, store) = TileStore::grow(&memory.0);
    let reader = TileReader::new(100, |tile: TileId| {
        let full = TileId::new(tile.level(), tile.index(), 256).unwrap();
        Ok::<_, std::convert::Infallible>(store.tiles.get(&full.path()))
    });
    assert_eq!(tree_root(&reader, 100), Ok(memory.root(100)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn tiles_recompute_the_root_and_notice_any_bit(
        size in 1u64..2000, at in any::<prop::sample::Index>(), bit in any::<prop::sample::Index>(),
    ) {
        let memory = MemoryTree::of_size(size);
        let (tree, store) = TileStore::grow(&memory.0);
        let mut store = store.with_partials(&tree);
        prop_assert_eq!(tree_root(&store.reader(size), size), Ok(tree.root()));

        // The root is read from the topmost tiles; what is below is noticed where it is read: flip
        // one bit of one level 0 tile and prove a leaf of it.
        let index = at.index(size as usize) as u64;
        let tile = TileId::at(0, index / 256, size).unwrap();
        let bytes = store.tiles.get_mut(&tile.path()).unwrap();
        let bit = bit.index(bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        let leaf = Hash::from_slice(&bytes[(index % 256) as usize * 32..][..32]).unwrap();
        let proof = prove_inclusion(&store.reader(size), index, size).unwrap();
        prop_assert!(verify_inclusion(&leaf, index, size, &proof, &tree.root()).is_err());
    }

    #[test]
    fn a_tree_grows_the_same_in_any_steps(sizes in prop::collection::vec(0u64..700, 1..5)) {
        let total = sizes.iter().sum();
        let memory = MemoryTree::of_size(total);
        let (whole, store) = TileStore::grow(&memory.0);
        let store = store.with_partials(&whole);
        let mut size = 0;

        for step in sizes {
            let store = TileStore::grow(&memory.0[..size as usize]);
            let partials = store.1.with_partials(&store.0);
            let mut tree = Tree::restore(size, &partials.reader(size)).unwrap();
            let mut completed = Vec::new();
            for leaf in &memory.0[size as usize..(size + step) as usize] {
                tree.append(*leaf, |tile, _| completed.push(tile));
            }
            completed.sort();
            prop_assert_eq!(completed, tiles_completed(size, size + step).collect::<Vec<_>>());
            size += step;
            prop_assert_eq!(tree.root(), memory.root(size));
        }

        prop_assert_eq!(tree_root(&store.reader(total), total), Ok(whole.root()));
    }
}
