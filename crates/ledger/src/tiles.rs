//! The tree as C2SP tlog-tiles: what is sealed in files of hashes on disk, what is not in memory,
//! and the growing right edge.
//!
//! On disk stand the commitments of all sealed leaves (`ledger/commitments`), from which leaf
//! hashes and entry bundles follow, and the hashes of tile levels above 0 (`ledger/tree/<level>`).
//! Any complete subtree can be read at any time while the tree grows, because what is complete
//! never changes. A tile leaves memory only after what it follows from is durable on disk.

mod bounded;
mod complete;

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use parking_lot::RwLock;
use reeve_tlog::{
    Commitment, HASH_LEN, Hash, MAX_TILE_LEVEL, TILE_HEIGHT, TILE_WIDTH, TileId, TileReadError,
    TileReader, Tree, encode_bundle, encode_tile,
};

use crate::disk::Disk;
use crate::hash_file::HashFile;

pub use bounded::TreeHashes;

const WIDTH: u64 = TILE_WIDTH as u64;

/// Bytes of a tile, shared while it is in memory.
type Bytes = Arc<[u8]>;

/// Reason why hashes of the tree could not be read.
pub type HashReadError = TileReadError<io::Error>;

/// The tiles of a log.
pub(crate) struct Tiles {
    commitments: HashFile,
    /// Tile levels 1 and up.
    levels: Vec<HashFile>,
    edge: RwLock<Edge>,
}

/// Right edge of the tree: the hashes that are not on disk yet.
#[derive(Debug, Clone, Default)]
struct Edge {
    tree: Tree,
    /// Full hash tiles of unsealed leaves.
    full: HashMap<TileId, Bytes>,
}

/// A batch of leaves tried on the tree; dropped when the batch is not written.
pub(crate) struct TileGrowth {
    tree: Tree,
    full: Vec<(TileId, Bytes)>,
}

impl TileGrowth {
    pub(crate) fn append(&mut self, leaf: Hash) {
        let full = &mut self.full;
        self.tree.append(leaf, |tile, hashes| {
            full.push((tile, encode_tile(hashes).into()))
        });
    }

    /// The tree with the leaves added.
    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }
}

/// The entry bundle of commitments; 32 bytes always fit a record.
pub(crate) fn bundle(commitments: &[Commitment]) -> Vec<u8> {
    encode_bundle(commitments.iter().map(|c| &c.as_bytes()[..])).unwrap_or_default()
}

/// Number of complete subtrees of a tile level in a tree.
fn complete(level: u8, size: u64) -> u64 {
    size.checked_shr(u32::from(TILE_HEIGHT) * u32::from(level))
        .unwrap_or(0)
}

impl Tiles {
    /// Opens the files. `size`, `root` and the commitments beyond the last full tile are the
    /// manifest's.
    pub(crate) fn open(
        disk: &Arc<dyn Disk>,
        dir: &Path,
        size: u64,
        root: Hash,
        beyond: &[Commitment],
    ) -> io::Result<Tiles> {
        let level =
            |level: u8| HashFile::open(disk.clone(), &dir.join("tree").join(level.to_string()));
        let tiles = Tiles {
            commitments: HashFile::open(disk.clone(), &dir.join("commitments"))?,
            levels: (1..=MAX_TILE_LEVEL).map(level).collect::<io::Result<_>>()?,
            edge: RwLock::default(),
        };
        tiles.complete_files(disk.as_ref(), dir, size, root, beyond)?;
        Ok(tiles)
    }

    /// Restores the tree of the sealed entries from the hashes on disk and the commitments beyond
    /// the last full tile.
    pub(crate) fn restore(&self, size: u64, beyond: &[Commitment]) -> Result<(), HashReadError> {
        let leaves: Vec<Hash> = beyond.iter().map(Commitment::leaf_hash).collect();
        let last = TileId::at(0, size / WIDTH, size).filter(|tile| !tile.is_full());
        let fetch = |tile: TileId| match (tile.is_full(), Some(tile) == last) {
            (true, _) => self.stored(tile),
            (false, true) => Ok(Some(encode_tile(&leaves))),
            // Made of the tiles below, which checks those of late.
            (false, false) => Ok(None),
        };
        self.edge.write().tree = Tree::restore(size, &TileReader::new(size, fetch))?;

        Ok(())
    }

    /// The file that a tile's hashes are read from.
    pub(crate) fn path(&self, tile: TileId) -> &Path {
        match usize::from(tile.level())
            .checked_sub(1)
            .and_then(|at| self.levels.get(at))
        {
            Some(level) => level.path(),
            None => self.commitments.path(),
        }
    }

