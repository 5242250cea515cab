//! Rows of playbooks that people wrote.

use reeve_incidents::{Playbook, PlaybookName};
use sqlx::Row as _;

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

fn taken(playbook: &Playbook) -> String {
    format!("a playbook has the name {} already", playbook.name.0)
}

pub(super) async fn insert(store: &Store, playbook: &Playbook) -> Result<(), Fault> {
    sqlx::query("INSERT INTO playbooks (name, version, document) VALUES ($1, $2, $3)")
        .bind(&playbook.name.0)
        .bind(version(playbook.version))
        .bind(encode(playbook)?)
        .execute(store.write())
        .await
        .map_err(|error| Fault::or_taken(error, || taken(playbook)))?;
    Ok(())
}

pub(super) async fn update(store: &Store, playbook: &Playbook) -> Result<(), Fault> {
    let record = Versioned {
        noun: "playbook",
        select: "SELECT version FROM playbooks WHERE name = $1",
        id: &playbook.name.0,
        version: playbook.version,
    };
    let update = sqlx::query(
        "UPDATE playbooks SET version = $3, document = $4 WHERE name = $1 AND version = $2",
    )
    .bind(&playbook.name.0)
    .bind(record.expected())
    .bind(version(playbook.version))
    .bind(encode(playbook)?);
    let mut connection = store.write().acquire().await?;
    record
        .run(&mut connection, update, || taken(playbook))
        .await
}

pub(super) async fn delete(store: &Store, name: &PlaybookName) -> Result<(), Fault> {
    let deleted = sqlx::query("DELETE FROM playbooks WHERE name = $1")
        .bind(&name.0)
        .execute(store.write())
        .await?;
    if deleted.rows_affected() == 0 {
        return Err(Fault::not_found("playbook", &name.0));
    }
    Ok(())
}

pub(super) async fn list(store: &Store) -> Result<Vec<Playbook>, Fault> {
    let rows = sqlx::query("SELECT name, document FROM playbooks ORDER BY name")
        .fetch_all(store.read())
        .await?;
    rows.iter()
        .map(|row| {
            let name: String = row.try_get(0)?;
            decode::<Playbook>(row.try_get(1)?).map_err(unreadable("playbook", &name))
        })
        .collect()
}
