//! Teams.

use reeve_access::{Team, TeamId};
use sqlx::Row as _;

use crate::database::Store;
use crate::fault::Fault;

pub(super) async fn insert(store: &Store, team: &Team) -> Result<(), Fault> {
    sqlx::query("INSERT INTO teams (id, name, created_at_ms) VALUES ($1, $2, $3)")
        .bind(&team.id.0)
        .bind(&team.name)
        .bind(team.created_at_ms)
        .execute(store.write())
        .await
        .map_err(|error| Fault::or_taken(error, || taken(team)))?;
    Ok(())
}

pub(super) async fn update(store: &Store, team: &Team) -> Result<(), Fault> {
    let done = sqlx::query("UPDATE teams SET name = $2, created_at_ms = $3 WHERE id = $1")
        .bind(&team.id.0)
        .bind(&team.name)
        .bind(team.created_at_ms)
        .execute(store.write())
        .await
        .map_err(|error| Fault::or_taken(error, || taken(team)))?;
    if done.rows_affected() == 0 {
        Err(Fault::not_found("team", &team.id.0))
    } else {
        Ok(())
    }
}

fn taken(team: &Team) -> String {
    format!("a team named {} exists already", team.name)
}

pub(super) async fn delete(store: &Store, id: &TeamId) -> Result<(), Fault> {
    let done = sqlx::query("DELETE FROM teams WHERE id = $1")
        .bind(&id.0)
        .execute(store.write())
        .await?;
    if done.rows_affected() == 0 {
        Err(Fault::not_found("team", &id.0))
    } else {
        Ok(())
    }
}

pub(super) async fn list(store: &Store) -> Result<Vec<Team>, Fault> {
    let rows = sqlx::query("SELECT id, name, created_at_ms FROM teams ORDER BY name")
        .fetch_all(store.read())
        .await?;
    rows.iter()
        .map(|row| {
            Ok(Team {
                id: TeamId(row.try_get(0)?),
                name: row.try_get(1)?,
                created_at_ms: row.try_get(2)?,
            })
        })
        .collect()
}
