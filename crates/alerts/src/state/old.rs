//! Groups as JSON, which versions before the deltas kept. They are read once, at the first start of
//! a newer version.
//!
//! `{"v":1,"watermark":ms|null,"touched":ms,"pending":[entry],"open":[firing]}` where an entry is
//! `[event_id, sequence, at]` and a firing
//! `{"id","from","until","first","last","count","entries"}`; times in milliseconds.

use serde::Deserialize;

use super::{EntryRow, StateError, entries_in};
use crate::evaluator::{BEGINNING, GroupMemory, OpenFiring, Pending};
use crate::firing::FiringId;

#[derive(Deserialize)]
struct GroupRow {
    watermark: Option<i64>,
    touched: i64,
    pending: Vec<EntryRow>,
    open: Vec<FiringRow>,
}

#[derive(Deserialize)]
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

/// Reads a group's memory.
///
/// # Errors
/// The content has another format, or a newer version of it.
pub(crate) fn decode_old(text: &str) -> Result<GroupMemory, StateError> {
    let Version { v } = serde_json::from_str(text)?;
    if v != 1 {
        return Err(StateError::Newer(v));
    }

    let row: GroupRow = serde_json::from_str(text)?;
    let pending = entries_in(row.pending).into_iter().map(|entry| Pending {
        entry,
        value: 0,
        weight: 1,
    });

    Ok(GroupMemory {
        watermark_ms: row.watermark.unwrap_or(BEGINNING),
        touched_ms: row.touched,
        pending: pending.collect(),
        open: row.open.into_iter().map(open).collect(),
    })
}

fn open(row: FiringRow) -> OpenFiring {
    OpenFiring {
        id: FiringId(row.id),
        from_ms: row.from,
        until_ms: row.until,
        first_ms: row.first,
        last_ms: row.last,
        count: row.count,
        listed: row.entries.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::firing::FiringEntry;

    const FIRST: &str = r#"{"v":1,"watermark":null,"touched":17,"pending":[["e\"1",7,-5]],"open":[{"id":"fir_1","from":1,"until":9,"first":2,"last":3,"count":200,"entries":[["é",8,2]]}]}"#;

    #[test]
    fn version_one_is_read() {
        let read = decode_old(FIRST).unwrap();
        assert_eq!((read.watermark_ms, read.touched_ms), (BEGINNING, 17));
        assert_eq!((read.open[0].count, read.open[0].listed), (200, 1));
        assert_eq!(
            read.pending[0].entry,
            FiringEntry {
                event_id: "e\"1".into(),
                sequence: 7,
                at_ms: -5
            }
        );

        let moved = FIRST.replace("null", "12");
        assert_eq!(
            decode_old(&moved).map(|group| group.watermark_ms).ok(),
            Some(12)
        );
    }

    #[test]
    fn foreign_state_is_refused() {
        assert!(matches!(
            decode_old(&FIRST.replace("\"v\":1", "\"v\":2")),
            Err(StateError::Newer(2))
        ));
        for wrong in ["", "{}", "[]", &FIRST.replace("200", "-1")] {
            assert!(
                matches!(decode_old(wrong), Err(StateError::Json(_))),
                "{wrong}"
            );
        }
    }
}
