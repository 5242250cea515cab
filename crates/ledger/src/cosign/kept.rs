//! The file of the newest cosigned checkpoint, `ledger/checkpoint.cosigned`.

use std::path::PathBuf;

use reeve_tlog::{Checkpoint, SignedNote, tree_root};

use super::head::CosignedHead;
use crate::disk::read_if_there;
use crate::read::ReadError;
use crate::shared::Shared;

/// Path of the file.
pub(super) fn place(shared: &Shared) -> PathBuf {
    shared.places.dir.join("checkpoint.cosigned")
}

/// Returns `true` if the checkpoint belongs to this log: same origin, and the same root hash at its
/// size.
pub(super) fn is_ours(shared: &Shared, checkpoint: &Checkpoint) -> Result<bool, ReadError> {
    if checkpoint.origin != shared.config.origin || checkpoint.size > shared.head.read().size {
        return Ok(false);
    }
    let reader = shared.tiles.reader(checkpoint.size);
    Ok(tree_root(&reader, checkpoint.size)? == checkpoint.root)
}

/// Takes up what was kept by an earlier run, if it still is of this log.
pub(crate) fn restore(shared: &Shared) {
    let kept = read_if_there(shared.disk.as_ref(), &place(shared))
        .ok()
        .flatten();
    let note = kept.and_then(|bytes| SignedNote::parse(&bytes).ok());
    let checkpoint = note
        .as_ref()
        .and_then(|note| Checkpoint::parse(note.text()).ok());
    if let (Some(note), Some(checkpoint)) = (note, checkpoint)
        && is_ours(shared, &checkpoint).unwrap_or(false)
    {
        *shared.cosigned.write() = Some(CosignedHead {
            size: checkpoint.size,
            note,
        });
    }
}
