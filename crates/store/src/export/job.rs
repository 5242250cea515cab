//! Exports as jobs.

use jiff::Timestamp;
use reeve_exports::{Export, ExportFilter, ExportId};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::room;
use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::export::{ExportColumns, ExportRow};
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

const SELECT: &str =
    "SELECT id, schedule_id, state, created_at_ms, expires_at_ms, version, document FROM exports";
/// Expired exports that are returned at once.
const EXPIRED: u64 = 100;

type Result<T> = std::result::Result<T, Fault>;

pub(super) async fn insert(store: &Store, export: &Export, most: u64) -> Result<()> {
    let mut tx = store.begin().await?;
    let count = "SELECT COUNT(*) FROM exports WHERE state IN ('queued', 'running')";
    room(
        "exports that wait or run",
        sqlx::query(count).fetch_one(&mut *tx).await?.try_get(0)?,
        most,
    )?;

    sqlx::query(
        "INSERT INTO exports (id, user_id, schedule_id, state, created_at_ms, expires_at_ms, version, document)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(&export.id.0)
    .bind(&export.requester.user.0)
    .bind(export.schedule.as_ref().map(|schedule| schedule.0.clone()))
    .bind(export.state.as_str())
    .bind(export.created_at.as_millisecond())
    .bind(export.expires_at.map(Timestamp::as_millisecond))
    .bind(version(export.version))
    .bind(encode(&ExportRow::from(export))?)
    .execute(&mut *tx)
    .await
    .map_err(|error| Fault::or_taken(error, || format!("the export {} exists already", export.id.0)))?;

    Ok(tx.commit().await?)
}

pub(super) async fn update(store: &Store, export: &Export) -> Result<()> {
    let record = Versioned {
        noun: "export",
        select: "SELECT version FROM exports WHERE id = $1",
        id: &export.id.0,
        version: export.version,
    };

    let update = sqlx::query(
        "UPDATE exports SET state = $3, expires_at_ms = $4, version = $5, document = $6 WHERE id = $1 AND version = $2",
    )
    .bind(&export.id.0)
    .bind(record.expected())
    .bind(export.state.as_str())
    .bind(export.expires_at.map(Timestamp::as_millisecond))
    .bind(version(export.version))
    .bind(encode(&ExportRow::from(export))?);

    record
        .run(&mut *store.write().acquire().await?, update, String::new)
        .await
}

pub(super) async fn get(store: &Store, id: &ExportId) -> Result<Export> {
    let mut filter = Filter::default();
    filter.text("id = ?", &id.0);
    let row = filter
        .query(filter.sql(SELECT, ""))
        .fetch_optional(store.read())
        .await?;
    export(&row.ok_or_else(|| Fault::not_found("export", &id.0))?)
}

pub(super) async fn list(store: &Store, given: &ExportFilter) -> Result<(Vec<Export>, u64)> {
    let mut filter = Filter::default();
    if let Some(user) = &given.user {
        filter.text("user_id = ?", user);
    }
    if let Some(state) = given.state {
        filter.text("state = ?", state.as_str());
    }
    if let Some(schedule) = &given.schedule {
        filter.text("schedule_id = ?", &schedule.0);
    }

    let count = filter
        .query(filter.sql("SELECT COUNT(*) FROM exports", ""))
        .fetch_one(store.read())
        .await?;
    let total = u64::try_from(count.try_get::<i64, _>(0)?).unwrap_or_default();
    let page = filter.page(
        SELECT,
        " ORDER BY created_at_ms DESC, id DESC",
        given.limit,
        given.offset,
    );
    let rows = filter.query(page).fetch_all(store.read()).await?;

    Ok((rows.iter().map(export).collect::<Result<_>>()?, total))
}

pub(super) async fn next(store: &Store, skipped: &[ExportId]) -> Result<Option<Export>> {
    let mut filter = Filter::default();
    filter.one_of("state", ["queued", "running"]);

    // "running" comes after "queued" in the alphabet.
    let page = filter.page(
        SELECT,
        " ORDER BY state DESC, created_at_ms, id",
        skipped.len() as u64 + 1,
        0,
    );

    for row in filter.query(page).fetch_all(store.read()).await? {
        let id: String = row.try_get(0)?;
        if !skipped.iter().any(|skipped| skipped.0 == id) {
            return export(&row).map(Some);
        }
    }

    Ok(None)
}

pub(super) async fn expired(store: &Store, now: Timestamp) -> Result<Vec<Export>> {
    let mut filter = Filter::default();
    filter.integer("expires_at_ms <= ?", now.as_millisecond());
    let page = filter.page(SELECT, " ORDER BY expires_at_ms, id", EXPIRED, 0);

    filter
        .query(page)
        .fetch_all(store.read())
        .await?
        .iter()
        .map(export)
        .collect()
}

fn export(row: &AnyRow) -> Result<Export> {
    let id: String = row.try_get(0)?;
    let columns = ExportColumns {
        id: id.clone(),
        schedule: row.try_get(1)?,
        state: row.try_get(2)?,
        created_at_ms: row.try_get(3)?,
        expires_at_ms: row.try_get(4)?,
        version: u64::try_from(row.try_get::<i64, _>(5)?).unwrap_or_default(),
    };

    decode::<ExportRow>(row.try_get(6)?)
        .and_then(|row| row.into_export(columns))
        .map_err(unreadable("export", &id))
}
