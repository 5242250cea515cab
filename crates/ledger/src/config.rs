//! Configuration of a ledger, and the paths of its files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::accept::AcceptUnsigned;
use crate::clock::{Clock, SystemClock};
use crate::fence::{Fence, Unfenced};

/// Configuration of a ledger.
#[derive(Debug, Clone)]
pub struct Config {
    /// The data directory; the ledger's files are in `ledger/` below it.
    pub data_dir: PathBuf,
    /// The anchor's file. Best on another disk than the data directory.
    pub anchor_path: PathBuf,
    /// The log's origin: the first line of its checkpoints, and the name of its key.
    pub origin: String,
    /// Sealing is due when this many entries are unsealed.
    pub seal_after_entries: usize,
    /// Sealing is due when the unsealed entries' canonical bytes, and 256 for each, are this many.
    pub seal_after_bytes: usize,
    /// Sealing is due when the oldest unsealed entry is this old.
    pub seal_after: Duration,
    /// Limit of unsealed data: canonical bytes plus 256 for each entry. Above it appends wait for a
    /// seal, and are refused as busy when none is finished in time. Without the limit, a disk that
    /// is slower than the appends would fill the memory.
    pub tail_limit_bytes: usize,
    /// A group commit takes waiting submissions until their canonical bytes pass this.
    pub max_batch_bytes: usize,
    /// Submissions wait until their canonical bytes pass this; beyond it they are refused as busy.
    /// Also the size limit of one submission.
    pub queue_capacity_bytes: usize,
    /// Start although the anchor's file is gone while there are entries, and anchor the log as it
    /// is. For an operator who lost the anchor's disk and has checked the log against a checkpoint
    /// kept elsewhere.
    pub accept_missing_anchor: bool,
    /// Start once over files that a version before signed manifests wrote; `None` refuses them.
    pub accept_unsigned: Option<AcceptUnsigned>,
    /// Clock that stamps entries and schedules background work.
    pub clock: Arc<dyn Clock>,
    /// Fence that is asked before each frame and each acknowledgement.
    pub fence: Arc<dyn Fence>,
}

impl Config {
    /// The defaults for a data directory.
    pub fn new(data_dir: impl Into<PathBuf>, origin: impl Into<String>) -> Config {
        let data_dir = data_dir.into();
        Config {
            anchor_path: data_dir.join("anchor").join("head"),
            data_dir,
            origin: origin.into(),
            seal_after_entries: 200_000,
            seal_after_bytes: 192 << 20,
            seal_after: Duration::from_secs(24 * 60 * 60),
            tail_limit_bytes: 288 << 20,
            max_batch_bytes: 8 << 20,
            queue_capacity_bytes: 64 << 20,
            accept_missing_anchor: false,
            accept_unsigned: None,
            clock: Arc::new(SystemClock),
            fence: Arc::new(Unfenced),
        }
    }
}

/// Paths of the ledger's files.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    pub(crate) dir: PathBuf,
    pub(crate) anchor: PathBuf,
}

impl Places {
    pub(crate) fn new(config: &Config) -> Places {
        Places {
            dir: config.data_dir.join("ledger"),
            anchor: config.anchor_path.clone(),
        }
    }

    pub(crate) fn wal(&self) -> PathBuf {
        self.dir.join("wal")
    }

    pub(crate) fn ids(&self) -> PathBuf {
        self.dir.join("ids")
    }

    pub(crate) fn epochs(&self) -> PathBuf {
        epochs_dir(&self.dir)
    }

    pub(crate) fn chain(&self) -> PathBuf {
        self.dir.join("chain")
    }

    pub(crate) fn manifest(&self) -> PathBuf {
        self.dir.join("manifest.journal")
    }

    /// The unsigned manifest of versions before the journal.
    pub(crate) fn unsigned_manifest(&self) -> PathBuf {
        self.dir.join("manifest.json")
    }

    pub(crate) fn checkpoint(&self) -> PathBuf {
        self.dir.join("checkpoint")
    }

    pub(crate) fn lock(&self) -> PathBuf {
        self.dir.join("lock")
    }
}

/// The records of key epochs, below the ledger's folder.
pub(crate) fn epochs_dir(ledger: &Path) -> PathBuf {
    ledger.join("epochs")
}

/// The verifier key's file of a data directory.
pub(crate) fn vkey_path(data_dir: &Path) -> PathBuf {
    data_dir.join("ledger").join("log.vkey")
}
