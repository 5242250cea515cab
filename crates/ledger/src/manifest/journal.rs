//! The manifest as it is kept: `ledger/manifest.journal`, a line of JSON a record. The first record
//! is a snapshot of all segments, each later one adds those of a seal, marks segments as expired, or
//! says in which tier they lie. A seal appends one line, so it costs what it seals and not what was
//! sealed before. An erasure replaces segments by what they are after it.
//!
//! Each record carries an attestation by the log's key over the digest of all lines before and of
//! itself. So the newest attestation that holds speaks for everything before it, and one signature
//! is verified at start. Bytes behind that record are what an interrupted append left: the
//! write-ahead log still has those entries, or the start is refused.

mod erasure;
mod record;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use reeve_audit::Tier;
use reeve_tlog::{AttestationError, Hash};

use super::{Manifest, ManifestError, check_segments};
use crate::attest::Attestor;
use crate::disk::{Disk, DiskFile, read_if_there, write_durably};
use crate::segment::SegmentMeta;
pub(crate) use erasure::replace;
use record::{JournalKind, JournalRecord, RecordFault};

/// The file as attestations name it.
pub const NAME: &str = "ledger/manifest.journal";
/// At start a file of more records than this is replaced by one that begins with a snapshot of
/// them.
const FOLD_AT: usize = 1024;

/// SHA-256 over a digest and the bytes that follow: of one line after another.
type Digest = [u8; 32];

/// Content of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalContent {
    /// The sealed part of the log, without the right edge.
    pub manifest: Manifest,
    /// Number of records before the first that does not count.
    pub records: usize,
    /// Their length in bytes.
    pub length: u64,
    /// Reason why the bytes behind them do not count; `None` if there are none.
    pub rejected: Option<String>,
    /// Offset of the last record that counts.
    last: u64,
    digest: Digest,
}

/// Addition of one seal.
#[derive(Debug, Clone)]
pub(crate) struct Seal {
    /// Entries that are sealed afterwards.
    pub(crate) sealed_size: u64,
    /// Root of the tree over them.
    pub(crate) root: Hash,
    /// Chain hash of the last of them.
    pub(crate) chain_hash: Hash,
    /// The segments that it wrote, in the order of the manifest.
    pub(crate) segments: Vec<SegmentMeta>,
}

/// The sealed part of the log, as every record repeats it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Extent {
    sealed_size: u64,
    root: Hash,
    chain_hash: Hash,
}

impl Extent {
    fn of(manifest: &Manifest) -> Extent {
        Extent {
            sealed_size: manifest.sealed_size,
            root: manifest.root,
            chain_hash: manifest.chain_hash,
        }
    }
}

/// The journal, open for appending.
pub(crate) struct Journal {
    disk: Arc<dyn Disk>,
    attestor: Arc<Attestor>,
    path: PathBuf,
    origin: String,
    file: Box<dyn DiskFile>,
    length: u64,
    digest: Digest,
    extent: Extent,
}

/// Reads a journal's bytes. `attested` says whether a note attests a digest at a size.
///
/// # Errors
/// No record is attested, or attested records contradict each other.
pub fn decode(
    bytes: &[u8],
    attested: impl Fn(&[u8], u64, Digest) -> Result<(), AttestationError>,
) -> Result<JournalContent, ManifestError> {
    let (mut records, mut fault) = (Vec::new(), None);
    let (mut at, mut digest) = (0, [0; 32]);

    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        match JournalRecord::read(rest, &digest) {
            Ok((record, length, next)) => {
                at += length;
                digest = next;
                records.push((record, at, digest));
            }
            // Not an interrupted append: what a later program wrote must not be cut off.
            Err(RecordFault::Version(version)) => return Err(ManifestError::Version(version)),
            Err(cause) => {
                fault = Some(cause.to_string());
                break;
            }
        }
    }

    // The newest attestation that holds speaks for all records before it.
    while let Some((record, ..)) = records.last() {
        match attested(
            record.attestation.as_bytes(),
            record.sealed_size,
            record.attested,
        ) {
            Ok(()) => break,
            Err(cause) => fault = Some(cause.to_string()),
        }
        records.pop();
    }

    let Some((length, digest)) = records.last().map(|(_, at, digest)| (*at, *digest)) else {
        return Err(ManifestError::Unattested(
            fault.unwrap_or_else(|| "the file is empty".into()),
        ));
    };

    let rejected = fault.filter(|_| length < bytes.len());
    let count = records.len();
    let before_last = count.checked_sub(2).and_then(|at| records.get(at));
    let last = before_last.map_or(0, |(_, at, _)| *at as u64);
    let manifest = fold(records.into_iter().map(|(record, ..)| record))?;

    Ok(JournalContent {
        manifest,
        records: count,
        length: length as u64,
        rejected,
        last,
        digest,
    })
}

