//! Rows of drifts, and of the syncs that were compared.

use std::collections::BTreeSet;

use jiff::Timestamp;
use reeve_estate::{ConnectionId, ResourceId};
use reeve_recommend::drift::{BaselineId, Drift, DriftCount, DriftFilter, DriftId, DriftState};
use sqlx::any::{Any, AnyRow};
use sqlx::{Row as _, Transaction};

use crate::database::Store;
use crate::estate::time;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::{decode, encode, named, unreadable};

pub(super) async fn put(store: &Store, drifts: &[Drift]) -> Result<(), Fault> {
    let mut tx = store.begin().await?;
    for drift in drifts {
        put_one(&mut tx, drift).await?;
    }
    Ok(tx.commit().await?)
}

async fn put_one(tx: &mut Transaction<'_, Any>, drift: &Drift) -> Result<(), Fault> {
    let ends_at = drift
        .acceptance
        .as_ref()
        .filter(|_| drift.state == DriftState::Accepted)
        .map_or(0, |acceptance| acceptance.ends_at.as_millisecond());
    sqlx::query(
        "INSERT INTO drifts (id, baseline_id, connection_id, resource_id, kind, state, changed_at_ms, ends_at_ms, document)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         ON CONFLICT (id) DO UPDATE SET state = excluded.state, changed_at_ms = excluded.changed_at_ms,
             ends_at_ms = excluded.ends_at_ms, document = excluded.document",
    )
    .bind(&drift.id.0)
    .bind(&drift.baseline.0)
    .bind(&drift.subject.connection.0)
    .bind(&drift.subject.resource.0)
    .bind(drift.subject.kind.as_str())
    .bind(drift.state.as_str())
    .bind(drift.changed_at.as_millisecond())
    .bind(ends_at)
    .bind(encode(drift)?)
    .execute(&mut **tx)
    .await
    .map_err(|error| {
        Fault::or_taken_or_orphan(error, "drift", "baseline", &drift.baseline.0)
    })?;

    sqlx::query("DELETE FROM drift_documents WHERE drift_id = $1")
        .bind(&drift.id.0)
        .execute(&mut **tx)
        .await?;
    for hash in drift.hashes().collect::<BTreeSet<_>>() {
        sqlx::query("INSERT INTO drift_documents (drift_id, hash) VALUES ($1, $2)")
            .bind(&drift.id.0)
            .bind(hash)
            .execute(&mut **tx)
            .await?;
    }
    Ok(())
}

pub(super) async fn get(store: &Store, id: &DriftId) -> Result<Drift, Fault> {
    let row = sqlx::query("SELECT id, document FROM drifts WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    drift(&row.ok_or_else(|| Fault::not_found("drift", &id.0))?)
}

fn drift(row: &AnyRow) -> Result<Drift, Fault> {
    let id: String = row.try_get(0)?;
    decode::<Drift>(row.try_get(1)?).map_err(unreadable("drift", &id))
}

fn filtered(wanted: &DriftFilter) -> Filter {
    let mut filter = Filter::default();
    filter.visible("connection_id", &wanted.visible);
    if let Some(baseline) = &wanted.baseline {
        filter.text("baseline_id = ?", &baseline.0);
    }
    if let Some(connection) = &wanted.connection {
        filter.text("connection_id = ?", &connection.0);
    }
    if let Some(kind) = wanted.kind {
        filter.text("kind = ?", kind.as_str());
    }
    filter.one_of("state", wanted.states.iter().map(|state| state.as_str()));
    filter.one_of(
        "resource_id",
        wanted.resources.iter().map(ResourceId::as_str),
    );
    if let Some(since) = wanted.since {
        filter.integer("changed_at_ms >= ?", since.as_millisecond());
    }
    if let Some(by) = wanted.ended_by {
        filter.integer(
            "state = 'accepted' AND ends_at_ms <= ?",
            by.as_millisecond(),
        );
    }
    filter
}

pub(super) async fn list(store: &Store, wanted: &DriftFilter) -> Result<(Vec<Drift>, u64), Fault> {
    let filter = filtered(wanted);
    let order = match wanted.ended_by {
        None => " ORDER BY changed_at_ms DESC, id DESC",
        // The order of the index that has these alone: they are asked for every few seconds.
        Some(_) => " ORDER BY ends_at_ms, id",
    };
    let page = filter.page(
        "SELECT id, document FROM drifts",
        order,
        wanted.limit,
        wanted.offset,
    );
    let rows = filter.query(page).fetch_all(store.read()).await?;
    let found = rows.iter().map(drift).collect::<Result<Vec<_>, _>>()?;
    if wanted.limit == 0 && wanted.offset == 0 {
        let total = found.len() as u64;
        return Ok((found, total));
    }

    let sql = filter.sql("SELECT COUNT(*) FROM drifts", "");
    let total: i64 = filter
        .query(sql)
        .fetch_one(store.read())
        .await?
        .try_get(0)?;
    Ok((found, total.unsigned_abs()))
}

pub(super) async fn counts(store: &Store, wanted: &DriftFilter) -> Result<Vec<DriftCount>, Fault> {
    let filter = filtered(wanted);
    let sql = filter.sql(
        "SELECT baseline_id, state, COUNT(*) FROM drifts",
        " GROUP BY baseline_id, state ORDER BY baseline_id, state",
    );
    let rows = filter.query(sql).fetch_all(store.read()).await?;
    rows.iter()
        .map(|row| {
            let (state, count): (String, i64) = (row.try_get(1)?, row.try_get(2)?);
            Ok(DriftCount {
                baseline: BaselineId(row.try_get(0)?),
                state: named("state of a drift", &state, DriftState::parse)
                    .map_err(unreadable("drift", &state))?,
                count: count.unsigned_abs(),
            })
        })
        .collect()
}

pub(super) async fn compared_until(
    store: &Store,
    connection: &ConnectionId,
) -> Result<Option<Timestamp>, Fault> {
    let row = sqlx::query("SELECT until_ms FROM drift_comparisons WHERE connection_id = $1")
        .bind(&connection.0)
        .fetch_optional(store.read())
        .await?;
    row.map(|row| time(row.try_get(0)?)).transpose()
}

pub(super) async fn compared_put(
    store: &Store,
    connection: &ConnectionId,
    until: Timestamp,
) -> Result<(), Fault> {
    let mut tx = store.begin().await?;
    sqlx::query(
        "INSERT INTO drift_comparisons (connection_id, until_ms) VALUES ($1, $2)
         ON CONFLICT (connection_id) DO UPDATE SET until_ms = excluded.until_ms",
    )
    .bind(&connection.0)
    .bind(until.as_millisecond())
    .execute(&mut *tx)
    .await
    .map_err(|error| Fault::or_orphan(error, "connection", &connection.0))?;
    Ok(tx.commit().await?)
}
