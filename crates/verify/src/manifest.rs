//! The manifest: which segments hold the sealed entries. Layout: `docs/formats/data-directory.md`.
//!
//! What is not JSON of the right shape is refused; contradictions inside are findings, and what can
//! be checked still is. Versions before the journal kept an unsigned file, which is a finding of
//! its own unless it is accepted.

mod journal;

use reeve_tlog::{Commitment, Epochs, Hash};
use serde::Deserialize;

use crate::error::CannotVerify;
use crate::finding::{Finding, Findings};

/// Path in the data directory.
pub(crate) const MANIFEST: &str = "ledger/manifest.journal";
/// Path of the unsigned file of earlier versions.
pub(crate) const UNSIGNED_MANIFEST: &str = "ledger/manifest.json";

/// The manifest's files as they were read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ManifestFiles {
    /// Bytes of the journal.
    pub(crate) journal: Option<Vec<u8>>,
    /// Bytes of the file of earlier versions; it counts where there is no journal.
    pub(crate) unsigned: Option<Vec<u8>>,
}

impl ManifestFiles {
    /// Number of sealed entries as the files say, for a first look.
    pub(crate) fn claimed_size(&self) -> u64 {
        match (&self.journal, &self.unsigned) {
            (Some(journal), _) => journal::claimed_size(journal),
            (None, Some(bytes)) => serde_json::from_slice::<ManifestFile>(bytes)
                .map_or(0, |manifest| manifest.sealed_size),
            (None, None) => 0,
        }
    }

    /// Reads the manifest. `None`: what is there is none, which is among the findings.
    pub(crate) fn read(
        &self,
        keys: &Epochs,
        goes_on: impl Fn(u64) -> bool,
        findings: &mut Findings,
        notes: &mut Vec<String>,
    ) -> Result<Option<Manifest>, CannotVerify> {
        match (&self.journal, &self.unsigned) {
            (Some(journal), _) => journal::read(journal, keys, goes_on, findings, notes),
            (None, Some(bytes)) => decode(bytes, findings),
            (None, None) => Ok(Some(Manifest::default())),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ManifestFile {
    version: u64,
    origin: String,
    sealed_size: u64,
    root: String,
    chain_hash: String,
    edge: Vec<String>,
    segments: Vec<SegmentRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SegmentRow {
    path: String,
    class: String,
    first_sequence: u64,
    last_sequence: u64,
    count: u64,
    bytes: u64,
    sha256: String,
    min_timestamp_ms: i64,
    max_timestamp_ms: i64,
    #[serde(default)]
    max_recorded_at_ms: Option<i64>,
    #[serde(default)]
    expired: Option<ExpiryMark>,
    #[serde(default)]
    erased: Vec<ErasureMark>,
    #[serde(default)]
    moved: Option<MoveMark>,
}

/// Mark of entries that were erased from a segment.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ErasureMark {
    /// Sequence of its tombstone.
    pub(crate) entry: u64,
    pub(crate) request: String,
    /// First and last sequence of each run, ascending.
    pub(crate) sequences: Vec<(u64, u64)>,
    /// Tier that the file before lay in; `None` is the data directory.
    #[serde(default)]
    pub(crate) tier: Option<TierName>,
}

impl ErasureMark {
    /// Number of entries; `None` if the runs are not in order.
    pub(crate) fn count(&self) -> Option<u64> {
        let mut next = 0;
        let mut count = 0u64;
        for (first, last) in &self.sequences {
            if *first < next || last < first {
                return None;
            }
            count += (last - first).checked_add(1)?;
            next = last.checked_add(1)?;
        }
        Some(count)
    }
}

/// Mark of a segment that was moved to another tier.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MoveMark {
    /// Tier that it lies in.
    pub(crate) tier: TierName,
    /// Sequence of the entry about it.
    pub(crate) entry: u64,
    /// Tier in which its file from before may still lie.
    #[serde(default)]
    pub(crate) leaving: Option<TierName>,
    /// Its content, of which the service decides about its retention.
    pub(crate) content: serde_json::Value,
}

/// Name of a tier, the nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TierName {
    Hot,
    Warm,
    Cold,
}

impl TierName {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            TierName::Hot => "hot",
            TierName::Warm => "warm",
            TierName::Cold => "cold",
        }
    }
}

/// Mark of a segment whose entries expired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpiryMark {
    /// Sequence of its tombstone.
    pub(crate) entry: u64,
    pub(crate) policy_version: u64,
    /// Sequence of the entry about the deletion of its file.
    #[serde(default)]
    pub(crate) freed: Option<u64>,
}

#[derive(Debug, Clone)]
pub(crate) struct Listed {
    pub(crate) path: String,
    pub(crate) class: String,
    pub(crate) first_sequence: u64,
    pub(crate) last_sequence: u64,
    pub(crate) count: u64,
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
    pub(crate) min_timestamp_ms: i64,
    pub(crate) max_timestamp_ms: i64,
    /// Latest `recorded_at`, where the manifest has it.
    pub(crate) max_recorded_at_ms: Option<i64>,
    /// `None` while its entries are in the log.
    pub(crate) expired: Option<ExpiryMark>,
    /// Erasures, in their order.
    pub(crate) erased: Vec<ErasureMark>,
    /// `None` while its file lies in the data directory.
    pub(crate) moved: Option<MoveMark>,
}

impl Listed {
    /// Number of entries that were sealed into it.
    pub(crate) fn sealed(&self) -> u64 {
        let erased = self.erased.iter().filter_map(ErasureMark::count);
        erased.fold(self.count, u64::saturating_add)
    }