/// The sealed part of the log after a list of records.
fn fold(records: impl Iterator<Item = JournalRecord>) -> Result<Manifest, ManifestError> {
    let contradiction = |text: &str| ManifestError::Contradiction(text.to_owned());
    let mut manifest: Option<Manifest> = None;

    for record in records {
        let begin = manifest.as_ref().map_or(0, |manifest| manifest.sealed_size);
        if matches!(record.kind, JournalKind::Snapshot | JournalKind::Seal) {
            check_segments(&record.segments, begin, record.sealed_size)?;
        }
        match (&mut manifest, record.kind) {
            (None, JournalKind::Snapshot) => manifest = Some(record.into_manifest()),
            (Some(manifest), JournalKind::Seal) if manifest.origin == record.origin => {
                (manifest.sealed_size, manifest.root, manifest.chain_hash) =
                    (record.sealed_size, record.root, record.chain_hash);
                manifest.segments.extend(record.segments);
            }
            (
                Some(manifest),
                kind @ (JournalKind::Expire | JournalKind::Erase | JournalKind::Move),
            ) if manifest.origin == record.origin => {
                let extent = (record.sealed_size, record.root, record.chain_hash);
                if extent != (manifest.sealed_size, manifest.root, manifest.chain_hash) {
                    return Err(contradiction(
                        "an expiry, erasure or move speaks of another extent of the log",
                    ));
                }
                match kind {
                    JournalKind::Erase => {
                        erasure::replace(&mut manifest.segments, &record.segments)?
                    }
                    JournalKind::Move => relocate(&mut manifest.segments, &record.segments)?,
                    _ => mark(&mut manifest.segments, &record.segments)?,
                }
            }
            (
                Some(_),
                JournalKind::Seal | JournalKind::Expire | JournalKind::Erase | JournalKind::Move,
            ) => {
                return Err(contradiction("its records are of two logs"));
            }
            (
                None,
                JournalKind::Seal | JournalKind::Expire | JournalKind::Erase | JournalKind::Move,
            )
            | (Some(_), JournalKind::Snapshot) => {
                return Err(contradiction("a snapshot is its first record and no other"));
            }
        }
    }

    manifest.ok_or_else(|| contradiction("it has no record"))
}

/// Marks segments of a list, which is in the order of the manifest, as expired or freed. Refuses
/// segments that are not in it, and a mark that is taken back or changed.
pub(crate) fn mark(
    segments: &mut [SegmentMeta],
    marked: &[SegmentMeta],
) -> Result<(), ManifestError> {
    for change in marked {
        let refused = |what: &str| Err(contradicts(change, what));
        let segment = listed(segments, change)?;
        let goes_on = match (segment.expired, change.expired) {
            (None, Some(mark)) => mark.freed.is_none(),
            (Some(before), Some(mark)) => {
                before.freed.is_none()
                    && mark.freed.is_some()
                    && (before.entry, before.policy_version) == (mark.entry, mark.policy_version)
            }
            (_, None) => false,
        };
        if !goes_on {
            return refused("an expiry cannot be taken back or changed");
        }
        segment.expired = change.expired;
    }

    Ok(())
}

