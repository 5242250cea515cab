//! The sums over recommendations, read.

use reeve_estate::Money;
use reeve_recommend::agent::AgentId;
use reeve_recommend::recommendation::Priority;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::totals::RecommendationTotal;
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::derived::values::rank;
use crate::fault::Fault;
use crate::rows::{named, unreadable};

pub(in crate::agents) async fn totals(store: &Store) -> Result<Vec<RecommendationTotal>, Fault> {
    let rows = sqlx::query(
        "SELECT agent_id, status, priority, by_hand, taken_back, CAST(SUM(recommendations) AS BIGINT),
             CAST(SUM(unpriced) AS BIGINT), CAST(SUM(expected) AS BIGINT), CAST(SUM(measured) AS BIGINT),
             CAST(SUM(measured_expected) AS BIGINT), CAST(SUM(realised) AS BIGINT)
         FROM recommendation_totals GROUP BY agent_id, status, priority, by_hand, taken_back
         HAVING SUM(recommendations) > 0 ORDER BY agent_id, status, priority, by_hand, taken_back",
    )
    .fetch_all(store.read())
    .await?;
    rows.iter().map(total).collect()
}

fn total(row: &AnyRow) -> Result<RecommendationTotal, Fault> {
    let (agent, status): (String, String) = (row.try_get(0)?, row.try_get(1)?);
    let priority: i64 = row.try_get(2)?;
    let unread = || unreadable("total of", "recommendations");
    let ranked = |_: &str| {
        Priority::ALL
            .iter()
            .copied()
            .find(|one| rank(*one) == priority)
    };

    let count = |column: usize| -> Result<u64, Fault> {
        Ok(row.try_get::<i64, _>(column)?.max(0).unsigned_abs())
    };

    let sum =
        |column: usize| -> Result<Money, Fault> { Ok(Money::from_micros(row.try_get(column)?)) };
    Ok(RecommendationTotal {
        agent: (!agent.is_empty()).then_some(AgentId(agent)),
        status: named("status", &status, Status::parse).map_err(unread())?,
        priority: named("priority", &priority.to_string(), ranked).map_err(unread())?,
        is_by_hand: row.try_get::<i64, _>(3)? == 1,
        is_taken_back: row.try_get::<i64, _>(4)? == 1,
        count: count(5)?,
        unpriced: count(6)?,
        expected: sum(7)?,
        measured: count(8)?,
        measured_expected: sum(9)?,
        realised: sum(10)?,
    })
}
