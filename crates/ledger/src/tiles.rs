//! The tree as C2SP tlog-tiles: full tiles on disk for what is sealed, in memory for what is not, and the growing right edge.
//!
//! Any complete subtree can be read at any time while the tree grows, because what is complete never changes. A tile leaves
//! memory only after it is durable on disk.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::RwLock;
use reeve_tlog::{
    Commitment, Hash, TILE_WIDTH, TileId, TileReadError, TileReader, Tree, encode_bundle, encode_tile, tiles_completed,
};

use crate::disk::{Disk, parent, read_if_there, write_synced};

/// Bytes of a tile, shared while it is in memory.
type Bytes = Arc<[u8]>;

/// Why hashes of the tree could not be read.
pub(crate) type HashReadError = TileReadError<io::Error>;

/// The tiles of a log.
pub(crate) struct Tiles {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    edge: RwLock<Edge>,
}

/// What is not on disk.
#[derive(Debug, Clone, Default)]
struct Edge {
    tree: Tree,
    /// Commitments of the leaves beyond the last full tile.
    commitments: Vec<Commitment>,
    /// Full hash tiles of unsealed leaves.
    full: HashMap<TileId, Bytes>,
    /// Full entry bundles of unsealed leaves, by index.
    bundles: HashMap<u64, Bytes>,
}

/// A batch of leaves tried on the tree; dropped when the batch is not written.
pub(crate) struct Growth {
    tree: Tree,
    commitments: Vec<Commitment>,
    full: Vec<(TileId, Bytes)>,
    bundles: Vec<(u64, Bytes)>,
}

impl Growth {
    /// Adds a leaf.
    pub(crate) fn append(&mut self, commitment: Commitment, leaf: Hash) {
        let full = &mut self.full;
        self.tree.append(leaf, |tile, hashes| full.push((tile, encode_tile(hashes).into())));
        self.commitments.push(commitment);
        if self.commitments.len() == usize::from(TILE_WIDTH) {
            let index = (self.tree.size() - 1) / u64::from(TILE_WIDTH);
            self.bundles.push((index, bundle(&self.commitments)));
            self.commitments.clear();
        }
    }

    /// The tree with the leaves added.
    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }
}

/// The bundle of commitments; 32 bytes always fit a record.
fn bundle(commitments: &[Commitment]) -> Bytes {
    encode_bundle(commitments.iter().map(|c| &c.as_bytes()[..])).unwrap_or_default().into()
}

impl Tiles {
    /// Restores the tree of the sealed entries from the full tiles on disk and the commitments beyond them.
    pub(crate) fn restore(
        disk: Arc<dyn Disk>,
        dir: &Path,
        size: u64,
        commitments: Vec<Commitment>,
    ) -> Result<Tiles, HashReadError> {
        let leaves: Vec<Hash> = commitments.iter().map(Commitment::leaf_hash).collect();
        let last = TileId::at(0, size / u64::from(TILE_WIDTH), size);
        let fetch = |tile: TileId| match (tile.is_full(), Some(tile) == last) {
            (true, _) => read_if_there(disk.as_ref(), &dir.join(tile.path())),
            (false, true) => Ok(Some(encode_tile(&leaves))),
            (false, false) => Ok(None),
        };
        let tree = Tree::restore(size, &TileReader::new(size, fetch))?;
        let edge = RwLock::new(Edge { tree, commitments, ..Edge::default() });
        Ok(Tiles { disk, dir: dir.to_owned(), edge })
    }

    /// Number of leaves.
    pub(crate) fn size(&self) -> u64 {
        self.edge.read().tree.size()
    }

    /// Root over all leaves.
    pub(crate) fn root(&self) -> Hash {
        self.edge.read().tree.root()
    }

    /// A copy of the edge to try a batch on.
    pub(crate) fn grow(&self) -> Growth {
        let edge = self.edge.read();
        Growth { tree: edge.tree.clone(), commitments: edge.commitments.clone(), full: Vec::new(), bundles: Vec::new() }
    }

