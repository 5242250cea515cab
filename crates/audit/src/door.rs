//! The short way through the door: one pass over the text, straight into the fields of an entry.
//!
//! It never refuses anything. Whatever it does not know well (a duplicate name, an unknown field, a
//! name written with escapes, anything wrong) it leaves to the slow reader (`json`, then
//! `entry/read.rs`), which says what is wrong and where. So the rules stand in one place, and a
//! test asks both ways the same questions.

mod cursor;
mod open;
mod shape;
#[cfg(test)]
mod tests;

use jiff::Timestamp;

use self::cursor::{Cursor, Fast, Unusual};
use self::shape::Members;
use crate::entry::{Entry, EntryClaim, EventId, Severity};
use crate::instant::to_millis;

/// Origin of the text: a client's submission or Reeve's own storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// Text of a submission, without the fields that Reeve sets.
    Sent,
    /// Written by our canonical writer: `recorded_at` and `submitted_by` are in it, and a double
    /// may be spelled as an integer beyond 2^53.
    Stored,
}

/// Reads one entry as it was sent; `None` when the slow reader must look at it.
pub(crate) fn sent(text: &str, received: Timestamp) -> Option<EntryClaim> {
    let mut cursor = Cursor::new(text);
    let claim = claim(shape::entry(&mut cursor, Source::Sent), received).ok()?;
    cursor.is_at_end().then_some(claim)
}

/// Calls `each` with every entry of an array of at most `most`; `None` when the slow reader must
/// look at all of it.
pub(crate) fn sent_array<T>(
    text: &str,
    received: Timestamp,
    most: usize,
    mut each: impl FnMut(EntryClaim) -> Option<T>,
) -> Option<Vec<T>> {
    let (mut cursor, mut all) = (Cursor::new(text), Vec::new());
    let read = cursor.elements(|cursor| {
        let claim = claim(shape::entry(cursor, Source::Sent), received)?;
        if all.len() == most {
            return Err(Unusual);
        }
        all.push(each(claim).ok_or(Unusual)?);
        Ok(())
    });

    (read.is_ok() && cursor.is_at_end()).then_some(all)
}

/// Reads stored canonical bytes back: the entry and when it was recorded. `None` when the slow
/// reader must look at them.
pub(crate) fn stored(text: &str) -> Option<(Entry, Timestamp)> {
    let mut cursor = Cursor::new(text);
    let members = shape::entry(&mut cursor, Source::Stored).ok()?;
    let recorded_at = members.recorded_at?;
    if !cursor.is_at_end() || members.event_id.is_none() || members.timestamp.is_none() {
        return None;
    }

    let EntryClaim { entry, .. } = claim(Ok(members), recorded_at).ok()?;
    Some((entry, recorded_at))
}

/// Builds the claim; a fresh identifier, the time of receipt and `info` stand for absent fields.
fn claim(members: Fast<Members>, received: Timestamp) -> Fast<EntryClaim> {
    let Members {
        event_id,
        timestamp,
        event_type,
        severity,
        actor,
        resource,
        action,
        changes,
        metadata,
        submitted_by,
        recorded_at: _,
    } = members?;

    let entry = Entry {
        event_type: event_type.ok_or(Unusual)?,
        event_id: event_id.unwrap_or_else(EventId::fresh),
        timestamp: timestamp.unwrap_or_else(|| to_millis(received)),
        severity: severity.unwrap_or(Severity::Info),
        actor,
        resource,
        action,
        changes,
        metadata,
        submitted_by,
    };

    Ok(EntryClaim {
        entry,
        timestamp_defaulted: timestamp.is_none(),
    })
}
