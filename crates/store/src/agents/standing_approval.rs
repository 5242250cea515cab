//! Standing approvals of emergencies.

use reeve_recommend::agent::AgentId;
use reeve_recommend::agent::emergency::StandingApproval;
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

pub(super) async fn insert(store: &Store, approval: &StandingApproval) -> Result<(), Fault> {
    sqlx::query(
        "INSERT INTO standing_approvals (id, agent_id, given_at_ms, version, document)
         VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(&approval.id.0)
    .bind(&approval.agent.0)
    .bind(approval.given_at.as_millisecond())
    .bind(version(approval.version))
    .bind(encode(approval)?)
    .execute(store.write())
    .await
    .map_err(|error| {
        Fault::or_taken(error, || {
            format!("the standing approval {} exists already", approval.id.0)
        })
    })?;
    Ok(())
}

pub(super) async fn update(store: &Store, approval: &StandingApproval) -> Result<(), Fault> {
    let record = Versioned {
        noun: "standing approval",
        select: "SELECT version FROM standing_approvals WHERE id = $1",
        id: &approval.id.0,
        version: approval.version,
    };
    let update = sqlx::query(
        "UPDATE standing_approvals SET version = $3, document = $4 WHERE id = $1 AND version = $2",
    )
    .bind(&approval.id.0)
    .bind(record.expected())
    .bind(version(approval.version))
    .bind(encode(approval)?);

    record
        .run(&mut *store.write().acquire().await?, update, String::new)
        .await
}

pub(super) async fn list(store: &Store, agent: &AgentId) -> Result<Vec<StandingApproval>, Fault> {
    let rows = sqlx::query(
        "SELECT id, document FROM standing_approvals WHERE agent_id = $1 ORDER BY given_at_ms DESC, id DESC",
    )
    .bind(&agent.0)
    .fetch_all(store.read())
    .await?;
    rows.iter().map(approval).collect()
}

fn approval(row: &AnyRow) -> Result<StandingApproval, Fault> {
    let id: String = row.try_get(0)?;
    decode(row.try_get(1)?).map_err(unreadable("standing approval", &id))
}
