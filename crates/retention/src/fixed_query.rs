//! Queries that include the same entries today and in a year.

use jiff::{SignedDuration, Timestamp};
use reeve_audit::Obstacle;
use reeve_audit::query::Query;

/// Reads a query, and refuses one whose meaning changes with time.
pub(crate) fn fixed_query(text: &str) -> Result<Query, Obstacle> {
    let query = Query::parse(text).map_err(Obstacle::of)?;
    if !query.expr.lists().is_empty() {
        return Err("the query cannot name a list, whose values may change".into());
    }

    let (early, late) = (
        Timestamp::UNIX_EPOCH,
        Timestamp::UNIX_EPOCH + SignedDuration::from_hours(1),
    );
    if query.resolve(early) != query.resolve(late) {
        return Err("the query cannot name a time relative to now; write a date".into());
    }

    Ok(query)
}
