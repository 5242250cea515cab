//! The ledger's handle: open, append, read, seal, close.

use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::Mutex;
use reeve_audit::Draft;
use reeve_tlog::{Hash, MultiProver, NoteSigner, tree_root};
use tokio::sync::{broadcast, oneshot};

use crate::accept::Unsigned;
use crate::append::{AppendError, Recorded, Submission, all_known, prepare, sealed_ids};
use crate::attest::Attestor;
use crate::config::Config;
use crate::disk::{Disk, LocalDisk};
use crate::entry::{ENTRY_OVERHEAD, Receipt, SealedEntry, StoredEntry};
use crate::open;
use crate::open_error::OpenError;
use crate::read::{self, ReadError};
use crate::seal::{self, SealError};
use crate::segment::SegmentStore;
use crate::sequencer::Command;
use crate::shared::{Health, LedgerFault, Shared};
use crate::tail::{LogView, Tail};
use crate::tiles::TreeHashes;

/// Work on more entries than this is done on a thread for blocking work.
const INLINE_ENTRIES: usize = 32;
/// Seconds that a caller is asked to wait when the queue is full.
const RETRY_AFTER_S: u64 = 1;
/// Longest time that an append waits for a seal to free memory in the tail.
const TAIL_WAIT: Duration = Duration::from_secs(3);
/// An append of at most this many bytes may pass the tail's limit by a sixteenth of it: what one
/// person does, and the record of what they read, does not wait for the seal that a bulk load made
/// necessary.
const SMALL: usize = 32 << 10;

/// An open ledger. Clones share it; it ends with [`Ledger::close`] or when the last clone is
/// dropped.
#[derive(Clone)]
pub struct Ledger(Arc<Inner>);

struct Inner {
    shared: Arc<Shared>,
    /// The way to the sequencer, which finishes what waits and ends when this is gone.
    commands: Mutex<Option<Sender<Command>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// One seal at a time.
    sealing: tokio::sync::Mutex<()>,
}

impl Ledger {
    /// Opens the log in a data directory, or begins one. Refuses a log that is not what it
    /// acknowledged.
    pub async fn open(
        config: Config,
        signer: NoteSigner,
        segments: Arc<dyn SegmentStore>,
    ) -> Result<Ledger, OpenError> {
        Ledger::open_on(Arc::new(LocalDisk), config, signer, segments).await
    }

    /// Opens a ledger on another disk.
    pub async fn open_on(
        disk: Arc<dyn Disk>,
        config: Config,
        signer: NoteSigner,
        segments: Arc<dyn SegmentStore>,
    ) -> Result<Ledger, OpenError> {
        let (commands, receiver) = mpsc::channel();
        let sequencer = open::open(disk, config, signer, segments, receiver).await?;
        let shared = sequencer.shared.clone();
        let thread = std::thread::Builder::new()
            .name("reeve-sequencer".into())
            .spawn(move || sequencer.run());
        let thread = thread.map_err(|error| OpenError::Thread(error.to_string()))?;
        let ledger = Ledger(Arc::new(Inner {
            shared,
            commands: Mutex::new(Some(commands)),
            thread: Mutex::new(Some(thread)),
            sealing: tokio::sync::Mutex::default(),
        }));
        ledger.sign_accepted().await?;

        Ok(ledger)
    }

    /// Signs the manifest that was accepted without a signature, after the entry about it.
    async fn sign_accepted(&self) -> Result<(), OpenError> {
        let shared = self.0.shared.clone();
        let (Some(unsigned), Some(accept)) = (&shared.unsigned, &shared.config.accept_unsigned)
        else {
            return Ok(());
        };

        tracing::warn!(
            size = unsigned.size,
            sealed = unsigned.sealed_size,
            signed = unsigned.signed_size,
            "files that the log's key did not sign were accepted"
        );

        if let Some(entry) = accept.entry(unsigned).map_err(OpenError::Unrecorded)? {
            self.append(vec![entry])
                .await
                .map_err(|error| OpenError::Unrecorded(error.into()))?;
        }

        let signed = tokio::task::spawn_blocking(move || open::sign_manifest(&shared));
        signed
            .await
            .map_err(|error| OpenError::Thread(error.to_string()))?
    }

    /// Returns the extent of what this start accepted without a signature; `None` where all was
    /// signed.
    pub fn accepted_unsigned(&self) -> Option<&Unsigned> {
        self.0.shared.unsigned.as_ref()
    }

