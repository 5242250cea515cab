//! External evidence to compare a log with: signed checkpoints, and the keys of witnesses whose
//! cosignatures are required.

use reeve_tlog::{Checkpoint, Epochs, SignedNote, WitnessKey};

use crate::error::with_causes;
use crate::finding::{Finding, Findings};
use crate::sequence::CosignedAt;
use crate::walk::Milestone;

/// A checkpoint from another place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptCheckpoint {
    /// Origin of the checkpoint, for findings.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Witnesses, and how many of them must have cosigned.
#[derive(Debug, Clone, Default)]
pub struct Witnesses {
    /// Public keys of the witnesses.
    pub keys: Vec<WitnessKey>,
    /// Number of cosignatures required.
    pub needed: usize,
}

/// Returns the milestones of checkpoints that were kept elsewhere; those that the log's keys did
/// not sign become findings.
pub(crate) fn milestones(
    kept: &[KeptCheckpoint],
    keys: &Epochs,
    findings: &mut Findings,
) -> Vec<Milestone> {
    let read = |kept: &KeptCheckpoint| match keys.open(&kept.bytes) {
        Ok(checkpoint) => Some(Milestone {
            elsewhere: true,
            ..Milestone::signed(
                &checkpoint,
                &kept.name,
                "the checkpoint that was kept elsewhere",
            )
        }),
        Err(error) => {
            let message = format!(
                "the checkpoint that was kept elsewhere is refused: {}",
                with_causes(&error)
            );
            findings.add(Finding::new(&kept.name, message));
            None
        }
    };
    kept.iter().filter_map(read).collect()
}

/// Checks that enough witnesses cosigned a checkpoint, and returns it if it belongs to the log.
pub(crate) fn cosigned(
    file: &str,
    bytes: Option<&[u8]>,
    witnesses: &Witnesses,
    keys: &Epochs,
    findings: &mut Findings,
    notes: &mut Vec<String>,
) -> Option<Checkpoint> {
    if witnesses.keys.is_empty() {
        return None;
    }

    let Some(bytes) = bytes else {
        findings.add(Finding::new(file, "there is no cosigned checkpoint"));
        return None;
    };

    let opened = SignedNote::parse(bytes)
        .map_err(|error| with_causes(&error))
        .and_then(|note| {
            Ok((
                keys.from_note(&note).map_err(|error| with_causes(&error))?,
                note,
            ))
        });

    let (checkpoint, note) = match opened {
        Ok(opened) => opened,
        Err(cause) => {
            findings.add(Finding::new(
                file,
                format!("the cosigned checkpoint is refused: {cause}"),
            ));
            return None;
        }
    };

    match count(&note, witnesses) {
        Ok(text) => notes.push(format!(
            "{text} the checkpoint of {} entries",
            checkpoint.size
        )),
        Err(fault) => findings.add(Finding::new(file, fault.to_string())),
    }

    Some(checkpoint)
}

/// Returns the times at which witnesses cosigned a checkpoint of the log.
pub(crate) fn times(bytes: &[u8], witnesses: &Witnesses, keys: &Epochs) -> Vec<CosignedAt> {
    let Ok(note) = SignedNote::parse(bytes) else {
        return Vec::new();
    };
    let Ok(checkpoint) = keys.from_note(&note) else {
        return Vec::new();
    };

    let time = |key: &WitnessKey| {
        let seconds = key.cosigned(&note)?.timestamp;
        Some(CosignedAt {
            size: checkpoint.size,
            at_ms: i64::try_from(seconds).ok()?.checked_mul(1000)?,
            witness: key.name().to_owned(),
        })
    };
    witnesses.keys.iter().filter_map(time).collect()
}

/// Fewer witnesses than needed cosigned a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{found} of {known} witnesses cosigned the checkpoint, and {needed} are needed: {names}",
    found = .names.len(),
    names = .names.join(", ")
)]
pub struct TooFewWitnesses {
    /// Number of witnesses whose keys were given.
    pub known: usize,
    /// Number of cosignatures that are needed.
    pub needed: usize,
    /// Witnesses that cosigned, each with its time.
    pub names: Vec<String>,
}

/// Returns the names of the witnesses that cosigned, or an error if they are too few.
pub(crate) fn count(note: &SignedNote, witnesses: &Witnesses) -> Result<String, TooFewWitnesses> {
    let cosigned = |key: &WitnessKey| {
        key.cosigned(note)
            .map(|cosigned| (key.name().to_owned(), cosigned.timestamp))
    };
    let mut found: Vec<(String, u64)> = witnesses.keys.iter().filter_map(cosigned).collect();
    found.sort();

    found.dedup();
    let names: Vec<String> = found
        .iter()
        .map(|(name, at)| format!("{name} (at {at} s since 1970)"))
        .collect();
    let (have, known, needed) = (found.len(), witnesses.keys.len(), witnesses.needed);

    if have < needed {
        return Err(TooFewWitnesses {
            known,
            needed,
            names,
        });
    }

    Ok(format!(
        "{have} of {known} witnesses cosigned ({})",
        names.join(", ")
    ))
}
