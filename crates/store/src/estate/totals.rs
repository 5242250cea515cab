//! Sums over the inventory. They are read again for the connections whose inventory was written
//! since, and held for the others.

use std::collections::HashMap;

use reeve_estate::{ConnectionId, Money, Provider, ResourceKind, ResourceState, ResourceTotal};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};

use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::{named, unreadable};

/// Writer of an inventory.
#[derive(Debug, Clone, Copy)]
pub(super) enum TotalWriter {
    /// An inventory that is taken over.
    Sync,
    /// Sums change with one observed resource.
    Observation,
}

impl TotalWriter {
    const fn as_str(self) -> &'static str {
        match self {
            TotalWriter::Sync => "sync",
            TotalWriter::Observation => "observation",
        }
    }
}

/// Says that the inventory of a connection was written. Once a transaction, at its end: each call
/// leaves a version of the row behind.
pub(super) async fn advance(
    connection: &mut AnyConnection,
    id: &ConnectionId,
    writer: TotalWriter,
) -> Result<(), Fault> {
    sqlx::query(
        "INSERT INTO resource_revisions (connection_id, writer, revision) VALUES ($1, $2, 1)
         ON CONFLICT (connection_id, writer) DO UPDATE SET revision = resource_revisions.revision + 1",
    )
    .bind(&id.0)
    .bind(writer.as_str())
    .execute(connection)
    .await
    .map_err(|error| Fault::or_orphan(error, "connection", &id.0))?;
    Ok(())
}

pub(super) async fn list(store: &Store) -> Result<Vec<ResourceTotal>, Fault> {
    // Before the sums: what is written in between is read again next time.
    let revisions = sqlx::query(
        "SELECT c.id, CAST(COALESCE(SUM(r.revision), 0) AS BIGINT) FROM connections c
         LEFT JOIN resource_revisions r ON r.connection_id = c.id GROUP BY c.id ORDER BY c.id",
    )
    .fetch_all(store.read())
    .await?;

    let mut totals = Vec::new();
    let mut current = HashMap::with_capacity(revisions.len());

    for row in &revisions {
        let (id, revision): (String, i64) = (row.try_get(0)?, row.try_get(1)?);
        let found = match store.inventory_totals().get(&id, revision) {
            Some(found) => found,
            None => summed(store, &id).await?,
        };
        totals.extend(found.iter().cloned());
        current.insert(id, (revision, found));
    }

    store.inventory_totals().replace(current);
    Ok(totals)
}

async fn summed(store: &Store, connection: &str) -> Result<Vec<ResourceTotal>, Fault> {
    let mut filter = Filter::default();
    filter.text("connection_id = ?", connection);
    filter.text("state <> ?", ResourceState::Deleted.as_str());
    let sql = filter.sql(
        "SELECT connection_id, provider, account, region, service, kind, COUNT(*),
             COUNT(*) - COUNT(monthly_cost), CAST(COALESCE(SUM(monthly_cost), 0) AS BIGINT) FROM resources",
        " GROUP BY connection_id, provider, account, region, service, kind ORDER BY 1, 2, 3, 4, 5, 6",
    );

    filter
        .query(sql)
        .fetch_all(store.read())
        .await?
        .iter()
        .map(total)
        .collect()
}

fn total(row: &AnyRow) -> Result<ResourceTotal, Fault> {
    let (provider, kind): (String, String) = (row.try_get(1)?, row.try_get(5)?);
    let unread = || unreadable("total of", "resources");
    Ok(ResourceTotal {
        connection: ConnectionId(row.try_get(0)?),
        provider: named("provider", &provider, Provider::parse).map_err(unread())?,
        account: row.try_get(2)?,
        region: row.try_get(3)?,
        service: row.try_get(4)?,
        kind: named("kind", &kind, ResourceKind::parse).map_err(unread())?,
        resources: row.try_get::<i64, _>(6)?.unsigned_abs(),
        unpriced: row.try_get::<i64, _>(7)?.unsigned_abs(),
        monthly_cost: Money::from_micros(row.try_get(8)?),
    })
}
