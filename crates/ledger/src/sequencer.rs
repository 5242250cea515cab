//! The one writer: takes what waits, resolves what was sent before, numbers the rest, writes one
//! frame, syncs it, moves the anchor, shows the entries to readers, and acknowledges. A thread of
//! its own, because it waits for the disk.
//!
//! Nothing is acknowledged that is not durable, and nothing is shown that is not in the log. When
//! writing fails, every submission of the batch is told, and the log is as it was before.

mod commit;
mod plan;
pub(crate) mod recent;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use reeve_tlog::{Epoch, NoteSigner};
use tokio::sync::oneshot;

use crate::anchor::Anchor;
use crate::append::{AppendError, Submission};
use crate::disk::{DiskLock, replace};
use crate::shared::{LedgerFault, Shared};
use crate::wal::{Wal, WriteFailure};
use recent::{Generation, Recents};

/// Interval at which the anchor is synced to disk and the log's file is checked.
const CARE_EVERY: Duration = Duration::from_secs(1);
/// While submissions keep coming, the checkpoint file is rewritten no more often than this.
const PUBLISH_EVERY: Duration = Duration::from_millis(50);

/// Command sent to the sequencer.
pub(crate) enum Command {
    /// Records the entries of a submission.
    Append(Submission),
    /// Begin a new file of the log; answers what is before it, or why not.
    Rotate(oneshot::Sender<Result<Rotated, AppendError>>),
    /// Sign with this key from now on, and keep a record of it.
    BeginEpoch(Box<NoteSigner>, oneshot::Sender<Result<Epoch, AppendError>>),
    /// The entries before this sequence are sealed, and their identifiers in the index.
    Sealed(u64),
}

/// Result of a rotation of the write-ahead log: the end of the file that was closed.
pub(crate) struct Rotated {
    /// The sequence of the new file's first entry.
    pub(crate) end: u64,
    /// The identifiers of all unsealed entries before it.
    pub(crate) recent: Vec<Generation>,
}

/// State of the thread that alone writes the log.
pub(crate) struct Sequencer {
    pub(crate) shared: Arc<Shared>,
    pub(crate) commands: Receiver<Command>,
    pub(crate) wal: Wal,
    pub(crate) anchor: Anchor,
    /// Identifiers of unsealed entries.
    pub(crate) recent: Recents,
    /// Held while the thread lives.
    pub(crate) _lock: Box<dyn DiskLock>,
    /// Elapsed time of the clock at the last write of the checkpoint file.
    pub(crate) published: Option<Duration>,
    pub(crate) unpublished: bool,
    /// Elapsed time of the clock at the last maintenance (anchor synced, log file checked).
    pub(crate) cared: Duration,
}

