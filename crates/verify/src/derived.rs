//! Files that follow from the entries and decide what a search finds or an append answers: search
//! indexes and the index of identifiers. Each carries an attestation by the log's key over the
//! digests of its content, which is checked here; that their content says what the entries say is
//! vouched for by the key alone. Layout: `docs/formats/index.md`, `data-directory.md`.
//!
//! An index is not synced when it is written, so one that is cut short or damaged is a note: the
//! service rebuilds it before it is used. One whose checksums hold and that the key did not attest
//! was made by somebody else, and is a finding.

use std::fs;
use std::path::Path;

use reeve_tlog::{Attestation, Epochs, Hash};
use sha2::{Digest as _, Sha256};

use crate::audit::Audit;
use crate::error::{CannotVerify, is_absence, read_if_there};
use crate::finding::Finding;
use crate::manifest::{Listed, Manifest};

/// Bytes of an index that have a digest together.
const BLOCK: usize = 16 * 1024;
/// Bytes kept of the SHA-256 of a block or page.
const DIGEST: usize = 16;
/// Bytes after an index's attestation: place of the directory, length of the attestation, checksum,
/// mark.
const TRAILER: usize = 8 + 4 + 4 + 8;
const IDS: &str = "ledger/ids";
const IDS_HEADER: usize = 64;
const IDS_PAGE: usize = 4096;
const IDS_VERSION: u32 = 4;

/// State of a file that is not what was attested.
#[derive(Debug, PartialEq, Eq)]
enum Fault {
    /// File of an earlier version, which had no attestation.
    Earlier,
    /// Cut short or damaged: a checksum or digest does not hold, at this byte where known.
    Damaged(Option<usize>),
    /// File with valid checksums that the log's key did not attest.
    Forged(String),
}

/// Checks the attestations of the search indexes and of the index of identifiers.
pub(crate) fn check(
    dir: &Path,
    manifest: &Manifest,
    keys: &Epochs,
    audit: &mut Audit,
) -> Result<(), CannotVerify> {
    for segment in &manifest.segments {
        let Some(name) = index_name(&segment.path) else {
            continue;
        };
        // Whatever the manifest says, nothing outside of the data directory is read.
        if name.split('/').any(|part| part == "..") {
            continue;
        }
        if let Some(bytes) = read_if_there(&dir.join(&name))? {
            match index(&bytes, &name, segment, keys) {
                Ok(()) => audit.counts.attested += 1,
                Err(fault) => report_fault(
                    &name,
                    fault,
                    "searches do not use it, and the service rebuilds it",
                    false,
                    audit,
                ),
            }
        }
    }
    identifiers(dir, manifest, keys, audit)
}

fn report_fault(name: &str, fault: Fault, consequence: &str, synced: bool, audit: &mut Audit) {
    match fault {
        Fault::Earlier => {
            audit.notes.push(format!(
                "{name} is of an earlier version, without attestation; {consequence}"
            ));
        }
        Fault::Damaged(at) if synced => {
            let finding = Finding::new(
                name,
                format!("the file differs from its attestation; {consequence}"),
            );
            audit.findings.add(Finding {
                offset: at.map(|at| at as u64),
                ..finding
            });
        }
        Fault::Damaged(_) => audit
            .notes
            .push(format!("{name} is damaged or cut short; {consequence}")),
        Fault::Forged(cause) => {
            let message = format!(
                "its checksums are correct, but the log's key did not attest it ({cause}): it was forged; {consequence}"
            );
            audit.findings.add(Finding::new(name, message));
        }
    }
}

/// The path of the index of a segment.
fn index_name(segment: &str) -> Option<String> {
    let name = segment
        .strip_prefix("lake/entries/")?
        .strip_suffix(".parquet")?;
    Some(format!("lake/index/{name}.idx"))
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes
        .get(at..)?
        .first_chunk()
        .map(|four| u32::from_le_bytes(*four))
}

fn long(bytes: &[u8], at: usize) -> Option<usize> {
    let eight = bytes
        .get(at..)?
        .first_chunk()
        .map(|eight| u64::from_le_bytes(*eight))?;
    usize::try_from(eight).ok()
}

/// Refuses blocks that do not have their digests.
fn digests(bytes: &[u8], block: usize, digests: &[u8], offset: usize) -> Result<(), Fault> {
    for (at, (block, digest)) in (offset..)
        .step_by(block)
        .zip(bytes.chunks(block).zip(digests.chunks(DIGEST)))
    {
        if Sha256::digest(block)[..DIGEST] != *digest {
            return Err(Fault::Damaged(Some(at)));
        }
    }
    Ok(())
}

fn attested(
    note: &[u8],
    keys: &Epochs,
    file: &str,
    size: u64,
    digest: [u8; 32],
) -> Result<(), Fault> {
    let origin = keys.newest().name().to_owned();
    let expected = Attestation {
        origin,
        file: file.to_owned(),
        size,
        digest: Hash(digest),
    };

    expected
        .check(note, keys)
        .map_err(|error| Fault::Forged(error.to_string()))
}

