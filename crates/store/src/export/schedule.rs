//! Scheduled exports.

use reeve_exports::{ScheduleId, ScheduledExport};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::room;
use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

type Result<T> = std::result::Result<T, Fault>;

fn taken(schedule: &ScheduledExport) -> String {
    format!("a scheduled export named {} exists already", schedule.name)
}

pub(super) async fn insert(store: &Store, schedule: &ScheduledExport, most: u64) -> Result<()> {
    let mut tx = store.begin().await?;
    let count = sqlx::query("SELECT COUNT(*) FROM export_schedules")
        .fetch_one(&mut *tx)
        .await?
        .try_get(0)?;
    room("scheduled exports", count, most)?;
    sqlx::query(
        "INSERT INTO export_schedules (id, name, version, document) VALUES ($1, $2, $3, $4)",
    )
    .bind(&schedule.id.0)
    .bind(&schedule.name)
    .bind(version(schedule.version))
    .bind(encode(schedule)?)
    .execute(&mut *tx)
    .await
    .map_err(|error| Fault::or_taken(error, || taken(schedule)))?;

    Ok(tx.commit().await?)
}

pub(super) async fn update(store: &Store, schedule: &ScheduledExport) -> Result<()> {
    let record = Versioned {
        noun: "scheduled export",
        select: "SELECT version FROM export_schedules WHERE id = $1",
        id: &schedule.id.0,
        version: schedule.version,
    };

    let update = sqlx::query(
        "UPDATE export_schedules SET name = $3, version = $4, document = $5 WHERE id = $1 AND version = $2",
    )
    .bind(&schedule.id.0)
    .bind(record.expected())
    .bind(&schedule.name)
    .bind(version(schedule.version))
    .bind(encode(schedule)?);

    record
        .run(&mut *store.write().acquire().await?, update, || {
            taken(schedule)
        })
        .await
}

pub(super) async fn delete(store: &Store, id: &ScheduleId) -> Result<()> {
    let done = sqlx::query("DELETE FROM export_schedules WHERE id = $1")
        .bind(&id.0)
        .execute(store.write())
        .await?;
    if done.rows_affected() == 0 {
        Err(Fault::not_found("scheduled export", &id.0))
    } else {
        Ok(())
    }
}

pub(super) async fn get(store: &Store, id: &ScheduleId) -> Result<ScheduledExport> {
    let row = sqlx::query("SELECT id, document FROM export_schedules WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    schedule(&row.ok_or_else(|| Fault::not_found("scheduled export", &id.0))?)
}

pub(super) async fn list(store: &Store) -> Result<Vec<ScheduledExport>> {
    let select = "SELECT id, document FROM export_schedules ORDER BY name, id";
    sqlx::query(select)
        .fetch_all(store.read())
        .await?
        .iter()
        .map(schedule)
        .collect()
}

fn schedule(row: &AnyRow) -> Result<ScheduledExport> {
    let id: String = row.try_get(0)?;
    decode::<ScheduledExport>(row.try_get(1)?).map_err(unreadable("scheduled export", &id))
}
