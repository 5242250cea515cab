//! Configured agents.

use jiff::Timestamp;
use reeve_recommend::agent::{Agent, AgentId, AgentType};
use reeve_recommend::recommendation::Recommendation;
use reeve_recommend::recommendation::lifecycle::Status;
use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::recommendation;
use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

pub(super) async fn insert(store: &Store, agent: &Agent) -> Result<(), Fault> {
    sqlx::query(
        "INSERT INTO agents (id, agent_type, name, mode, created_at_ms, version, document)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(&agent.id.0)
    .bind(agent.agent_type.as_str())
    .bind(&agent.name)
    .bind(agent.mode.as_str())
    .bind(agent.created_at.as_millisecond())
    .bind(version(agent.version))
    .bind(encode(agent)?)
    .execute(store.write())
    .await
    .map_err(|error| {
        Fault::or_taken(error, || format!("the agent {} exists already", agent.id.0))
    })?;
    Ok(())
}

pub(super) async fn update(store: &Store, agent: &Agent) -> Result<(), Fault> {
    let record = Versioned {
        noun: "agent",
        select: "SELECT version FROM agents WHERE id = $1",
        id: &agent.id.0,
        version: agent.version,
    };

    let update = sqlx::query(
        "UPDATE agents SET agent_type = $3, name = $4, mode = $5, created_at_ms = $6, version = $7, document = $8
         WHERE id = $1 AND version = $2",
    )
    .bind(&agent.id.0)
    .bind(record.expected())
    .bind(agent.agent_type.as_str())
    .bind(&agent.name)
    .bind(agent.mode.as_str())
    .bind(agent.created_at.as_millisecond())
    .bind(version(agent.version))
    .bind(encode(agent)?);

    record
        .run(&mut *store.write().acquire().await?, update, String::new)
        .await
}

/// Removes the agent and closes what it had open. An execution under way is left to finish and end
/// by itself.
pub(super) async fn delete(store: &Store, id: &AgentId) -> Result<(), Fault> {
    let mut tx = store.begin().await?;
    let done = sqlx::query("DELETE FROM agents WHERE id = $1")
        .bind(&id.0)
        .execute(&mut *tx)
        .await?;
    if done.rows_affected() == 0 {
        return Err(Fault::not_found("agent", &id.0));
    }

    for open in recommendation::open_of(&mut tx, id).await? {
        if let Some(closed) = closed(open) {
            recommendation::update(&mut tx, &closed).await?;
        }
    }

    Ok(tx.commit().await?)
}

/// Returns the recommendation after the removal of its agent; `None` if it cannot be closed in its
/// state.
fn closed(open: Recommendation) -> Option<Recommendation> {
    let status = [Status::Expired, Status::Dismissed]
        .into_iter()
        .find(|end| open.status.may_become(*end))?;
    Some(Recommendation {
        status,
        status_reason: Some("the agent that made it was removed".into()),
        scheduled_for: None,
        snoozed_until: None,
        updated_at: Timestamp::now(),
        version: open.version.saturating_add(1),
        ..open
    })
}

pub(super) async fn get(store: &Store, id: &AgentId) -> Result<Agent, Fault> {
    let row = sqlx::query("SELECT id, document FROM agents WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    agent(&row.ok_or_else(|| Fault::not_found("agent", &id.0))?)
}

pub(super) async fn list(store: &Store, of_type: Option<AgentType>) -> Result<Vec<Agent>, Fault> {
    let mut filter = Filter::default();
    if let Some(of_type) = of_type {
        filter.text("agent_type = ?", of_type.as_str());
    }

    let sql = filter.sql(
        "SELECT id, document FROM agents",
        " ORDER BY created_at_ms, id",
    );
    filter
        .query(sql)
        .fetch_all(store.read())
        .await?
        .iter()
        .map(agent)
        .collect()
}

fn agent(row: &AnyRow) -> Result<Agent, Fault> {
    let id: String = row.try_get(0)?;
    decode::<Agent>(row.try_get(1)?).map_err(unreadable("agent", &id))
}
