//! State shared by the sequencer, callers, readers and the seal.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;
use parking_lot::{Mutex, RwLock};
use reeve_audit::Tier;
use reeve_tlog::{Checkpoint, CheckpointSignError, Epochs, Hash, NoteSigner};
use tokio::sync::{Notify, broadcast};

use crate::accept::Unsigned;
use crate::attest::Attestor;
use crate::chain::Chain;
use crate::config::{Config, Places};
use crate::cosign::CosignedHead;
use crate::deadlines::{Classes, Deadlines};
use crate::delivery::Delivery;
use crate::disk::Disk;
use crate::entry::StoredEntry;
use crate::ids::SealedIds;
use crate::manifest::journal::Journal;
use crate::queue::Room;
use crate::segment::{SegmentMeta, SegmentStore};
use crate::tail::{LogView, ShownSegments};
use crate::tiles::Tiles;

/// Number of entries that a slow subscriber may fall behind before it misses some.
const LIVE_BACKLOG: usize = 8192;

/// A clock may be behind the newest entry by this much without a warning: servers of a pair never
/// agree to the second.
const CLOCK_TOLERANCE_MS: i64 = 60_000;

/// The log at its newest commit.
#[derive(Debug, Clone)]
pub(crate) struct LedgerHead {
    pub(crate) size: u64,
    pub(crate) root: Hash,
    pub(crate) chain_hash: Hash,
    /// Signed checkpoint of this commit.
    pub(crate) note: Arc<str>,
}

/// Fault because of which the log accepts no entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LedgerFault {
    /// State of the disk is unknown until the log is reopened.
    Unknown(String),
    /// The file being written was removed underneath; a seal puts what it held elsewhere and heals
    /// this.
    Removed(String),
}

/// Health of the ledger; the faults are `None` when it works.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Health {
    /// Fault because of which no entries are accepted, with the remedy.
    pub fault: Option<String>,
    /// Reason why the anchor could not be written. Entries are safe, but a loss of the newest
    /// entries would not be detected.
    pub anchor_fault: Option<String>,
    /// Warning that entries of the log are dated after now: the clock is wrong, or it was when they
    /// were recorded.
    pub clock_fault: Option<String>,
    /// Bytes that wait to be committed.
    pub waiting_bytes: usize,
}

/// The parts of an open ledger.
pub(crate) struct Shared {
    pub(crate) config: Config,
    pub(crate) places: Places,
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) segments: Arc<dyn SegmentStore>,
    /// The key in charge.
    pub(crate) signer: RwLock<Arc<NoteSigner>>,
    /// The keys that were in charge; `None` while there was only one.
    pub(crate) epochs: RwLock<Option<Epochs>>,
    /// The log's signature over files that follow from its entries.
    pub(crate) attestor: Arc<Attestor>,
    /// One rotation at a time.
    pub(crate) rotating: tokio::sync::Mutex<()>,
    pub(crate) cosigned: RwLock<Option<CosignedHead>>,
    /// Delivery status of checkpoints, by target.
    pub(crate) deliveries: Mutex<BTreeMap<String, Delivery>>,
    pub(crate) tiles: Tiles,
    pub(crate) chain: Chain,
    /// The manifest's file; `None` until the entry about an unsigned manifest is recorded.
    pub(crate) journal: Mutex<Option<Journal>>,
    /// Extent of what was accepted without a signature at this start.
    pub(crate) unsigned: Option<Unsigned>,
    /// Greatest `recorded_at` when the log was opened, ms since the epoch.
    pub(crate) newest_at_open: i64,
    pub(crate) view: RwLock<LogView>,
    /// All segments of the manifest, also those that the view does not show.
    pub(crate) all_segments: RwLock<Arc<Vec<SegmentMeta>>>,
    /// Times at which segments cease to be shown.
    pub(crate) deadlines: RwLock<Deadlines>,
    /// Files that erasures replaced and that are known to be gone.
    pub(crate) removed: Mutex<HashSet<String>>,
    /// Classes of new entries; those of the specification where none were given.
    pub(crate) classes: RwLock<Option<Arc<Classes>>>,
    pub(crate) head: RwLock<LedgerHead>,
    pub(crate) ids: RwLock<Arc<SealedIds>>,
    pub(crate) room: Arc<Room>,
    pub(crate) live: broadcast::Sender<Arc<StoredEntry>>,
    pub(crate) fault: Mutex<Option<LedgerFault>>,
    pub(crate) anchor_fault: Mutex<Option<String>>,
    /// Notified when a seal may have become due.
    pub(crate) seal_due: Notify,
    /// Notified when a seal has freed memory in the tail.
    pub(crate) sealed: Notify,
}

