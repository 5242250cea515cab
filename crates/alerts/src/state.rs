//! The kept form of a group's memory: JSON with a version, `docs/formats/alerts.md`.
//!
//! Version 1: `{"v":1,"watermark":ms|null,"touched":ms,"pending":[entry],"open":[firing]}` where an entry is
//! `[event_id, sequence, at]` and a firing `{"id","from","until","first","last","count","entries"}`; times in milliseconds.

use serde::{Deserialize, Serialize};

use crate::evaluator::{GroupMemory, OpenFiring};
use crate::firing::{FiringEntry, FiringId};

/// Error of reading kept state.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// Malformed JSON.
    #[error("the state of an alert rule cannot be read: {0}")]
    Malformed(#[from] serde_json::Error),
    /// Written by a newer program.
    #[error("the state of an alert rule has format {0}, which is newer than this program")]
    Newer(u32),
}

#[derive(Serialize, Deserialize)]
struct GroupRow {
    v: u32,
    watermark: Option<i64>,
    touched: i64,
    pending: Vec<EntryRow>,
    open: Vec<FiringRow>,
}

#[derive(Serialize, Deserialize)]
struct EntryRow(String, u64, i64);

#[derive(Serialize, Deserialize)]
struct FiringRow {
    id: String,
    from: i64,
    until: i64,
    first: i64,
    last: i64,
    count: u64,
    entries: Vec<EntryRow>,
}

#[derive(Deserialize)]
struct Version {
    v: u32,
}

/// Spells a group's memory.
#[must_use]
pub fn encode(group: &GroupMemory) -> String {
    let row = GroupRow {
        v: 1,
        watermark: (group.watermark_ms != i64::MIN).then_some(group.watermark_ms),
        touched: group.touched_ms,
        pending: entries_out(&group.pending),
        open: group.open.iter().map(firing_out).collect(),
    };
    // Texts and integers: nothing in it can fail to be JSON.
    serde_json::to_string(&row).unwrap_or_default()
}

/// Reads a group's memory.
///
/// # Errors
/// The content has another format, or a newer version of it.
pub fn decode(text: &str) -> Result<GroupMemory, StateError> {
    let Version { v } = serde_json::from_str(text)?;
    if v != 1 {
        return Err(StateError::Newer(v));
    }
    let row: GroupRow = serde_json::from_str(text)?;
    Ok(GroupMemory {
        watermark_ms: row.watermark.unwrap_or(i64::MIN),
        touched_ms: row.touched,
        pending: entries_in(row.pending),
        open: row.open.into_iter().map(firing_in).collect(),
    })
}

/// Spells the entries of a firing, as its own record keeps them.
#[must_use]
pub fn encode_entries(entries: &[FiringEntry]) -> String {
    serde_json::to_string(&entries_out(entries)).unwrap_or_default()
}

/// Reads the entries of a firing.
///
/// # Errors
/// The text is not such a state.
pub fn decode_entries(text: &str) -> Result<Vec<FiringEntry>, StateError> {
    Ok(entries_in(serde_json::from_str(text)?))
}

fn entries_out(entries: &[FiringEntry]) -> Vec<EntryRow> {
    entries.iter().map(|entry| EntryRow(entry.event_id.clone(), entry.sequence, entry.at_ms)).collect()
}

fn entries_in(rows: Vec<EntryRow>) -> Vec<FiringEntry> {
    rows.into_iter().map(|EntryRow(event_id, sequence, at_ms)| FiringEntry { event_id, sequence, at_ms }).collect()
}

fn firing_out(open: &OpenFiring) -> FiringRow {
    FiringRow {
        id: open.id.0.clone(),
        from: open.from_ms,
        until: open.until_ms,
        first: open.first_ms,
        last: open.last_ms,
        count: open.count,
        entries: entries_out(&open.entries),
    }
}

fn firing_in(row: FiringRow) -> OpenFiring {
    OpenFiring {
        id: FiringId(row.id),
        from_ms: row.from,
        until_ms: row.until,
        first_ms: row.first,
        last_ms: row.last,
        count: row.count,
        entries: entries_in(row.entries),
        grown: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = r#"{"v":1,"watermark":null,"touched":17,"pending":[["e\"1",7,-5]],"open":[{"id":"fir_1","from":1,"until":9,"first":2,"last":3,"count":200,"entries":[["é",8,2]]}]}"#;

    #[test]
    fn version_one_is_read_and_written() {
        let read = decode(FIRST).unwrap();
        assert_eq!((read.watermark_ms, read.touched_ms, read.open[0].count), (i64::MIN, 17, 200));
        assert_eq!(read.pending[0], FiringEntry { event_id: "e\"1".into(), sequence: 7, at_ms: -5 });
        assert_eq!(encode(&read), FIRST);
        let moved = FIRST.replace("null", "12");
        assert_eq!(decode(&moved).map(|group| group.watermark_ms).ok(), Some(12));
    }

    #[test]
    fn foreign_state_is_refused() {
        assert!(matches!(decode(&FIRST.replace("\"v\":1", "\"v\":2")), Err(StateError::Newer(2))));
        for wrong in ["", "{}", "[]", &FIRST.replace("200", "-1")] {
            assert!(matches!(decode(wrong), Err(StateError::Malformed(_))), "{wrong}");
        }
    }
}
