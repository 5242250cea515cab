//! Interface to witnesses: consistency proofs for them, and their cosignatures, which are served with the checkpoint
//! they sign and are included in proofs of the entries it covers. `ledger/checkpoint.cosigned` keeps the newest
//! cosigned checkpoint; losing it loses nothing but the cosignatures.
//!
//! Refuses a cosigned checkpoint that is not one of this log. The caller that asks for cosignatures verifies them.

use std::path::PathBuf;

use reeve_tlog::{Checkpoint, ConsistencyProveError, Hash, SignedNote, prove_consistency, tree_root};

use crate::disk::{read_if_there, replace};
use crate::ledger::Ledger;
use crate::read::ReadError;
use crate::shared::Shared;

/// The newest checkpoint that witnesses have cosigned.
#[derive(Debug, Clone)]
pub(crate) struct CosignedHead {
    pub(crate) size: u64,
    pub(crate) note: SignedNote,
}

impl CosignedHead {
    /// The checkpoint to serve: `note` with the cosignatures below it if they are over the same text.
    pub(crate) fn joined(&self, note: &str) -> Option<String> {
        let mut served = SignedNote::parse(note.as_bytes()).ok().filter(|served| served.text() == self.note.text())?;
        for signature in self.note.signatures() {
            if !served.signatures().contains(signature) && signature.name() != served.signatures()[0].name() {
                served.attach(signature.clone()).ok()?;
            }
        }
        Some(served.to_string())
    }
}

fn place(shared: &Shared) -> PathBuf {
    shared.places.dir.join("checkpoint.cosigned")
}

/// Returns `true` if the checkpoint belongs to this log: same origin, and the same root hash at its size.
fn is_ours(shared: &Shared, checkpoint: &Checkpoint) -> Result<bool, ReadError> {
    if checkpoint.origin != shared.config.origin || checkpoint.size > shared.head.read().size {
        return Ok(false);
    }
    let reader = shared.tiles.reader(checkpoint.size);
    Ok(tree_root(&reader, checkpoint.size)? == checkpoint.root)
}

/// Takes up what was kept by an earlier run, if it still is of this log.
pub(crate) fn restore(shared: &Shared) {
    let kept = read_if_there(shared.disk.as_ref(), &place(shared)).ok().flatten();
    let note = kept.and_then(|bytes| SignedNote::parse(&bytes).ok());
    let checkpoint = note.as_ref().and_then(|note| Checkpoint::parse(note.text()).ok());
    if let (Some(note), Some(checkpoint)) = (note, checkpoint)
        && is_ours(shared, &checkpoint).unwrap_or(false)
    {
        *shared.cosigned.write() = Some(CosignedHead { size: checkpoint.size, note });
    }
}

impl Ledger {
    /// The proof that the log of `new` entries is that of `old` with entries appended; empty for equal sizes.
    pub async fn consistency(&self, old: u64, new: u64) -> Result<Vec<Hash>, ReadError> {
        let shared = self.shared().clone();
        if new > self.size() {
            return Err(ReadError::NoSuchEntry { sequence: new - 1 });
        }
        let prove = move || {
            prove_consistency(&shared.tiles.reader(new), old, new).map_err(|error| match error {
                ConsistencyProveError::Sizes { old, .. } => ReadError::NoSuchEntry { sequence: old },
                ConsistencyProveError::Read(error) => error.into(),
            })
        };
        tokio::task::spawn_blocking(prove).await.map_err(|error| ReadError::Io(std::io::Error::other(error)))?
    }

    /// The newest checkpoint as it was signed, without cosignatures.
    pub fn signed_checkpoint(&self) -> String {
        self.shared().head.read().note.to_string()
    }

    /// The newest checkpoint that witnesses have cosigned.
    pub fn cosigned_checkpoint(&self) -> Option<String> {
        self.shared().cosigned.read().as_ref().map(|head| head.note.to_string())
    }

    /// Keeps a checkpoint of this log with cosignatures that were verified. An older one than is kept already is dropped.
    pub async fn keep_cosigned(&self, note: SignedNote) -> Result<(), ReadError> {
        let shared = self.shared().clone();
        let keep = move || {
            let damaged = |cause: &str| ReadError::Damaged { sequence: 0, cause: cause.to_owned() };
            let checkpoint = Checkpoint::parse(note.text()).map_err(|error| damaged(&error.to_string()))?;
            if !is_ours(&shared, &checkpoint)? {
                return Err(damaged("the cosigned checkpoint belongs to another log"));
            }
            let mut kept = shared.cosigned.write();
            if kept.as_ref().is_some_and(|kept| kept.size > checkpoint.size) {
                return Ok(());
            }
            replace(shared.disk.as_ref(), &place(&shared), note.to_string().as_bytes())?;
            *kept = Some(CosignedHead { size: checkpoint.size, note });
            Ok(())
        };
        tokio::task::spawn_blocking(keep).await.map_err(|error| ReadError::Io(std::io::Error::other(error)))?
    }
}
