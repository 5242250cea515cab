//! Question of those who keep checkpoints elsewhere: is the log of now an extension of what was
//! kept? Size alone does not say it: a log that was rewritten grows past any size.

use reeve_tlog::{Checkpoint, EpochOpenError, Epochs, Hash, NoteError, SignedNote, tree_root};

use crate::ledger::Ledger;
use crate::read::ReadError;

/// Reason why the log does not extend a checkpoint, or why that is not known.
#[derive(Debug, thiserror::Error)]
pub enum ExtendError {
    /// The text that was kept is no signed note.
    #[error("what is kept is not a signed checkpoint")]
    Note(#[from] NoteError),
    /// It is not signed by a key of this log that was in charge at its size.
    #[error("what is kept is not a checkpoint that a key of this log signed")]
    Signature(#[source] Box<EpochOpenError>),
    /// The log is shorter.
    #[error(
        "what is kept is a checkpoint of {kept} entries, and the log has {size}: its end was cut off"
    )]
    Shorter {
        /// Entries that the checkpoint covers.
        kept: u64,
        /// Entries in the log.
        size: u64,
    },
    /// The log has other entries.
    #[error(
        "what is kept is a checkpoint of {size} entries with the root {kept}, where the log has {root}: it was rewritten"
    )]
    Differs {
        /// Entries that the checkpoint covers.
        size: u64,
        /// Root in the checkpoint.
        kept: Hash,
        /// Root of the log over so many entries.
        root: Hash,
    },
    /// The log's hashes cannot be read.
    #[error("the log cannot be compared with what is kept")]
    Read(#[from] ReadError),
}

impl ExtendError {
    /// Returns `true` if what is kept contradicts the log, and not only cannot be compared with it.
    pub fn is_contradiction(&self) -> bool {
        !matches!(self, ExtendError::Read(_))
    }
}

impl Ledger {
    /// Accepts a checkpoint that was kept elsewhere if a key of this log signed it and the log has
    /// the same entries up to its size. Returns the checkpoint.
    ///
    /// # Errors
    /// The log does not extend it, or its hashes cannot be read.
    pub async fn extends(&self, kept: &[u8]) -> Result<Checkpoint, ExtendError> {
        let note = SignedNote::parse(kept)?;
        let shared = self.shared().clone();
        let keys = shared.epochs.read().clone();
        let keys = keys.unwrap_or_else(|| Epochs::single(shared.signer.read().verifier().clone()));
        let kept = keys
            .from_note(&note)
            .map_err(|error| ExtendError::Signature(Box::new(error)))?;
        let size = self.size();

        if kept.size > size {
            return Err(ExtendError::Shorter {
                kept: kept.size,
                size,
            });
        }

        let compare = move || {
            let root =
                tree_root(&shared.tiles.reader(kept.size), kept.size).map_err(ReadError::from)?;
            if root == kept.root {
                return Ok(kept);
            }
            Err(ExtendError::Differs {
                size: kept.size,
                kept: kept.root,
                root,
            })
        };
        let compared = tokio::task::spawn_blocking(compare).await;

        compared.map_err(|error| ReadError::Io(std::io::Error::other(error)))?
    }
}
