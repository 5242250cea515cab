//! Hashes of the tree for proofs of many entries: reads tiles as they are needed and keeps only the
//! newest of them, so that a proof of millions of entries needs no more memory than one of a single
//! entry.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

use reeve_tlog::{Hash, HashReader, TileId, TileReader};

use super::{Bytes, HashReadError};
use crate::shared::Shared;

/// Tiles that are kept: some of each level, so that going from left to right reads each tile once
/// or twice.
const KEPT: usize = 24;

/// Reads hashes of the tree at a size that the log has or had. Keeps the log's files open while it
/// lives.
pub struct TreeHashes {
    shared: Arc<Shared>,
    size: u64,
    recent: RefCell<VecDeque<(TileId, Bytes)>>,
}

impl TreeHashes {
    pub(crate) fn new(shared: Arc<Shared>, size: u64) -> TreeHashes {
        TreeHashes {
            shared,
            size,
            recent: RefCell::default(),
        }
    }

    fn tile(&self, tile: TileId) -> std::io::Result<Option<Bytes>> {
        let mut recent = self.recent.borrow_mut();
        if let Some(at) = recent.iter().position(|(kept, _)| *kept == tile) {
            return Ok(Some(recent[at].1.clone()));
        }

        let read = self.shared.tiles.hashes(tile)?;
        if let Some(bytes) = &read {
            if recent.len() == KEPT {
                recent.pop_front();
            }
            recent.push_back((tile, bytes.clone()));
        }

        Ok(read)
    }
}

impl std::fmt::Debug for TreeHashes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TreeHashes")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

impl HashReader for TreeHashes {
    type Error = HashReadError;

    fn read(&self, level: u8, index: u64) -> Result<Hash, HashReadError> {
        TileReader::new(self.size, |tile| self.tile(tile)).read(level, index)
    }
}
