//! The hash chain of sealed entries. Its links follow from the leaves, so only every 256th is kept:
//! `ledger/chain` holds, for each full level 0 tile and the one after, the chain hash before its
//! first entry. Layout: `docs/formats/data-directory.md`. Disposable: rebuilt from the tiles when
//! it is missing, too short or wrong, or when its attestation (`ledger/chain.attested`) does not
//! hold: points that were changed together would fit each other and give wrong links for the
//! entries between them.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use reeve_tlog::{Attestation, HASH_LEN, Hash, SignedNote, TILE_WIDTH, TileId, chain_hash};
use sha2::{Digest as _, Sha256};

use crate::attest::Attestor;
use crate::disk::{Disk, DiskFile, parent, read_if_there, write_durably};
use crate::tiles::Tiles;

const WIDTH: u64 = TILE_WIDTH as u64;
/// The file as attestations name it.
const NAME: &str = "ledger/chain";

/// Index of the hash chain over sealed entries: the points from which verification can start.
pub(crate) struct Chain {
    disk: Arc<dyn Disk>,
    attestor: Arc<Attestor>,
    path: PathBuf,
    /// Written by one seal at a time, and beyond what anybody reads: no lock, so that a seal whose
    /// sync takes long holds up no append that looks an entry up.
    file: Box<dyn DiskFile>,
    /// Sealed entries when it was opened, and the chain hash of the last of them.
    opened: (u64, Hash),
    /// Running digests of the points: after the newest seal, and after the one under way. A seal
    /// attests the file without reading it.
    running: Mutex<Vec<Running>>,
    /// The tile asked for last: its index, its leaves, and the chain hash before each of them and
    /// after the last.
    last: Mutex<Option<Arc<Links>>>,
}

/// SHA-256 over the first points of the file, to go on from.
#[derive(Clone)]
struct Running {
    points: u64,
    state: Sha256,
}

/// The links of one tile's entries.
#[derive(Debug)]
pub(crate) struct Links {
    tile: u64,
    leaves: Vec<Hash>,
    hashes: Vec<Hash>,
}

/// A leaf and its place in the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChainLink {
    pub(crate) leaf_hash: Hash,
    pub(crate) previous_hash: Hash,
    pub(crate) hash: Hash,
}

impl Links {
    fn roll(tile: u64, before: Hash, leaves: Vec<Hash>) -> Links {
        let mut hashes = Vec::with_capacity(leaves.len() + 1);
        hashes.push(before);
        for leaf in &leaves {
            let before = hashes.last().copied().unwrap_or(before);
            hashes.push(chain_hash(&before, leaf));
        }

        Links {
            tile,
            leaves,
            hashes,
        }
    }

    fn end(&self) -> Hash {
        self.hashes.last().copied().unwrap_or(Hash::ZERO)
    }

    fn link(&self, sequence: u64) -> Option<ChainLink> {
        let at = (sequence % WIDTH) as usize;
        Some(ChainLink {
            leaf_hash: *self.leaves.get(at)?,
            previous_hash: *self.hashes.get(at)?,
            hash: *self.hashes.get(at + 1)?,
        })
    }
}