    /// Takes a batch over that was written. Only the one writer grows the tree, so nothing came between.
    pub(crate) fn adopt(&self, growth: Growth) {
        let mut edge = self.edge.write();
        edge.tree = growth.tree;
        edge.commitments = growth.commitments;
        edge.full.extend(growth.full);
        edge.bundles.extend(growth.bundles);
    }

    /// The bytes of a hash tile: at least as many hashes as its width, when the tree reaches that far.
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
        Ok(read_if_there(self.disk.as_ref(), &self.dir.join(whole.path()))?.map(Bytes::from))
    }

    /// The bytes of an entry bundle: exactly as many records as the tile is wide, when the tree reaches that far.
    pub(crate) fn bundle(&self, tile: TileId) -> io::Result<Option<Vec<u8>>> {
        let wanted = usize::from(tile.width()) * BUNDLE_RECORD;
        let cut = |bytes: &[u8]| bytes.get(..wanted).map(<[u8]>::to_vec);
        {
            let edge = self.edge.read();
            if let Some(bytes) = edge.bundles.get(&tile.index()) {
                return Ok(cut(bytes));
            }
            if edge.tree.size() / u64::from(TILE_WIDTH) == tile.index() {
                return Ok(cut(&bundle(&edge.commitments)));
            }
        }
        let whole = TileId::new(0, tile.index(), TILE_WIDTH).unwrap_or(tile);
        let path = whole.entries_path().unwrap_or_default();
        Ok(read_if_there(self.disk.as_ref(), &self.dir.join(path))?.as_deref().and_then(cut))
    }

    /// Reads hashes of the tree at a size it has or had.
    pub(crate) fn reader(&self, size: u64) -> impl reeve_tlog::HashReader<Error = HashReadError> + use<'_> {
        TileReader::new(size, move |tile| self.hashes(tile))
    }

    /// Writes the full tiles and bundles that the leaves `old..new` complete; durable when this returns.
    pub(crate) fn write(&self, old: u64, new: u64) -> io::Result<()> {
        let mut dirs = BTreeSet::new();
        let mut save = |path: String, bytes: &[u8]| {
            let path = self.dir.join(path);
            let dir = parent(&path).to_owned();
            if dirs.insert(dir.clone()) {
                self.disk.create_dirs(&dir)?;
            }
            write_synced(self.disk.as_ref(), &path, bytes)
        };
        for tile in tiles_completed(old, new) {
            let missing = || io::Error::new(io::ErrorKind::NotFound, format!("{tile} is not in memory"));
            save(tile.path(), &self.hashes(tile)?.ok_or_else(missing)?)?;
            if let Some(path) = tile.entries_path() {
                save(path, &self.bundle(tile)?.ok_or_else(missing)?)?;
            }
        }
        dirs.iter().try_for_each(|dir| self.disk.sync_dir(dir))
    }

    /// The commitments beyond the last full tile of a size the log has or had.
    pub(crate) fn commitments_beyond(&self, size: u64) -> io::Result<Vec<Commitment>> {
        let Some(tile) = TileId::at(0, size / u64::from(TILE_WIDTH), size) else {
            return Ok(Vec::new());
        };
        let missing = || io::Error::new(io::ErrorKind::NotFound, format!("{tile} is not stored"));
        let bytes = self.bundle(tile)?.ok_or_else(missing)?;
        let records = bytes.as_chunks::<BUNDLE_RECORD>().0.iter();
        Ok(records.filter_map(|record| record[2..].first_chunk()).map(|hash| Commitment(*hash)).collect())
    }

    /// Forgets the full tiles over the first `size` leaves, which are on disk.
    pub(crate) fn forget(&self, size: u64) {
        let mut edge = self.edge.write();
        edge.full.retain(|tile, _| tile.leaves().1 > size);
        edge.bundles.retain(|index, _| (index + 1) * u64::from(TILE_WIDTH) > size);
    }
}

/// Bytes of a bundle's record: its length and the commitment.
const BUNDLE_RECORD: usize = 34;