impl Sequencer {
    /// Runs until nobody can send commands any more and those that were sent are obeyed.
    pub(crate) fn run(mut self) {
        self.publish();
        loop {
            let command = match self.commands.recv_timeout(CARE_EVERY) {
                Ok(command) => Some(command),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            let next = match command {
                Some(Command::Append(first)) => {
                    let (batch, next) = self.collect(first);
                    self.record(batch, next.is_some());
                    next
                }
                other => other,
            };
            if let Some(command) = next {
                self.obey(command);
            }
            self.care();
        }

        if let Err(error) = self.anchor.sync() {
            tracing::error!(file = %self.shared.places.anchor.display(), %error, "the anchor could not be made durable");
        }

        self.publish();
    }

    /// The submissions of one group commit: the first and what waits behind it, up to the size of a
    /// batch. Any other command ends it and is given back.
    fn collect(&mut self, first: Submission) -> (Vec<Submission>, Option<Command>) {
        let mut bytes = first.bytes;
        let mut batch = vec![first];

        while bytes < self.shared.config.max_batch_bytes {
            match self.commands.try_recv() {
                Ok(Command::Append(submission)) => {
                    bytes += submission.bytes;
                    batch.push(submission);
                }
                Ok(other) => return (batch, Some(other)),
                Err(_) => break,
            }
        }

        (batch, None)
    }

    /// Obeys a command by itself.
    fn obey(&mut self, command: Command) {
        match command {
            Command::Append(submission) => self.record(vec![submission], false),
            Command::Rotate(reply) => {
                let rotated = self.rotate();
                let _ = reply.send(rotated);
            }
            Command::BeginEpoch(next, reply) => {
                let begun = self.begin_epoch(*next);
                let _ = reply.send(begun);
            }
            Command::Sealed(end) => self.sealed(end),
        }
    }

    fn rotate(&mut self) -> Result<Rotated, AppendError> {
        self.shared.config.fence.check()?;
        let fault = self.shared.fault.lock().clone();

        if let Some(LedgerFault::Unknown(message)) = fault {
            return Err(AppendError::Storage {
                message,
                full_disk: false,
            });
        }

        let (size, chain_hash) = {
            let head = self.shared.head.read();
            (head.size, head.chain_hash)
        };
        // The seal will name this point for good, so the anchor must not fall behind it.
        if let Err(error) = self.anchor.sync() {
            self.anchor_failed(&error);
        }

        let removed = matches!(fault, Some(LedgerFault::Removed(_)));
        self.wal
            .rotate(size, chain_hash, removed)
            .map_err(|failure| self.failed(failure))?;
        Ok(Rotated {
            end: size,
            recent: self.recent.close(size),
        })
    }

    fn sealed(&mut self, end: u64) {
        self.recent.forget(end);
        if self.shared.config.fence.check().is_err() {
            return;
        }
        if let Err(error) = self.wal.remove_before(end) {
            // They are removed at the next seal or start.
            tracing::warn!(%error, "files of the log whose entries are sealed could not be removed");
        }

        let mut fault = self.shared.fault.lock();
        if let Some(LedgerFault::Removed(message)) = fault.as_ref() {
            tracing::warn!(%message, "the entries of the removed file are sealed; the log accepts entries again");
            *fault = None;
        }
    }

    /// Periodic maintenance: syncs the anchor, updates the checkpoint file, and detects a log file
    /// that was removed while open.
    fn care(&mut self) {
        let busy = self.shared.room.waiting() > 0;
        let now = self.shared.config.clock.elapsed();

        if self.unpublished
            && (!busy
                || self
                    .published
                    .is_none_or(|at| now.saturating_sub(at) >= PUBLISH_EVERY))
        {
            self.publish();
        }

        if now.saturating_sub(self.cared) < CARE_EVERY {
            return;
        }

        self.cared = now;
        if let Err(error) = self.anchor.sync() {
            self.anchor_failed(&error);
        }
        if !self.wal.is_linked().unwrap_or(true) {
            self.removed();
        }
    }

    fn removed(&mut self) {
        let mut fault = self.shared.fault.lock();
        if fault.is_none() {
            let message = format!(
                "{} was removed while the log was writing to it; no entries are taken until those it held are sealed, which is tried now",
                self.wal.path().display()
            );
            tracing::error!("{message}");
            *fault = Some(LedgerFault::Removed(message));
            self.shared.seal_due.notify_one();
        }
    }

    /// Rewrites the checkpoint file for readers of the directory. Its loss is harmless.
    pub(crate) fn publish(&mut self) {
        if self.shared.config.fence.check().is_err() {
            return;
        }

        let note = self.shared.head.read().note.clone();
        self.published = Some(self.shared.config.clock.elapsed());

        match replace(
            self.shared.disk.as_ref(),
            &self.shared.places.checkpoint(),
            note.as_bytes(),
        ) {
            Ok(()) => self.unpublished = false,
            Err(error) => tracing::warn!(%error, "the checkpoint file could not be rewritten"),
        }
    }

    fn anchor_failed(&self, error: &std::io::Error) {
        let message = format!("{}: {error}", self.shared.places.anchor.display());
        let mut fault = self.shared.anchor_fault.lock();
        if fault.is_none() {
            tracing::error!(%message, "the anchor could not be written; entries are safe, but a cut end would not be noticed");
        }
        *fault = Some(message);
    }

    /// Turns a failed write into the error for its submissions; when the state of the disk is
    /// unknown, later submissions fail too.
    fn failed(&self, failure: WriteFailure) -> AppendError {
        let file = self.wal.path().display();
        match failure {
            WriteFailure::Undone(error) => {
                let full_disk = crate::disk::is_full(&error);
                let message_start = if full_disk {
                    "no space is left on the log's disk"
                } else {
                    "the log cannot be written"
                };
                tracing::error!(%file, %error, "{message_start}; nothing of the batch was recorded");
                AppendError::Storage {
                    message: format!("{message_start}; nothing was recorded: {file}: {error}"),
                    full_disk,
                }
            }
            WriteFailure::Unknown(step, error) => {
                let message = format!(
                    "{file}: {step} failed: {error}; what the disk holds is unknown, so no entries are taken until a restart has read it"
                );
                tracing::error!("{message}");
                *self.shared.fault.lock() = Some(LedgerFault::Unknown(message.clone()));
                AppendError::Storage {
                    message,
                    full_disk: false,
                }
            }
        }
    }
}
