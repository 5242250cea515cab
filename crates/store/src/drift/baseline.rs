//! Rows of baselines.

use reeve_recommend::drift::{BaselineId, DriftBaseline};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::number;
use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable};

/// Writes a baseline, and removes the pinned documents of its other revisions.
pub(super) async fn put(store: &Store, baseline: &DriftBaseline) -> Result<(), Fault> {
    let mut tx = store.begin().await?;
    sqlx::query(
        "INSERT INTO baselines (id, name_key, revision, document) VALUES ($1, $2, $3, $4)
         ON CONFLICT (id) DO UPDATE SET name_key = excluded.name_key,
             revision = excluded.revision, document = excluded.document",
    )
    .bind(&baseline.id.0)
    .bind(baseline.name.to_lowercase())
    .bind(number(baseline.revision))
    .bind(encode(baseline)?)
    .execute(&mut *tx)
    .await
    .map_err(|error| {
        Fault::or_taken(error, || {
            format!("a baseline has the name {} already", baseline.name)
        })
    })?;
    sqlx::query("DELETE FROM pinned_documents WHERE baseline_id = $1 AND revision <> $2")
        .bind(&baseline.id.0)
        .bind(number(baseline.revision))
        .execute(&mut *tx)
        .await?;

    Ok(tx.commit().await?)
}

pub(super) async fn get(store: &Store, id: &BaselineId) -> Result<DriftBaseline, Fault> {
    let row = sqlx::query("SELECT id, document FROM baselines WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    baseline(&row.ok_or_else(|| Fault::not_found("baseline", &id.0))?)
}

pub(super) async fn list(store: &Store) -> Result<Vec<DriftBaseline>, Fault> {
    let rows = sqlx::query("SELECT id, document FROM baselines ORDER BY name_key")
        .fetch_all(store.read())
        .await?;
    rows.iter().map(baseline).collect()
}

fn baseline(row: &AnyRow) -> Result<DriftBaseline, Fault> {
    let id: String = row.try_get(0)?;
    decode::<DriftBaseline>(row.try_get(1)?).map_err(unreadable("baseline", &id))
}

/// Removes a baseline with its pinned documents; its drifts go with it.
pub(super) async fn delete(store: &Store, id: &BaselineId) -> Result<(), Fault> {
    let mut tx = store.begin().await?;
    sqlx::query("DELETE FROM pinned_documents WHERE baseline_id = $1")
        .bind(&id.0)
        .execute(&mut *tx)
        .await?;
    let deleted = sqlx::query("DELETE FROM baselines WHERE id = $1")
        .bind(&id.0)
        .execute(&mut *tx)
        .await?;
    if deleted.rows_affected() == 0 {
        return Err(Fault::not_found("baseline", &id.0));
    }

    Ok(tx.commit().await?)
}
