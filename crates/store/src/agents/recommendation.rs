//! Recommendations: one that has not ended at most per resource and type, claimed by comparing
//! versions.

mod filter;
mod savings;
mod standing;
#[cfg(test)]
mod tests;
mod totals;

use std::collections::BTreeMap;

use reeve_recommend::agent::AgentId;
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::recommendation::{Recommendation, RecommendationId};
use sqlx::any::Any;
use sqlx::{AnyConnection, SqlStr, Transaction};

use crate::database::Store;
use crate::derived::totals::{self as sums, TotalPart};
use crate::derived::values::{self, agent_id, rank, savings_order};
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::recommendation::{RecommendationRow, recommendation};
use crate::rows::{encode, version};
use crate::versioned::Versioned;
use filter::{count, filter};

pub(super) use savings::{dismissals, outcomes, savings, savings_by_day};
pub(super) use standing::standing_savings;
pub(super) use totals::totals;

const SELECT: &str = "SELECT id, document FROM recommendations";

/// Order of lists: highest expected value first, then by priority and saving.
const RANKED: &str = " ORDER BY expected_value DESC, priority, savings DESC, created_at_ms, id";

const INSERT: &str =
    "INSERT INTO recommendations (resource_kind, service, instance_type, target_type, cause, closing, taken_back, by_hand,
         expected_savings, monthly_cost, updated_at_ms, due_at_ms, id, agent_id, agent_type, kind, status, is_open, priority,
         confidence, savings, connection_id, provider, account, region, resource_id, created_at_ms, version, document,
         expected_value, aspect)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
         $25, $26, $27, $28, $29, $30, $31)";

/// Subject, type and time of making never change; everything else may, the agent included: advice
/// is adopted by an agent of its type.
const UPDATE: &str =
    "UPDATE recommendations SET resource_kind = $1, service = $2, instance_type = $3, target_type = $4, cause = $5,
         closing = $6, taken_back = $7, by_hand = $8, expected_savings = $9, monthly_cost = $10, updated_at_ms = $11,
         due_at_ms = $12, status = $15, is_open = $16, priority = $17, confidence = $18, savings = $19, version = $20,
         document = $21, expected_value = $22, agent_id = $23, agent_type = $24
     WHERE id = $13 AND version = $14";

pub(super) async fn insert(store: &Store, recommendation: &Recommendation) -> Result<(), Fault> {
    insert_all(store, std::slice::from_ref(recommendation)).await
}

pub(super) async fn insert_all(
    store: &Store,
    recommendations: &[Recommendation],
) -> Result<(), Fault> {
    let mut tx = store.begin().await?;
    let mut added: BTreeMap<sums::TotalKey, sums::TotalSums> = BTreeMap::new();

    for recommendation in recommendations {
        insert_row(&mut tx, recommendation).await?;
        let part = TotalPart::new(recommendation, sums::TotalSaving::default());
        added.entry(part.key).or_default().add(&part.sums, 1);
    }

    sums::add(&mut tx, added).await?;
    Ok(tx.commit().await?)
}

async fn insert_row(
    connection: &mut AnyConnection,
    recommendation: &Recommendation,
) -> Result<(), Fault> {
    let subject = &recommendation.subject;
    values::bind(sqlx::query(INSERT), recommendation)
        .bind(&recommendation.id.0)
        .bind(agent_id(recommendation))
        .bind(recommendation.origin.agent_type.as_str())
        .bind(recommendation.kind.as_str())
        .bind(recommendation.status.as_str())
        .bind(i64::from(!recommendation.status.is_end()))
        .bind(rank(recommendation.priority))
        .bind(recommendation.confidence)
        .bind(savings_order(recommendation))
        .bind(&subject.connection.0)
        .bind(subject.provider.as_str())
        .bind(&subject.account)
        .bind(&subject.region)
        .bind(subject.id.as_str())
        .bind(recommendation.created_at.as_millisecond())
        .bind(version(recommendation.version))
        .bind(encode(&RecommendationRow::from(recommendation))?)
        .bind(recommendation.ranking.expected_value)
        .bind(subject.aspect.as_deref().unwrap_or_default())
        .execute(connection)
        .await
        .map_err(|error| Fault::or_taken(error, || taken(recommendation)))?;

    Ok(())
}