/// Notes in which tier segments of a list lie, which is in the order of the manifest. Refuses
/// segments that are not in it or have expired, a way back, and a move before the one before has
/// ended.
pub(crate) fn relocate(
    segments: &mut [SegmentMeta],
    changed: &[SegmentMeta],
) -> Result<(), ManifestError> {
    for change in changed {
        let segment = listed(segments, change)?;
        let goes_on = match (&segment.moved, &change.moved) {
            (None, Some(after)) => after.tier > Tier::Hot && after.leaving == Some(Tier::Hot),
            (Some(before), Some(after)) if before.leaving.is_some() => {
                (before.tier, before.entry, &before.content)
                    == (after.tier, after.entry, &after.content)
                    && after.leaving.is_none()
            }
            (Some(before), Some(after)) => {
                after.tier > before.tier && after.leaving == Some(before.tier)
            }
            (_, None) => false,
        };
        if segment.expired.is_some() || !goes_on {
            return Err(contradicts(
                change,
                "a move does not follow from the records before",
            ));
        }
        segment.moved.clone_from(&change.moved);
    }

    Ok(())
}

/// Returns the segment of a list that a change speaks of.
fn listed<'s>(
    segments: &'s mut [SegmentMeta],
    change: &SegmentMeta,
) -> Result<&'s mut SegmentMeta, ManifestError> {
    let segment = found(segments, change)?;
    if !segment.is_same_segment(change) {
        return Err(contradicts(
            change,
            "a record describes the segment differently",
        ));
    }
    Ok(segment)
}

/// Returns the segment of a list in the place of a change, whatever the change says of it.
fn found<'s>(
    segments: &'s mut [SegmentMeta],
    change: &SegmentMeta,
) -> Result<&'s mut SegmentMeta, ManifestError> {
    let at = segments.binary_search_by(|segment| segment.order().cmp(&change.order()));
    let segment = at.ok().and_then(|at| segments.get_mut(at));
    segment.ok_or_else(|| contradicts(change, "a record names a segment that is not listed"))
}

fn contradicts(change: &SegmentMeta, what: &str) -> ManifestError {
    ManifestError::Contradiction(format!("{}: {what}", change.path))
}

/// Reads the file; `None` when there is none.
pub(crate) fn read(
    disk: &dyn Disk,
    path: &Path,
    attestor: &Attestor,
) -> Result<Option<JournalContent>, ManifestError> {
    let Some(bytes) = read_if_there(disk, path)? else {
        return Ok(None);
    };
    let attested =
        |note: &[u8], size: u64, digest: Digest| attestor.check(note, NAME, size, digest);
    decode(&bytes, attested).map(Some)
}

impl Journal {
    /// Replaces the file by one with a snapshot; durable when this returns.
    pub(crate) fn create(
        disk: &Arc<dyn Disk>,
        path: &Path,
        attestor: &Arc<Attestor>,
        manifest: &Manifest,
    ) -> Result<Journal, ManifestError> {
        let record = JournalRecord::snapshot(manifest);
        let (line, digest) = record.write(attestor, &[0; 32])?;
        write_durably(disk.as_ref(), path, &line)?;

        Ok(Journal {
            disk: disk.clone(),
            attestor: attestor.clone(),
            path: path.to_owned(),
            origin: manifest.origin.clone(),
            file: disk.open(path)?,
            length: line.len() as u64,
            digest,
            extent: Extent::of(manifest),
        })
    }

    /// Opens a file that was read, for appending: what an interruption left behind its last record
    /// is cut off, and many records become one. The last record is durable when this returns: the
    /// process that wrote it may have been killed before it was synced, or the sync may have
    /// failed, and what is removed next rests on it.
    pub(crate) fn open(
        disk: &Arc<dyn Disk>,
        path: &Path,
        attestor: &Arc<Attestor>,
        content: &JournalContent,
    ) -> Result<Journal, ManifestError> {
        if content.records > FOLD_AT {
            return Journal::create(disk, path, attestor, &content.manifest);
        }

        let file = disk.open(path)?;
        let mut last = vec![0; (content.length - content.last) as usize];
        file.read_at(content.last, &mut last)?;
        file.write_at(content.last, &last)?;
        if file.len()? > content.length {
            file.truncate(content.length)?;
        }
        file.sync()?;

        Ok(Journal {
            disk: disk.clone(),
            attestor: attestor.clone(),
            path: path.to_owned(),
            origin: content.manifest.origin.clone(),
            file,
            length: content.length,
            digest: content.digest,
            extent: Extent::of(&content.manifest),
        })
    }

