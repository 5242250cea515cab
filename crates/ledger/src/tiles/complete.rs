//! Makes the files of hashes whole where they are not: out of the tile files that earlier logs had
//! (entry bundles at C2SP paths below `ledger/`), or the levels of the tree out of the commitments.
//! Writes nothing that does not give the manifest's root.

use std::io;
use std::path::Path;

use reeve_tlog::{
    Commitment, Hash, TILE_WIDTH, TileId, Tree, decode_bundle, encode_tile, tiles_completed,
};

use super::{Tiles, WIDTH, complete};
use crate::disk::Disk;

impl Tiles {
    /// Makes the files whole for the sealed entries, if there is anything to make them of.
    pub(super) fn complete_files(
        &self,
        disk: &dyn Disk,
        dir: &Path,
        size: u64,
        root: Hash,
        beyond: &[Commitment],
    ) -> io::Result<()> {
        let held = self.commitments.has_at_least(size)?;
        let mut lacking = Vec::new();

        for (level, file) in (1_u8..).zip(&self.levels) {
            if !file.has_at_least(complete(level, size))? {
                lacking.push((level, file));
            }
        }

        if held && lacking.is_empty() {
            return Ok(());
        }

        let commitments = match held {
            true => self.commitments(0, size)?,
            false => match bundles(disk, dir, size)? {
                Some(mut full) => {
                    full.extend_from_slice(beyond);
                    full
                }
                None => return Ok(()),
            },
        };

        tracing::info!(size, "completing the files of the log's hashes");
        let (tree, levels) = grow(&commitments, self.levels.len());

        if tree.root() != root {
            let cause = format!(
                "the commitments give the root {}, but the manifest has {root}",
                tree.root()
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, cause));
        }

        for (level, file) in lacking {
            file.replace(
                levels
                    .get(usize::from(level) - 1)
                    .map_or(&[], Vec::as_slice),
            )?;
        }

        if !held {
            // Last, because its presence says that all was taken over.
            self.commitments.replace(
                &commitments
                    .iter()
                    .flat_map(|commitment| commitment.0)
                    .collect::<Vec<_>>(),
            )?;
            remove_tiles(disk, dir, size);
        }

        Ok(())
    }
}

/// The tree over commitments, and the hashes of its tile levels from 1 on.
fn grow(commitments: &[Commitment], count: usize) -> (Tree, Vec<Vec<u8>>) {
    let mut tree = Tree::new();
    let mut levels = vec![Vec::new(); count];

    for commitment in commitments {
        tree.append(commitment.leaf_hash(), |tile, hashes| {
            if let Some(bytes) = usize::from(tile.level())
                .checked_sub(1)
                .and_then(|at| levels.get_mut(at))
            {
                bytes.extend_from_slice(&encode_tile(hashes));
            }
        });
    }

    for (level, bytes) in (1_u8..).zip(&mut levels) {
        bytes.extend(
            tree.partial(level)
                .map(|(_, hashes)| encode_tile(hashes))
                .unwrap_or_default(),
        );
    }

    (tree, levels)
}

/// The commitments of all full entry bundles of an earlier log; `None` when it has none.
fn bundles(disk: &dyn Disk, dir: &Path, size: u64) -> io::Result<Option<Vec<Commitment>>> {
    let mut commitments = Vec::new();
    for tile in (0..size / WIDTH).filter_map(|index| TileId::new(0, index, TILE_WIDTH).ok()) {
        let path = dir.join(tile.entries_path().unwrap_or_default());
        let damaged = || {
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("{} is damaged", path.display()),
            )
        };
        let bytes = match disk.read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && tile.index() == 0 => {
                return Ok(None);
            }
            bytes => bytes?,
        };
        for record in decode_bundle(&bytes, TILE_WIDTH).map_err(|_| damaged())? {
            commitments.push(Commitment(
                <[u8; 32]>::try_from(record).map_err(|_| damaged())?,
            ));
        }
    }

    Ok(Some(commitments))
}

fn remove_tiles(disk: &dyn Disk, dir: &Path, size: u64) {
    for tile in tiles_completed(0, size) {
        for path in [Some(tile.path()), tile.entries_path()]
            .into_iter()
            .flatten()
        {
            if let Err(error) = disk.remove(&dir.join(&path)) {
                tracing::debug!(%path, %error, "a migrated tile could not be removed");
            }
        }
    }
}
