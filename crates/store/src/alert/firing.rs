//! Firings: the evaluator writes their entries, people their state; neither overwrites the other.

use reeve_alerts::state::{decode_entries, encode_entries};
use reeve_alerts::{Firing, FiringFilter, FiringGrowth, FiringId, KEPT_ENTRIES};
use sqlx::any::AnyRow;
use sqlx::{Any, Row as _, Transaction};

use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::alert::{FiringColumns, FiringRow, HandlingRow};
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

type Result<T> = std::result::Result<T, Fault>;

const SELECT: &str =
    "SELECT id, status, version, document, handling, first_at_ms, last_at_ms, entry_count, entries
    FROM alert_firings";

/// Adds a firing; one that is kept already stays as it is.
pub(super) async fn insert(tx: &mut Transaction<'_, Any>, firing: &Firing) -> Result<()> {
    sqlx::query(
        "INSERT INTO alert_firings (id, rule_id, status, detected_at_ms, sequence, recorded, version, document, handling,
            first_at_ms, last_at_ms, entry_count, entries)
         VALUES ($1, $2, $3, $4, $5, 0, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (id) DO NOTHING",
    )
    .bind(&firing.id.0)
    .bind(&firing.rule.0)
    .bind(firing.status.as_str())
    .bind(firing.detected_at.as_millisecond())
    .bind(version(firing.sequence))
    .bind(version(firing.version))
    .bind(encode(&FiringRow::from(firing))?)
    .bind(encode(&HandlingRow::from(firing))?)
    .bind(firing.first_at.as_millisecond())
    .bind(firing.last_at.as_millisecond())
    .bind(version(firing.count))
    .bind(encode_entries(&firing.entries))
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Adds later entries to a firing that is kept.
pub(super) async fn grow(tx: &mut Transaction<'_, Any>, growth: &FiringGrowth) -> Result<()> {
    let entries = if growth.entries.is_empty() {
        None
    } else {
        listed(tx, growth).await?
    };

    sqlx::query(
        "UPDATE alert_firings SET first_at_ms = $2, last_at_ms = $3, entry_count = $4, entries = COALESCE($5, entries)
         WHERE id = $1",
    )
    .bind(&growth.id.0)
    .bind(growth.first_at.as_millisecond())
    .bind(growth.last_at.as_millisecond())
    .bind(version(growth.count))
    .bind(entries)
    .execute(&mut **tx)
    .await?;

    Ok(())
}

/// Returns the entries that a firing lists, the later ones behind them; `None` for a firing that is
/// gone.
async fn listed(tx: &mut Transaction<'_, Any>, growth: &FiringGrowth) -> Result<Option<String>> {
    let row = sqlx::query("SELECT entries FROM alert_firings WHERE id = $1")
        .bind(&growth.id.0)
        .fetch_optional(&mut **tx)
        .await?;
    let Some(row) = row else { return Ok(None) };
    let read = decode_entries(row.try_get(0)?);
    let mut entries =
        read.map_err(|error| Fault::Backend(format!("firing {}: {error}", growth.id.0)))?;
    entries.extend(growth.entries.iter().cloned());
    entries.truncate(KEPT_ENTRIES);

    Ok(Some(encode_entries(&entries)))
}

pub(super) async fn list(store: &Store, asked: &FiringFilter) -> Result<(Vec<Firing>, u64)> {
    let mut filter = Filter::default();
    if let Some(rule) = &asked.rule {
        filter.text("rule_id = ?", rule.0.as_str());
    }
    if let Some(status) = asked.status {
        filter.text("status = ?", status.as_str());
    }

    let count = filter
        .query(filter.sql("SELECT COUNT(*) FROM alert_firings", ""))
        .fetch_one(store.read())
        .await?;
    let total = u64::try_from(count.try_get::<i64, _>(0)?).unwrap_or_default();
    let page = filter.page(
        SELECT,
        " ORDER BY detected_at_ms DESC, sequence DESC, id DESC",
        asked.limit,
        asked.offset,
    );
    let rows = filter.query(page).fetch_all(store.read()).await?;

    Ok((rows.iter().map(firing).collect::<Result<_>>()?, total))
}

pub(super) async fn get(store: &Store, id: &FiringId) -> Result<Firing> {
    let mut filter = Filter::default();
    filter.text("id = ?", id.0.as_str());
    let row = filter
        .query(filter.sql(SELECT, ""))
        .fetch_optional(store.read())
        .await?;
    firing(&row.ok_or_else(|| Fault::not_found("firing", &id.0))?)
}

pub(super) async fn handle(store: &Store, firing: &Firing) -> Result<()> {
    let record = Versioned {
        noun: "firing",
        select: "SELECT version FROM alert_firings WHERE id = $1",
        id: &firing.id.0,
        version: firing.version,
    };

    let update =
        sqlx::query("UPDATE alert_firings SET status = $3, handling = $4, version = $5 WHERE id = $1 AND version = $2")
            .bind(&firing.id.0)
            .bind(record.expected())
            .bind(firing.status.as_str())
            .bind(encode(&HandlingRow::from(firing))?)
            .bind(version(firing.version));

    record
        .run(&mut *store.write().acquire().await?, update, || {
            "the firing exists already".to_owned()
        })
        .await
}

pub(super) async fn unrecorded(store: &Store, limit: u64) -> Result<Vec<Firing>> {
    let mut filter = Filter::default();
    filter.integer("recorded = ?", 0);
    let rows = filter
        .query(filter.page(SELECT, " ORDER BY sequence, id", limit, 0))
        .fetch_all(store.read())
        .await?;
    rows.iter().map(firing).collect()
}

pub(super) async fn recorded(store: &Store, ids: &[FiringId]) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }

    let mut filter = Filter::default();
    filter.one_of("id", ids.iter().map(|id| id.0.as_str()));
    filter
        .query(filter.sql("UPDATE alert_firings SET recorded = 1", ""))
        .execute(store.write())
        .await?;

    Ok(())
}

fn firing(row: &AnyRow) -> Result<Firing> {
    let id: String = row.try_get(0)?;
    let unsigned = |at: usize| {
        row.try_get::<i64, _>(at)
            .map(|number| u64::try_from(number).unwrap_or_default())
    };

    let columns = FiringColumns {
        id: id.clone(),
        status: row.try_get(1)?,
        version: unsigned(2)?,
        first_at_ms: row.try_get(5)?,
        last_at_ms: row.try_get(6)?,
        count: unsigned(7)?,
        entries: row.try_get(8)?,
    };

    let (document, handling): (&str, &str) = (row.try_get(3)?, row.try_get(4)?);
    let read = decode::<FiringRow>(document)
        .and_then(|firing| Ok((firing, decode::<HandlingRow>(handling)?)))
        .and_then(|(firing, handling)| firing.into_firing(handling, columns));
    read.map_err(unreadable("firing", &id))
}
