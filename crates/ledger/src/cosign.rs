//! Interface to witnesses: consistency proofs for them, and their cosignatures, which are served
//! with the checkpoint they sign and are included in proofs of the entries it covers.
//! `ledger/checkpoint.cosigned` keeps the newest cosigned checkpoint; losing it loses nothing but
//! the cosignatures.
//!
//! Refuses a cosigned checkpoint that is not one of this log. The caller that asks for cosignatures
//! verifies them.

use reeve_tlog::{Checkpoint, ConsistencyProveError, Hash, SignedNote, prove_consistency};

use crate::disk::replace;
use crate::ledger::Ledger;
use crate::read::ReadError;
pub(crate) use head::CosignedHead;
pub(crate) use kept::restore;
use kept::{is_ours, place};

mod head;
mod kept;

impl Ledger {
    /// The proof that the log of `new` entries is that of `old` with entries appended; empty for
    /// equal sizes.
    pub async fn consistency(&self, old: u64, new: u64) -> Result<Vec<Hash>, ReadError> {
        let shared = self.shared().clone();
        if new > self.size() {
            return Err(ReadError::NoSuchEntry { sequence: new - 1 });
        }

        let prove = move || {
            prove_consistency(&shared.tiles.reader(new), old, new).map_err(|error| match error {
                ConsistencyProveError::Sizes { old, .. } => {
                    ReadError::NoSuchEntry { sequence: old }
                }
                ConsistencyProveError::Read(error) => error.into(),
            })
        };

        tokio::task::spawn_blocking(prove)
            .await
            .map_err(|error| ReadError::Io(std::io::Error::other(error)))?
    }

    /// The newest checkpoint as it was signed, without cosignatures.
    pub fn signed_checkpoint(&self) -> String {
        self.shared().head.read().note.to_string()
    }

    /// The newest checkpoint that witnesses have cosigned.
    pub fn cosigned_checkpoint(&self) -> Option<String> {
        self.shared()
            .cosigned
            .read()
            .as_ref()
            .map(|head| head.note.to_string())
    }

    /// Keeps a checkpoint of this log with cosignatures that were verified. An older one than is
    /// kept already is dropped.
    pub async fn keep_cosigned(&self, note: SignedNote) -> Result<(), ReadError> {
        let shared = self.shared().clone();
        let keep = move || {
            let damaged = |cause: &str| ReadError::Damaged {
                sequence: 0,
                cause: cause.to_owned(),
            };
            let checkpoint =
                Checkpoint::parse(note.text()).map_err(|error| damaged(&error.to_string()))?;
            if !is_ours(&shared, &checkpoint)? {
                return Err(damaged("the cosigned checkpoint belongs to another log"));
            }
            let mut kept = shared.cosigned.write();
            if kept
                .as_ref()
                .is_some_and(|kept| kept.size > checkpoint.size)
            {
                return Ok(());
            }
            replace(
                shared.disk.as_ref(),
                &place(&shared),
                note.to_string().as_bytes(),
            )?;
            *kept = Some(CosignedHead {
                size: checkpoint.size,
                note,
            });
            Ok(())
        };

        tokio::task::spawn_blocking(keep)
            .await
            .map_err(|error| ReadError::Io(std::io::Error::other(error)))?
    }
}
