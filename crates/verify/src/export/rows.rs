//! Rows of the formats with complete entries: each is hashed and compared with the next leaf of the
//! proof.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use reeve_audit::json::{self, Json, JsonError, Numbers, ParseOptions};
use reeve_tlog::{Hash, MultiProofReadError, commitment};

use super::Leaves;
use super::manifest::ExportManifest;
use crate::attested::{Listed, ManifestReport};
use crate::error::{CannotVerify, Stop};
use crate::segment::{self, SegmentFault};

/// Longest line: an entry of 1 MiB in JSON, with its further members.
const LONGEST: u64 = 16 << 20;

/// Fault of an export that ends the check: rows and leaves no longer correspond.
#[derive(Debug, thiserror::Error)]
pub(super) enum RowsFault {
    #[error("{file}: entry {found} is in the position of entry {expected}")]
    Position {
        file: String,
        expected: u64,
        found: u64,
    },
    #[error("{file}: entry {sequence} is not in the proof")]
    NotProven { file: String, sequence: u64 },
    #[error("the proof cannot be read")]
    Proof(#[source] MultiProofReadError),
    #[error("{file} has {found} entries and not {expected}")]
    Count {
        file: String,
        expected: u64,
        found: u64,
    },
    /// A line of JSON, counted from 1.
    #[error("{file}, line {line}")]
    Line {
        file: String,
        line: u64,
        #[source]
        fault: LineFault,
    },
    #[error(transparent)]
    Segment(#[from] SegmentFault),
}

/// Reason why a line is not an exported entry.
#[derive(Debug, thiserror::Error)]
pub(super) enum LineFault {
    #[error("it does not end in a newline")]
    Unterminated,
    #[error(transparent)]
    Json(#[from] JsonError),
    #[error("it is not an object")]
    NotAnObject,
    #[error("it has no integrity")]
    NoIntegrity,
    #[error("its category is not that of its event_type")]
    Category,
    #[error("integrity.salt is missing or wrong")]
    Salt,
    #[error("its bytes do not give the hashes in its integrity")]
    Hashes,
    #[error("integrity.sequence is missing")]
    NoSequence,
}

/// Holds a row against the next leaf of the proof.
fn hold(
    leaves: &mut Leaves,
    name: &str,
    sequence: u64,
    leaf: Hash,
    report: &mut ManifestReport,
) -> Result<(), RowsFault> {
    match leaves.next() {
        Ok(Some((proven, _))) if proven != sequence => Err(RowsFault::Position {
            file: name.to_owned(),
            expected: proven,
            found: sequence,
        }),
        Ok(Some((_, proven))) => {
            if proven != leaf {
                report.fault(format!(
                    "{name}: entry {sequence} was changed: its hash is not the leaf of the log"
                ));
            }
            Ok(())
        }
        Ok(None) => Err(RowsFault::NotProven {
            file: name.to_owned(),
            sequence,
        }),
        Err(error) => Err(RowsFault::Proof(error)),
    }
}

fn count(listed: &Listed, found: u64) -> Result<(), RowsFault> {
    if found == listed.entries {
        Ok(())
    } else {
        Err(RowsFault::Count {
            file: listed.name.clone(),
            expected: listed.entries,
            found,
        })
    }
}

/// Checks the entries of a file of JSON lines.
pub(super) fn json(
    folder: &Path,
    manifest: &ExportManifest,
    leaves: &mut Leaves,
    report: &mut ManifestReport,
) -> Result<(), Stop<RowsFault>> {
    for listed in &manifest.files {
        let path = folder.join(&listed.name);
        let mut input = BufReader::with_capacity(
            256 << 10,
            File::open(&path).map_err(CannotVerify::unreadable(&path))?,
        );
        let (mut line, mut number) = (Vec::new(), 0);
        loop {
            line.clear();
            let read = (&mut input)
                .take(LONGEST)
                .read_until(b'\n', &mut line)
                .map_err(CannotVerify::unreadable(&path))?;
            if read == 0 {
                break;
            }
            number += 1;
            entry(&line)
                .map_err(|fault| RowsFault::Line {
                    file: listed.name.clone(),
                    line: number,
                    fault,
                })
                .and_then(|(sequence, leaf)| hold(leaves, &listed.name, sequence, leaf, report))
                .map_err(Stop::Fault)?;
        }
        count(listed, number).map_err(Stop::Fault)?;
    }
    Ok(())
}

/// Sequence of a line, and the leaf that its entry gives.
fn entry(line: &[u8]) -> Result<(u64, Hash), LineFault> {
    let line = line.strip_suffix(b"\n").ok_or(LineFault::Unterminated)?;
    let options = ParseOptions {
        numbers: Numbers::Stored,
        ..ParseOptions::default()
    };
    let mut value = json::parse_with(line, &options)?.value;
    let Json::Object(members) = &mut value else {
        return Err(LineFault::NotAnObject);
    };

    let category = members.remove("category");
    let proof = members.remove("integrity").ok_or(LineFault::NoIntegrity)?;
    let event_type = members
        .get("event_type")
        .and_then(Json::as_str)
        .unwrap_or_default();
    let expected = event_type.split('.').next().unwrap_or_default();
    if category.as_ref().and_then(Json::as_str) != Some(expected) {
        return Err(LineFault::Category);
    }

    let text = |name: &str| proof.get(name).and_then(Json::as_str).unwrap_or_default();
    let mut salt = [0; 16];
    hex::decode_to_slice(text("salt"), &mut salt).map_err(|_| LineFault::Salt)?;
    let found = commitment(&salt, &value.to_canonical());
    if text("commitment") != found.to_string() || text("leaf_hash") != found.leaf_hash().to_string()
    {
        return Err(LineFault::Hashes);
    }

    let sequence = proof
        .get("sequence")
        .and_then(Json::as_f64)
        .ok_or(LineFault::NoSequence)?;
    Ok((sequence as u64, found.leaf_hash()))
}

/// Checks the entries of a Parquet file.
pub(super) fn parquet(
    folder: &Path,
    manifest: &ExportManifest,
    leaves: &mut Leaves,
    report: &mut ManifestReport,
) -> Result<(), Stop<RowsFault>> {
    for listed in &manifest.files {
        let path = folder.join(&listed.name);
        let file = File::open(&path).map_err(CannotVerify::unreadable(&path))?;
        let mut number = 0;
        let outcome = segment::each_row(file, |sequence, leaf, wrong| {
            number += 1;
            if let Some(message) = wrong {
                report.fault(format!("{}: entry {sequence}: {message}", listed.name));
            }
            hold(leaves, &listed.name, sequence, leaf, report)
        });
        outcome
            .and_then(|()| count(listed, number))
            .map_err(Stop::Fault)?;
    }
    Ok(())
}
