//! A whole tree in memory, computed by the recursive definition of RFC 6962 section 2.1 (the
//! oracle), and a store of tiles cut from growing trees.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::convert::Infallible;

use reeve_tlog::{
    Hash, HashReader, TileId, TileReadError, TileReader, Tree, empty_root, encode_tile, leaf_hash,
    node_hash,
};

/// Leaf hashes; subtrees are computed when asked for.
#[derive(Debug, Clone)]
pub(crate) struct MemoryTree(pub(crate) Vec<Hash>);

impl MemoryTree {
    /// Returns a tree of `size` distinct leaves.
    pub(crate) fn of_size(size: u64) -> MemoryTree {
        MemoryTree((0..size).map(|i| leaf_hash(&i.to_be_bytes())).collect())
    }

    /// MTH(D[0:size]), literally as the RFC writes it.
    pub(crate) fn root(&self, size: u64) -> Hash {
        merkle_tree_hash(&self.0[..size as usize])
    }
}

impl HashReader for MemoryTree {
    type Error = Infallible;

    fn read(&self, level: u8, index: u64) -> Result<Hash, Infallible> {
        let (first, last) = ((index << level) as usize, ((index + 1) << level) as usize);
        Ok(merkle_tree_hash(&self.0[first..last]))
    }
}

fn merkle_tree_hash(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => empty_root(),
        [leaf] => *leaf,
        _ => {
            let mut split = 1;
            while split * 2 < leaves.len() {
                split *= 2;
            }
            let (left, right) = leaves.split_at(split);
            node_hash(&merkle_tree_hash(left), &merkle_tree_hash(right))
        }
    }
}

/// Tiles by path, and how many were read.
#[derive(Debug, Default)]
pub(crate) struct TileStore {
    pub(crate) tiles: BTreeMap<String, Vec<u8>>,
    pub(crate) reads: RefCell<Vec<String>>,
}

impl TileStore {
    /// Grows a tree over the leaves and keeps every full tile.
    pub(crate) fn grow(leaves: &[Hash]) -> (Tree, TileStore) {
        let (mut tree, mut store) = (Tree::new(), TileStore::default());
        for leaf in leaves {
            tree.append(*leaf, |tile, hashes| {
                let old = store.tiles.insert(tile.path(), encode_tile(hashes));
                assert_eq!(old, None, "{tile} was completed twice");
            });
        }
        (tree, store)
    }

    /// Adds the partial tiles at the right edge.
    pub(crate) fn with_partials(mut self, tree: &Tree) -> TileStore {
        for (tile, hashes) in tree.partials() {
            self.tiles.insert(tile.path(), encode_tile(hashes));
        }
        self
    }

    /// Reads hashes of the tree of `size` leaves from this store.
    pub(crate) fn reader(&self, size: u64) -> impl HashReader<Error = TileReadError<Infallible>> {
        TileReader::new(size, move |tile: TileId| {
            self.reads.borrow_mut().push(tile.path());
            Ok(self.tiles.get(&tile.path()))
        })
    }
}
