//! Reading hashes of a stored tree. [`HashReader`] is the one port of this crate: it yields the
//! root of any complete subtree. [`TileReader`] implements it over C2SP tlog-tiles, wherever those
//! are kept. Refuses subtrees that are not complete within the tree and tiles that are shorter than
//! the tree says.

use std::cell::RefCell;
use std::collections::btree_map::{BTreeMap, Entry};

use thiserror::Error;

use crate::hash::{HASH_LEN, Hash, empty_root, node_hash};
use crate::tile::{TILE_HEIGHT, TILE_WIDTH, TileId};

/// Yields the root of a complete subtree.
///
/// A tree of two leaves in memory:
///
/// ```
/// use reeve_tlog::{Hash, HashReader, leaf_hash, node_hash, tree_root};
///
/// struct Leaves(Vec<Hash>);
///
/// impl HashReader for Leaves {
///     type Error = &'static str;
///
///     fn read(&self, level: u8, index: u64) -> Result<Hash, Self::Error> {
///         if level == 0 {
///             let leaf = self.0.get(index as usize);
///             return leaf.copied().ok_or("the tree has no such leaf");
///         }
///         let left = self.read(level - 1, 2 * index)?;
///         let right = self.read(level - 1, 2 * index + 1)?;
///         Ok(node_hash(&left, &right))
///     }
/// }
///
/// let leaves = Leaves(vec![leaf_hash(b"one"), leaf_hash(b"two")]);
/// let root = node_hash(&leaves.0[0], &leaves.0[1]);
/// assert_eq!(tree_root(&leaves, 2), Ok(root));
/// ```
pub trait HashReader {
    /// Error of the underlying storage.
    type Error;

    /// The root of the complete subtree over leaves `index << level .. (index + 1) << level`. Level
    /// 0 is the leaf hashes. Only asked for subtrees that lie within the tree.
    fn read(&self, level: u8, index: u64) -> Result<Hash, Self::Error>;
}

impl<R: HashReader + ?Sized> HashReader for &R {
    type Error = R::Error;

    fn read(&self, level: u8, index: u64) -> Result<Hash, Self::Error> {
        (**self).read(level, index)
    }
}

/// The RFC 6962 root of the first `size` leaves.
pub fn tree_root<R: HashReader>(reader: &R, size: u64) -> Result<Hash, R::Error> {
    if size == 0 {
        return Ok(empty_root());
    }
    range_root(reader, 0, size)
}

/// The largest power of two below `leaves`, where RFC 6962 splits a tree; `leaves` is at least 2.
pub(crate) fn split_point(leaves: u64) -> u64 {
    1 << (leaves - 1).ilog2()
}

/// The RFC 6962 hash of leaves `start..end`, a range that splitting a tree at powers of two yields:
/// not empty, `start` a multiple of the smallest power of two that is at least `end - start`.
pub(crate) fn range_root<R: HashReader>(
    reader: &R,
    start: u64,
    end: u64,
) -> Result<Hash, R::Error> {
    debug_assert!(start < end);
    let mut rest = end;
    let mut root: Option<Hash> = None;

    while rest > start {
        let level = (rest - start).trailing_zeros() as u8;
        rest -= 1 << level;
        let left = reader.read(level, rest >> level)?;
        root = Some(match root {
            Some(right) => node_hash(&left, &right),
            None => left,
        });
    }

    Ok(root.unwrap_or_else(empty_root))
}

/// Reason why a hash could not be read from tiles.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum TileReadError<E> {
    /// The subtree is not complete in a tree of this size.
    #[error("the subtree at level {level}, index {index} is not complete in a tree of {size}")]
    OutsideTree {
        /// Height of the subtree.
        level: u8,
        /// Index of the subtree in its level.
        index: u64,
        /// Leaves in the tree.
        size: u64,
    },
    /// Neither the tile nor what it could be made of is stored.
    #[error("the tile {0} is missing")]
    Missing(TileId),
    /// The stored tile is not a whole number of hashes, or has fewer than the tree says.
    #[error("the tile {tile} has {bytes} bytes, too few or not a multiple of 32")]
    Length {
        /// The tile asked for.
        tile: TileId,
        /// Bytes that came back.
        bytes: usize,
    },
    /// The store could not return a tile.
    #[error("the tile {tile} cannot be read")]
    Fetch {
        /// The tile asked for.
        tile: TileId,
        /// Error of the store.
        #[source]
        source: E,
    },
}

