//! Recommendations: one that has not ended at most per resource and type, claimed by comparing versions.

use reeve_estate::Money;
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::{AgentId, Priority, Recommendation, RecommendationId};
use sqlx::any::{Any, AnyRow};
use sqlx::{AnyConnection, Row as _, Transaction};

use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::recommendation::RecommendationRow;
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

const SELECT: &str = "SELECT id, document FROM recommendations";

pub(super) async fn insert(store: &Store, recommendation: &Recommendation) -> Result<(), Fault> {
    let subject = &recommendation.subject;
    sqlx::query(
        "INSERT INTO recommendations (id, agent_id, agent_type, kind, status, is_open, priority, confidence, savings,
             connection_id, provider, account, region, resource_id, created_at_ms, version, document, expected_value)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
    )
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
    .execute(store.write())
    .await
    .map_err(|error| Fault::or_taken(error, || taken(recommendation)))?;
    Ok(())
}

pub(super) async fn update_one(store: &Store, recommendation: &Recommendation) -> Result<(), Fault> {
    update(&mut *store.write().acquire().await?, recommendation).await
}

/// Subject, type and time of making never change; everything else may, the agent included: advice is adopted by an agent of its
/// type.
pub(super) async fn update(connection: &mut AnyConnection, recommendation: &Recommendation) -> Result<(), Fault> {
    let record = Versioned {
        noun: "recommendation",
        select: "SELECT version FROM recommendations WHERE id = $1",
        id: &recommendation.id.0,
        version: recommendation.version,
    };
    let update = sqlx::query(
        "UPDATE recommendations SET status = $3, is_open = $4, priority = $5, confidence = $6, savings = $7, version = $8,
             document = $9, expected_value = $10, agent_id = $11, agent_type = $12 WHERE id = $1 AND version = $2",
    )
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
    record.run(connection, update, || taken(recommendation)).await
}

/// The column's value: empty for advice without an agent.
fn agent_id(recommendation: &Recommendation) -> &str {
    recommendation.agent_id.as_ref().map_or("", |id| &id.0)
}

fn taken(recommendation: &Recommendation) -> String {
    format!(
        "a recommendation of type {} that has not ended exists for {}",
        recommendation.kind, recommendation.subject.id
    )
}

/// The column that lists are ordered by: what has no price comes after everything that has one.
fn savings_order(recommendation: &Recommendation) -> i64 {
    recommendation.savings_monthly.map_or(i64::MIN, Money::micros)
}

/// Critical first.
fn rank(priority: Priority) -> i64 {
    match priority {
        Priority::Critical => 0,
        Priority::High => 1,
        Priority::Medium => 2,
        Priority::Low => 3,
    }
}

pub(super) async fn get(store: &Store, id: &RecommendationId) -> Result<Recommendation, Fault> {
    let mut filter = Filter::default();
    filter.text("id = ?", &id.0);
    let row = filter.query(filter.sql(SELECT, "")).fetch_optional(store.read()).await?;
    recommendation(&row.ok_or_else(|| Fault::not_found("recommendation", &id.0))?)
}

pub(super) async fn list(store: &Store, wanted: &RecommendationFilter) -> Result<(Vec<Recommendation>, u64), Fault> {
    let filter = filter(wanted);
    let count = filter.query(filter.sql("SELECT COUNT(*) FROM recommendations", "")).fetch_one(store.read()).await?;
    let page = filter.page(
        SELECT,
        " ORDER BY expected_value DESC, priority, savings DESC, created_at_ms, id",
        wanted.limit,
        wanted.offset,
    );
    let rows = filter.query(page).fetch_all(store.read()).await?;
    let recommendations = rows.iter().map(recommendation).collect::<Result<_, _>>()?;
    Ok((recommendations, count.try_get::<i64, _>(0)?.unsigned_abs()))
}

fn filter(wanted: &RecommendationFilter) -> Filter {
    let mut filter = Filter::default();
    filter.one_of("status", wanted.status.iter().map(|status| status.as_str()));
    if let Some(agent) = &wanted.agent {
        filter.text("(agent_id = ? OR agent_type = ?)", agent);
    }
    if let Some(kind) = wanted.kind {
        filter.text("kind = ?", kind.as_str());
    }
    if let Some(priority) = wanted.priority {
        filter.integer("priority = ?", rank(priority));
    }
    if let Some(confidence) = wanted.min_confidence {
        filter.real("confidence >= ?", confidence);
    }
    if let Some(resource) = &wanted.resource {
        filter.text("resource_id = ?", resource);
    }
    if let Some(account) = &wanted.account {
        filter.text(
            "(account = ? OR connection_id = ? OR connection_id IN (SELECT id FROM connections WHERE name = ?))",
            account,
        );
    }
    filter
}

/// Returns the open recommendations of an agent.
pub(super) async fn open_of(tx: &mut Transaction<'static, Any>, agent: &AgentId) -> Result<Vec<Recommendation>, Fault> {
    let mut filter = Filter::default();
    filter.text("agent_id = ?", &agent.0);
    filter.integer("is_open = ?", 1);
    let rows = filter.query(filter.sql(SELECT, " ORDER BY id")).fetch_all(&mut **tx).await?;
    rows.iter().map(recommendation).collect()
}

fn recommendation(row: &AnyRow) -> Result<Recommendation, Fault> {
    let id: String = row.try_get(0)?;
    decode::<RecommendationRow>(row.try_get(1)?)
        .and_then(RecommendationRow::into_recommendation)
        .map_err(unreadable("recommendation", &id))
}