    /// Records entries, all or none, in this order and next to each other; durable when this
    /// returns. An entry that was recorded before gives its first receipt again. Entries are
    /// recorded even if the caller stops waiting.
    pub async fn append(&self, drafts: Vec<Draft>) -> Result<Vec<Receipt>, AppendError> {
        if drafts.is_empty() {
            return Ok(Vec::new());
        }

        let shared = &self.0.shared;
        let bytes = drafts
            .iter()
            .map(|draft| draft.canonical.len() + ENTRY_OVERHEAD)
            .sum();
        let limit = shared.room.capacity();
        if bytes > limit {
            return Err(AppendError::TooLarge { bytes, limit });
        }

        let reservation = shared.room.take(bytes).ok_or(AppendError::Busy {
            retry_after_s: RETRY_AFTER_S,
        })?;
        self.tail_room(bytes).await?;
        let ids = sealed_ids(shared);
        let known_until = ids.end();
        let slots = if drafts.len() <= INLINE_ENTRIES {
            prepare(shared, &ids, drafts)?
        } else {
            let shared = shared.clone();
            let prepared = tokio::task::spawn_blocking(move || prepare(&shared, &ids, drafts));
            prepared.await.map_err(|_| AppendError::Closed)??
        };

        let slots = match all_known(slots) {
            Ok(receipts) => return Ok(receipts),
            Err(slots) => slots,
        };

        let (reply, answer) = oneshot::channel();
        self.command(Command::Append(Submission {
            slots,
            known_until,
            bytes,
            reservation,
            reply,
        }))?;

        let recorded = answer.await.map_err(|_| AppendError::Closed)??;
        Ok(recorded.into_iter().map(Recorded::receipt).collect())
    }

    /// Waits until the tail has room for an append of so many bytes.
    async fn tail_room(&self, bytes: usize) -> Result<(), AppendError> {
        let shared = &self.0.shared;
        let limit = shared.config.tail_limit_bytes;
        let limit = if bytes <= SMALL {
            limit.saturating_add(limit / 16)
        } else {
            limit
        };
        let full = || shared.view.read().tail.weight() >= limit;

        if !full() {
            return Ok(());
        }

        let wait = async {
            loop {
                let mut notified = std::pin::pin!(shared.sealed.notified());
                notified.as_mut().enable();
                if !full() {
                    return;
                }
                notified.await;
            }
        };
        let waited = tokio::time::timeout(TAIL_WAIT, wait).await;

        waited.map_err(|_| AppendError::Busy {
            retry_after_s: RETRY_AFTER_S,
        })
    }

    pub(crate) fn command(&self, command: Command) -> Result<(), AppendError> {
        let commands = self.0.commands.lock();
        let sent = commands.as_ref().map(|commands| commands.send(command));
        sent.ok_or(AppendError::Closed)?
            .map_err(|_| AppendError::Closed)
    }

    /// Waits for a seal under way; none begins while this is held.
    pub(crate) async fn not_sealing(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.0.sealing.lock().await
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.0.shared
    }

    /// The unsealed entries. For both parts of the log at one moment take [`Ledger::view`].
    pub fn tail(&self) -> Tail {
        self.0.shared.view.read().tail.clone()
    }

    /// Sealed segments and unsealed entries that belong together: each acknowledged entry is in
    /// exactly one of them.
    pub fn view(&self) -> LogView {
        self.0.shared.keep_deadlines();
        self.0.shared.view.read().clone()
    }

    /// The sequence that the index of identifiers has for an event id, and the sequence up to which
    /// it knows all of them. Two identifiers may share a key, so that the entry there has to be
    /// compared.
    ///
    /// # Errors
    /// The index could not be read.
    pub fn sealed_place(&self, event_id: &str) -> std::io::Result<(Option<u64>, u64)> {
        let ids = crate::append::sealed_ids(&self.0.shared);
        let found = ids.find(&crate::ids::IdKey::new(event_id))?;
        Ok((found.map(|record| record.sequence), ids.end()))
    }

    /// Returns the number of entries, sealed and unsealed.
    pub fn size(&self) -> u64 {
        self.0.shared.head.read().size
    }

    /// Number of entries, and the root of the tree over them.
    pub fn head(&self) -> (u64, Hash) {
        let head = self.0.shared.head.read();
        (head.size, head.root)
    }

    /// Root of the tree over the first entries of the log; `None` beyond its end.
    ///
    /// # Errors
    /// The hashes cannot be read, or are not those of the log.
    pub fn root_at(&self, size: u64) -> Result<Option<Hash>, ReadError> {
        let tiles = &self.0.shared.tiles;
        if size > tiles.size() {
            return Ok(None);
        }
        let root = tree_root(&tiles.reader(tiles.size()), size);
        root.map(Some)
            .map_err(|error| ReadError::Io(std::io::Error::other(error.to_string())))
    }

    /// The newest checkpoint, a signed note, with the cosignatures over it if there are any.
    pub fn checkpoint(&self) -> String {
        let note = self.0.shared.head.read().note.clone();
        let cosigned = self.0.shared.cosigned.read();
        cosigned
            .as_ref()
            .and_then(|cosigned| cosigned.joined(&note))
            .unwrap_or_else(|| note.to_string())
    }

    /// Origin of the log: its name in checkpoints.
    pub fn origin(&self) -> &str {
        &self.0.shared.config.origin
    }

    /// The verifier key of the checkpoints, as text.
    pub fn verifier_key(&self) -> String {
        self.0.shared.signer.read().verifier().to_string()
    }

    /// The log's signature over other files, by the key in charge now.
    pub fn attestor(&self) -> Attestor {
        self.0.shared.attestor.of_now()
    }

