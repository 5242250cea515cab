//! Workloads and their corrections: the port [`WorkloadStore`].

use async_trait::async_trait;
use reeve_estate::{ConnectionId, ResourceId, StoreError};
use reeve_recommend::judgement::workload::{Correction, Workload, WorkloadStore};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable};

type Result<T> = std::result::Result<T, StoreError>;

#[async_trait]
impl WorkloadStore for Store {
    async fn workload_put(&self, found: &[Workload]) -> Result<()> {
        Ok(put(self, found).await?)
    }
    async fn workload_get(&self, resource: &ResourceId) -> Result<Option<Workload>> {
        Ok(get(self, resource).await?)
    }
    async fn workload_of(&self, resources: &[ResourceId]) -> Result<Vec<Workload>> {
        let mut found = Vec::new();
        for resource in resources {
            found.extend(get(self, resource).await?);
        }
        Ok(found)
    }
    async fn correction_put(&self, correction: &Correction) -> Result<()> {
        Ok(correct(self, correction).await?)
    }
    async fn correction_delete(
        &self,
        connection: &ConnectionId,
        resource: &ResourceId,
    ) -> Result<()> {
        Ok(withdraw(self, connection, resource).await?)
    }
    async fn correction_list(&self) -> Result<Vec<Correction>> {
        Ok(corrections(self).await?)
    }
}

async fn put(store: &Store, found: &[Workload]) -> std::result::Result<(), Fault> {
    let mut tx = store.begin().await?;
    for workload in found {
        sqlx::query(
            "INSERT INTO workloads (connection_id, resource_id, document) VALUES ($1, $2, $3)
             ON CONFLICT (resource_id, connection_id) DO UPDATE SET document = excluded.document",
        )
        .bind(&workload.connection.0)
        .bind(&workload.resource.0)
        .bind(encode(workload)?)
        .execute(&mut *tx)
        .await?;
    }

    Ok(tx.commit().await?)
}

async fn get(store: &Store, resource: &ResourceId) -> std::result::Result<Option<Workload>, Fault> {
    let row = sqlx::query(
        "SELECT resource_id, document FROM workloads WHERE resource_id = $1 ORDER BY connection_id",
    )
    .bind(&resource.0)
    .fetch_optional(store.read())
    .await?;
    row.as_ref().map(workload).transpose()
}

fn workload(row: &AnyRow) -> std::result::Result<Workload, Fault> {
    let id: String = row.try_get(0)?;
    decode::<Workload>(row.try_get(1)?).map_err(unreadable("workload", &id))
}

async fn correct(store: &Store, correction: &Correction) -> std::result::Result<(), Fault> {
    sqlx::query(
        "INSERT INTO workload_corrections (connection_id, resource_id, at_ms, document) VALUES ($1, $2, $3, $4)
         ON CONFLICT (resource_id, connection_id) DO UPDATE SET at_ms = excluded.at_ms, document = excluded.document",
    )
    .bind(&correction.connection.0)
    .bind(&correction.resource.0)
    .bind(correction.at.as_millisecond())
    .bind(encode(correction)?)
    .execute(store.write())
    .await?;
    Ok(())
}

async fn withdraw(
    store: &Store,
    connection: &ConnectionId,
    resource: &ResourceId,
) -> std::result::Result<(), Fault> {
    let done = sqlx::query(
        "DELETE FROM workload_corrections WHERE resource_id = $1 AND connection_id = $2",
    )
    .bind(&resource.0)
    .bind(&connection.0)
    .execute(store.write())
    .await?;
    if done.rows_affected() == 0 {
        Err(Fault::not_found("correction", &resource.0))
    } else {
        Ok(())
    }
}

async fn corrections(store: &Store) -> std::result::Result<Vec<Correction>, Fault> {
    let rows = sqlx::query(
        "SELECT resource_id, document FROM workload_corrections ORDER BY at_ms, resource_id",
    )
    .fetch_all(store.read())
    .await?;

    let read = |row: &AnyRow| {
        let id: String = row.try_get(0)?;
        decode::<Correction>(row.try_get(1)?).map_err(unreadable("correction", &id))
    };

    rows.iter().map(read).collect()
}
