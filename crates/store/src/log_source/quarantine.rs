//! Events in quarantine, the oldest first.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use reeve_intake::{LogSourceId, QuarantineFilter, QuarantineId, QuarantinedEvent, Rejection};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::Fallible;
use crate::database::Store;
use crate::fault::Fault;

const NOUN: &str = "quarantined event";

pub(super) async fn insert(store: &Store, events: &[QuarantinedEvent], most: u64) -> Fallible<u64> {
    let mut tx = store.begin().await?;
    let mut kept = 0;
    for event in events {
        let done = sqlx::query(
            "INSERT INTO log_source_quarantine
                 (id, source_id, received_at_ms, field, message, raw, is_whole, attempts)
             SELECT $1, $2, $3, $4, $5, $6, $7, $8
             WHERE (SELECT COUNT(*) FROM log_source_quarantine WHERE source_id = $2) < $9",
        )
        .bind(&event.id.0)
        .bind(&event.source.0)
        .bind(event.received_at.as_millisecond())
        .bind(&event.rejection.field)
        .bind(&event.rejection.message)
        .bind(STANDARD.encode(&event.raw))
        .bind(i64::from(event.is_whole))
        .bind(i64::from(event.attempts))
        .bind(i64::try_from(most).unwrap_or(i64::MAX))
        .execute(&mut *tx)
        .await?;
        if done.rows_affected() == 0 {
            break;
        }
        kept += 1;
    }
    tx.commit().await?;
    Ok(kept)
}

pub(super) async fn list(
    store: &Store,
    source: &LogSourceId,
    filter: QuarantineFilter,
) -> Fallible<(Vec<QuarantinedEvent>, u64)> {
    let total: i64 = sqlx::query("SELECT COUNT(*) FROM log_source_quarantine WHERE source_id = $1")
        .bind(&source.0)
        .fetch_one(store.read())
        .await?
        .try_get(0)?;
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let rows = sqlx::query(
        "SELECT id, source_id, received_at_ms, field, message, raw, is_whole, attempts
         FROM log_source_quarantine WHERE source_id = $1
         ORDER BY received_at_ms, id LIMIT $2 OFFSET $3",
    )
    .bind(&source.0)
    .bind(number(filter.limit))
    .bind(number(filter.offset))
    .fetch_all(store.read())
    .await?;
    let events = rows.iter().map(event).collect::<Fallible<_>>()?;
    Ok((events, u64::try_from(total).unwrap_or_default()))
}

pub(super) async fn get(
    store: &Store,
    source: &LogSourceId,
    id: &QuarantineId,
) -> Fallible<QuarantinedEvent> {
    let row = sqlx::query(
        "SELECT id, source_id, received_at_ms, field, message, raw, is_whole, attempts
         FROM log_source_quarantine WHERE source_id = $1 AND id = $2",
    )
    .bind(&source.0)
    .bind(&id.0)
    .fetch_optional(store.read())
    .await?;
    event(&row.ok_or_else(|| Fault::not_found(NOUN, &id.0))?)
}

pub(super) async fn update(store: &Store, event: &QuarantinedEvent) -> Fallible<()> {
    sqlx::query(
        "UPDATE log_source_quarantine SET field = $2, message = $3, attempts = $4 WHERE id = $1",
    )
    .bind(&event.id.0)
    .bind(&event.rejection.field)
    .bind(&event.rejection.message)
    .bind(i64::from(event.attempts))
    .execute(store.write())
    .await?;
    Ok(())
}

pub(super) async fn delete(store: &Store, source: &LogSourceId, id: &QuarantineId) -> Fallible<()> {
    let done = sqlx::query("DELETE FROM log_source_quarantine WHERE source_id = $1 AND id = $2")
        .bind(&source.0)
        .bind(&id.0)
        .execute(store.write())
        .await?;
    if done.rows_affected() == 0 {
        return Err(Fault::not_found(NOUN, &id.0));
    }
    Ok(())
}

fn event(row: &AnyRow) -> Fallible<QuarantinedEvent> {
    let received: i64 = row.try_get(2)?;
    let raw: String = row.try_get(5)?;
    let is_whole: i64 = row.try_get(6)?;
    let attempts: i64 = row.try_get(7)?;
    let wrong = |error: &dyn std::fmt::Display| {
        Fault::Backend(format!("a quarantined event cannot be read: {error}"))
    };
    Ok(QuarantinedEvent {
        id: QuarantineId(row.try_get(0)?),
        source: LogSourceId(row.try_get(1)?),
        received_at: Timestamp::from_millisecond(received).map_err(|error| wrong(&error))?,
        rejection: Rejection {
            field: row.try_get(3)?,
            message: row.try_get(4)?,
        },
        raw: STANDARD.decode(raw).map_err(|error| wrong(&error))?,
        is_whole: is_whole != 0,
        attempts: u32::try_from(attempts).unwrap_or(u32::MAX),
    })
}
