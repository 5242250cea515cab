//! The log's key changes: a record in `ledger/epochs/`, signed by the old and the new key, ends one
//! epoch and begins the next. Layout: `docs/formats/tlog.md`, "Key epochs". The record is what
//! counts: before it is durable the old key signs, after that the new one; the private keys' files
//! follow (`keys.rs`) and are put right at the next start where that was interrupted.
//!
//! Refuses records that do not verify or do not follow each other, and a log whose key is not that
//! of its newest epoch.

use std::sync::Arc;

use reeve_audit::{Draft, Obstacle};
use reeve_tlog::{Epoch, Epochs, NoteSigner};
use tokio::sync::oneshot;

use crate::append::AppendError;
use crate::disk::write_durably;
use crate::keys::{self, KeyFileError};
use crate::ledger::Ledger;
use crate::read::ReadError;
use crate::sequencer::{Command, Sequencer};
use crate::shared::LedgerFault;
pub(crate) use records::read;

mod records;

/// Reason why a key was not rotated. Completed parts have no effect, or are finished at the next
/// start.
#[derive(Debug, thiserror::Error)]
pub enum RotateError {
    /// The private keys' files.
    #[error(transparent)]
    Key(#[from] KeyFileError),
    /// The entry about it could not be made.
    #[error("the entry about the rotation is not valid: {0}")]
    Entry(Obstacle),
    /// The entry or the record could not be written.
    #[error("the rotation could not be recorded: {0}")]
    Record(#[from] AppendError),
    /// The new key signs, but the old private key is still there; the next start destroys it.
    #[error(
        "the new key {new} is in charge, but the old private key could not be destroyed: {source}; restart to try again"
    )]
    NotDestroyed {
        /// The key in charge.
        new: String,
        /// Error of the file system.
        #[source]
        source: KeyFileError,
    },
}

/// Rotation of the signing key as recorded before it happens, so that it can be finished after a
/// crash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// The verifier key in charge so far.
    pub old: String,
    /// The verifier key to take over.
    pub new: String,
}

/// A key and the sizes it was in charge of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyEpoch {
    /// Verifier key of the epoch, in the form of C2SP signed notes.
    pub public_key: String,
    /// Least size it signed.
    pub from_size: u64,
    /// Greatest size it signed; `None` for the key in charge.
    pub to_size: Option<u64>,
}

impl Ledger {
    /// Replaces the log's key: a new one is made, `entry` (about both) is appended under the old
    /// one, a record signed by both is kept, and the old private key is destroyed. Appends go on
    /// meanwhile.
    pub async fn rotate_key(
        &self,
        entry: impl FnOnce(&Planned) -> Result<Draft, Obstacle>,
    ) -> Result<Epoch, RotateError> {
        self.replace_key(async |planned| {
            self.append(vec![entry(planned).map_err(RotateError::Entry)?])
                .await?;
            Ok(())
        })
        .await
    }

    /// Replaces the key before anything is appended: for a log that comes from a backup, whose key
    /// may have signed other entries after those of the backup. The key in charge so far signs
    /// nothing beyond them; the entry about it comes after the record.
    pub async fn succeed_key(&self) -> Result<Epoch, RotateError> {
        self.replace_key(async |_| Ok(())).await
    }

    async fn replace_key(
        &self,
        announce: impl AsyncFnOnce(&Planned) -> Result<(), RotateError>,
    ) -> Result<Epoch, RotateError> {
        let shared = self.shared();
        let _one = shared.rotating.lock().await;
        let data_dir = shared.config.data_dir.clone();
        let old = shared.signer.read().verifier().to_string();
        let name = shared.config.origin.clone();
        let recorded = shared
            .epochs
            .read()
            .as_ref()
            .map_or(0, |epochs| epochs.rotations().len() as u64);

        let next = blocking({
            let data_dir = data_dir.clone();
            move || keys::make_next(&data_dir, &name, recorded + 1)
        })
        .await??;

        let planned = Planned {
            old,
            new: next.verifier().to_string(),
        };
        announce(&planned).await?;
        let epoch = self.begin_epoch(next).await?;
        tracing::info!(number = epoch.number, size = epoch.size, new = %epoch.new, "the log's key was rotated");
        let new = epoch.new.clone();
        let installed = blocking(move || keys::install(&data_dir, &new)).await?;
        installed.map_err(|source| RotateError::NotDestroyed {
            new: planned.new,
            source,
        })?;

        Ok(epoch)
    }

