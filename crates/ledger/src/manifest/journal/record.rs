//! A record of the journal: one line of JSON whose last member is the attestation of everything
//! before it.

use reeve_tlog::Hash;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::super::{Manifest, ManifestError};
use super::{Digest, Extent, NAME, Seal};
use crate::attest::Attestor;
use crate::segment::SegmentMeta;

/// Version of the records that are written. Version 4 had erasures of segments of the local disk
/// alone; version 3 had neither erasures nor tiers; version 2 had neither expired segments nor the
/// latest `recorded_at`; version 1 was a file of its own.
const VERSION: u32 = 5;
/// Oldest version that is read.
const OLDEST_VERSION: u32 = 2;
/// Beginning of the last member. It cannot stand inside a JSON string, where quotes are escaped.
const ATTESTATION: &[u8] = b",\"attestation\":";

/// Kind of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum JournalKind {
    /// All segments there are.
    Snapshot,
    /// Segments of a seal.
    Seal,
    /// Segments of records before, whose state of expiry changed.
    Expire,
    /// Segments of records before, written anew without erased entries.
    Erase,
    /// Segments of records before, whose tier changed, or whose file in the tier before is gone.
    Move,
}

/// Reason why bytes are not a record.
#[derive(Debug, thiserror::Error)]
pub(super) enum RecordFault {
    /// Version of a later program.
    #[error("a record has the version {0}, which this program does not know")]
    Version(u32),
    /// The line has no end: its append was interrupted.
    #[error("a record is not ended by a newline")]
    Unended,
    /// The attestation is not the last member.
    #[error("a record has no attestation at its end")]
    Attestation,
    #[error("a record cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// Malformed root or chain hash.
    #[error("a hash of a record: {0}")]
    Hash(#[from] reeve_tlog::HashError),
}

/// A record of the journal, parsed.
#[derive(Debug, Clone)]
pub(super) struct JournalRecord {
    pub(super) kind: JournalKind,
    pub(super) origin: String,
    pub(super) sealed_size: u64,
    pub(super) root: Hash,
    pub(super) chain_hash: Hash,
    pub(super) segments: Vec<SegmentMeta>,
    /// Note of the attestation; empty in a record that is not written yet.
    pub(super) attestation: String,
    /// Digest that the note attests; zeros in a record that is not written yet.
    pub(super) attested: Digest,
}

/// The members before the attestation.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordLine {
    version: u32,
    kind: JournalKind,
    origin: String,
    sealed_size: u64,
    root: String,
    chain_hash: String,
    segments: Vec<SegmentMeta>,
}

/// The version alone, read first so that a later one is not called damaged.
#[derive(Deserialize)]
struct VersionLine {
    version: u32,
}

impl JournalRecord {
    pub(super) fn snapshot(manifest: &Manifest) -> JournalRecord {
        JournalRecord {
            kind: JournalKind::Snapshot,
            origin: manifest.origin.clone(),
            sealed_size: manifest.sealed_size,
            root: manifest.root,
            chain_hash: manifest.chain_hash,
            segments: manifest.segments.clone(),
            attestation: String::new(),
            attested: [0; 32],
        }
    }

    pub(super) fn seal(origin: &str, seal: &Seal) -> JournalRecord {
        JournalRecord {
            kind: JournalKind::Seal,
            origin: origin.to_owned(),
            sealed_size: seal.sealed_size,
            root: seal.root,
            chain_hash: seal.chain_hash,
            segments: seal.segments.clone(),
            attestation: String::new(),
            attested: [0; 32],
        }
    }

    /// Record of a kind that changes segments of records before.
    pub(super) fn change(
        kind: JournalKind,
        origin: &str,
        extent: &Extent,
        segments: Vec<SegmentMeta>,
    ) -> JournalRecord {
        JournalRecord {
            kind,
            origin: origin.to_owned(),
            sealed_size: extent.sealed_size,
            root: extent.root,
            chain_hash: extent.chain_hash,
            segments,
            attestation: String::new(),
            attested: [0; 32],
        }
    }

    pub(super) fn into_manifest(self) -> Manifest {
        let JournalRecord {
            origin,
            sealed_size,
            root,
            chain_hash,
            segments,
            ..
        } = self;
        Manifest {
            origin,
            sealed_size,
            root,
            chain_hash,
            edge: Vec::new(),
            segments,
        }
    }

    /// Reads the line at the beginning of `bytes`, which follows lines with the digest `before`.
    /// Returns the record, the length of its line and the digest with it.
    pub(super) fn read(
        bytes: &[u8],
        before: &Digest,
    ) -> Result<(JournalRecord, usize, Digest), RecordFault> {
        let end = bytes
            .iter()
            .position(|byte| *byte == b'\n')
            .ok_or(RecordFault::Unended)?;
        let line = &bytes[..end];
        let at = line
            .windows(ATTESTATION.len())
            .rposition(|window| window == ATTESTATION);
        let (body, note) = line.split_at(at.ok_or(RecordFault::Attestation)?);
        let whole = [body, b"}"].concat();
        let VersionLine { version } = serde_json::from_slice(&whole)?;
        if !(OLDEST_VERSION..=VERSION).contains(&version) {
            return Err(RecordFault::Version(version));
        }

        let row: RecordLine = serde_json::from_slice(&whole)?;
        let note = note[ATTESTATION.len()..]
            .strip_suffix(b"}")
            .ok_or(RecordFault::Attestation)?;
        let record = JournalRecord {
            kind: row.kind,
            origin: row.origin,
            sealed_size: row.sealed_size,
            root: Hash::from_hex(&row.root)?,
            chain_hash: Hash::from_hex(&row.chain_hash)?,
            segments: row.segments,
            attestation: serde_json::from_slice(note)?,
            attested: digest_of(before, body),
        };

        Ok((record, end + 1, digest_of(before, line)))
    }

    /// Returns the line, attested, and the digest of the records with it.
    pub(super) fn write(
        self,
        attestor: &Attestor,
        before: &Digest,
    ) -> Result<(Vec<u8>, Digest), ManifestError> {
        let size = self.sealed_size;
        let row = RecordLine {
            version: VERSION,
            kind: self.kind,
            origin: self.origin,
            sealed_size: size,
            root: self.root.to_string(),
            chain_hash: self.chain_hash.to_string(),
            segments: self.segments,
        };
        let mut line = serde_json::to_vec(&row)?;
        line.pop();

        let note = attestor
            .attest(NAME, size, digest_of(before, &line))
            .map_err(std::io::Error::other)?;
        line.extend_from_slice(ATTESTATION);
        line.extend_from_slice(&serde_json::to_vec(&note)?);
        line.push(b'}');
        let digest = digest_of(before, &line);
        line.push(b'\n');

        Ok((line, digest))
    }
}

/// Digest of lines with the digest `before` and of what follows them: a whole line, or its part
/// before the attestation.
fn digest_of(before: &Digest, bytes: &[u8]) -> Digest {
    Sha256::new()
        .chain_update(before)
        .chain_update(bytes)
        .finalize()
        .into()
}
