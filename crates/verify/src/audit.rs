//! A verification under way: its findings, counts and place in the log, and the report that it ends
//! with.

use std::path::Path;
use std::time::Duration;

use crate::expiry::Expiries;
use crate::finding::Findings;
use crate::key::Key;
use crate::missing::Missing;
use crate::report::{Freshness, Report, VerifiedCounts};
use crate::sequence::SequenceChecks;
use crate::walk::Walk;

/// Parts that a verification of a directory does not look at.
const NOT_CHECKED: [&str; 3] = [
    "lake/index and ledger/ids beyond the signature of the log's key over their content: that the service which held the key built them rightly",
    "statistics, page indexes and Bloom filters inside segments, beyond the SHA-256 of the file",
    "lake/samples, state/ and keys/: not part of the log",
];

/// A verification under way.
pub(crate) struct Audit {
    pub(crate) findings: Findings,
    pub(crate) notes: Vec<String>,
    pub(crate) missing: Missing,
    pub(crate) expiries: Expiries,
    pub(crate) counts: VerifiedCounts,
    pub(crate) walk: Walk,
    /// Identifiers and times, in the order of the log.
    pub(crate) sequence: SequenceChecks,
}

impl Audit {
    /// Returns the report on a directory.
    pub(crate) fn report(
        self,
        dir: &Path,
        key: Key,
        freshness: Freshness,
        size: u64,
        (elapsed, cpu): (Duration, Option<Duration>),
    ) -> Report {
        let known = self.walk.lost.is_none();
        Report {
            target: dir.display().to_string(),
            origin: key.verifier.name().to_owned(),
            key,
            size,
            root: known.then(|| self.walk.root()),
            chain_hash: known.then(|| self.walk.chain_hash()),
            findings_total: self.findings.total,
            findings: self.findings.list,
            missing: self.missing,
            expired: self.expiries.ranges,
            erased: self.expiries.erasures,
            notes: self.notes,
            not_checked: freshness
                .not_checked()
                .into_iter()
                .chain(elsewhere(&self.counts))
                .chain(NOT_CHECKED.iter().map(|text| (*text).to_owned()))
                .collect(),
            freshness,
            counts: VerifiedCounts {
                tiles: self.walk.tiles,
                ..self.counts
            },
            elapsed,
            cpu,
        }
    }
}

/// Line about tiers whose folders were not given.
fn elsewhere(counts: &VerifiedCounts) -> Option<String> {
    let (entries, segments) = (counts.elsewhere, counts.segments_elsewhere);
    (segments > 0).then(|| {
        format!(
            "the payloads of {entries} entries in {segments} segments of the warm and cold tiers: give their folders, or copies of their buckets, with --tier warm=FOLDER or --tier cold=FOLDER"
        )
    })
}