impl Shared {
    pub(crate) fn live() -> broadcast::Sender<Arc<StoredEntry>> {
        broadcast::Sender::new(LIVE_BACKLOG)
    }

    /// Returns `true` if the tail has reached the number of entries or bytes that triggers a seal.
    pub(crate) fn is_seal_due(&self) -> bool {
        let view = self.view.read();
        view.tail.len() >= self.config.seal_after_entries
            || view.tail.weight() >= self.config.seal_after_bytes
    }

    /// Returns the warning that entries from before the start are dated after now; `None` once the
    /// clock has come that far.
    pub(crate) fn clock_fault(&self) -> Option<String> {
        let now = self.config.clock.now();
        if self.newest_at_open <= now.as_millisecond().saturating_add(CLOCK_TOLERANCE_MS) {
            return None;
        }

        let newest = Timestamp::from_millisecond(self.newest_at_open).ok()?;
        Some(format!(
            "the log has an entry recorded at {newest:.0}, and the clock says {now:.0}: set the clock right; if it is, it was wrong when the entry was recorded, and alert rules may take new entries for late until {newest:.0}"
        ))
    }

    /// Takes the list of all segments, where it has changed, and shows those of them that are live
    /// at this time. One at a time, so that none shows an earlier list.
    pub(crate) fn show_segments(
        &self,
        changed: Option<Vec<SegmentMeta>>,
        show: impl FnOnce(ShownSegments),
    ) {
        let mut deadlines = self.deadlines.write();
        let all = changed.map_or_else(|| self.all_segments.read().clone(), Arc::new);
        let live = all.iter().filter(|segment| segment.expired.is_none());
        let (archived, files): (Vec<SegmentMeta>, Vec<SegmentMeta>) =
            live.cloned().partition(|segment| {
                segment.tier() == Tier::Cold && !deadlines.restored.contains(&segment.path)
            });
        let now = self.config.clock.now();
        let due = |path: &str| deadlines.by_path.get(path).is_some_and(|at| *at <= now);
        let not_due = |segments: &[SegmentMeta]| {
            let shown = segments.iter().filter(|segment| !due(&segment.path));
            Arc::new(shown.cloned().collect::<Vec<_>>())
        };
        let shown = ShownSegments {
            segments: not_due(&files),
            archived: not_due(&archived),
        };
        deadlines.next = deadlines
            .by_path
            .values()
            .filter(|at| **at > now)
            .min()
            .copied();

        // Concealed segments keep their indexes: a hold may show them again.
        self.segments.publish(Arc::new(files));
        *self.all_segments.write() = all;
        show(shown);
    }

    /// Shows what a deadline that has passed leaves.
    pub(crate) fn keep_deadlines(&self) {
        let passed = |next: Option<Timestamp>| next.is_some_and(|at| at <= self.config.clock.now());
        if passed(self.deadlines.read().next) {
            self.show_segments(None, |shown| self.view.write().show(shown));
        }
    }

    /// The signed checkpoint of a size and root.
    pub(crate) fn sign(&self, size: u64, root: Hash) -> Result<String, CheckpointSignError> {
        sign(&self.config.origin, &self.signer.read(), size, root)
    }
}

/// The signed checkpoint of a size and root.
pub(crate) fn sign(
    origin: &str,
    signer: &NoteSigner,
    size: u64,
    root: Hash,
) -> Result<String, CheckpointSignError> {
    Ok(Checkpoint::new(origin, size, root)
        .sign(&[signer])?
        .to_string())
}