/// An index: pieces, directory with the segment's SHA-256 first and the digests of all blocks last,
/// attestation, trailer.
fn index(bytes: &[u8], name: &str, segment: &Listed, keys: &Epochs) -> Result<(), Fault> {
    let cut = Fault::Damaged(None);
    if [b"reeveix1", b"reeveix2"]
        .iter()
        .any(|earlier| bytes.starts_with(*earlier))
    {
        return Err(Fault::Earlier);
    }

    let parts = || {
        let end = bytes.len().checked_sub(TRAILER)?;
        let (body, note_len, checksum) = (
            long(bytes, end)?,
            number(bytes, end + 8)?,
            number(bytes, end + 12)?,
        );
        let note_at = end.checked_sub(note_len as usize)?;
        let sums = body.div_ceil(BLOCK).checked_mul(DIGEST)?;
        let (directory, note) = (bytes.get(body..note_at)?, bytes.get(note_at..end)?);
        let whole = bytes.starts_with(b"reeveix3")
            && bytes.ends_with(b"reeveix3")
            && checksum == crc32c::crc32c(bytes.get(body..end + 12)?);
        let split = directory.len().checked_sub(sums)?;
        whole.then_some((bytes.get(..body)?, directory, split, note))
    };

    let Some((body, directory, split, note)) = parts() else {
        return Err(cut);
    };

    attested(
        note,
        keys,
        name,
        segment.last_sequence.saturating_add(1),
        Sha256::digest(directory).into(),
    )?;

    if hex::decode(&segment.sha256).ok().as_deref() != directory.get(..32) {
        return Err(Fault::Damaged(None));
    }

    digests(body, BLOCK, &directory[split..], 0)
}

/// The files of the index of identifiers, by the names that count.
fn identifiers(
    dir: &Path,
    manifest: &Manifest,
    keys: &Epochs,
    audit: &mut Audit,
) -> Result<(), CannotVerify> {
    let folder = dir.join(IDS);
    let listed = match fs::read_dir(&folder) {
        Ok(listed) => listed,
        Err(error) if is_absence(&error) => return Ok(()),
        Err(error) => return Err(CannotVerify::unreadable(&folder)(error)),
    };
    let mut names = Vec::new();

    for item in listed {
        let name = item
            .map_err(CannotVerify::unreadable(&folder))?
            .file_name()
            .to_string_lossy()
            .into_owned();
        if let Some((first, end)) = span(&name).filter(|(_, end)| *end <= manifest.sealed_size) {
            names.push((name, first, end));
        }
    }

    names.sort();
    for (name, first, end) in names {
        let name = format!("{IDS}/{name}");
        // Merged files take the place of others while the service runs.
        let Some(bytes) = read_if_there(&dir.join(&name))? else {
            continue;
        };
        match id_file(&bytes, &name, (first, end), keys) {
            Ok(()) => audit.counts.attested += 1,
            Err(fault) => report_fault(&name, fault, "the service does not use it", true, audit),
        }
    }

    Ok(())
}

fn span(name: &str) -> Option<(u64, u64)> {
    let (first, end) = name.strip_suffix(".ids")?.split_once('-')?;
    let span = (first.parse().ok()?, end.parse().ok()?);
    (format!("{:020}-{:020}.ids", span.0, span.1) == name).then_some(span)
}

/// A file of identifiers: header, filter, pages, digests of the pages, attestation, its length.
fn id_file(bytes: &[u8], name: &str, (first, end): (u64, u64), keys: &Epochs) -> Result<(), Fault> {
    if bytes.starts_with(b"reeveids")
        && number(bytes, 8).is_some_and(|version| version < IDS_VERSION)
    {
        return Err(Fault::Earlier);
    }

    let parts = || {
        let header = bytes.get(..IDS_HEADER)?;
        let whole = header.starts_with(b"reeveids")
            && number(header, 8) == Some(IDS_VERSION)
            && number(header, 60) == Some(crc32c::crc32c(&header[..60]))
            && (long(header, 16)? as u64, long(header, 24)? as u64) == (first, end);
        let filter_len = long(header, 32)?.div_ceil(40).max(1).checked_mul(64)?;
        let pages_at = filter_len.checked_add(IDS_HEADER)?;
        let pages = number(header, 56)? as usize;
        let digests_at = pages.checked_mul(IDS_PAGE)?.checked_add(pages_at)?;
        let note_at = digests_at.checked_add(pages * DIGEST)?;
        let note_end = bytes.len().checked_sub(4)?;
        let note = bytes.get(note_at..note_end)?;
        let filter = bytes.get(IDS_HEADER..pages_at)?;
        let sound = whole
            && number(bytes, note_end) == Some(note.len() as u32)
            && number(header, 40) == Some(crc32c::crc32c(filter));
        sound.then_some((
            header,
            filter,
            pages_at..digests_at,
            digests_at..note_at,
            note,
        ))
    };

    let Some((header, filter, pages, sums, note)) = parts() else {
        return Err(Fault::Damaged(None));
    };

    let digest = Sha256::new()
        .chain_update(header)
        .chain_update(filter)
        .chain_update(&bytes[sums.clone()])
        .finalize();
    attested(note, keys, name, end, digest.into())?;
    digests(&bytes[pages.clone()], IDS_PAGE, &bytes[sums], pages.start)
}