    /// Appends the record of a seal; durable when this returns. `before` are the segments of the
    /// seals before, which are written again if the file was removed meanwhile.
    pub(crate) fn append(
        &mut self,
        seal: &Seal,
        before: &[SegmentMeta],
    ) -> Result<(), ManifestError> {
        check_segments(&seal.segments, self.extent.sealed_size, seal.sealed_size)?;
        let extent = Extent {
            sealed_size: seal.sealed_size,
            root: seal.root,
            chain_hash: seal.chain_hash,
        };
        let record = JournalRecord::seal(&self.origin, seal);
        self.write(record, extent, || {
            before.iter().chain(&seal.segments).cloned().collect()
        })
    }

    /// Appends the record of an expiry; durable when this returns. `all` are the segments of the
    /// log, those of the expiry marked.
    pub(crate) fn expire(
        &mut self,
        marked: Vec<SegmentMeta>,
        all: &[SegmentMeta],
    ) -> Result<(), ManifestError> {
        self.change(JournalKind::Expire, marked, all)
    }

    /// Appends the record of a move; durable when this returns. `all` are the segments of the log,
    /// those of the move changed.
    pub(crate) fn relocate(
        &mut self,
        moved: Vec<SegmentMeta>,
        all: &[SegmentMeta],
    ) -> Result<(), ManifestError> {
        self.change(JournalKind::Move, moved, all)
    }

    /// Appends the record of an erasure; durable when this returns. `all` are the segments of the
    /// log, those of the erasure replaced.
    pub(crate) fn erase(
        &mut self,
        rewritten: Vec<SegmentMeta>,
        all: &[SegmentMeta],
    ) -> Result<(), ManifestError> {
        self.change(JournalKind::Erase, rewritten, all)
    }

    fn change(
        &mut self,
        kind: JournalKind,
        changed: Vec<SegmentMeta>,
        all: &[SegmentMeta],
    ) -> Result<(), ManifestError> {
        let extent = self.extent;
        let record = JournalRecord::change(kind, &self.origin, &extent, changed);
        self.write(record, extent, || all.to_vec())
    }

    /// Appends a record, or begins the file anew with all segments if it was removed meanwhile.
    fn write(
        &mut self,
        record: JournalRecord,
        extent: Extent,
        all: impl FnOnce() -> Vec<SegmentMeta>,
    ) -> Result<(), ManifestError> {
        if !self.file.is_linked()? {
            tracing::warn!(file = %self.path.display(), "the manifest was removed while the log was open; it is written again");
            let manifest = Manifest {
                origin: self.origin.clone(),
                sealed_size: extent.sealed_size,
                root: extent.root,
                chain_hash: extent.chain_hash,
                edge: Vec::new(),
                segments: all(),
            };
            *self = Journal::create(&self.disk, &self.path, &self.attestor, &manifest)?;
            return Ok(());
        }

        let (line, digest) = record.write(&self.attestor, &self.digest)?;
        let written = self
            .file
            .write_at(self.length, &line)
            .and_then(|()| self.file.sync());

        if let Err(error) = written {
            // On a full disk every byte counts; the next record is written at the same place.
            let _ = self.file.truncate(self.length);
            return Err(error.into());
        }

        (self.length, self.digest, self.extent) = (self.length + line.len() as u64, digest, extent);
        Ok(())
    }

    /// Length of the records, and how many entries they seal.
    pub(crate) fn extent(&self) -> (u64, u64) {
        (self.length, self.extent.sealed_size)
    }
}

#[cfg(test)]
mod tests;