pub(super) async fn update_one(
    store: &Store,
    recommendation: &Recommendation,
) -> Result<(), Fault> {
    let mut tx = store.begin().await?;
    update(&mut tx, recommendation).await?;
    Ok(tx.commit().await?)
}

/// Replaces a recommendation and moves its part of the totals, in the caller's transaction.
pub(super) async fn update(
    connection: &mut AnyConnection,
    recommendation: &Recommendation,
) -> Result<(), Fault> {
    let record = Versioned {
        noun: "recommendation",
        select: "SELECT version FROM recommendations WHERE id = $1",
        id: &recommendation.id.0,
        version: recommendation.version,
    };

    let update = values::bind(sqlx::query(UPDATE), recommendation)
        .bind(&recommendation.id.0)
        .bind(record.expected())
        .bind(recommendation.status.as_str())
        .bind(i64::from(!recommendation.status.is_end()))
        .bind(rank(recommendation.priority))
        .bind(recommendation.confidence)
        .bind(savings_order(recommendation))
        .bind(version(recommendation.version))
        .bind(encode(&RecommendationRow::from(recommendation))?)
        .bind(recommendation.ranking.expected_value)
        .bind(agent_id(recommendation))
        .bind(recommendation.origin.agent_type.as_str());

    let before = TotalPart::stored(connection, &recommendation.id, Some(record.expected())).await?;
    record
        .run(connection, update, || taken(recommendation))
        .await?;

    match before {
        Some(before) => {
            let after = TotalPart::new(recommendation, before.saving);
            sums::shift(connection, before, after).await
        }
        None => Ok(()),
    }
}

fn taken(recommendation: &Recommendation) -> String {
    format!(
        "a recommendation of type {} that has not ended exists for {}",
        recommendation.kind, recommendation.subject.id
    )
}

pub(super) async fn get(store: &Store, id: &RecommendationId) -> Result<Recommendation, Fault> {
    let mut filter = Filter::default();
    filter.text("id = ?", &id.0);
    let row = filter
        .query(filter.sql(SELECT, ""))
        .fetch_optional(store.read())
        .await?;
    recommendation(&row.ok_or_else(|| Fault::not_found("recommendation", &id.0))?)
}

pub(super) async fn list(
    store: &Store,
    wanted: &RecommendationFilter,
) -> Result<(Vec<Recommendation>, u64), Fault> {
    let filter = filter(wanted);
    let page = page(&filter, wanted);
    let rows = filter.query(page).fetch_all(store.read()).await?;
    let found = rows
        .iter()
        .map(recommendation)
        .collect::<Result<Vec<_>, _>>()?;
    let is_whole = wanted.limit == 0 && wanted.offset == 0;
    let total = if is_whole {
        found.len() as u64
    } else {
        count(store, wanted).await?
    };

    Ok((found, total))
}

/// Statement of a list.
fn page(filter: &Filter, wanted: &RecommendationFilter) -> SqlStr {
    // What is due is a handful: the index of lists would be walked to its end for it.
    let order = if wanted.due_by.is_some() {
        " ORDER BY due_at_ms, id"
    } else {
        RANKED
    };
    filter.page(SELECT, order, wanted.limit, wanted.offset)
}

/// Returns the open recommendations of an agent.
pub(super) async fn open_of(
    tx: &mut Transaction<'static, Any>,
    agent: &AgentId,
) -> Result<Vec<Recommendation>, Fault> {
    let mut filter = Filter::default();
    filter.text("agent_id = ?", &agent.0);
    filter.fixed("is_open = 1");
    let rows = filter
        .query(filter.sql(SELECT, " ORDER BY id"))
        .fetch_all(&mut **tx)
        .await?;
    rows.iter().map(recommendation).collect()
}