    /// The hashes of a tile as the files have them.
    fn stored(&self, tile: TileId) -> io::Result<Option<Vec<u8>>> {
        let (first, width) = (tile.index() * WIDTH, usize::from(tile.width()));
        match usize::from(tile.level())
            .checked_sub(1)
            .map(|at| self.levels.get(at))
        {
            Some(Some(level)) => level.read(first, width),
            Some(None) => Ok(None),
            None => {
                let hash = |commitment: &[u8; HASH_LEN]| Commitment(*commitment).leaf_hash();
                let bytes = self.commitments.read(first, width)?;
                Ok(bytes.map(|bytes| {
                    encode_tile(&bytes.as_chunks().0.iter().map(hash).collect::<Vec<_>>())
                }))
            }
        }
    }

    /// Returns the number of leaves of the tree.
    pub(crate) fn size(&self) -> u64 {
        self.edge.read().tree.size()
    }

    /// Root over all leaves.
    pub(crate) fn root(&self) -> Hash {
        self.edge.read().tree.root()
    }

    /// A copy of the edge to try a batch on.
    pub(crate) fn grow(&self) -> TileGrowth {
        TileGrowth {
            tree: self.edge.read().tree.clone(),
            full: Vec::new(),
        }
    }

    /// Takes a batch over that was written. Only the one writer grows the tree, so nothing came
    /// between.
    pub(crate) fn adopt(&self, growth: TileGrowth) {
        let mut edge = self.edge.write();
        edge.tree = growth.tree;
        edge.full.extend(growth.full);
    }

    /// The bytes of a hash tile: at least as many hashes as its width, when the tree reaches that
    /// far.
    pub(crate) fn hashes(&self, tile: TileId) -> io::Result<Option<Bytes>> {
        let whole = TileId::new(tile.level(), tile.index(), TILE_WIDTH).unwrap_or(tile);
        {
            let edge = self.edge.read();
            if let Some(bytes) = edge.full.get(&whole) {
                return Ok(Some(bytes.clone()));
            }
            if let Some((partial, hashes)) = edge.tree.partial(tile.level())
                && partial.index() == tile.index()
            {
                let wide_enough = partial.width() >= tile.width();
                return Ok(wide_enough.then(|| encode_tile(hashes).into()));
            }
        }

        Ok(self.stored(whole)?.map(Bytes::from))
    }

    /// The commitments of sealed leaves.
    pub(crate) fn commitments(&self, first: u64, end: u64) -> io::Result<Vec<Commitment>> {
        let count = usize::try_from(end.saturating_sub(first)).unwrap_or_default();
        let missing = || {
            let path = self.commitments.path().display();
            io::Error::new(
                io::ErrorKind::UnexpectedEof,
                format!("{path} has no commitments {first} to {end}"),
            )
        };
        let bytes = self.commitments.read(first, count)?.ok_or_else(missing)?;

        Ok(bytes
            .as_chunks()
            .0
            .iter()
            .copied()
            .map(Commitment)
            .collect())
    }

    /// The commitments beyond the last full tile of the tree of `size` leaves.
    pub(crate) fn edge(&self, size: u64) -> io::Result<Vec<Commitment>> {
        self.commitments(size - size % WIDTH, size)
    }

    /// Reads hashes of the tree at a size it has or had.
    pub(crate) fn reader(
        &self,
        size: u64,
    ) -> impl reeve_tlog::HashReader<Error = HashReadError> + use<'_> {
        TileReader::new(size, move |tile| self.hashes(tile))
    }

    /// Writes what the leaves `old..new`, whose commitments these are, add to the files; durable
    /// when this returns.
    pub(crate) fn write(
        &self,
        old: u64,
        new: u64,
        commitments: impl Iterator<Item = Commitment>,
    ) -> io::Result<()> {
        let bytes: Vec<u8> = commitments.flat_map(|commitment| commitment.0).collect();
        if bytes.len() as u64 != (new - old) * HASH_LEN as u64 {
            return Err(io::Error::other(format!(
                "{} bytes of commitments for leaves {old} to {new}",
                bytes.len()
            )));
        }

        self.commitments.write(old, &bytes)?;
        for (level, file) in (1_u8..).zip(&self.levels) {
            let (first, end) = (complete(level, old), complete(level, new));
            let mut bytes = Vec::with_capacity((end - first) as usize * HASH_LEN);
            for index in first / WIDTH..end.div_ceil(WIDTH) {
                let start = index * WIDTH;
                let (from, to) = (first.max(start) - start, end.min(start + WIDTH) - start);
                let missing = || {
                    io::Error::new(
                        io::ErrorKind::NotFound,
                        format!("tile/{level}, {index} is missing"),
                    )
                };
                let tile = TileId::new(level, index, to as u16).map_err(io::Error::other)?;
                let hashes = self.hashes(tile)?.ok_or_else(missing)?;
                let cut = hashes
                    .get(from as usize * HASH_LEN..to as usize * HASH_LEN)
                    .ok_or_else(missing)?;
                bytes.extend_from_slice(cut);
            }
            file.write(first, &bytes)?;
        }

        Ok(())
    }

    /// Forgets the full tiles over the first `size` leaves, which are on disk.
    pub(crate) fn forget(&self, size: u64) {
        self.edge
            .write()
            .full
            .retain(|tile, _| tile.leaves().1 > size);
    }
}
