//! What the log itself holds of each sealed entry: commitments in entry bundles and at the manifest's edge, leaf hashes in tiles.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use reeve_tlog::{Commitment, Hash, TILE_WIDTH, TileId, decode_bundle, decode_tile};

use crate::error::{CannotVerify, read_if_there};
use crate::finding::Finding;
use crate::manifest::MANIFEST;

const WIDTH: u64 = TILE_WIDTH as u64;
/// Bytes of a record: its length and a commitment.
const RECORD_LEN: u64 = 34;

/// Reads commitments and leaf hashes by sequence; keeps one bundle and one tile.
pub(crate) struct Records {
    ledger: PathBuf,
    sealed_size: u64,
    edge: Arc<Vec<Option<Commitment>>>,
    bundle: Option<(u64, Result<Vec<Commitment>, Finding>)>,
    tile: Option<(u64, Vec<Hash>)>,
}

impl Records {
    /// Of a data directory.
    pub(crate) fn new(dir: &Path, sealed_size: u64, edge: Arc<Vec<Option<Commitment>>>) -> Records {
        Records { ledger: dir.join("ledger"), sealed_size, edge, bundle: None, tile: None }
    }

    /// The commitment of an entry; `None` where nothing readable holds it.
    pub(crate) fn commitment(&mut self, sequence: u64) -> Result<Option<Commitment>, CannotVerify> {
        let full = self.sealed_size - self.sealed_size % WIDTH;
        if sequence >= full {
            return Ok(self.edge.get((sequence - full) as usize).copied().flatten());
        }
        let at = (sequence % WIDTH) as usize;
        Ok(self.bundle(sequence / WIDTH)?.as_ref().ok().and_then(|records| records.get(at)).copied())
    }

    /// Where the commitment of an entry stands: file and offset.
    pub(crate) fn place(&self, sequence: u64) -> (String, Option<u64>) {
        let full = self.sealed_size - self.sealed_size % WIDTH;
        if sequence >= full {
            return (MANIFEST.to_owned(), None);
        }
        (bundle_name(sequence / WIDTH), Some(sequence % WIDTH * RECORD_LEN + 2))
    }

    /// The leaf hash of an entry from its tile; `None` where that is not there or not whole.
    pub(crate) fn leaf(&mut self, sequence: u64) -> Result<Option<Hash>, CannotVerify> {
        let index = sequence / WIDTH;
        if self.tile.as_ref().is_none_or(|(kept, _)| *kept != index) {
            let bytes = match TileId::new(0, index, TILE_WIDTH) {
                Ok(tile) => read_if_there(&self.ledger.join(tile.path()))?,
                Err(_) => None,
            };
            let hashes = bytes.and_then(|bytes| decode_tile(&bytes, TILE_WIDTH).ok()).unwrap_or_default();
            self.tile = Some((index, hashes));
        }
        let hashes = self.tile.as_ref().map(|(_, hashes)| hashes);
        Ok(hashes.and_then(|hashes| hashes.get((sequence % WIDTH) as usize)).copied())
    }

    /// What is wrong with the bundle that begins with an entry, apart from the records in it.
    pub(crate) fn bundle_fault(&mut self, sequence: u64) -> Result<Option<Finding>, CannotVerify> {
        Ok(self.bundle(sequence / WIDTH)?.as_ref().err().cloned())
    }

    fn bundle(&mut self, index: u64) -> Result<&Result<Vec<Commitment>, Finding>, CannotVerify> {
        let kept = self.bundle.take().filter(|(kept, _)| *kept == index);
        let bundle = match kept {
            Some((_, bundle)) => bundle,
            None => self.read_bundle(index)?,
        };
        Ok(&self.bundle.insert((index, bundle)).1)
    }

    fn read_bundle(&self, index: u64) -> Result<Result<Vec<Commitment>, Finding>, CannotVerify> {
        let name = bundle_name(index);
        let path = self.ledger.join(name.trim_start_matches("ledger/"));
        let fault = |what: String| {
            let first = index.saturating_mul(WIDTH);
            Finding::new(&name, what).entries(first, first.saturating_add(WIDTH - 1))
        };
        let Some(bytes) = read_if_there(&path)? else {
            return Ok(Err(fault("the entry bundle is missing".into())));
        };
        let records = match decode_bundle(&bytes, TILE_WIDTH) {
            Ok(records) => records,
            Err(error) => return Ok(Err(fault(format!("it is not an entry bundle: {error}")))),
        };
        let commitments = records.iter().map(|record| <[u8; 32]>::try_from(*record).map(Commitment));
        Ok(commitments
            .collect::<Result<_, _>>()
            .map_err(|_| fault("a record of the entry bundle is not 32 bytes long".into())))
    }
}

fn bundle_name(index: u64) -> String {
    let tile = TileId::new(0, index, TILE_WIDTH).ok().and_then(|tile| tile.entries_path());
    format!("ledger/{}", tile.unwrap_or_else(|| format!("tile/entries, bundle {index}")))
}
