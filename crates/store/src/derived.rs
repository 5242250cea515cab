//! Columns and sums that follow from documents: what lists, totals, guardrails and the scheduler
//! read instead of the documents.

pub(crate) mod totals;
pub(crate) mod values;

use reeve_recommend::action::{Action, Purpose, realised_savings};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};

use crate::fault::Fault;
use crate::rows::action::action;
use crate::rows::anomaly::anomaly;
use crate::rows::recommendation::recommendation;

/// Rows that are filled at a time.
const CHUNK: i64 = 500;

const FILL_RECOMMENDATION: &str =
    "UPDATE recommendations SET resource_kind = $1, service = $2, instance_type = $3, target_type = $4, cause = $5,
         closing = $6, taken_back = $7, by_hand = $8, expected_savings = $9, monthly_cost = $10, updated_at_ms = $11,
         due_at_ms = $12 WHERE id = $13";

/// Keeps the measured saving with the recommendation, once the action's effect is observed.
pub(crate) async fn keep_saving(connection: &mut AnyConnection, of: &Action) -> Result<(), Fault> {
    if of.purpose != Purpose::Apply || of.watch.is_none() {
        return Ok(());
    }

    let all = sqlx::query(
        "SELECT id, document FROM actions WHERE recommendation_id = $1 ORDER BY started_at_ms DESC, id DESC",
    )
    .bind(&of.recommendation.0)
    .fetch_all(&mut *connection)
    .await?;
    let all = all.iter().map(action).collect::<Result<Vec<_>, Fault>>()?;

    totals::measure(connection, &of.recommendation, realised_savings(&all)).await
}

/// Fills the columns and sums of rows that were written before there were any: what a migration
/// cannot say in SQL.
pub(crate) async fn fill(connection: &mut AnyConnection) -> Result<(), Fault> {
    fill_recommendations(connection).await?;
    totals::rebuild(connection).await?;
    fill_actions(connection).await
}

/// Reads the rows after the last identifier, and moves it on to the last of them.
async fn next(
    connection: &mut AnyConnection,
    sql: &'static str,
    last: &mut String,
) -> Result<Vec<AnyRow>, Fault> {
    let rows = sqlx::query(sql)
        .bind(last.clone())
        .bind(CHUNK)
        .fetch_all(connection)
        .await?;

    if let Some(row) = rows.last() {
        *last = row.try_get(0)?;
    }
    Ok(rows)
}

async fn fill_recommendations(connection: &mut AnyConnection) -> Result<(), Fault> {
    let mut last = String::new();
    loop {
        let rows = next(
            connection,
            "SELECT id, document FROM recommendations WHERE id > $1 ORDER BY id LIMIT $2",
            &mut last,
        )
        .await?;
        if rows.is_empty() {
            return Ok(());
        }
        for row in &rows {
            match recommendation(row) {
                Ok(found) => {
                    let filled =
                        values::bind(sqlx::query(FILL_RECOMMENDATION), &found).bind(&found.id.0);
                    filled.execute(&mut *connection).await?;
                }
                // It cannot be shown either; the others can.
                Err(fault) => {
                    tracing::warn!(%fault, "a recommendation is left out of lists and sums")
                }
            }
        }
    }
}

async fn fill_actions(connection: &mut AnyConnection) -> Result<(), Fault> {
    let mut last = String::new();
    loop {
        let rows = next(
            connection,
            "SELECT id, document FROM actions WHERE id > $1 ORDER BY id LIMIT $2",
            &mut last,
        )
        .await?;
        if rows.is_empty() {
            return Ok(());
        }
        for row in &rows {
            match action(row) {
                Ok(found) => fill_action(connection, &found).await?,
                Err(fault) => tracing::warn!(%fault, "an action is left out of counts"),
            }
        }
    }
}

/// Fills the accounts of anomalies that were written before there was a column of them.
pub(crate) async fn fill_anomalies(connection: &mut AnyConnection) -> Result<(), Fault> {
    let mut last = String::new();
    loop {
        let rows = next(
            connection,
            "SELECT id, document FROM anomalies WHERE id > $1 ORDER BY id LIMIT $2",
            &mut last,
        )
        .await?;
        if rows.is_empty() {
            return Ok(());
        }
        for row in &rows {
            match anomaly(row) {
                Ok(found) => {
                    sqlx::query("UPDATE anomalies SET account = $2 WHERE id = $1")
                        .bind(&found.id.0)
                        .bind(found.place.account.as_deref())
                        .execute(&mut *connection)
                        .await?;
                }
                Err(fault) => tracing::warn!(%fault, "an anomaly is left out of scopes"),
            }
        }
    }
}

async fn fill_action(connection: &mut AnyConnection, action: &Action) -> Result<(), Fault> {
    sqlx::query("UPDATE actions SET purpose = $2, agent_id = $3, run_id = $4, resource_id = $5 WHERE id = $1")
        .bind(&action.id.0)
        .bind(action.purpose.as_str())
        .bind(action.agent_id.as_ref().map(|id| id.0.as_str()))
        .bind(action.run_id.as_deref())
        .bind(&action.resource.0)
        .execute(&mut *connection)
        .await?;
    keep_saving(connection, action).await
}