/// Reads hashes of a tree of a given size from its tiles.
///
/// `fetch` returns a tile's bytes, or `None` where that tile is not stored. A longer tile than
/// asked for is fine (a full tile serves for each of its partial forms). Where a partial tile above
/// level 0 is not stored, its hashes are computed from the full tiles below: a store may keep full
/// tiles alone, plus the rightmost tile of level 0. Fetched tiles are kept, so make one reader a
/// proof, not one a process.
pub struct TileReader<F, B> {
    size: u64,
    fetch: F,
    seen: RefCell<BTreeMap<TileId, Option<B>>>,
}

impl<F, B, E> TileReader<F, B>
where
    F: Fn(TileId) -> Result<Option<B>, E>,
    B: AsRef<[u8]>,
{
    /// A reader of the tree with `size` leaves.
    pub fn new(size: u64, fetch: F) -> TileReader<F, B> {
        TileReader {
            size,
            fetch,
            seen: RefCell::new(BTreeMap::new()),
        }
    }

    /// The root of `1 << height` hashes of `tile` from `offset` on; `None` where it is not stored.
    fn tile_hash(
        &self,
        tile: TileId,
        offset: usize,
        height: u8,
    ) -> Result<Option<Hash>, TileReadError<E>> {
        let mut seen = self.seen.borrow_mut();
        let stored = match seen.entry(tile) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let fetched = (self.fetch)(tile);
                entry.insert(fetched.map_err(|source| TileReadError::Fetch { tile, source })?)
            }
        };

        let Some(stored) = stored else {
            return Ok(None);
        };

        let (hashes, rest) = stored.as_ref().as_chunks::<HASH_LEN>();
        if !rest.is_empty() || hashes.len() < usize::from(tile.width()) {
            return Err(TileReadError::Length {
                tile,
                bytes: stored.as_ref().len(),
            });
        }

        Ok(Some(fold_complete(&hashes[offset..offset + (1 << height)])))
    }
}

impl<F, B, E> HashReader for TileReader<F, B>
where
    F: Fn(TileId) -> Result<Option<B>, E>,
    B: AsRef<[u8]>,
{
    type Error = TileReadError<E>;

    fn read(&self, level: u8, index: u64) -> Result<Hash, TileReadError<E>> {
        let complete = self.size.checked_shr(level.into()).unwrap_or(0);
        if index >= complete {
            return Err(TileReadError::OutsideTree {
                level,
                index,
                size: self.size,
            });
        }

        let (tile_level, height) = (level / TILE_HEIGHT, level % TILE_HEIGHT);
        let first = index << height;
        let tile = TileId::at(tile_level, first / u64::from(TILE_WIDTH), self.size);
        let tile = tile.ok_or(TileReadError::OutsideTree {
            level,
            index,
            size: self.size,
        })?;
        let offset = (first % u64::from(TILE_WIDTH)) as usize;
        if let Some(hash) = self.tile_hash(tile, offset, height)? {
            return Ok(hash);
        }
        if tile.is_full() || tile_level == 0 {
            return Err(TileReadError::Missing(tile));
        }

        if height > 0 {
            let left = self.read(level - 1, 2 * index)?;
            let right = self.read(level - 1, 2 * index + 1)?;
            return Ok(node_hash(&left, &right));
        }

        let below = TileId::at(tile_level - 1, index, self.size);
        let below = below.ok_or(TileReadError::Missing(tile))?;
        self.tile_hash(below, 0, TILE_HEIGHT)?
            .ok_or(TileReadError::Missing(below))
    }
}

/// The root over a power of two of hashes, without allocation.
fn fold_complete(hashes: &[[u8; HASH_LEN]]) -> Hash {
    let mut stack = [Hash::ZERO; TILE_HEIGHT as usize + 1];
    let mut depth = 0;

    for (i, hash) in hashes.iter().enumerate() {
        let mut hash = Hash(*hash);
        for _ in 0..i.trailing_ones() {
            depth -= 1;
            hash = node_hash(&stack[depth], &hash);
        }
        stack[depth] = hash;
        depth += 1;
    }

    stack[0]
}
