//! The manifest as it is kept: `ledger/manifest.journal`, a line a record, each attested by the
//! log's key over all lines before and itself. The newest attestation that holds speaks for
//! everything before it.

use reeve_tlog::{Attestation, Epochs, Hash};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::{Listed, MANIFEST, Manifest, SegmentRow, TierName, listed};
use crate::error::{CannotVerify, with_causes};
use crate::finding::{Finding, Findings};

/// Versions that are known; version 4 had erasures of segments of the data directory alone, version 3
/// neither erasures nor tiers, version 2 no expired segments.
const VERSIONS: std::ops::RangeInclusive<u64> = 2..=5;
/// Beginning of the last member, which stands in no string: quotes inside are escaped.
const ATTESTATION: &[u8] = b",\"attestation\":";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordRow {
    /// Read beforehand, as [`VersionRow`].
    #[serde(rename = "version")]
    _version: u64,
    kind: String,
    origin: String,
    sealed_size: u64,
    root: String,
    chain_hash: String,
    segments: Vec<SegmentRow>,
}

#[derive(Deserialize)]
struct VersionRow {
    version: u64,
}

/// A line that can be read.
struct Record {
    row: RecordRow,
    /// Offset behind the line.
    end: usize,
    note: String,
    /// Digest that the note must attest.
    digest: [u8; 32],
}

/// Remainder behind the part that can be read.
enum Rest {
    Nothing,
    Unreadable(String),
}

/// Number of sealed entries as the last line says, for a first look.
pub(crate) fn claimed_size(bytes: &[u8]) -> u64 {
    let lines = bytes.split(|byte| *byte == b'\n').rev();
    lines
        .filter_map(|line| Some(split(line)?.0))
        .find_map(|body| {
            let row: RecordRow = serde_json::from_slice(&[body, b"}"].concat()).ok()?;
            Some(row.sealed_size)
        })
        .unwrap_or(0)
}

/// Reads the file. `goes_on(size)` says whether the write-ahead log begins at a size: then records
/// behind the newest attested one are what an interrupted seal left. `None`: there is no record,
/// which is among the findings.
pub(crate) fn read(
    bytes: &[u8],
    keys: &Epochs,
    goes_on: impl Fn(u64) -> bool,
    findings: &mut Findings,
    notes: &mut Vec<String>,
) -> Result<Option<Manifest>, CannotVerify> {
    let (mut records, rest) = records(bytes)?;
    let mut fault = match rest {
        Rest::Nothing => None,
        Rest::Unreadable(cause) => Some(cause),
    };
    let attested = |record: &Record| {
        let (origin, file) = (keys.newest().name().to_owned(), MANIFEST.to_owned());
        let expected = Attestation {
            origin,
            file,
            size: record.row.sealed_size,
            digest: Hash(record.digest),
        };
        expected.check(record.note.as_bytes(), keys)
    };

    let mut sound = records.len();
    while let Some(record) = sound.checked_sub(1).and_then(|at| records.get(at)) {
        match attested(record) {
            Ok(()) => break,
            Err(error) => {
                fault = Some(format!(
                    "the log's key did not attest it: {}",
                    with_causes(&error)
                ))
            }
        }
        sound -= 1;
    }

    let newest = sound.checked_sub(1).and_then(|at| records.get(at));
    let (at, size) = newest.map_or((0, 0), |record| (record.end, record.row.sealed_size));

    if let Some(cause) = fault.filter(|_| at < bytes.len() || sound == 0) {
        if newest.is_some() && goes_on(size) {
            notes.push(format!(
                "{MANIFEST}, byte {at}: {cause}; it counts for nothing, as what an interrupted seal left"
            ));
            records.truncate(sound);
        } else {
            findings.add(
                Finding::new(
                    MANIFEST,
                    format!("a record of the manifest is refused: {cause}"),
                )
                .at(at as u64),
            );
        }
    }

    if records.is_empty() {
        return Ok(None);
    }

    Ok(Some(Manifest {
        length: bytes.len(),
        ..fold(records, findings)
    }))
}

/// The lines that can be read, from the beginning.
fn records(bytes: &[u8]) -> Result<(Vec<Record>, Rest), CannotVerify> {
    let (mut records, mut at, mut before) = (Vec::new(), 0, [0; 32]);
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(length) = rest.iter().position(|byte| *byte == b'\n') else {
            return Ok((
                records,
                Rest::Unreadable("a record is not ended by a newline".into()),
            ));
        };
        let line = &rest[..length];
        let Some((body, note)) = split(line) else {
            return Ok((
                records,
                Rest::Unreadable("a record has no attestation at its end".into()),
            ));
        };
        let whole = [body, b"}"].concat();
        let parsed = serde_json::from_slice::<VersionRow>(&whole).and_then(|version| {
            if !VERSIONS.contains(&version.version) {
                return Ok(Err(version.version));
            }
            Ok(Ok((
                serde_json::from_slice::<RecordRow>(&whole)?,
                serde_json::from_slice::<String>(note)?,
            )))
        });
        match parsed {
            Err(error) => {
                return Ok((
                    records,
                    Rest::Unreadable(format!("a record cannot be read: {error}")),
                ));
            }
            Ok(Err(found)) => {
                return Err(CannotVerify::Version {
                    file: MANIFEST.into(),
                    found: found.to_string(),
                });
            }
            Ok(Ok((row, note))) => {
                at += length + 1;
                records.push(Record {
                    row,
                    end: at,
                    note,
                    digest: digest(&before, body),
                });
                before = digest(&before, line);
            }
        }
    }

    Ok((records, Rest::Nothing))
}