fn damaged(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

impl Chain {
    /// Opens the file. If it is not attested, or does not lead to the chain hash of the sealed
    /// entries, it is rebuilt from the tiles. `None` if the tiles do not lead there either.
    pub(crate) fn open(
        disk: &Arc<dyn Disk>,
        path: &Path,
        attestor: &Arc<Attestor>,
        tiles: &Tiles,
        (size, end): (u64, Hash),
    ) -> io::Result<Option<Chain>> {
        let new = |file| Chain {
            disk: disk.clone(),
            attestor: attestor.clone(),
            path: path.to_owned(),
            file,
            opened: (size, end),
            running: Mutex::default(),
            last: Mutex::new(None),
        };

        if let Ok(file) = disk.open(path) {
            let chain = new(file);
            if chain.is_attested(size)? && chain.leads_to(tiles, size, end)? {
                return Ok(Some(chain));
            }
            tracing::warn!(file = %path.display(), "chain points are invalid; rebuilding them from the tiles");
        }

        let points = points(tiles, size)?;
        disk.create_dirs(parent(path))?;
        write_durably(disk.as_ref(), path, &points)?;
        let chain = new(disk.open(path)?);
        if !chain.leads_to(tiles, size, end)? {
            return Ok(None);
        }

        chain.attest(size)?;
        Ok(Some(chain))
    }

    fn attestation_path(&self) -> PathBuf {
        self.path.with_extension("attested")
    }

    /// SHA-256 of the points over the first `size` entries, in a state to go on from; `None` when
    /// the file ends before.
    fn digest(&self, size: u64) -> io::Result<Option<Running>> {
        let points = size / WIDTH + 1;
        let length = points * HASH_LEN as u64;
        if self.file.len()? < length {
            return Ok(None);
        }

        let mut bytes = vec![0; length as usize];
        self.file.read_at(0, &mut bytes)?;
        Ok(Some(Running {
            points,
            state: Sha256::new_with_prefix(&bytes),
        }))
    }

    /// Attests the points over the first `size` entries; durable when this returns. The file is
    /// read where no digest is at hand: after opening, and when the seal before failed.
    pub(crate) fn attest(&self, size: u64) -> io::Result<()> {
        let points = size / WIDTH + 1;
        let known = self
            .running
            .lock()
            .iter()
            .find(|running| running.points == points)
            .cloned();

        let running = match known {
            Some(running) => running,
            None => self
                .digest(size)?
                .ok_or_else(|| damaged(format!("{} is too short", self.path.display())))?,
        };
        let digest = running.state.clone().finalize().into();

        let note = self
            .attestor
            .attest(NAME, size, digest)
            .map_err(|error| damaged(error.to_string()))?;
        write_durably(
            self.disk.as_ref(),
            &self.attestation_path(),
            note.as_bytes(),
        )?;
        self.keep(running);

        Ok(())
    }

    /// Keeps a running digest beside the one before it: a seal that fails after its points are
    /// written begins again from there.
    fn keep(&self, running: Running) {
        let mut kept = self.running.lock();
        kept.retain(|known| known.points < running.points);
        kept.push(running);
        let surplus = kept.len().saturating_sub(2);
        kept.drain(..surplus);
    }

    /// Returns `true` if the log's key attested the points over at least `size` entries as they
    /// are. A seal that was interrupted leaves an attestation of more.
    fn is_attested(&self, size: u64) -> io::Result<bool> {
        let Some(note) = read_if_there(self.disk.as_ref(), &self.attestation_path())? else {
            return Ok(false);
        };

        let size_attested = SignedNote::parse(&note)
            .ok()
            .and_then(|note| Attestation::claimed_size(note.text()));
        let Some(size_attested) = size_attested.filter(|size_attested| *size_attested >= size)
        else {
            return Ok(false);
        };
        let Some(running) = self.digest(size_attested)? else {
            return Ok(false);
        };

        let digest = running.state.clone().finalize().into();
        let holds = self
            .attestor
            .check(&note, NAME, size_attested, digest)
            .is_ok();
        if holds && size_attested == size {
            self.keep(running);
        }

        Ok(holds)
    }

    fn leads_to(&self, tiles: &Tiles, size: u64, end: Hash) -> io::Result<bool> {
        let Some(before) = self.point(size / WIDTH)? else {
            return Ok(false);
        };
        Ok(Links::roll(size / WIDTH, before, leaves(tiles, size / WIDTH, size)?).end() == end)
    }

    /// The chain hash before the first entry of a tile; `None` when the file ends before.
    fn point(&self, tile: u64) -> io::Result<Option<Hash>> {
        let mut hash = [0; HASH_LEN];
        match self.file.read_at(tile * HASH_LEN as u64, &mut hash) {
            Ok(()) => Ok(Some(Hash(hash))),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Adds the points of the tiles that the entries up to `new` fill; `before(tile)` is the chain
    /// hash before a tile's first entry. Durable when this returns.
    pub(crate) fn write(
        &self,
        old: u64,
        new: u64,
        before: impl Fn(u64) -> Option<Hash>,
    ) -> io::Result<()> {
        let mut bytes = Vec::new();
        for tile in old / WIDTH + 1..=new / WIDTH {
            let hash =
                before(tile).ok_or_else(|| damaged(format!("no chain hash before tile {tile}")))?;
            bytes.extend_from_slice(&hash.0);
        }

        if bytes.is_empty() {
            return Ok(());
        }

        let points = old / WIDTH + 1;
        self.file.write_at(points * HASH_LEN as u64, &bytes)?;
        self.file.sync()?;
        let before = self
            .running
            .lock()
            .iter()
            .find(|running| running.points == points)
            .cloned();

        if let Some(Running { mut state, points }) = before {
            state.update(&bytes);
            self.keep(Running {
                state,
                points: points + (bytes.len() / HASH_LEN) as u64,
            });
        }

        Ok(())
    }

    /// A sealed entry's leaf and links. `size` is the number of sealed entries. What is read is
    /// checked against the next point, so a wrong link is never given out unnoticed.
    pub(crate) fn link(&self, tiles: &Tiles, sequence: u64, size: u64) -> io::Result<ChainLink> {
        let tile = sequence / WIDTH;
        let known = self.last.lock().clone().filter(|links| links.tile == tile);
        if let Some(link) = known.and_then(|links| links.link(sequence)) {
            return Ok(link);
        }

        let links = match self.fitting(tiles, tile, size)? {
            Some(links) => links,
            None => {
                self.mend(tiles)?;
                let path = self.path.display();
                let still = || {
                    damaged(format!(
                        "{path}: the chain points around tile {tile} do not fit its leaves"
                    ))
                };
                self.fitting(tiles, tile, size)?.ok_or_else(still)?
            }
        };
        let links = Arc::new(links);
        *self.last.lock() = Some(links.clone());

        links.link(sequence).ok_or_else(|| {
            damaged(format!(
                "{}: no chain point for entry {sequence}",
                self.path.display()
            ))
        })
    }

    /// The links of a tile; `None` where the points before and after it do not fit its leaves.
    fn fitting(&self, tiles: &Tiles, tile: u64, size: u64) -> io::Result<Option<Links>> {
        let Some(before) = self.point(tile)? else {
            return Ok(None);
        };
        let links = Links::roll(tile, before, leaves(tiles, tile, size)?);
        let full = links.leaves.len() == usize::from(TILE_WIDTH);
        let fits = !full || self.point(tile + 1)?.is_none_or(|next| next == links.end());
        Ok(fits.then_some(links))
    }

    /// Rebuilds the points from the leaves, after the file was changed while open, as far as they
    /// lead to the chain hash that the log was opened with.
    fn mend(&self, tiles: &Tiles) -> io::Result<()> {
        let (size, end) = self.opened;
        let points = points(tiles, size)?;
        let last = points.last_chunk().map_or(Hash::ZERO, |hash| Hash(*hash));

        if Links::roll(size / WIDTH, last, leaves(tiles, size / WIDTH, size)?).end() != end {
            return Err(damaged(format!(
                "{}: the sealed leaves do not lead to the chain's end",
                self.path.display()
            )));
        }

        tracing::warn!(file = %self.path.display(), "chain points are invalid; rebuilding them from the tiles");
        self.file.write_at(0, &points)?;
        self.file.sync()
    }
}

/// The points over the first `size` leaves, one after another.
fn points(tiles: &Tiles, size: u64) -> io::Result<Vec<u8>> {
    let mut before = Hash::ZERO;
    let mut points = before.0.to_vec();
    for tile in 0..size / WIDTH {
        before = Links::roll(tile, before, leaves(tiles, tile, size)?).end();
        points.extend_from_slice(&before.0);
    }
    Ok(points)
}

/// The leaf hashes of a tile in the tree of `size` leaves; none where the tree ends before it.
fn leaves(tiles: &Tiles, tile: u64, size: u64) -> io::Result<Vec<Hash>> {
    let Some(id) = TileId::at(0, tile, size) else {
        return Ok(Vec::new());
    };

    let bytes = tiles
        .hashes(id)?
        .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("{id} is missing")))?;
    let hashes = bytes.as_chunks::<HASH_LEN>().0;
    let hashes = hashes
        .get(..usize::from(id.width()))
        .ok_or_else(|| damaged(format!("{id} is too short")))?;

    Ok(hashes.iter().copied().map(Hash).collect())
}
