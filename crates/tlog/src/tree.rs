//! The growing edge of a tiled tree: the frontier, and the hashes of the partial tile of each
//! level. Appending yields every tile the moment it is full, each node hashed once. Memory: 8 KiB a
//! tile level.

use crate::frontier::Frontier;
use crate::hash::Hash;
use crate::reader::HashReader;
use crate::tile::{TILE_HEIGHT, TILE_WIDTH, TileId, partial_tiles};

/// A tree that is appended to and cuts itself into C2SP tiles. Clone it to try a batch and drop the
/// clone when the batch cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Tree {
    frontier: Frontier,
    /// By tile level: the hashes of that level's partial tile, fewer than 256.
    rows: Vec<Vec<Hash>>,
}

impl Tree {
    /// Returns a tree without leaves.
    pub fn new() -> Tree {
        Tree::default()
    }

    /// Restores the edge of a stored tree of `size` leaves. Reads at most 255 hashes a tile level.
    pub fn restore<R: HashReader>(size: u64, reader: &R) -> Result<Tree, R::Error> {
        let mut rows = Vec::new();
        for tile in partial_tiles(size) {
            let first = tile.index() * u64::from(TILE_WIDTH);
            let level = tile.level() * TILE_HEIGHT;
            let row = (first..first + u64::from(tile.width()))
                .map(|index| reader.read(level, index))
                .collect::<Result<Vec<_>, _>>()?;
            rows.resize_with(usize::from(tile.level()), Vec::new);
            rows.push(row);
        }

        Ok(Tree {
            frontier: Frontier::restore(size, reader)?,
            rows,
        })
    }

    /// Returns the number of leaves.
    pub fn size(&self) -> u64 {
        self.frontier.size()
    }

    /// The RFC 6962 root at the current size.
    pub fn root(&self) -> Hash {
        self.frontier.root()
    }

    /// Size and complete subtrees alone.
    pub fn frontier(&self) -> &Frontier {
        &self.frontier
    }

    /// Appends one leaf hash; `full` is called with each tile this completes, lower levels first,
    /// in the order of `tiles_completed` for one leaf.
    pub fn append(&mut self, leaf: Hash, mut full: impl FnMut(TileId, &[Hash])) {
        let rows = &mut self.rows;
        let size = self.frontier.size() + 1;
        self.frontier.append_visit(leaf, |level, index, hash| {
            if !level.is_multiple_of(TILE_HEIGHT) {
                return;
            }
            let tile_level = level / TILE_HEIGHT;
            if rows.len() <= usize::from(tile_level) {
                rows.resize_with(usize::from(tile_level) + 1, Vec::new);
            }
            let row = &mut rows[usize::from(tile_level)];
            row.reserve_exact(usize::from(TILE_WIDTH) - row.len());
            row.push(hash);
            if row.len() == usize::from(TILE_WIDTH) {
                let tile = TileId::at(tile_level, index / u64::from(TILE_WIDTH), size);
                if let Some(tile) = tile {
                    full(tile, row);
                }
                row.clear();
            }
        });
    }

    /// The partial tile at the right edge of a level, if there is one.
    pub fn partial(&self, level: u8) -> Option<(TileId, &[Hash])> {
        let row = self.rows.get(usize::from(level))?;
        let hashes = self.size() >> (TILE_HEIGHT * level);
        let tile = TileId::at(level, hashes / u64::from(TILE_WIDTH), self.size())?;
        debug_assert_eq!(usize::from(tile.width()), row.len());
        Some((tile, row))
    }

    /// Every partial tile of the right edge, lower levels first.
    pub fn partials(&self) -> impl Iterator<Item = (TileId, &[Hash])> {
        (0..self.rows.len() as u8).filter_map(|level| self.partial(level))
    }
}