    /// Path of its file after this many erasures.
    pub(crate) fn path_after(&self, erasures: usize) -> String {
        let (class, first, last) = (&self.class, self.first_sequence, self.last_sequence);
        let end = match erasures {
            0 => String::new(),
            _ => format!(".{erasures}"),
        };
        format!("lake/entries/{class}/{first:020}-{last:020}{end}.parquet")
    }
}

/// Description of the sealed part of the log.
#[derive(Debug, Default)]
pub(crate) struct Manifest {
    pub(crate) origin: Option<String>,
    pub(crate) sealed_size: u64,
    pub(crate) root: Option<Hash>,
    pub(crate) chain_hash: Option<Hash>,
    /// Commitments beyond the last full tile, which version 1 alone repeats; those that cannot be
    /// read are `None`.
    pub(crate) edge: Vec<Option<Commitment>>,
    pub(crate) segments: Vec<Listed>,
    /// Bytes of the journal that were read.
    pub(crate) length: usize,
}

/// Reads a file of version 1. `None`: it is not a manifest, which is among the findings.
fn decode(bytes: &[u8], findings: &mut Findings) -> Result<Option<Manifest>, CannotVerify> {
    let file: ManifestFile = match serde_json::from_slice(bytes) {
        Ok(file) => file,
        Err(error) => {
            let offset = offset_of(bytes, error.line(), error.column());
            findings.add(
                Finding::new(UNSIGNED_MANIFEST, format!("it is not a manifest: {error}"))
                    .at(offset),
            );
            return Ok(None);
        }
    };

    if file.version != 1 {
        return Err(CannotVerify::Version {
            file: UNSIGNED_MANIFEST.into(),
            found: file.version.to_string(),
        });
    }

    let mut hash = |name: &str, text: &str| {
        let read = Hash::from_hex(text);
        read.map_err(|error| {
            findings.add(Finding::new(UNSIGNED_MANIFEST, format!("{name}: {error}")))
        })
        .ok()
    };
    let root = hash("root", &file.root);

    let chain_hash = hash("chain_hash", &file.chain_hash);
    let edge = file
        .edge
        .iter()
        .map(|text| Some(Commitment(hash("edge", text)?.0)))
        .collect();

    let manifest = Manifest {
        origin: Some(file.origin),
        sealed_size: file.sealed_size,
        root,
        chain_hash,
        edge,
        segments: file.segments.into_iter().map(listed).collect(),
        length: 0,
    };
    let beyond = manifest.sealed_size % 256;

    if manifest.edge.len() as u64 != beyond {
        let wrong = Finding::new(
            UNSIGNED_MANIFEST,
            "edge lacks the commitments beyond the last full tile",
        );
        findings.add(wrong.differs(beyond, manifest.edge.len() as u64));
    }

    manifest.check(findings);
    Ok(Some(manifest))
}

fn listed(row: SegmentRow) -> Listed {
    Listed {
        path: row.path,
        class: row.class,
        first_sequence: row.first_sequence,
        last_sequence: row.last_sequence,
        count: row.count,
        bytes: row.bytes,
        sha256: row.sha256,
        min_timestamp_ms: row.min_timestamp_ms,
        max_timestamp_ms: row.max_timestamp_ms,
        max_recorded_at_ms: row.max_recorded_at_ms,
        expired: row.expired,
        erased: row.erased,
        moved: row.moved,
    }
}

/// The byte at a line and column as serde_json counts them, both from 1.
fn offset_of(bytes: &[u8], line: usize, column: usize) -> u64 {
    let before: usize = bytes
        .split(|byte| *byte == b'\n')
        .take(line.saturating_sub(1))
        .map(|line| line.len() + 1)
        .sum();
    (before + column.saturating_sub(1)).min(bytes.len()) as u64
}

impl Manifest {
    fn check(&self, findings: &mut Findings) {
        let mut wrong = |message: String, expected: u64, found: u64| {
            findings.add(Finding::new(MANIFEST, message).differs(expected, found));
        };

        let held = self
            .segments
            .iter()
            .fold(0u64, |sum, segment| sum.saturating_add(segment.sealed()));
        if held != self.sealed_size {
            wrong(
                "the segments do not hold as many entries as are sealed".into(),
                self.sealed_size,
                held,
            );
        }

        for segment in &self.segments {
            let (first, last, path) =
                (segment.first_sequence, segment.last_sequence, &segment.path);
            let name = segment.path_after(segment.erased.len());
            let sealed = segment.sealed();
            if *path != name {
                findings.add(
                    Finding::new(MANIFEST, "a segment's path does not match its content")
                        .differs(name, path),
                );
            }
            if last < first || last >= self.sealed_size || sealed == 0 || sealed - 1 > last - first
            {
                let message = format!("{path} cannot hold {sealed} entries from {first} to {last}");
                findings.add(Finding::new(MANIFEST, message));
            }
            let within = |mark: &ErasureMark| {
                let runs = &mark.sequences;
                mark.count().is_some_and(|count| count > 0)
                    && runs.first().is_some_and(|run| run.0 >= first)
                    && runs.last().is_some_and(|run| run.1 <= last)
            };
            if !segment.erased.iter().all(within) {
                let message =
                    format!("the erased sequences of {path} are not in order, or not of it");
                findings.add(Finding::new(MANIFEST, message));
            }
            // The data directory is the absence of a tier.
            if segment
                .erased
                .iter()
                .any(|mark| mark.tier == Some(TierName::Hot))
            {
                let message = format!("an erasure from {path} names a tier that is none");
                findings.add(Finding::new(MANIFEST, message));
            }
        }

        if !self
            .segments
            .is_sorted_by(|a, b| (a.first_sequence, &a.class) < (b.first_sequence, &b.class))
        {
            findings.add(Finding::new(
                MANIFEST,
                "the segments are not in order of first sequence and class",
            ));
        }
    }
}
