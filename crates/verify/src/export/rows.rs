//! Rows of the formats with complete entries: each is hashed and compared with the next leaf of the
//! proof.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use reeve_audit::json::{self, Json, Numbers, Options};
use reeve_tlog::{Hash, commitment};

use super::Leaves;
use super::manifest::Manifest;
use crate::attested::{Listed, ManifestReport};
use crate::error::CannotVerify;
use crate::error::with_causes;
use crate::segment;

/// Longest line: an entry of 1 MiB in JSON, with its further members.
const LONGEST: u64 = 16 << 20;

/// Holds a row against the next leaf of the proof. The error ends the check: rows and leaves no
/// longer correspond.
fn hold(
    leaves: &mut Leaves,
    name: &str,
    sequence: u64,
    leaf: Hash,
    report: &mut ManifestReport,
) -> Result<(), String> {
    match leaves.next() {
        Ok(Some((proven, _))) if proven != sequence => Err(format!(
            "{name}: entry {sequence} is in the position of entry {proven}"
        )),
        Ok(Some((_, proven))) => {
            if proven != leaf {
                report.fault(format!(
                    "{name}: entry {sequence} was changed: its hash is not the leaf of the log"
                ));
            }
            Ok(())
        }
        Ok(None) => Err(format!("{name}: entry {sequence} is not in the proof")),
        Err(error) => Err(format!("the proof cannot be read: {}", with_causes(&error))),
    }
}

fn count(listed: &Listed, found: u64) -> Result<(), String> {
    if found == listed.entries {
        Ok(())
    } else {
        Err(format!(
            "{} has {found} entries and not {}",
            listed.name, listed.entries
        ))
    }
}

/// Checks the entries of a file of JSON lines.
pub(super) fn json(
    folder: &Path,
    manifest: &Manifest,
    leaves: &mut Leaves,
    report: &mut ManifestReport,
) -> Result<Result<(), String>, CannotVerify> {
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
            let held = entry(&line)
                .map_err(|message| format!("{}, line {number}: {message}", listed.name))
                .and_then(|(sequence, leaf)| hold(leaves, &listed.name, sequence, leaf, report));
            if let Err(message) = held {
                return Ok(Err(message));
            }
        }
        if let Err(message) = count(listed, number) {
            return Ok(Err(message));
        }
    }
    Ok(Ok(()))
}

/// Sequence of a line, and the leaf that its entry gives.
fn entry(line: &[u8]) -> Result<(u64, Hash), String> {
    let line = line
        .strip_suffix(b"\n")
        .ok_or("it does not end in a newline")?;
    let options = Options {
        numbers: Numbers::Stored,
        ..Options::default()
    };
    let mut value = json::parse_with(line, &options)
        .map_err(|error| error.to_string())?
        .value;
    let Json::Object(members) = &mut value else {
        return Err("it is not an object".to_owned());
    };

    let category = members.remove("category");
    let proof = members.remove("integrity").ok_or("it has no integrity")?;
    let event_type = members
        .get("event_type")
        .and_then(Json::as_str)
        .unwrap_or_default();
    let expected = event_type.split('.').next().unwrap_or_default();
    if category.as_ref().and_then(Json::as_str) != Some(expected) {
        return Err("its category is not that of its event_type".to_owned());
    }

    let text = |name: &str| proof.get(name).and_then(Json::as_str).unwrap_or_default();
    let mut salt = [0; 16];
    hex::decode_to_slice(text("salt"), &mut salt)
        .map_err(|_| "integrity.salt is missing or wrong")?;
    let found = commitment(&salt, &value.to_canonical());
    if text("commitment") != found.to_string() || text("leaf_hash") != found.leaf_hash().to_string()
    {
        return Err("its bytes do not give the hashes in its integrity".to_owned());
    }

    let sequence = proof
        .get("sequence")
        .and_then(Json::as_f64)
        .ok_or("integrity.sequence is missing")?;
    Ok((sequence as u64, found.leaf_hash()))
}

/// Checks the entries of a Parquet file.
pub(super) fn parquet(
    folder: &Path,
    manifest: &Manifest,
    leaves: &mut Leaves,
    report: &mut ManifestReport,
) -> Result<Result<(), String>, CannotVerify> {
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
        if let Err(message) = outcome.and_then(|()| count(listed, number)) {
            return Ok(Err(message));
        }
    }
    Ok(Ok(()))
}
