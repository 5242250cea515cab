//! The manifest: which segments hold the sealed entries, and the tree and chain at the point up to
//! which they go. Layout: `docs/formats/data-directory.md`. Whatever it does not list does not
//! count.
//!
//! It is kept as a journal of records that the log's key attests ([`journal`]). Versions before
//! kept an unsigned file (`manifest.json`, version 1), which is read here. Refuses other versions,
//! unknown fields, and lists that cannot be what a seal wrote.

pub mod journal;

use std::io;
use std::path::Path;

use reeve_tlog::{Commitment, Hash, TILE_WIDTH};
use serde::{Deserialize, Serialize};

use crate::disk::{Disk, read_if_there};
use crate::segment::SegmentMeta;

const VERSION: u32 = 1;

/// Description of the sealed part of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The log's origin, as its checkpoints name it.
    pub origin: String,
    /// Entries that segments hold: sequences 0 up to this one, exclusive.
    pub sealed_size: u64,
    /// Root of the tree over them.
    pub root: Hash,
    /// Chain hash of the last of them; zeros when there is none.
    pub chain_hash: Hash,
    /// Commitments of the leaves beyond the last full tile: `sealed_size % 256` of them. Version 1
    /// alone repeats them.
    pub edge: Vec<Commitment>,
    /// The segments, ordered by first sequence, then class.
    pub segments: Vec<SegmentMeta>,
}

