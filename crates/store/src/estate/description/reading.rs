//! Accounts of readings: one row a connection, kind and region.

use jiff::Timestamp;
use reeve_estate::{ConnectionId, DescriptionReading, ReadOutcome, ResourceKind};
use sqlx::any::{Any, AnyRow};
use sqlx::{Row as _, Transaction};

use super::version::time;
use crate::batch::{Cell, Insert};
use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{named, unreadable};

const SIGHTING: &str = "INSERT INTO resource_sightings (connection_id, kind, region, seen_at_ms)";

/// Writes the account of a reading; one that was not complete keeps the time of the last that was.
pub(super) async fn put(
    store: &Store,
    connection: &ConnectionId,
    reading: &DescriptionReading,
) -> Result<(), Fault> {
    let complete = (reading.outcome == ReadOutcome::Complete).then_some(reading.read_at);
    let mut tx = store.begin().await?;
    sqlx::query(
        "INSERT INTO resource_readings (connection_id, kind, region, outcome, permission, seen, message, begun_at_ms,
             read_at_ms, complete_at_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT (connection_id, kind, region) DO UPDATE SET outcome = excluded.outcome,
             permission = excluded.permission, seen = excluded.seen, message = excluded.message,
             begun_at_ms = excluded.begun_at_ms, read_at_ms = excluded.read_at_ms,
             complete_at_ms = COALESCE(excluded.complete_at_ms, resource_readings.complete_at_ms)",
    )
    .bind(&connection.0)
    .bind(reading.kind.as_str())
    .bind(&reading.region)
    .bind(reading.outcome.as_str())
    .bind(&reading.permission)
    .bind(i64::try_from(reading.seen).unwrap_or(i64::MAX))
    .bind(reading.message.replace('\0', ""))
    .bind(reading.begun_at.as_millisecond())
    .bind(reading.read_at.as_millisecond())
    .bind(complete.map(Timestamp::as_millisecond))
    .execute(&mut *tx)
    .await
    .map_err(|error| Fault::or_orphan(error, "connection", &connection.0))?;

    // The inventory says when the kinds that it reads were seen.
    if complete.is_some() && !ResourceKind::SPECIFIED.contains(&reading.kind) {
        sighted(
            &mut tx,
            connection,
            &[(reading.kind, reading.region.as_str())],
            reading.begun_at,
        )
        .await?;
    }

    Ok(tx.commit().await?)
}

/// Keeps that all resources of kinds and regions were seen at a time, but those that are gone.
pub(in crate::estate) async fn sighted(
    tx: &mut Transaction<'_, Any>,
    connection: &ConnectionId,
    kinds: &[(ResourceKind, &str)],
    at: Timestamp,
) -> Result<(), Fault> {
    let mut insert = Insert::new(
        SIGHTING,
        "ON CONFLICT (connection_id, kind, region) DO UPDATE SET seen_at_ms = excluded.seen_at_ms",
    );
    for (kind, region) in kinds {
        let (connection, kind) = (connection.0.as_str().into(), kind.as_str().into());
        insert.row([
            connection,
            kind,
            (*region).into(),
            Cell::Integer(at.as_millisecond()),
        ]);
    }

    insert.run_for(tx, &connection.0).await
}

pub(super) async fn list(
    store: &Store,
    connection: &ConnectionId,
) -> Result<Vec<DescriptionReading>, Fault> {
    let rows = sqlx::query(
        "SELECT kind, region, outcome, permission, seen, message, begun_at_ms, read_at_ms, complete_at_ms
         FROM resource_readings WHERE connection_id = $1 ORDER BY kind, region",
    )
    .bind(&connection.0)
    .fetch_all(store.read())
    .await?;
    rows.iter().map(reading).collect()
}

fn reading(row: &AnyRow) -> Result<DescriptionReading, Fault> {
    let (kind, outcome): (String, String) = (row.try_get(0)?, row.try_get(2)?);
    let unread = || unreadable("reading of", &kind);
    let seen: i64 = row.try_get(4)?;
    let complete_at: Option<i64> = row.try_get(8)?;

    Ok(DescriptionReading {
        kind: named("kind", &kind, ResourceKind::named).map_err(unread())?,
        region: row.try_get(1)?,
        outcome: named("outcome", &outcome, ReadOutcome::parse).map_err(unread())?,
        permission: row.try_get(3)?,
        seen: seen.unsigned_abs(),
        message: row.try_get(5)?,
        begun_at: time(row.try_get(6)?)?,
        read_at: time(row.try_get(7)?)?,
        complete_at: complete_at.map(time).transpose()?,
    })
}
