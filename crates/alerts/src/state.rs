//! The kept form of the evaluator's memory, `docs/formats/alerts.md`: deltas of what rules took,
//! now and then a snapshot of all groups, and the JSON of groups that versions before them kept.
//!
//! Counting is deterministic. A delta therefore has what was counted, not what came of it: a group
//! with thousands of waiting entries costs a few bytes more with each entry, where its whole state
//! was written before.
//!
//! State belongs to a *revision* of a rule: whatever changes the meaning of its counts (condition,
//! threshold, grouping, enabling) begins a new revision with empty state.

mod bytes;
mod delta;
mod old;
mod snapshot;

use serde::{Deserialize, Serialize};

use crate::firing::FiringEntry;
pub(crate) use delta::{DeltaWriter, Operation, read_delta};
pub(crate) use old::decode_old;
pub(crate) use snapshot::{read_snapshot, write_snapshot};

/// Error of reading kept state.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The JSON of a rule's state is malformed.
    #[error("the state of an alert rule cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// Bytes of a snapshot or delta are malformed.
    #[error("the state of alert rules cannot be read: {0} is malformed")]
    Malformed(&'static str),
    /// Written by a newer program.
    #[error("the state of an alert rule has format {0}, which is newer than this program")]
    Newer(u32),
}

#[derive(Serialize, Deserialize)]
struct EntryRow(String, u64, i64);

/// Spells the entries of a firing, as its own record keeps them.
#[must_use]
pub fn encode_entries(entries: &[FiringEntry]) -> String {
    let rows: Vec<_> = entries
        .iter()
        .map(|entry| EntryRow(entry.event_id.clone(), entry.sequence, entry.at_ms))
        .collect();
    serde_json::to_string(&rows).unwrap_or_default()
}

/// Reads the entries of a firing.
///
/// # Errors
/// The text is not such a state.
pub fn decode_entries(text: &str) -> Result<Vec<FiringEntry>, StateError> {
    Ok(entries_in(serde_json::from_str(text)?))
}

fn entries_in(rows: Vec<EntryRow>) -> Vec<FiringEntry> {
    rows.into_iter()
        .map(|EntryRow(event_id, sequence, at_ms)| FiringEntry {
            event_id,
            sequence,
            at_ms,
        })
        .collect()
}