    /// The `.tlog-proof` of an entry at the newest checkpoint, carrying the entry itself.
    pub async fn proof(&self, entry: &StoredEntry) -> Result<String, ReadError> {
        read::proof(&self.0.shared, entry)
    }

    /// Starts a proof that many entries are in the log at `size`, which the log has or had. Reads
    /// from the disk: finish it on a thread for blocking work.
    pub fn multi_prover(&self, size: u64) -> MultiProver<TreeHashes> {
        MultiProver::new(TreeHashes::new(self.0.shared.clone(), size), size)
    }

    /// The bytes of a tile or entry bundle by its C2SP path (`tile/...`, partial ones too); `None`
    /// where there is none.
    pub async fn tile(&self, path: &str) -> Result<Option<Vec<u8>>, ReadError> {
        read::tile(&self.0.shared, path)
    }

    /// Completes entries as segments hold them, in the order given, and refuses those that are not
    /// what the log committed to.
    pub async fn restore(&self, sealed: Vec<SealedEntry>) -> Result<Vec<StoredEntry>, ReadError> {
        let shared = self.0.shared.clone();
        if sealed.len() <= INLINE_ENTRIES {
            return read::restore(&shared, sealed);
        }

        let restored = tokio::task::spawn_blocking(move || read::restore(&shared, sealed));
        restored
            .await
            .map_err(|error| ReadError::Io(std::io::Error::other(error)))?
    }

    /// Returns a stream of new entries in order, as they are acknowledged. A receiver that falls
    /// thousands behind gets the number that it missed, and finds those entries in the view.
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<StoredEntry>> {
        self.0.shared.live.subscribe()
    }

    /// Seals what is unsealed now. Returns how many entries. Appends go on meanwhile.
    pub async fn seal(&self) -> Result<usize, SealError> {
        let _one = self.0.sealing.lock().await;
        let shared = &self.0.shared;
        if shared.view.read().tail.is_empty() && shared.fault.lock().is_none() {
            return Ok(0);
        }

        let (reply, answer) = oneshot::channel();
        self.command(Command::Rotate(reply))
            .map_err(|_| SealError::Closed)?;
        let rotated = answer
            .await
            .map_err(|_| SealError::Closed)?
            .map_err(SealError::Rotate)?;
        let end = rotated.end;
        let sealed = seal::seal(shared, rotated).await?;
        self.command(Command::Sealed(end))
            .map_err(|_| SealError::Closed)?;

        Ok(sealed)
    }

    /// Waits until a seal is due: enough entries are unsealed, the oldest is old enough, or a fault
    /// calls for it.
    pub async fn seal_due(&self) {
        loop {
            let notified = self.0.shared.seal_due.notified();
            match self.seal_due_in() {
                Some(Duration::ZERO) => return,
                Some(wait) => {
                    let _ = tokio::time::timeout(wait, notified).await;
                }
                None => notified.await,
            }
        }
    }

    /// Returns the time until the next seal is due; `None` while there is nothing to seal.
    fn seal_due_in(&self) -> Option<Duration> {
        let shared = &self.0.shared;
        if matches!(*shared.fault.lock(), Some(LedgerFault::Removed(_))) {
            return Some(Duration::ZERO);
        }
        if shared.is_seal_due() {
            return Some(Duration::ZERO);
        }

        let view = shared.view.read();
        let oldest = view.tail.get(view.tail.first_sequence())?;
        let age = shared.config.clock.now().duration_since(oldest.recorded_at);

        Some(shared.config.seal_after.saturating_sub(age.unsigned_abs()))
    }

    /// Returns the faults that stop appends or the anchor, and the bytes waiting in the queue.
    pub fn health(&self) -> Health {
        let shared = &self.0.shared;
        let fault = shared.fault.lock().clone().map(|fault| match fault {
            LedgerFault::Unknown(message) | LedgerFault::Removed(message) => message,
        });
        let anchor_fault = shared.anchor_fault.lock().clone();
        let clock_fault = shared.clock_fault();

        Health {
            fault,
            anchor_fault,
            clock_fault,
            waiting_bytes: shared.room.waiting(),
        }
    }

    /// Finishes what waits, makes the anchor durable and lets go of the data directory. Later
    /// appends give [`AppendError::Closed`]; reading goes on.
    pub async fn close(&self) {
        let _sealed = self.0.sealing.lock().await;
        let inner = self.0.clone();
        if tokio::task::spawn_blocking(move || inner.end())
            .await
            .is_err()
        {
            tracing::error!("the sequencer did not end in order");
        }
    }
}

impl Inner {
    fn end(&self) {
        drop(self.commands.lock().take());
        if let Some(thread) = self.thread.lock().take()
            && thread.join().is_err()
        {
            tracing::error!("the sequencer's thread died");
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.end();
    }
}

impl std::fmt::Debug for Ledger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ledger")
            .field("origin", &self.0.shared.config.origin)
            .field("size", &self.size())
            .finish()
    }
}
