//! Rows of incidents and of their members.

use reeve_incidents::{Incident, IncidentFilter, IncidentId, IncidentStatus, MemberKind};
use reeve_recommend::recommendation::Priority;
use sqlx::any::{Any, AnyRow};
use sqlx::{Row as _, Transaction};

use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

const SELECT: &str = "SELECT id, document FROM incidents";

/// Place of an incident in lists: those that need people first, the most severe of them first.
fn rank(incident: &Incident) -> i64 {
    let status = match incident.status {
        IncidentStatus::Open | IncidentStatus::Investigating => 0,
        IncidentStatus::Contained => 1,
        IncidentStatus::Resolved => 2,
        IncidentStatus::Closed => 3,
    };
    let severity = match incident.severity {
        Priority::Critical => 0,
        Priority::High => 1,
        Priority::Medium => 2,
        Priority::Low => 3,
    };
    10 * status + severity
}

fn taken(incident: &Incident) -> String {
    format!("incident {} exists already", incident.id.0)
}

pub(super) async fn insert(store: &Store, incident: &Incident) -> Result<(), Fault> {
    let mut tx = store.begin().await?;
    sqlx::query(
        "INSERT INTO incidents (id, status, severity, rank, owner, last_at_ms, merged, version, document)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(&incident.id.0)
    .bind(incident.status.as_str())
    .bind(incident.severity.as_str())
    .bind(rank(incident))
    .bind(incident.owner.clone())
    .bind(incident.last_at.as_millisecond())
    .bind(i64::from(incident.merged_into.is_some()))
    .bind(version(incident.version))
    .bind(encode(incident)?)
    .execute(&mut *tx)
    .await
    .map_err(|error| Fault::or_taken(error, || taken(incident)))?;
    members(&mut tx, incident).await?;

    Ok(tx.commit().await?)
}

pub(super) async fn update(store: &Store, incident: &Incident) -> Result<(), Fault> {
    let record = Versioned {
        noun: "incident",
        select: "SELECT version FROM incidents WHERE id = $1",
        id: &incident.id.0,
        version: incident.version,
    };
    let update = sqlx::query(
        "UPDATE incidents SET status = $3, severity = $4, rank = $5, owner = $6, last_at_ms = $7,
             merged = $8, version = $9, document = $10
         WHERE id = $1 AND version = $2",
    )
    .bind(&incident.id.0)
    .bind(record.expected())
    .bind(incident.status.as_str())
    .bind(incident.severity.as_str())
    .bind(rank(incident))
    .bind(incident.owner.clone())
    .bind(incident.last_at.as_millisecond())
    .bind(i64::from(incident.merged_into.is_some()))
    .bind(version(incident.version))
    .bind(encode(incident)?);

    let mut tx = store.begin().await?;
    record.run(&mut tx, update, || taken(incident)).await?;
    members(&mut tx, incident).await?;
    Ok(tx.commit().await?)
}

/// Writes the members of an incident. A finding that another one had moves here.
async fn members(tx: &mut Transaction<'_, Any>, incident: &Incident) -> Result<(), Fault> {
    sqlx::query("DELETE FROM incident_members WHERE incident_id = $1")
        .bind(&incident.id.0)
        .execute(&mut **tx)
        .await?;
    for member in &incident.members {
        sqlx::query(
            "INSERT INTO incident_members (kind, member_id, incident_id) VALUES ($1, $2, $3)
             ON CONFLICT (kind, member_id) DO UPDATE SET incident_id = excluded.incident_id",
        )
        .bind(member.kind.as_str())
        .bind(&member.id)
        .bind(&incident.id.0)
        .execute(&mut **tx)
        .await?;
    }
    Ok(())
}

pub(super) async fn get(store: &Store, id: &IncidentId) -> Result<Incident, Fault> {
    let row = sqlx::query("SELECT id, document FROM incidents WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    incident(&row.ok_or_else(|| Fault::not_found("incident", &id.0))?)
}

fn incident(row: &AnyRow) -> Result<Incident, Fault> {
    let id: String = row.try_get(0)?;
    decode::<Incident>(row.try_get(1)?).map_err(unreadable("incident", &id))
}

pub(super) async fn list(
    store: &Store,
    wanted: &IncidentFilter,
) -> Result<(Vec<Incident>, u64), Fault> {
    let mut filter = Filter::default();
    filter.fixed("merged = 0");
    filter.one_of("status", wanted.status.iter().map(|one| one.as_str()));
    filter.one_of("severity", wanted.severity.iter().map(|one| one.as_str()));
    filter.one_of("id", wanted.ids.iter().map(|id| id.0.as_str()));
    if let Some(owner) = &wanted.owner {
        filter.text("owner = ?", owner);
    }
    if let Some(since) = wanted.active_since {
        filter.integer("last_at_ms >= ?", since.as_millisecond());
    }

    let total: i64 = filter
        .query(filter.sql("SELECT COUNT(*) FROM incidents", ""))
        .fetch_one(store.read())
        .await?
        .try_get(0)?;
    let page = filter.page(
        SELECT,
        " ORDER BY rank, last_at_ms DESC, id",
        wanted.limit,
        wanted.offset,
    );
    let rows = filter.query(page).fetch_all(store.read()).await?;
    let found = rows.iter().map(incident).collect::<Result<Vec<_>, _>>()?;
    Ok((found, total.unsigned_abs()))
}

pub(super) async fn of_member(
    store: &Store,
    kind: MemberKind,
    id: &str,
) -> Result<Option<IncidentId>, Fault> {
    let row =
        sqlx::query("SELECT incident_id FROM incident_members WHERE kind = $1 AND member_id = $2")
            .bind(kind.as_str())
            .bind(id)
            .fetch_optional(store.read())
            .await?;
    let id: Option<String> = row.map(|row| row.try_get(0)).transpose()?;
    Ok(id.map(IncidentId))
}

/// Removes an incident with its members and runs.
pub(super) async fn delete(store: &Store, id: &IncidentId) -> Result<(), Fault> {
    let mut tx = store.begin().await?;
    for sql in [
        "DELETE FROM incident_members WHERE incident_id = $1",
        "DELETE FROM playbook_runs WHERE incident_id = $1",
    ] {
        sqlx::query(sql).bind(&id.0).execute(&mut *tx).await?;
    }
    let deleted = sqlx::query("DELETE FROM incidents WHERE id = $1")
        .bind(&id.0)
        .execute(&mut *tx)
        .await?;
    if deleted.rows_affected() == 0 {
        return Err(Fault::not_found("incident", &id.0));
    }

    Ok(tx.commit().await?)
}
