//! Changes found by inventories: the newest hundred of each resource, for ninety days.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{Attribute, ConnectionId, ResourceChange, ResourceId};
use sqlx::any::{Any, AnyRow};
use sqlx::{Row as _, Transaction};

use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::{named, unreadable};

/// Changes are kept for this long after they were seen.
const KEPT: SignedDuration = SignedDuration::from_hours(24 * 90);
/// Changes of one resource that are kept at most.
const MOST: i64 = 100;

/// Adds the changes of one resource that one look showed.
pub(super) async fn insert(
    tx: &mut Transaction<'_, Any>,
    changes: &[ResourceChange],
) -> Result<(), Fault> {
    for change in changes {
        // PostgreSQL takes no zero bytes.
        let text = |value: &str| value.replace('\0', "");
        sqlx::query(
            "INSERT INTO resource_changes (connection_id, resource_id, attribute, last_seen_at_ms, seen_at_ms,
                 value_before, value_after) VALUES ($1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT (connection_id, resource_id, seen_at_ms, attribute) DO NOTHING",
        )
        .bind(&change.connection.0)
        .bind(&change.resource.0)
        .bind(change.attribute.as_str())
        .bind(change.last_seen_at.as_millisecond())
        .bind(change.seen_at.as_millisecond())
        .bind(text(&change.before))
        .bind(text(&change.after))
        .execute(&mut **tx)
        .await?;
    }

    let Some(change) = changes.first() else {
        return Ok(());
    };

    sqlx::query(
        "DELETE FROM resource_changes WHERE connection_id = $1 AND resource_id = $2 AND seen_at_ms < (
             SELECT MIN(newest.seen_at_ms) FROM (
                 SELECT seen_at_ms FROM resource_changes WHERE connection_id = $1 AND resource_id = $2
                 ORDER BY seen_at_ms DESC LIMIT $3) AS newest)",
    )
    .bind(&change.connection.0)
    .bind(&change.resource.0)
    .bind(MOST)
    .execute(&mut **tx)
    .await?;

    Ok(())
}

/// Removes what is too old at a time.
pub(super) async fn expire(
    tx: &mut Transaction<'_, Any>,
    connection: &ConnectionId,
    now: Timestamp,
) -> Result<(), Fault> {
    let oldest = now.checked_sub(KEPT).unwrap_or(Timestamp::MIN);
    sqlx::query("DELETE FROM resource_changes WHERE connection_id = $1 AND seen_at_ms < $2")
        .bind(&connection.0)
        .bind(oldest.as_millisecond())
        .execute(&mut **tx)
        .await?;
    Ok(())
}

pub(super) async fn list(
    store: &Store,
    connection: &ConnectionId,
    resources: &[ResourceId],
    since: Timestamp,
) -> Result<Vec<ResourceChange>, Fault> {
    if resources.is_empty() {
        return Ok(Vec::new());
    }

    let mut filter = Filter::default();
    filter.text("connection_id = ?", connection.0.as_str());
    filter.one_of("resource_id", resources.iter().map(ResourceId::as_str));
    filter.integer("seen_at_ms >= ?", since.as_millisecond());
    let sql = filter.sql(
        "SELECT resource_id, connection_id, attribute, last_seen_at_ms, seen_at_ms, value_before, value_after
         FROM resource_changes",
        " ORDER BY seen_at_ms, resource_id, connection_id, attribute",
    );

    filter
        .query(sql)
        .fetch_all(store.read())
        .await?
        .iter()
        .map(change)
        .collect()
}

fn change(row: &AnyRow) -> Result<ResourceChange, Fault> {
    let resource: String = row.try_get(0)?;
    let attribute: String = row.try_get(2)?;
    let attribute = named("attribute", &attribute, Attribute::parse)
        .map_err(unreadable("change of a resource", &resource))?;
    let at = |column: usize| -> Result<Timestamp, Fault> {
        let ms: i64 = row.try_get(column)?;
        Timestamp::from_millisecond(ms).map_err(|error| Fault::Backend(error.to_string()))
    };

    Ok(ResourceChange {
        connection: ConnectionId(row.try_get(1)?),
        attribute,
        last_seen_at: at(3)?,
        seen_at: at(4)?,
        before: row.try_get(5)?,
        after: row.try_get(6)?,
        resource: ResourceId(resource),
    })
}
