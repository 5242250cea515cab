//! Resources as last seen, with the hashes of their documents: what baselines are compared with.

use reeve_estate::{ConnectionId, ResourceId};
use reeve_recommend::drift::{Observed, ObservedFilter};
use sqlx::Row as _;

use super::description::time;
use super::resource::resource;
use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;

/// The columns of [`super::resource::SELECT`], then those of the version. Syncs forget the readings
/// and sightings of what they no longer look for: a resource without them is not gone, nobody looks.
const SELECT: &str = "SELECT r.id, r.document, CASE WHEN v.hash = '' THEN NULL ELSE (
         SELECT MAX(s.seen_at_ms) FROM resource_sightings s WHERE s.connection_id = r.connection_id
             AND s.kind = r.kind AND (s.region = '' OR s.region = r.region)) END,
         v.hash, v.seen_at_ms,
         (SELECT COUNT(*) FROM resource_sightings s WHERE s.connection_id = r.connection_id
             AND s.kind = r.kind AND (s.region = '' OR s.region = r.region)),
         (SELECT COUNT(*) FROM resource_readings n WHERE n.connection_id = r.connection_id
             AND n.kind = r.kind AND (n.region = '' OR n.region = r.region))
     FROM resource_versions v
         JOIN resources r ON r.connection_id = v.connection_id AND r.id = v.resource_id";

pub(crate) async fn list(
    store: &Store,
    connection: &ConnectionId,
    wanted: &ObservedFilter,
) -> Result<Vec<Observed>, Fault> {
    let mut filter = Filter::default();
    filter.text("v.connection_id = ?", &connection.0);
    // As a literal: the index of the present versions is a partial one.
    filter.fixed("v.is_current = 1");
    if let Some(since) = wanted.since {
        filter.integer("v.seen_at_ms >= ?", since.as_millisecond());
    }
    filter.one_of("r.kind", wanted.kinds.iter().map(|kind| kind.as_str()));
    filter.one_of("v.resource_id", wanted.ids.iter().map(ResourceId::as_str));
    if let Some((seen_at, id)) = &wanted.after {
        let place = (seen_at.as_millisecond(), id.as_str());
        filter.behind(("v.seen_at_ms", "v.resource_id"), place);
    }

    let page = filter.page(
        SELECT,
        " ORDER BY v.seen_at_ms, v.resource_id",
        wanted.limit,
        0,
    );
    let rows = filter.query(page).fetch_all(store.read()).await?;
    rows.iter()
        .map(|row| {
            let (hash, seen_at): (String, i64) = (row.try_get(3)?, row.try_get(4)?);
            let (sightings, readings): (i64, i64) = (row.try_get(5)?, row.try_get(6)?);
            Ok(Observed {
                resource: resource(row)?,
                hash: Some(hash).filter(|hash| !hash.is_empty()),
                seen_at: time(seen_at)?,
                is_read: sightings > 0 && readings > 0,
            })
        })
        .collect()
}
