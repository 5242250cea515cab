//! The frontier of an RFC 6962 tree: the roots of the complete subtrees a size is made of, largest
//! first (a "compact range"). Appending and the root need nothing else; memory is O(log n).
//! Refuses parts that do not fit the size.

use thiserror::Error;

use crate::hash::{Hash, empty_root, node_hash};
use crate::reader::HashReader;

/// The largest tree this crate handles. One entry a nanosecond fills it in 146 years.
pub const MAX_TREE_SIZE: u64 = 1 << 62;

/// Size and complete subtree roots of a tree: what is needed to append and to know the root.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Frontier {
    size: u64,
    nodes: Vec<Hash>,
}

/// Reason why parts do not make a frontier.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FrontierError {
    /// The size is beyond [`MAX_TREE_SIZE`].
    #[error("a tree of {0} leaves is larger than this log supports")]
    Size(u64),
    /// A tree of this size has as many complete subtrees as its size has one bits.
    #[error("a tree of {size} leaves has {expected} complete subtrees, not {given}")]
    Count {
        size: u64,
        /// One bits of the size.
        expected: usize,
        given: usize,
    },
}

impl Frontier {
    /// Returns the frontier of a tree without leaves.
    pub fn new() -> Frontier {
        Frontier::default()
    }

    /// Rebuilds a frontier from its size and its subtree roots, largest (leftmost) first.
    pub fn from_parts(size: u64, nodes: Vec<Hash>) -> Result<Frontier, FrontierError> {
        if size > MAX_TREE_SIZE {
            return Err(FrontierError::Size(size));
        }

        let expected = size.count_ones() as usize;
        if nodes.len() != expected {
            return Err(FrontierError::Count {
                size,
                expected,
                given: nodes.len(),
            });
        }

        Ok(Frontier { size, nodes })
    }

    /// Reads the frontier of a stored tree of `size` leaves.
    pub fn restore<R: HashReader>(size: u64, reader: &R) -> Result<Frontier, R::Error> {
        let mut nodes = Vec::with_capacity(64);
        let mut start = 0;
        for level in (0..u64::BITS as u8).rev().filter(|l| size >> l & 1 == 1) {
            nodes.push(reader.read(level, start >> level)?);
            start += 1 << level;
        }
        Ok(Frontier { size, nodes })
    }

    /// Returns the number of leaves of the tree.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Complete subtree roots, largest first; as many as the size has one bits.
    pub fn nodes(&self) -> &[Hash] {
        &self.nodes
    }

    /// Appends one leaf hash.
    pub fn append(&mut self, leaf: Hash) {
        self.append_visit(leaf, |_, _, _| {});
    }

    /// Appends one leaf hash and reports every subtree this completes as `(level, index, hash)`,
    /// from the leaf (level 0) upwards: the subtree covers leaves `index << level .. (index + 1) <<
    /// level`.
    pub fn append_visit(&mut self, leaf: Hash, mut visit: impl FnMut(u8, u64, Hash)) {
        debug_assert!(self.size < MAX_TREE_SIZE);
        let mut hash = leaf;
        let mut index = self.size;
        let mut level = 0;
        visit(level, index, hash);

        while index & 1 == 1 {
            let Some(left) = self.nodes.pop() else {
                unreachable!("a frontier has one node for every one bit of its size");
            };
            hash = node_hash(&left, &hash);
            index >>= 1;
            level += 1;
            visit(level, index, hash);
        }

        self.nodes.push(hash);
        self.size += 1;
    }

    /// Appends a complete subtree of `1 << level` leaves by its root. The size must be a multiple
    /// of its width.
    pub(crate) fn append_subtree(&mut self, level: u8, root: Hash) {
        debug_assert!(self.size.trailing_zeros() >= u32::from(level));
        let mut hash = root;
        let mut merged = level;

        while self.size >> merged & 1 == 1 {
            let Some(left) = self.nodes.pop() else {
                unreachable!("a frontier has one node for every one bit of its size");
            };
            hash = node_hash(&left, &hash);
            merged += 1;
        }

        self.nodes.push(hash);
        self.size += 1 << level;
    }

    /// The RFC 6962 root at the current size.
    pub fn root(&self) -> Hash {
        let Some((last, rest)) = self.nodes.split_last() else {
            return empty_root();
        };
        rest.iter()
            .rev()
            .fold(*last, |right, left| node_hash(left, &right))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::hash::leaf_hash;

    /// The eight leaves and roots of the reference Certificate Transparency test tree.
    #[test]
    fn published_roots() {
        let leaves: [&[u8]; 8] = [
            b"",
            &[0x00],
            &[0x10],
            &[0x20, 0x21],
            &[0x30, 0x31],
            &[0x40, 0x41, 0x42, 0x43],
            &[0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57],
            &[
                0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d,
                0x6e, 0x6f,
            ],
        ];

        let roots = [
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
            "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
            "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
            "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
        ];

        let mut frontier = Frontier::new();
        assert_eq!(frontier.root(), empty_root());

        for (size, (leaf, root)) in (1..).zip(leaves.into_iter().zip(roots)) {
            frontier.append(leaf_hash(leaf));
            assert_eq!(frontier.size(), size);
            assert_eq!(frontier.root().to_string(), root);
            let again = Frontier::from_parts(size, frontier.nodes().to_vec()).unwrap();
            assert_eq!(again, frontier);
        }
    }

    #[test]
    fn completed_subtrees_are_reported_upwards() {
        let mut frontier = Frontier::new();
        let mut seen = Vec::new();
        for i in 0..4u8 {
            frontier.append_visit(leaf_hash(&[i]), |level, index, _| seen.push((level, index)));
        }
        assert_eq!(
            seen,
            [(0, 0), (0, 1), (1, 0), (0, 2), (0, 3), (1, 1), (2, 0)]
        );
    }

    #[test]
    fn parts_must_fit() {
        assert_eq!(
            Frontier::from_parts(3, vec![Hash::ZERO]),
            Err(FrontierError::Count {
                size: 3,
                expected: 2,
                given: 1
            })
        );
        assert_eq!(
            Frontier::from_parts(u64::MAX, vec![Hash::ZERO; 64]),
            Err(FrontierError::Size(u64::MAX))
        );
    }
}
