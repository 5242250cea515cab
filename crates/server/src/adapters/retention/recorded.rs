//! Comparison of the policies and holds in the state store with those that the log records: a
//! change in the database alone deletes nothing.

use std::collections::BTreeSet;

use jiff::Timestamp;
use reeve_audit::json::write_canonical;
use reeve_audit::query::{Expr, Query};
use reeve_audit::{Entry, EventKind, Obstacle, events};
use reeve_ledger::SearchRequest;
use reeve_retention::{LegalHold, PolicySet};
use reeve_trail::Trail;
use serde::de::DeserializeOwned;

/// Entries about holds that are compared, at most; beyond them nothing is deleted.
const MOST_ENTRIES: usize = 5_000;

/// Refuses policies that are not the newest of the log.
pub(super) async fn policies(
    trail: &Trail,
    stored: &PolicySet,
    now: Timestamp,
) -> Result<(), Obstacle> {
    let newest = successful(trail, &events::RETENTION_MODIFY, None, 1, now).await?;
    let after = newest.first().map(after::<PolicySet>);
    let recorded = match after {
        None => PolicySet::presets(),
        Some(recorded) => recorded?,
    };

    if recorded == *stored {
        return Ok(());
    }
    Err(Obstacle::of(format_args!(
        "the retention policies in the state store (version {}) are not those that the log records (version {}): nothing is deleted; save the policies again",
        stored.version, recorded.version
    )))
}

/// Refuses holds that lack one of the log, or have another query or end.
pub(super) async fn holds(
    trail: &Trail,
    stored: &[LegalHold],
    now: Timestamp,
) -> Result<(), Obstacle> {
    let released: BTreeSet<String> =
        successful(trail, &events::HOLD_RELEASE, None, MOST_ENTRIES, now)
            .await?
            .into_iter()
            .filter_map(|entry| entry.resource.id)
            .collect();

    for entry in successful(trail, &events::HOLD_CREATE, None, MOST_ENTRIES, now).await? {
        let recorded: LegalHold = after(&entry)?;
        if released.contains(&recorded.id) {
            continue;
        }
        let is_kept = stored.iter().any(|hold| {
            hold.is_in_force()
                && hold.id == recorded.id
                && hold.query == recorded.query
                && (hold.start_time, hold.end_time) == (recorded.start_time, recorded.end_time)
        });
        if !is_kept {
            return Err(Obstacle::of(format_args!(
                "the log records the legal hold {} ({}), which the state store lacks or has otherwise: nothing is deleted",
                recorded.id, recorded.case
            )));
        }
    }

    Ok(())
}

/// Reads the state after a change.
fn after<T: DeserializeOwned>(entry: &Entry) -> Result<T, Obstacle> {
    let mut text = Vec::new();
    if let Some(after) = &entry.changes.after {
        write_canonical(after, &mut text);
    }
    serde_json::from_slice(&text).map_err(Obstacle::of)
}

/// The newest entries of a type about changes that succeeded, and that satisfy a condition.
pub(super) async fn successful(
    trail: &Trail,
    kind: &EventKind,
    condition: Option<Expr>,
    most: usize,
    now: Timestamp,
) -> Result<Vec<Entry>, Obstacle> {
    let event_type = kind.event_type();
    let query = Query::parse(&format!("event_type:{event_type} action.status:success"));
    let query = query.map_err(Obstacle::of)?;
    let query = condition.into_iter().fold(query, Query::and);
    let request = SearchRequest::newest(query, most, now);
    let page = trail.search(&request).await.map_err(Obstacle::of)?;
    if most > 1 && page.next_cursor.is_some() {
        return Err(Obstacle::of(format_args!(
            "the log has more than {most} entries of type {event_type}"
        )));
    }
    Ok(page
        .entries
        .iter()
        .map(|stored| stored.entry.clone())
        .collect())
}
