//! Result of a verification, with the extent of its checks.

mod json;
mod text;

use std::path::Path;
use std::time::Duration;

use reeve_tlog::Hash;

use crate::expiry::{ErasedRange, ExpiredRange};
use crate::finding::Finding;
use crate::kept::{KeptCheckpoint, Witnesses};
use crate::key::Key;
use crate::missing::Missing;
use crate::submitters::Submitters;

/// Shortest processor time to print: it is measured in hundredths of a second.
const MEASURABLE: Duration = Duration::from_millis(200);

/// Note for a verification without external evidence of the log's length.
const NOT_FRESH: &str = "freshness: no checkpoint from elsewhere was given, so a log whose end was cut off together with its anchor and checkpoint would pass; give --checkpoint, --witness or --anchor with something that was kept where the log's files are not";

/// Numbers of checked items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VerifiedCounts {
    /// Entries in segments, payload and columns.
    pub sealed_entries: u64,
    /// Entries in the write-ahead log, payload.
    pub unsealed_entries: u64,
    /// Entries that expired by policy: their commitments were checked.
    pub expired: u64,
    /// Entries that were erased for an approved request: their commitments were checked.
    pub erased: u64,
    /// Entries in a tier that was not read: their commitments were checked.
    pub elsewhere: u64,
    /// Segments that they are in.
    pub segments_elsewhere: u64,
    /// Entries of which only commitment and leaf hash were checked.
    pub commitments_only: u64,
    /// Number of segment files.
    pub segments: u64,
    /// Files of the write-ahead log.
    pub wal_files: u64,
    /// Number of frames in them.
    pub wal_frames: u64,
    /// Checkpoints whose signature holds.
    pub checkpoints: u64,
    /// Hash tiles that are what they should be.
    pub tiles: u64,
    /// Entry bundles of a service that are whole.
    pub bundles: u64,
    /// From whom the entries came whose payload was read.
    pub submitters: Submitters,
    /// Search indexes and files of identifiers that the log's key attested as they are.
    pub attested: u64,
}

/// Evidence from outside of the log about how long it was. Without any, a log whose end was cut off
/// together with the files that remember it (anchor, checkpoint) is a shorter log that holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Freshness {
    /// Names of the checkpoints, anchors and witnesses that were given.
    pub against: Vec<String>,
}

impl Freshness {
    pub(crate) fn new(
        anchor: Option<&Path>,
        checkpoints: &[KeptCheckpoint],
        witnesses: &Witnesses,
    ) -> Freshness {
        let anchor = anchor.map(|path| path.display().to_string());
        let checkpoints = checkpoints.iter().map(|checkpoint| checkpoint.name.clone());

        // Zero witnesses wanted are none.
        let witnesses = witnesses
            .keys
            .iter()
            .filter(|_| witnesses.needed > 0)
            .map(|key| key.name().to_owned());

        Freshness {
            against: anchor
                .into_iter()
                .chain(checkpoints)
                .chain(witnesses)
                .collect(),
        }
    }

    /// Line for what was not checked; `None` where something was given.
    pub(crate) fn not_checked(&self) -> Option<String> {
        (!self.is_checked()).then(|| NOT_FRESH.to_owned())
    }

    /// Returns `true` if the log's length was held against anything kept elsewhere.
    pub fn is_checked(&self) -> bool {
        !self.against.is_empty()
    }
}

impl VerifiedCounts {
    /// Entries, however they were checked.
    pub fn entries(&self) -> u64 {
        self.sealed_entries
            + self.unsealed_entries
            + self.expired
            + self.erased
            + self.elsewhere
            + self.commitments_only
    }
}

/// The outcome of a verification.
#[derive(Debug, Clone)]
pub struct Report {
    /// The folder or address that was verified.
    pub target: String,
    pub origin: String,
    /// The key signatures were verified with.
    pub key: Key,
    /// Entries in the log.
    pub size: u64,
    /// Root over them as recomputed; `None` when it could not be.
    pub root: Option<Hash>,
    /// Chain hash of the last as recomputed; `None` when it could not be.
    pub chain_hash: Option<Hash>,
    /// Findings; the first [`MAX_FINDINGS`](crate::MAX_FINDINGS).
    pub findings: Vec<Finding>,
    /// Total number of findings.
    pub findings_total: u64,
    /// Sequences below the size that are nowhere.
    pub missing: Missing,
    /// Ranges that expired by policy.
    pub expired: Vec<ExpiredRange>,
    /// Entries that were erased for approved requests.
    pub erased: Vec<ErasedRange>,
    /// Remarks that are no findings.
    pub notes: Vec<String>,
    /// Checks that were not made.
    pub not_checked: Vec<String>,
    /// Evidence about the log's length that was kept elsewhere.
    pub freshness: Freshness,
    /// Numbers of checked items.
    pub counts: VerifiedCounts,
    /// Duration of the verification.
    pub elapsed: Duration,
    /// Processor time over all cores, if the system reports it.
    pub cpu: Option<Duration>,
}

impl Report {
    /// Returns `true` if there are no findings.
    pub fn is_intact(&self) -> bool {
        self.findings_total == 0
    }

    /// Entries checked a second.
    pub fn entries_per_s(&self) -> f64 {
        let seconds = self.elapsed.as_secs_f64();
        if seconds > 0.0 {
            self.counts.entries() as f64 / seconds
        } else {
            0.0
        }
    }

    /// Entries checked in a second of processor time; `None` where that is not known or too short
    /// to tell.
    pub fn entries_per_core_s(&self) -> Option<f64> {
        let seconds = self.cpu.filter(|cpu| *cpu >= MEASURABLE)?.as_secs_f64();
        Some(self.counts.entries() as f64 / seconds)
    }
}
