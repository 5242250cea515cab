//! Deletions that are newer than a backup: they are made again in the restored log before it serves.
//!
//! A backup has the entries that were erased or expired after it was made, and its log does not know
//! that. The file of tombstones does: each line has a proof that the log's key signed. Entries that
//! it names are erased from the restored log, whose new tombstones refer to the old ones.

mod moved;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use jiff::Timestamp;
use reeve_audit::{ActionMethod, ActionStatus, Draft, Entry, Json, ResourceRef, events};
use reeve_ledger::{Erasure, RewrittenSegment, SegmentMeta, SegmentStore as _, StoredEntry};
use reeve_tlog::{Checkpoint, NoteVerifier, ProofFile};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::account::Account;
use crate::service::OpenedLog;

/// Request that tombstones of expired segments name.
const EXPIRY: &str = "expiry";
/// Rows that are restored at a time.
const ROWS_AT_ONCE: usize = 4_096;

/// A tombstone that a backup lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LaterTombstone {
    /// Sequence that it has in the log after the backup.
    sequence: u64,
    commitment: String,
    /// Identifier of the request; [`EXPIRY`] for an expired segment.
    request: String,
    /// First and last sequence of each run of deleted entries. Of an expired segment the range alone
    /// is known: its entries are those of these types.
    sequences: Vec<(u64, u64)>,
    event_types: Option<BTreeSet<String>>,
    /// Segment of an erasure, as it was written anew.
    file: Option<LaterFile>,
}

/// File that a segment had after an erasure.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct LaterFile {
    class: String,
    first_sequence: u64,
    path_after: String,
    sha256_after: String,
}

/// Deletions that were made again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RepeatedDeletions {
    /// Number of entries.
    pub(crate) entries: u64,
    /// Segments of the farther tiers of which neither the file before an erasure nor the one after it
    /// is there.
    pub(crate) lost_segments: Vec<String>,
    /// `true` if the index of identifiers lacks entries: it was built when a segment had no file, and
    /// must be built again.
    pub(crate) lacks_identifiers: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TombstoneLine {
    sequence: u64,
    proof: String,
}

#[derive(Deserialize)]
struct ErasureFields {
    request: String,
    sequences: Vec<(u64, u64)>,
    #[serde(flatten)]
    file: LaterFile,
}

#[derive(Deserialize)]
struct ExpiryFields {
    first_sequence: u64,
    last_sequence: u64,
    event_types: BTreeMap<String, u64>,
}

/// Reads the tombstones of a file that a backup of this size lacks. Each proof must be signed by the
/// log's key as the backup has it.
pub(crate) fn read(path: &Path, key: &NoteVerifier, size: u64) -> Result<Vec<LaterTombstone>> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("{} could not be read", path.display()))?;
    let mut later = Vec::new();
    for (at, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
    {
        let read = tombstone(line, key, size);
        later.extend(read.with_context(|| format!("{}, line {}", path.display(), at + 1))?);
    }
    later.sort_by_key(|tombstone| tombstone.sequence);
    Ok(later)
}

/// Reads a line; `None` where the backup has the tombstone itself.
fn tombstone(line: &str, key: &NoteVerifier, size: u64) -> Result<Option<LaterTombstone>> {
    let line: TombstoneLine = serde_json::from_str(line).context("it is no tombstone")?;
    if line.sequence < size {
        return Ok(None);
    }
    let proof = ProofFile::parse(line.proof.as_bytes()).context("its proof cannot be read")?;
    let (disclosure, checkpoint) = proof
        .verify_disclosed(std::slice::from_ref(key))
        .context("its proof is not signed by the key of the backup's log")?;
    check_origin(&checkpoint, key)?;
    let entry: Value = serde_json::from_slice(disclosure.canonical)?;
    let is_by_reeve = entry["submitted_by"]["type"] == "reeve";
    if proof.index != line.sequence || !is_by_reeve {
        bail!("its proof is of another entry");
    }

    let fields = entry["metadata"].clone();
    let (request, sequences, event_types, file) = match entry["event_type"].as_str() {
        Some(name) if name == events::ERASE.name => {
            let fields: ErasureFields = serde_json::from_value(fields)?;
            (fields.request, fields.sequences, None, Some(fields.file))
        }
        Some(name) if name == events::EXPIRE.name => {
            let fields: ExpiryFields = serde_json::from_value(fields)?;
            let range = (fields.first_sequence, fields.last_sequence);
            let types = fields.event_types.into_keys().collect();
            (EXPIRY.to_owned(), vec![range], Some(types), None)
        }
        _ => bail!("its entry is about no deletion"),
    };
    Ok(Some(LaterTombstone {
        sequence: line.sequence,
        commitment: disclosure.commitment().to_string(),
        request,
        sequences,
        event_types,
        file,
    }))
}

