//! Taking an inventory over, all or nothing.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use reeve_estate::change::between;
use reeve_estate::{ConnectionId, Resource, ResourceId, ResourceKind, ResourceState};

use super::change;
use super::description::end_description;
use super::resource::{resource, upsert};
use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;

/// Writes what was seen and what it changed, and marks what is gone of the complete kinds as deleted.
pub(super) async fn run(
    store: &Store,
    connection: &ConnectionId,
    seen: &[Resource],
    complete: &[ResourceKind],
) -> Result<(), Fault> {
    if let Some(stray) = seen.iter().find(|resource| resource.connection != *connection) {
        let message = format!("the resource {} belongs to connection {}, not {connection}", stray.id, stray.connection);
        return Err(Fault::Conflict(message));
    }
    let mut tx = store.begin().await?;
    // Keeps the connection from being removed underneath, and says so when it is gone already.
    let held =
        sqlx::query("UPDATE connections SET name = name WHERE id = $1").bind(&connection.0).execute(&mut *tx).await?;
    if held.rows_affected() == 0 {
        return Err(Fault::not_found("connection", &connection.0));
    }
    let mut filter = Filter::default();
    filter.text("connection_id = ?", &connection.0);
    filter.text("state <> ?", ResourceState::Deleted.as_str());
    let rows = filter.query(filter.sql("SELECT id, document FROM resources", "")).fetch_all(&mut *tx).await?;
    let known = rows.iter().map(resource).collect::<Result<Vec<_>, Fault>>()?;
    let by_id: HashMap<&ResourceId, &Resource> = known.iter().map(|known| (&known.id, known)).collect();
    let taken_at = seen.iter().map(|resource| resource.observed_at).max();
    for resource in seen {
        if let Some(known) = by_id.get(&resource.id) {
            // Something was done to it since the inventory saw it, and what came of that was observed.
            if known.observed_at > resource.observed_at && taken_at.is_some_and(|taken| known.observed_at <= taken) {
                continue;
            }
            change::insert(&mut tx, &between(known, resource)).await?;
        }
        upsert(&mut *tx, resource).await?;
    }
    if let Some(now) = taken_at {
        change::expire(&mut tx, connection, now).await?;
    }
    let ids: HashSet<&ResourceId> = seen.iter().map(|resource| &resource.id).collect();
    for known in known.iter().filter(|known| complete.contains(&known.kind) && !ids.contains(&known.id)) {
        upsert(&mut *tx, &Resource { state: ResourceState::Deleted, ..known.clone() }).await?;
        end_description(&mut tx, connection, &known.id, taken_at.unwrap_or_else(Timestamp::now)).await?;
    }
    Ok(tx.commit().await?)
}