/// Reason why a manifest is refused.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The file could not be read or written.
    #[error("it cannot be read or written: {0}")]
    Io(#[from] io::Error),
    #[error("it is not a manifest: {0}")]
    Json(#[from] serde_json::Error),
    /// A version that this program does not know.
    #[error("its version is {0}, which this program does not know")]
    Version(u32),
    /// No record is attested by the log's key.
    #[error("no record in it is attested by the log's key ({0}): it was damaged or forged")]
    Unattested(String),
    /// Parts contradict each other.
    #[error("{0}")]
    Contradiction(String),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ManifestFile {
    version: u32,
    origin: String,
    sealed_size: u64,
    root: String,
    chain_hash: String,
    edge: Vec<String>,
    segments: Vec<SegmentMeta>,
}

impl Manifest {
    /// The manifest of a log of which nothing is sealed.
    pub fn empty(origin: &str) -> Manifest {
        Manifest {
            origin: origin.to_owned(),
            sealed_size: 0,
            root: reeve_tlog::empty_root(),
            chain_hash: Hash::ZERO,
            edge: Vec::new(),
            segments: Vec::new(),
        }
    }

    /// Reads a file of version 1; `None` when there is none.
    pub fn read(disk: &dyn Disk, path: &Path) -> Result<Option<Manifest>, ManifestError> {
        read_if_there(disk, path)?
            .map(|bytes| Manifest::decode(&bytes))
            .transpose()
    }

    /// The bytes of a file of version 1.
    pub fn encode(&self) -> Result<Vec<u8>, ManifestError> {
        let file = ManifestFile {
            version: VERSION,
            origin: self.origin.clone(),
            sealed_size: self.sealed_size,
            root: self.root.to_string(),
            chain_hash: self.chain_hash.to_string(),
            edge: self.edge.iter().map(Commitment::to_string).collect(),
            segments: self.segments.clone(),
        };
        let mut bytes = serde_json::to_vec_pretty(&file)?;
        bytes.push(b'\n');

        Ok(bytes)
    }

    /// Reads the bytes of a file of version 1.
    pub fn decode(bytes: &[u8]) -> Result<Manifest, ManifestError> {
        let file: ManifestFile = serde_json::from_slice(bytes)?;
        if file.version != VERSION {
            return Err(ManifestError::Version(file.version));
        }

        let hash = |name: &str, text: &str| {
            let wrong = |error| ManifestError::Contradiction(format!("{name}: {error}"));
            Hash::from_hex(text).map_err(wrong)
        };

        let edge = file
            .edge
            .iter()
            .map(|text| Ok(Commitment(hash("edge", text)?.0)));
        let manifest = Manifest {
            root: hash("root", &file.root)?,
            chain_hash: hash("chain_hash", &file.chain_hash)?,
            edge: edge.collect::<Result<_, ManifestError>>()?,
            origin: file.origin,
            sealed_size: file.sealed_size,
            segments: file.segments,
        };
        manifest.check()?;

        Ok(manifest)
    }

    fn check(&self) -> Result<(), ManifestError> {
        let beyond = self.sealed_size % u64::from(TILE_WIDTH);
        if self.edge.len() as u64 != beyond {
            let given = self.edge.len();
            return Err(ManifestError::Contradiction(format!(
                "edge has {given} commitments where {beyond} lie beyond the last full tile"
            )));
        }
        check_segments(&self.segments, 0, self.sealed_size)
    }
}

/// Refuses lists that cannot hold each of the entries from `begin` up to `end` once.
fn check_segments(segments: &[SegmentMeta], begin: u64, end: u64) -> Result<(), ManifestError> {
    let contradiction = |text: String| Err(ManifestError::Contradiction(text));
    for segment in segments {
        let (first, last) = (segment.first_sequence, segment.last_sequence);
        let span = last.checked_sub(first).map_or(0, |more| more + 1);
        let count = segment.sealed_count();
        if count == 0 || count > span || first < begin || last >= end {
            let path = &segment.path;
            return contradiction(format!(
                "segment {path} cannot hold {count} entries from {first} to {last}"
            ));
        }
        if !has_sound_runs(segment) {
            let path = &segment.path;
            return contradiction(format!(
                "the erased sequences of segment {path} are not in order, or not of it"
            ));
        }
    }

    let held: u64 = segments.iter().map(SegmentMeta::sealed_count).sum();
    let sealed = end.saturating_sub(begin);

    if held != sealed || end < begin {
        return contradiction(format!(
            "the segments hold {held} entries of {sealed} that are sealed"
        ));
    }

    Ok(())
}

/// Returns `true` if the runs of each erasure ascend, are apart, and lie in the segment.
pub(crate) fn has_sound_runs(segment: &SegmentMeta) -> bool {
    segment.erased.iter().all(|erased| {
        let runs = &erased.sequences;
        let within = |(first, last): &(u64, u64)| {
            first <= last && *first >= segment.first_sequence && *last <= segment.last_sequence
        };
        !runs.is_empty()
            && runs.iter().all(within)
            && runs.is_sorted_by(|before, after| before.1 < after.0)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn segment(path: &str, first: u64, last: u64, count: u64) -> SegmentMeta {
        SegmentMeta {
            path: path.into(),
            class: "default".into(),
            first_sequence: first,
            last_sequence: last,
            count,
            bytes: 1,
            sha256: String::new(),
            min_timestamp_ms: 0,
            max_timestamp_ms: 0,
            max_recorded_at_ms: None,
            expired: None,
            erased: Vec::new(),
            moved: None,
        }
    }

    fn manifest() -> Manifest {
        Manifest {
            sealed_size: 258,
            edge: vec![Commitment([1; 32]), Commitment([2; 32])],
            segments: vec![segment("a", 0, 257, 250), segment("b", 3, 100, 8)],
            ..Manifest::empty("log.example")
        }
    }

    #[test]
    fn round_trip() {
        for manifest in [Manifest::empty("log.example"), manifest()] {
            assert_eq!(
                Manifest::decode(&manifest.encode().unwrap()).unwrap(),
                manifest
            );
        }
    }

    /// The file that a version before the journal wrote.
    #[test]
    fn a_file_of_version_1_is_read() {
        let bytes = include_bytes!("../tests/fixtures/manifest-v1.json");
        assert_eq!(Manifest::decode(bytes).unwrap(), manifest());
        assert_eq!(manifest().encode().unwrap(), bytes);
    }

    #[test]
    fn contradictions_are_refused() {
        type Change = fn(&mut Manifest);
        let cases: [(&str, Change); 6] = [
            ("edge has 1", |m| m.edge.truncate(1)),
            ("hold 257 entries of 258", |m| m.segments[1].count = 7),
            ("segment b cannot", |m| m.segments[1].last_sequence = 2),
            ("segment b cannot", |m| m.segments[1].count = 99),
            ("segment a cannot", |m| m.segments[0].last_sequence = 258),
            ("segment b cannot", |m| m.segments[1].count = 0),
        ];

        for (message, change) in cases {
            let mut changed = manifest();
            change(&mut changed);
            let error = Manifest::decode(&changed.encode().unwrap()).unwrap_err();
            assert!(error.to_string().contains(message), "{error}");
        }

        let text = String::from_utf8(manifest().encode().unwrap()).unwrap();
        let newer = text.replacen("\"version\": 1", "\"version\": 2", 1);
        assert!(matches!(
            Manifest::decode(newer.as_bytes()),
            Err(ManifestError::Version(2))
        ));

        let unknown = text.replacen("\"version\": 1", "\"version\": 1, \"more\": 1", 1);
        assert!(matches!(
            Manifest::decode(unknown.as_bytes()),
            Err(ManifestError::Json(_))
        ));
    }
}
