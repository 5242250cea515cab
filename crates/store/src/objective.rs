//! Objectives of services: the port [`ObjectiveStore`].

use async_trait::async_trait;
use reeve_estate::StoreError;
use reeve_recommend::objective::{Objective, ObjectiveId, ObjectiveStanding, ObjectiveStore};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

type Result<T> = std::result::Result<T, StoreError>;

#[async_trait]
impl ObjectiveStore for Store {
    async fn objective_insert(&self, objective: &Objective, most: u64) -> Result<()> {
        Ok(insert(self, objective, most).await?)
    }
    async fn objective_update(&self, objective: &Objective) -> Result<()> {
        Ok(update(self, objective).await?)
    }
    async fn objective_delete(&self, id: &ObjectiveId) -> Result<()> {
        Ok(delete(self, id).await?)
    }
    async fn objective_get(&self, id: &ObjectiveId) -> Result<Objective> {
        Ok(get(self, id).await?)
    }
    async fn objective_list(&self) -> Result<Vec<(Objective, Option<ObjectiveStanding>)>> {
        Ok(list(self).await?)
    }
    async fn objective_measured(
        &self,
        objective: &Objective,
        standing: &ObjectiveStanding,
    ) -> Result<()> {
        Ok(measured(self, objective, standing).await?)
    }
}

fn taken(objective: &Objective) -> String {
    format!("an objective named {} exists already", objective.name)
}

async fn insert(store: &Store, objective: &Objective, most: u64) -> std::result::Result<(), Fault> {
    let mut tx = store.begin().await?;
    let count: i64 = sqlx::query("SELECT COUNT(*) FROM objectives")
        .fetch_one(&mut *tx)
        .await?
        .try_get(0)?;
    if u64::try_from(count).unwrap_or_default() >= most {
        return Err(Fault::Conflict(format!(
            "the limit of {most} objectives is reached; delete one first"
        )));
    }

    sqlx::query("INSERT INTO objectives (id, name, version, document) VALUES ($1, $2, $3, $4)")
        .bind(&objective.id.0)
        .bind(&objective.name)
        .bind(version(objective.version))
        .bind(encode(objective)?)
        .execute(&mut *tx)
        .await
        .map_err(|error| Fault::or_taken(error, || taken(objective)))?;
    Ok(tx.commit().await?)
}

async fn update(store: &Store, objective: &Objective) -> std::result::Result<(), Fault> {
    let record = Versioned {
        noun: "objective",
        select: "SELECT version FROM objectives WHERE id = $1",
        id: &objective.id.0,
        version: objective.version,
    };
    let update = sqlx::query(
        "UPDATE objectives SET name = $3, version = $4, document = $5, standing = NULL WHERE id = $1 AND version = $2",
    )
    .bind(&objective.id.0)
    .bind(record.expected())
    .bind(&objective.name)
    .bind(version(objective.version))
    .bind(encode(objective)?);

    record
        .run(&mut *store.write().acquire().await?, update, || {
            taken(objective)
        })
        .await
}

async fn delete(store: &Store, id: &ObjectiveId) -> std::result::Result<(), Fault> {
    let done = sqlx::query("DELETE FROM objectives WHERE id = $1")
        .bind(&id.0)
        .execute(store.write())
        .await?;
    match done.rows_affected() {
        0 => Err(Fault::not_found("objective", &id.0)),
        _ => Ok(()),
    }
}

async fn get(store: &Store, id: &ObjectiveId) -> std::result::Result<Objective, Fault> {
    let row = sqlx::query("SELECT id, document FROM objectives WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    objective(&row.ok_or_else(|| Fault::not_found("objective", &id.0))?)
}

async fn list(
    store: &Store,
) -> std::result::Result<Vec<(Objective, Option<ObjectiveStanding>)>, Fault> {
    let rows = sqlx::query("SELECT id, document, standing FROM objectives ORDER BY name, id")
        .fetch_all(store.read())
        .await?;
    rows.iter()
        .map(|row| {
            let objective = objective(row)?;
            let text: Option<String> = row.try_get(2)?;
            let standing = text.map(|text| decode(&text)).transpose();
            let standing =
                standing.map_err(unreadable("standing of objective", &objective.id.0))?;
            Ok((objective, standing))
        })
        .collect()
}

async fn measured(
    store: &Store,
    objective: &Objective,
    standing: &ObjectiveStanding,
) -> std::result::Result<(), Fault> {
    sqlx::query("UPDATE objectives SET standing = $3 WHERE id = $1 AND version = $2")
        .bind(&objective.id.0)
        .bind(version(objective.version))
        .bind(encode(standing)?)
        .execute(store.write())
        .await?;
    Ok(())
}

fn objective(row: &AnyRow) -> std::result::Result<Objective, Fault> {
    let id: String = row.try_get(0)?;
    decode(row.try_get(1)?).map_err(unreadable("objective", &id))
}
