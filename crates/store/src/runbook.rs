//! Runbooks of people, applications and breakers: the port [`RunbookStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::StoreError;
use reeve_recommend::action::ActionId;
use reeve_recommend::runbook::{Application, Breaker, RunbookName, RunbookStore, WrittenRunbook};
use sqlx::Row as _;

use crate::database::Store;
use crate::fault::Fault;
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

type Result<T> = std::result::Result<T, StoreError>;

#[async_trait]
impl RunbookStore for Store {
    async fn runbook_insert(&self, runbook: &WrittenRunbook) -> Result<()> {
        Ok(insert(self, runbook).await?)
    }
    async fn runbook_update(&self, runbook: &WrittenRunbook) -> Result<()> {
        Ok(update(self, runbook).await?)
    }
    async fn runbook_delete(&self, name: &RunbookName) -> Result<()> {
        Ok(delete(self, name).await?)
    }
    async fn runbook_list(&self) -> Result<Vec<WrittenRunbook>> {
        Ok(list(self).await?)
    }
    async fn application_put(&self, application: &Application) -> Result<()> {
        Ok(application_put(self, application).await?)
    }
    async fn application_get(&self, action: &ActionId) -> Result<Option<Application>> {
        Ok(application_get(self, action).await?)
    }
    async fn application_list(&self, since: Timestamp) -> Result<Vec<Application>> {
        Ok(applications(self, since).await?)
    }
    async fn application_expire(&self, before: Timestamp) -> Result<u64> {
        Ok(expire(self, before).await?)
    }
    async fn breaker_put(&self, breaker: &Breaker) -> Result<()> {
        Ok(breaker_put(self, breaker).await?)
    }
    async fn breaker_list(&self) -> Result<Vec<Breaker>> {
        Ok(breakers(self).await?)
    }
    async fn breaker_delete(&self, runbook: &RunbookName) -> Result<()> {
        Ok(breaker_delete(self, runbook).await?)
    }
}

fn taken(runbook: &WrittenRunbook) -> String {
    format!("a runbook has the name {} already", runbook.name.0)
}

async fn insert(store: &Store, runbook: &WrittenRunbook) -> std::result::Result<(), Fault> {
    sqlx::query("INSERT INTO runbooks (name, version, document) VALUES ($1, $2, $3)")
        .bind(&runbook.name.0)
        .bind(version(runbook.version))
        .bind(encode(runbook)?)
        .execute(store.write())
        .await
        .map_err(|error| Fault::or_taken(error, || taken(runbook)))?;
    Ok(())
}

async fn update(store: &Store, runbook: &WrittenRunbook) -> std::result::Result<(), Fault> {
    let record = Versioned {
        noun: "runbook",
        select: "SELECT version FROM runbooks WHERE name = $1",
        id: &runbook.name.0,
        version: runbook.version,
    };
    let update = sqlx::query(
        "UPDATE runbooks SET version = $3, document = $4 WHERE name = $1 AND version = $2",
    )
    .bind(&runbook.name.0)
    .bind(record.expected())
    .bind(version(runbook.version))
    .bind(encode(runbook)?);
    let mut connection = store.write().acquire().await?;
    record.run(&mut connection, update, || taken(runbook)).await
}

async fn delete(store: &Store, name: &RunbookName) -> std::result::Result<(), Fault> {
    let deleted = sqlx::query("DELETE FROM runbooks WHERE name = $1")
        .bind(&name.0)
        .execute(store.write())
        .await?;
    if deleted.rows_affected() == 0 {
        return Err(Fault::not_found("runbook", &name.0));
    }
    Ok(())
}

async fn list(store: &Store) -> std::result::Result<Vec<WrittenRunbook>, Fault> {
    let rows = sqlx::query("SELECT name, document FROM runbooks ORDER BY name")
        .fetch_all(store.read())
        .await?;
    rows.iter()
        .map(|row| {
            let name: String = row.try_get(0)?;
            decode::<WrittenRunbook>(row.try_get(1)?).map_err(unreadable("runbook", &name))
        })
        .collect()
}

async fn application_put(
    store: &Store,
    application: &Application,
) -> std::result::Result<(), Fault> {
    sqlx::query(
        "INSERT INTO runbook_applications (action_id, runbook, started_at_ms, document)
         VALUES ($1, $2, $3, $4)
         ON CONFLICT (action_id) DO UPDATE SET document = excluded.document",
    )
    .bind(&application.action.0)
    .bind(&application.runbook.0)
    .bind(application.started_at.as_millisecond())
    .bind(encode(application)?)
    .execute(store.write())
    .await?;
    Ok(())
}

async fn application_get(
    store: &Store,
    action: &ActionId,
) -> std::result::Result<Option<Application>, Fault> {
    let row = sqlx::query("SELECT document FROM runbook_applications WHERE action_id = $1")
        .bind(&action.0)
        .fetch_optional(store.read())
        .await?;
    row.map(|row| {
        decode::<Application>(row.try_get(0)?)
            .map_err(unreadable("application of a runbook", &action.0))
    })
    .transpose()
}

async fn applications(
    store: &Store,
    since: Timestamp,
) -> std::result::Result<Vec<Application>, Fault> {
    let rows = sqlx::query(
        "SELECT action_id, document FROM runbook_applications
         WHERE started_at_ms >= $1 ORDER BY started_at_ms DESC, action_id DESC",
    )
    .bind(since.as_millisecond())
    .fetch_all(store.read())
    .await?;
    rows.iter()
        .map(|row| {
            let id: String = row.try_get(0)?;
            decode::<Application>(row.try_get(1)?)
                .map_err(unreadable("application of a runbook", &id))
        })
        .collect()
}

async fn expire(store: &Store, before: Timestamp) -> std::result::Result<u64, Fault> {
    let done = sqlx::query("DELETE FROM runbook_applications WHERE started_at_ms < $1")
        .bind(before.as_millisecond())
        .execute(store.write())
        .await?;
    Ok(done.rows_affected())
}

async fn breaker_put(store: &Store, breaker: &Breaker) -> std::result::Result<(), Fault> {
    let (connection, resource) = match &breaker.resource {
        Some(resource) => (resource.connection.0.as_str(), resource.id.as_str()),
        None => ("", ""),
    };
    sqlx::query(
        "INSERT INTO runbook_breakers (runbook, connection_id, resource_id, document)
         VALUES ($1, $2, $3, $4)
         ON CONFLICT (runbook, connection_id, resource_id) DO UPDATE SET document = excluded.document",
    )
    .bind(&breaker.runbook.0)
    .bind(connection)
    .bind(resource)
    .bind(encode(breaker)?)
    .execute(store.write())
    .await?;
    Ok(())
}

async fn breakers(store: &Store) -> std::result::Result<Vec<Breaker>, Fault> {
    let rows = sqlx::query(
        "SELECT runbook, document FROM runbook_breakers ORDER BY runbook, connection_id, resource_id",
    )
    .fetch_all(store.read())
    .await?;
    rows.iter()
        .map(|row| {
            let name: String = row.try_get(0)?;
            decode::<Breaker>(row.try_get(1)?).map_err(unreadable("breaker of a runbook", &name))
        })
        .collect()
}

async fn breaker_delete(store: &Store, runbook: &RunbookName) -> std::result::Result<(), Fault> {
    sqlx::query("DELETE FROM runbook_breakers WHERE runbook = $1")
        .bind(&runbook.0)
        .execute(store.write())
        .await?;
    Ok(())
}
