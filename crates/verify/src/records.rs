//! The log's own records of sealed entries: each commitment in `ledger/commitments`, once more at
//! the manifest's edge, and the tree's hash over 256 of them in `ledger/tree/1`. Layout:
//! `docs/formats/data-directory.md`.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use reeve_tlog::{Commitment, HASH_LEN, Hash, TILE_WIDTH, Tree};

use crate::error::{CannotVerify, is_absence};

pub(crate) const COMMITMENTS: &str = "ledger/commitments";
const WIDTH: u64 = TILE_WIDTH as u64;
const HASH: u64 = HASH_LEN as u64;
/// Commitments read at a time.
const WINDOW: u64 = 8_192;

/// Judgement of a mismatch: the payload or its record was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// The tree, or the manifest, agrees with the record: the payload was changed.
    Payload,
    /// The record differs, and the payload agrees with the tree: the record was changed.
    Record,
    /// The tree agrees with neither.
    Unknown,
}

/// A file of hashes, 32 bytes each.
pub(crate) struct Hashes {
    path: PathBuf,
    file: Option<File>,
}

impl Hashes {
    /// Opens the file if it is there.
    pub(crate) fn open(path: PathBuf) -> Result<Hashes, CannotVerify> {
        match File::open(&path) {
            Ok(file) => Ok(Hashes {
                path,
                file: Some(file),
            }),
            Err(error) if is_absence(&error) => Ok(Hashes { path, file: None }),
            Err(error) => Err(CannotVerify::unreadable(&path)(error)),
        }
    }

    /// Returns the hashes `first..end`, as far as the file has them.
    pub(crate) fn read(&self, first: u64, end: u64) -> Result<Vec<u8>, CannotVerify> {
        let Some(file) = &self.file else {
            return Ok(Vec::new());
        };

        let unreadable = CannotVerify::unreadable(&self.path);
        let length = match file.metadata() {
            Ok(metadata) => metadata.len() / HASH,
            Err(error) => return Err(unreadable(error)),
        };
        let mut bytes = vec![0; (end.min(length).saturating_sub(first) * HASH) as usize];

        match file.read_exact_at(&mut bytes, first * HASH) {
            Ok(()) => Ok(bytes),
            Err(error) => Err(unreadable(error)),
        }
    }
}

/// Reads commitments by sequence, some thousand at a time.
pub(crate) struct Records {
    commitments: Hashes,
    roots: Hashes,
    sealed_size: u64,
    edge: Arc<Vec<Option<Commitment>>>,
    /// The first sequence in hand, and the commitments from there on.
    window: (u64, Vec<u8>),
}

impl Records {
    /// Opens the records of a data directory.
    pub(crate) fn open(
        dir: &Path,
        sealed_size: u64,
        edge: Arc<Vec<Option<Commitment>>>,
    ) -> Result<Records, CannotVerify> {
        let commitments = Hashes::open(dir.join(COMMITMENTS))?;
        let roots = Hashes::open(dir.join("ledger/tree/1"))?;
        Ok(Records {
            commitments,
            roots,
            sealed_size,
            edge,
            window: (0, Vec::new()),
        })
    }

    /// The commitment of a sealed entry; `None` where the file ends before it.
    pub(crate) fn commitment(&mut self, sequence: u64) -> Result<Option<Commitment>, CannotVerify> {
        if sequence >= self.sealed_size {
            return Ok(None);
        }

        let held = |window: &(u64, Vec<u8>)| {
            let at = usize::try_from(sequence.checked_sub(window.0)?).ok()? * HASH_LEN;
            window
                .1
                .get(at..)?
                .first_chunk::<HASH_LEN>()
                .copied()
                .map(Commitment)
        };

        if let Some(found) = held(&self.window) {
            return Ok(Some(found));
        }

        let first = sequence - sequence % WINDOW;
        if self.window.0 != first || self.window.1.is_empty() {
            let end = self.sealed_size.min(first.saturating_add(WINDOW));
            self.window = (first, self.commitments.read(first, end)?);
        }

        Ok(held(&self.window))
    }

    /// Returns the offset of an entry's commitment in the file.
    pub(crate) fn offset(sequence: u64) -> u64 {
        sequence * HASH
    }

    /// The commitment the manifest repeats of an entry beyond the last full tile.
    fn edge(&self, sequence: u64) -> Option<Commitment> {
        let full = self.sealed_size - self.sealed_size % WIDTH;
        let at = usize::try_from(sequence.checked_sub(full)?).ok()?;
        self.edge.get(at).copied().flatten()
    }

    /// Payload and record disagree about an entry; a third witness says which of the two was
    /// changed.
    pub(crate) fn judge(
        &mut self,
        sequence: u64,
        payload: Commitment,
        record: Commitment,
    ) -> Result<Judgement, CannotVerify> {
        if sequence >= self.sealed_size - self.sealed_size % WIDTH {
            let edge = self.edge(sequence);
            return Ok(match edge {
                Some(edge) if edge == record => Judgement::Payload,
                Some(edge) if edge == payload => Judgement::Record,
                _ => Judgement::Unknown,
            });
        }

        let tile = sequence / WIDTH;
        let bytes = self.commitments.read(tile * WIDTH, (tile + 1) * WIDTH)?;
        let root = self.roots.read(tile, tile + 1)?;
        let mut leaves: Vec<Hash> = bytes
            .as_chunks()
            .0
            .iter()
            .map(|bytes| Commitment(*bytes).leaf_hash())
            .collect();

        if leaves.len() < usize::from(TILE_WIDTH) {
            return Ok(Judgement::Unknown);
        }
        if root_of(&leaves).0[..] == root[..] {
            return Ok(Judgement::Payload);
        }

        leaves[(sequence % WIDTH) as usize] = payload.leaf_hash();
        Ok(if root_of(&leaves).0[..] == root[..] {
            Judgement::Record
        } else {
            Judgement::Unknown
        })
    }
}

fn root_of(leaves: &[Hash]) -> Hash {
    let mut tree = Tree::new();
    leaves.iter().for_each(|leaf| tree.append(*leaf, |_, _| {}));
    tree.root()
}
