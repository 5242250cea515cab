//! Rollouts: the port [`RolloutStore`].

use async_trait::async_trait;
use reeve_estate::StoreError;
use reeve_recommend::rollout::{Rollout, RolloutFilter, RolloutId, RolloutStore};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

const SELECT: &str = "SELECT id, document FROM rollouts";

#[async_trait]
impl RolloutStore for Store {
    async fn rollout_insert(&self, rollout: &Rollout) -> Result<(), StoreError> {
        Ok(insert(self, rollout).await?)
    }
    async fn rollout_update(&self, rollout: &Rollout) -> Result<(), StoreError> {
        Ok(update(self, rollout).await?)
    }
    async fn rollout_get(&self, id: &RolloutId) -> Result<Rollout, StoreError> {
        Ok(get(self, id).await?)
    }
    async fn rollout_list(
        &self,
        filter: &RolloutFilter,
    ) -> Result<(Vec<Rollout>, u64), StoreError> {
        Ok(list(self, filter).await?)
    }
}

fn taken(rollout: &Rollout) -> String {
    format!(
        "a rollout of {} by agent {} has not ended, or {} exists already",
        rollout.kind, rollout.agent_id.0, rollout.id.0
    )
}

async fn insert(store: &Store, rollout: &Rollout) -> Result<(), Fault> {
    sqlx::query(
        "INSERT INTO rollouts (id, agent_id, kind, status, is_open, created_at_ms, version, document)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(&rollout.id.0)
    .bind(&rollout.agent_id.0)
    .bind(rollout.kind.as_str())
    .bind(rollout.status.as_str())
    .bind(i64::from(!rollout.status.is_end()))
    .bind(rollout.created_at.as_millisecond())
    .bind(version(rollout.version))
    .bind(encode(rollout)?)
    .execute(store.write())
    .await
    .map_err(|error| Fault::or_taken(error, || taken(rollout)))?;
    Ok(())
}

/// Agent, kind and beginning never change.
async fn update(store: &Store, rollout: &Rollout) -> Result<(), Fault> {
    let record = Versioned {
        noun: "rollout",
        select: "SELECT version FROM rollouts WHERE id = $1",
        id: &rollout.id.0,
        version: rollout.version,
    };

    let update = sqlx::query(
        "UPDATE rollouts SET status = $3, is_open = $4, version = $5, document = $6 WHERE id = $1 AND version = $2",
    )
    .bind(&rollout.id.0)
    .bind(record.expected())
    .bind(rollout.status.as_str())
    .bind(i64::from(!rollout.status.is_end()))
    .bind(version(rollout.version))
    .bind(encode(rollout)?);

    record
        .run(&mut *store.write().acquire().await?, update, || {
            taken(rollout)
        })
        .await
}

async fn get(store: &Store, id: &RolloutId) -> Result<Rollout, Fault> {
    let mut filter = Filter::default();
    filter.text("id = ?", &id.0);
    let row = filter
        .query(filter.sql(SELECT, ""))
        .fetch_optional(store.read())
        .await?;
    rollout(&row.ok_or_else(|| Fault::not_found("rollout", &id.0))?)
}

async fn list(store: &Store, wanted: &RolloutFilter) -> Result<(Vec<Rollout>, u64), Fault> {
    let mut filter = Filter::default();
    filter.one_of("status", wanted.status.iter().map(|status| status.as_str()));
    if let Some(agent) = &wanted.agent {
        filter.text("agent_id = ?", &agent.0);
    }
    if let Some(kind) = wanted.kind {
        filter.text("kind = ?", kind.as_str());
    }

    let count = filter
        .query(filter.sql("SELECT COUNT(*) FROM rollouts", ""))
        .fetch_one(store.read())
        .await?;
    let page = filter.page(
        SELECT,
        " ORDER BY created_at_ms DESC, id DESC",
        wanted.limit,
        wanted.offset,
    );
    let rows = filter.query(page).fetch_all(store.read()).await?;
    let found = rows.iter().map(rollout).collect::<Result<_, _>>()?;

    Ok((found, count.try_get::<i64, _>(0)?.unsigned_abs()))
}

fn rollout(row: &AnyRow) -> Result<Rollout, Fault> {
    let id: String = row.try_get(0)?;
    decode::<Rollout>(row.try_get(1)?).map_err(unreadable("rollout", &id))
}
