//! The manifest: which segments hold the sealed entries, and the tree and chain at the point up to which they go.
//! Layout: `docs/formats/data-directory.md`. Replaced atomically and durably; whatever it does not list does not count.
//! Refuses other versions, unknown fields, and lists that cannot be what a seal wrote.

use std::io;
use std::path::Path;

use reeve_tlog::{Commitment, Hash, TILE_WIDTH};
use serde::{Deserialize, Serialize};

use crate::disk::{Disk, read_if_there, write_durably};
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
    /// Commitments of the leaves beyond the last full tile: `sealed_size % 256` of them.
    pub edge: Vec<Commitment>,
    /// The segments, ordered by first sequence, then class.
    pub segments: Vec<SegmentMeta>,
}

/// Reason why a manifest is refused.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// Unreadable file.
    #[error("it cannot be read or written: {0}")]
    Io(#[from] io::Error),
    /// Malformed JSON.
    #[error("it is not a manifest: {0}")]
    Json(#[from] serde_json::Error),
    /// Another version.
    #[error("its version is {0}, and this program knows only version 1")]
    Version(u32),
    /// Parts contradict each other.
    #[error("{0}")]
    Contradiction(String),
}

/// The file.
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

    /// Reads the file; `None` when there is none.
    pub fn read(disk: &dyn Disk, path: &Path) -> Result<Option<Manifest>, ManifestError> {
        read_if_there(disk, path)?.map(|bytes| Manifest::decode(&bytes)).transpose()
    }

    /// Replaces the file; durable when this returns.
    pub fn write(&self, disk: &dyn Disk, path: &Path) -> Result<(), ManifestError> {
        Ok(write_durably(disk, path, &self.encode()?)?)
    }

    /// The file's bytes.
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

    /// Reads the file's bytes.
    pub fn decode(bytes: &[u8]) -> Result<Manifest, ManifestError> {
        let file: ManifestFile = serde_json::from_slice(bytes)?;
        if file.version != VERSION {
            return Err(ManifestError::Version(file.version));
        }
        let hash = |name: &str, text: &str| {
            let wrong = |error| ManifestError::Contradiction(format!("{name}: {error}"));
            Hash::from_hex(text).map_err(wrong)
        };
        let edge = file.edge.iter().map(|text| Ok(Commitment(hash("edge", text)?.0)));
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

    /// Refuses lists that cannot hold each sealed entry once.
    fn check(&self) -> Result<(), ManifestError> {
        let contradiction = |text: String| Err(ManifestError::Contradiction(text));
        let beyond = self.sealed_size % u64::from(TILE_WIDTH);
        if self.edge.len() as u64 != beyond {
            let given = self.edge.len();
            return contradiction(format!("edge has {given} commitments where {beyond} lie beyond the last full tile"));
        }
        for segment in &self.segments {
            let (first, last) = (segment.first_sequence, segment.last_sequence);
            let span = last.checked_sub(first).map_or(0, |more| more + 1);
            if segment.count == 0 || segment.count > span || last >= self.sealed_size {
                let path = &segment.path;
                return contradiction(format!(
                    "segment {path} cannot hold {} entries from {first} to {last}",
                    segment.count
                ));
            }
        }
        let held: u64 = self.segments.iter().map(|segment| segment.count).sum();
        if held != self.sealed_size {
            return contradiction(format!("the segments hold {held} entries of {} that are sealed", self.sealed_size));
        }
        Ok(())
    }
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
            assert_eq!(Manifest::decode(&manifest.encode().unwrap()).unwrap(), manifest);
        }
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
        assert!(matches!(Manifest::decode(newer.as_bytes()), Err(ManifestError::Version(2))));
        let unknown = text.replacen("\"version\": 1", "\"version\": 1, \"more\": 1", 1);
        assert!(matches!(Manifest::decode(unknown.as_bytes()), Err(ManifestError::Json(_))));
    }
}