/// The members before the attestation, without the closing bracket, and the attestation as a JSON
/// string.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = line
        .windows(ATTESTATION.len())
        .rposition(|window| window == ATTESTATION)?;
    let (body, note) = line.split_at(at);
    Some((body, note[ATTESTATION.len()..].strip_suffix(b"}")?))
}

fn digest(before: &[u8; 32], bytes: &[u8]) -> [u8; 32] {
    Sha256::new()
        .chain_update(before)
        .chain_update(bytes)
        .finalize()
        .into()
}

/// The sealed part of the log after the records.
fn fold(records: Vec<Record>, findings: &mut Findings) -> Manifest {
    let mut manifest = Manifest::default();
    for (nth, Record { row, .. }) in records.into_iter().enumerate() {
        let mut wrong = |message: &str| findings.add(Finding::new(MANIFEST, message));
        let later = matches!(row.kind.as_str(), "seal" | "expire" | "erase" | "move");
        if (row.kind == "snapshot") != (nth == 0) || later != (nth > 0) {
            wrong("a snapshot is the first record and no other");
        }
        if manifest
            .origin
            .as_ref()
            .is_some_and(|origin| *origin != row.origin)
            || row.sealed_size < manifest.sealed_size
        {
            wrong("a record does not follow the one before");
        }
        let segments: Vec<Listed> = row.segments.into_iter().map(listed).collect();
        if matches!(row.kind.as_str(), "expire" | "erase" | "move") {
            if row.sealed_size != manifest.sealed_size {
                wrong("an expiry, erasure or move speaks of another extent of the log");
            }
            for changed in segments {
                let path = changed.path.clone();
                let follows = match row.kind.as_str() {
                    "erase" => replace(&mut manifest.segments, changed),
                    "move" => relocate(&mut manifest.segments, &changed),
                    _ => mark(&mut manifest.segments, &changed),
                };
                if !follows {
                    wrong(&format!(
                        "{path}: the record {} does not follow from the records before",
                        row.kind
                    ));
                }
            }
            continue;
        }
        if segments
            .iter()
            .any(|segment| segment.first_sequence < manifest.sealed_size)
        {
            wrong("a record lists a segment of entries that were sealed before");
        }
        let mut hash = |name: &str, text: &str| {
            let read = Hash::from_hex(text);
            read.map_err(|error| wrong(&format!("{name}: {error}")))
                .ok()
        };
        manifest.root = hash("root", &row.root);
        manifest.chain_hash = hash("chain_hash", &row.chain_hash);
        manifest.origin = Some(row.origin);
        manifest.sealed_size = row.sealed_size;
        manifest.segments.extend(segments);
    }

    manifest.check(findings);
    manifest
}

/// Marks a listed segment as expired or freed. Returns `false` if it is not listed so, or if a mark
/// is taken back or changed.
fn mark(segments: &mut [Listed], marked: &Listed) -> bool {
    let Some(segment) = find(segments, marked) else {
        return false;
    };
    let goes_on = match (segment.expired, marked.expired) {
        (None, Some(mark)) => mark.freed.is_none(),
        (Some(before), Some(mark)) => {
            before.freed.is_none()
                && (before.entry, before.policy_version) == (mark.entry, mark.policy_version)
        }
        (_, None) => false,
    };
    if goes_on {
        segment.expired = marked.expired;
    }
    goes_on
}

/// Notes the tier of a listed segment. Returns `false` if it is not listed so, or if the move does
/// not follow from those before.
fn relocate(segments: &mut [Listed], moved: &Listed) -> bool {
    let Some(segment) = find(segments, moved) else {
        return false;
    };
    let goes_on = match (&segment.moved, &moved.moved) {
        (None, Some(after)) => after.tier > TierName::Hot && after.leaving == Some(TierName::Hot),
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
    if goes_on && segment.expired.is_none() {
        segment.moved.clone_from(&moved.moved);
        return true;
    }
    false
}

/// Returns the listed segment that a record describes in the same way.
fn find<'s>(segments: &'s mut [Listed], changed: &Listed) -> Option<&'s mut Listed> {
    let at = segments.binary_search_by(|segment| {
        (segment.first_sequence, &segment.class).cmp(&(changed.first_sequence, &changed.class))
    });
    let segment = segments.get_mut(at.ok()?)?;
    let described = |segment: &Listed| {
        (
            segment.path.clone(),
            (segment.last_sequence, segment.count, segment.bytes),
            segment.sha256.clone(),
            (segment.min_timestamp_ms, segment.max_timestamp_ms),
            segment.max_recorded_at_ms,
            segment.erased.clone(),
        )
    };
    (described(segment) == described(changed)).then_some(segment)
}

/// Replaces a listed segment by what it is after an erasure, whose file lies in the data directory.
/// Returns `false` if it is not listed so, has expired, is being moved, lay in another tier than the
/// erasure says, or does not account for each entry that is gone.
fn replace(segments: &mut [Listed], after: Listed) -> bool {
    let at = segments.binary_search_by(|segment| {
        (segment.first_sequence, &segment.class).cmp(&(after.first_sequence, &after.class))
    });
    let Some(segment) = at.ok().and_then(|at| segments.get_mut(at)) else {
        return false;
    };
    let Some((newest, before)) = after.erased.split_last() else {
        return false;
    };
    let lay_in = segment.moved.as_ref().map(|moved| moved.tier);
    let leaving = segment.moved.as_ref().and_then(|moved| moved.leaving);
    let goes_on = segment.expired.is_none()
        && after.expired.is_none()
        && leaving.is_none()
        && after.moved.is_none()
        && newest.tier == lay_in
        && before == segment.erased
        && after.last_sequence == segment.last_sequence
        && after.sealed() == segment.sealed()
        && after.count < segment.count;
    if goes_on {
        *segment = after;
    }
    goes_on
}