fn check_origin(checkpoint: &Checkpoint, key: &NoteVerifier) -> Result<()> {
    if checkpoint.origin != key.name() {
        bail!("it is of the log {}", checkpoint.origin);
    }
    Ok(())
}

impl LaterTombstone {
    fn includes(&self, stored: &StoredEntry) -> bool {
        let runs = &self.sequences;
        let after = runs.partition_point(|(first, _)| *first <= stored.sequence);
        let run = after.checked_sub(1).and_then(|at| runs.get(at));
        let is_of_type = self
            .event_types
            .as_ref()
            .is_none_or(|types| types.contains(stored.entry.event_type.as_str()));
        run.is_some_and(|(_, last)| stored.sequence <= *last) && is_of_type
    }
}

/// Deletes again what the tombstones say, before the log serves.
pub(crate) async fn apply(log: &OpenedLog, later: &[LaterTombstone]) -> Result<RepeatedDeletions> {
    let mut done = RepeatedDeletions::default();
    if later.is_empty() {
        return Ok(done);
    }
    log.ledger
        .seal()
        .await
        .context("the restored log could not be sealed")?;
    for segment in log.ledger.segments().iter() {
        if segment.expired.is_some() || segment.moved.is_none() {
            continue;
        }
        match moved::erase(log, segment, later).await? {
            Some(0) => {}
            Some(entries) => {
                done.entries += entries;
                done.lacks_identifiers = true;
            }
            None => done.lost_segments.push(segment.path.clone()),
        }
    }
    for tombstone in later {
        // Each erasure gives a segment another file.
        let mut paths = Vec::new();
        for segment in log.ledger.segments().iter() {
            // What had been moved before the backup and expired after it is gone from its tier, or goes
            // by policy once the log serves.
            let is_here = segment.expired.is_none() && segment.moved.is_none();
            if is_here && overlaps(segment, tombstone) {
                paths.push(segment.path.clone());
            }
        }
        for path in paths {
            done.entries += erase(log, &path, tombstone).await?;
        }
    }
    // Files in farther tiers go with the first run of the service: a restore that is broken off after
    // this would leave a backup without them.
    log.ledger.remove_replaced_here().await?;
    Ok(done)
}

fn overlaps(segment: &SegmentMeta, tombstone: &LaterTombstone) -> bool {
    let mut runs = tombstone.sequences.iter();
    runs.any(|(first, last)| *first <= segment.last_sequence && segment.first_sequence <= *last)
}

async fn erase(log: &OpenedLog, path: &str, tombstone: &LaterTombstone) -> Result<u64> {
    let all = log.ledger.segments();
    let segment = all.iter().find(|segment| segment.path == path);
    let segment = segment.context("a segment of the restored log is gone")?;
    let mut rows = log.segments.read(segment).await?;
    let mut chosen = Vec::new();
    while !rows.is_empty() {
        let rest = rows.split_off(rows.len().min(ROWS_AT_ONCE));
        let chunk = std::mem::replace(&mut rows, rest);
        let stored = log.ledger.restore(chunk).await?;
        let included = stored.iter().filter(|stored| tombstone.includes(stored));
        chosen.extend(included.map(|stored| stored.sequence));
    }
    if chosen.is_empty() {
        return Ok(0);
    }

    let rewritten = log.ledger.rewrite(path, &chosen).await?;
    record(log, rewritten, chosen.len(), tombstone).await?;
    Ok(chosen.len() as u64)
}

/// Puts a segment that was written anew in place of the one before, with a tombstone that refers to
/// the one in the log before the restore.
async fn record(
    log: &OpenedLog,
    rewritten: RewrittenSegment,
    entries: usize,
    tombstone: &LaterTombstone,
) -> Result<()> {
    let segment = &rewritten.before;
    let stated = json!({
        "request": tombstone.request,
        "first_sequence": segment.first_sequence,
        "last_sequence": segment.last_sequence,
        "class": segment.class,
        "tier": segment.tier(),
        "entries": entries,
        "sequences": rewritten.sequences,
        "commitments_root": rewritten.root.to_string(),
        "sha256": segment.sha256,
        "path_after": rewritten.after.path,
        "sha256_after": rewritten.after.sha256,
        "holds": [],
        "reapplied": { "sequence": tombstone.sequence, "commitment": tombstone.commitment },
    });
    let mut entry = Entry::for_event(&events::ERASE)
        .by(Account::current().actor())
        .on(ResourceRef::new("segment", &segment.path))
        .with_action("erase_again", ActionStatus::Success, ActionMethod::Cli);
    for (name, value) in stated.as_object().cloned().unwrap_or_default() {
        entry = entry.with_metadata(&name, Json::from(value));
    }
    let entry =
        Draft::by_reeve(entry, Timestamp::now()).map_err(|errors| anyhow::anyhow!("{errors:?}"))?;
    let erasure = Erasure {
        rewritten,
        request: tombstone.request.clone(),
        entry,
    };
    log.ledger.erase(erasure).await?;
    Ok(())
}
