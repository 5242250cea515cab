//! Taking an inventory over, all or nothing.

use std::collections::HashSet;

use reeve_estate::{ConnectionId, Resource, ResourceKind, ResourceState};

use super::resource::{resource, upsert};
use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;

/// Writes what was seen, and marks what is gone of the complete kinds as deleted.
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
    for resource in seen {
        upsert(&mut *tx, resource).await?;
    }
    if !complete.is_empty() {
        let ids: HashSet<&str> = seen.iter().map(|resource| resource.id.as_str()).collect();
        let mut filter = Filter::default();
        filter.text("connection_id = ?", &connection.0);
        filter.text("state <> ?", ResourceState::Deleted.as_str());
        filter.one_of("kind", complete.iter().map(|kind| kind.as_str()));
        let known = filter.query(filter.sql("SELECT id, document FROM resources", "")).fetch_all(&mut *tx).await?;
        for row in &known {
            let known = resource(row)?;
            if !ids.contains(known.id.as_str()) {
                upsert(&mut *tx, &Resource { state: ResourceState::Deleted, ..known }).await?;
            }
        }
    }
    Ok(tx.commit().await?)
}