    /// Ends the epoch of the key in charge. Private keys' files are the caller's.
    pub(crate) async fn begin_epoch(&self, next: NoteSigner) -> Result<Epoch, AppendError> {
        let (reply, answer) = oneshot::channel();
        self.command(Command::BeginEpoch(Box::new(next), reply))?;
        answer.await.map_err(|_| AppendError::Closed)?
    }

    /// The keys the log was signed with, the oldest first; the last is in charge.
    pub fn keys(&self) -> Vec<KeyEpoch> {
        let epochs = self.shared().epochs.read().clone();
        let epochs = epochs
            .unwrap_or_else(|| Epochs::single(self.shared().signer.read().verifier().clone()));
        let key_epochs = epochs.keys().map(|key| {
            let (from_size, to) = epochs.span(key).unwrap_or_default();
            KeyEpoch {
                public_key: key.to_string(),
                from_size,
                to_size: (to != u64::MAX).then_some(to),
            }
        });

        key_epochs.collect()
    }

    /// The records of key epochs, signed notes, in order.
    pub async fn epoch_records(&self) -> Result<Vec<String>, ReadError> {
        let shared = self.shared().clone();
        let count = shared
            .epochs
            .read()
            .as_ref()
            .map_or(0, |epochs| epochs.rotations().len() as u64);

        let read = move || {
            let dir = shared.places.epochs();
            let record = |number: u64| {
                Ok(
                    String::from_utf8_lossy(&shared.disk.read(&dir.join(number.to_string()))?)
                        .into_owned(),
                )
            };
            (1..=count).map(record).collect()
        };

        tokio::task::spawn_blocking(read)
            .await
            .map_err(|error| ReadError::Io(std::io::Error::other(error)))?
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, AppendError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| AppendError::Closed)
}

impl Sequencer {
    /// Records that `next` signs from now on, and signs with it.
    pub(crate) fn begin_epoch(&mut self, next: NoteSigner) -> Result<Epoch, AppendError> {
        self.shared.config.fence.check()?;
        if let Some(LedgerFault::Unknown(message) | LedgerFault::Removed(message)) =
            self.shared.fault.lock().clone()
        {
            return Err(AppendError::Storage {
                message,
                full_disk: false,
            });
        }

        let refused = |message: String| AppendError::Storage {
            message,
            full_disk: false,
        };

        let head = self.shared.head.read().clone();
        let old = self.shared.signer.read().clone();
        let mut epochs = self
            .shared
            .epochs
            .read()
            .clone()
            .unwrap_or_else(|| Epochs::single(old.verifier().clone()));

        let epoch = Epoch {
            number: epochs.rotations().len() as u64 + 1,
            size: head.size,
            root: head.root,
            old: old.verifier().clone(),
            new: next.verifier().clone(),
        };

        epochs
            .push(epoch.clone())
            .map_err(|error| refused(error.to_string()))?;
        let record = epoch
            .sign(&old, &next)
            .map_err(|error| refused(error.to_string()))?;
        let note = crate::shared::sign(&self.shared.config.origin, &next, head.size, head.root)
            .map_err(|error| refused(error.to_string()))?;
        self.write_epoch(epoch.number, record.to_string().as_bytes())?;
        let next = Arc::new(next);
        self.shared.attestor.rotate(next.clone(), epochs.clone());
        *self.shared.signer.write() = next;
        *self.shared.epochs.write() = Some(epochs);
        self.shared.head.write().note = note.into();
        self.publish();

        Ok(epoch)
    }

    /// Writes a record durably. Where that fails and the record cannot be taken back either, nobody
    /// knows which key is in charge, so nothing is signed until a restart has looked.
    fn write_epoch(&self, number: u64, record: &[u8]) -> Result<(), AppendError> {
        let (disk, dir) = (self.shared.disk.as_ref(), self.shared.places.epochs());
        let path = dir.join(number.to_string());
        let Err(error) = disk
            .create_dirs(&dir)
            .and_then(|()| write_durably(disk, &path, record))
        else {
            return Ok(());
        };

        let gone = |error: std::io::Error| {
            if error.kind() == std::io::ErrorKind::NotFound {
                Ok(())
            } else {
                Err(error)
            }
        };

        let undone = disk
            .remove(&path)
            .or_else(gone)
            .and_then(|()| disk.sync_dir(&dir).or_else(gone));
        let full_disk = crate::disk::is_full(&error);
        let mut message = format!("{}: {error}; the key was not rotated", path.display());

        if undone.is_err() {
            message = format!(
                "{}: {error}; which key is in charge is unknown until a restart has read it",
                path.display()
            );
            tracing::error!("{message}");
            *self.shared.fault.lock() = Some(LedgerFault::Unknown(message.clone()));
        }

        Err(AppendError::Storage { message, full_disk })
    }
}
