//! Evidence from elsewhere about how long the log was: checkpoints that were published, and the
//! anchor on another disk. A backup that is shorter than any of it has lost entries, and whoever
//! restores it must say that they know.

use std::fmt;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use reeve_tlog::{Checkpoint, SignedNote};
use reeve_verify::KeptCheckpoint;

/// Evidence of a size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BackupEvidence {
    /// Place at which it was found.
    pub(crate) name: String,
    /// Entries that the log had.
    pub(crate) size: u64,
    /// The checkpoint; `None` for an anchor.
    pub(crate) note: Option<String>,
}

impl fmt::Display for BackupEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} entries", self.name, self.size)
    }
}

/// Reads a checkpoint that was kept elsewhere, of the log of this name.
pub(crate) fn checkpoint(name: &str, bytes: &[u8], origin: &str) -> Result<BackupEvidence> {
    let note = SignedNote::parse(bytes).with_context(|| format!("{name} is not a signed note"))?;
    let checkpoint =
        Checkpoint::parse(note.text()).with_context(|| format!("{name} is not a checkpoint"))?;

    if checkpoint.origin != origin {
        bail!(
            "{name} is a checkpoint of {}, and the backup is of {origin}",
            checkpoint.origin
        );
    }

    Ok(BackupEvidence {
        name: name.to_owned(),
        size: checkpoint.size,
        note: Some(note.to_string()),
    })
}

/// Reads an anchor; `None` where there is no file.
pub(crate) fn anchor(path: &Path) -> Result<Option<BackupEvidence>> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(error).with_context(|| format!("{} could not be read", path.display()));
        }
    };

    let (head, _) = reeve_ledger::anchor::decode(&bytes).with_context(|| {
        format!(
            "{} is damaged, so the length of the log is not known",
            path.display()
        )
    })?;

    Ok(Some(BackupEvidence {
        name: path.display().to_string(),
        size: head.size,
        note: None,
    }))
}

/// Those that the log of this size must extend, as the auditor takes them.
pub(crate) fn within(evidence: &[BackupEvidence], size: u64) -> Vec<KeptCheckpoint> {
    let kept = evidence.iter().filter(|one| one.size <= size);
    kept.filter_map(|one| {
        Some(KeptCheckpoint {
            name: one.name.clone(),
            bytes: one.note.clone()?.into_bytes(),
        })
    })
    .collect()
}

/// Those that tell of more entries than this.
pub(crate) fn beyond(evidence: &[BackupEvidence], size: u64) -> Vec<BackupEvidence> {
    evidence
        .iter()
        .filter(|one| one.size > size)
        .cloned()
        .collect()
}
