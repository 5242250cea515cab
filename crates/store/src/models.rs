//! Models, their states, and what recommendations were judged by: the port [`ModelStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::StoreError;
use reeve_recommend::models::{
    MAX_STATE_BYTES, Model, ModelFilter, ModelId, ModelStatus, ModelStore, TrustNote,
};
use reeve_recommend::recommendation::RecommendationId;
use sqlx::any::AnyRow;
use sqlx::{Any, Row as _, Transaction};

use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::rows::model::TrustNoteRow;
use crate::rows::{decode, encode, unreadable, version};
use crate::versioned::Versioned;

const SELECT: &str = "SELECT id, document FROM models";

type Result<T> = std::result::Result<T, StoreError>;

#[async_trait]
impl ModelStore for Store {
    async fn model_insert(&self, model: &Model, state: &str) -> Result<()> {
        Ok(insert(self, model, state).await?)
    }
    async fn model_update(&self, model: &Model) -> Result<()> {
        Ok(update(self, model).await?)
    }
    async fn model_promote(
        &self,
        candidate: &ModelId,
        over: Option<&ModelId>,
        at: Timestamp,
    ) -> Result<()> {
        Ok(promote(self, candidate, over, at).await?)
    }
    async fn model_get(&self, id: &ModelId) -> Result<Model> {
        Ok(get(self, id).await?)
    }
    async fn model_state(&self, id: &ModelId) -> Result<String> {
        Ok(state(self, id).await?)
    }
    async fn model_list(&self, filter: &ModelFilter) -> Result<(Vec<Model>, u64)> {
        Ok(list(self, filter).await?)
    }
    async fn model_delete(&self, id: &ModelId) -> Result<()> {
        Ok(delete(self, id).await?)
    }
    async fn trust_note_insert(&self, note: &TrustNote) -> Result<()> {
        Ok(note_insert(self, note).await?)
    }
    async fn trust_note_list(&self, limit: u64) -> Result<Vec<TrustNote>> {
        Ok(note_list(self, limit).await?)
    }
}

fn taken(model: &Model) -> String {
    format!(
        "version {} of {} exists already, or another version of it serves",
        model.version, model.name
    )
}

async fn insert(store: &Store, model: &Model, state: &str) -> std::result::Result<(), Fault> {
    if state.len() > MAX_STATE_BYTES {
        return Err(Fault::Backend(format!(
            "a model's state has {} bytes, more than {MAX_STATE_BYTES}",
            state.len()
        )));
    }

    let mut tx = store.begin().await?;
    sqlx::query(
        "INSERT INTO models (id, agent_id, name, model_type, version, status, trained_at_ms, revision, document)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(&model.id.0)
    .bind(&model.agent_id.0)
    .bind(&model.name)
    .bind(model.kind.as_str())
    .bind(i64::from(model.version))
    .bind(model.status.as_str())
    .bind(model.trained_at.as_millisecond())
    .bind(version(model.revision))
    .bind(encode(model)?)
    .execute(&mut *tx)
    .await
    .map_err(|error| Fault::or_taken(error, || taken(model)))?;

    sqlx::query("INSERT INTO model_states (model_id, state) VALUES ($1, $2)")
        .bind(&model.id.0)
        .bind(state)
        .execute(&mut *tx)
        .await?;
    Ok(tx.commit().await?)
}

async fn update(store: &Store, model: &Model) -> std::result::Result<(), Fault> {
    update_in(&mut *store.write().acquire().await?, model).await
}

async fn update_in(
    connection: &mut sqlx::AnyConnection,
    model: &Model,
) -> std::result::Result<(), Fault> {
    let record = Versioned {
        noun: "model",
        select: "SELECT revision FROM models WHERE id = $1",
        id: &model.id.0,
        version: model.revision,
    };

    let update = sqlx::query(
        "UPDATE models SET status = $3, trained_at_ms = $4, revision = $5, document = $6
         WHERE id = $1 AND revision = $2",
    )
    .bind(&model.id.0)
    .bind(record.expected())
    .bind(model.status.as_str())
    .bind(model.trained_at.as_millisecond())
    .bind(version(model.revision))
    .bind(encode(model)?);

    record.run(connection, update, || taken(model)).await
}

async fn promote(
    store: &Store,
    candidate: &ModelId,
    over: Option<&ModelId>,
    at: Timestamp,
) -> std::result::Result<(), Fault> {
    let mut tx = store.begin().await?;
    let new = get_in(&mut tx, candidate).await?;

    if new.status != ModelStatus::Candidate {
        return Err(Fault::Conflict(format!(
            "the model {} is {}, no candidate",
            candidate.0, new.status
        )));
    }

    if let Some(over) = over {
        let old = get_in(&mut tx, over).await?;
        if old.status != ModelStatus::Serving
            || (&old.agent_id, &old.name) != (&new.agent_id, &new.name)
        {
            return Err(Fault::Conflict(format!(
                "the model {} does not serve in that place",
                over.0
            )));
        }
        let retired = Model {
            status: ModelStatus::Retired,
            updated_at: at,
            revision: old.revision + 1,
            ..old
        };
        update_in(&mut tx, &retired).await?;
    }

    let serving = Model {
        status: ModelStatus::Serving,
        updated_at: at,
        revision: new.revision + 1,
        ..new
    };
    update_in(&mut tx, &serving).await?;

    Ok(tx.commit().await?)
}

async fn get_in(tx: &mut Transaction<'_, Any>, id: &ModelId) -> std::result::Result<Model, Fault> {
    let row = sqlx::query("SELECT id, document FROM models WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(&mut **tx)
        .await?;
    model(&row.ok_or_else(|| Fault::not_found("model", &id.0))?)
}

async fn get(store: &Store, id: &ModelId) -> std::result::Result<Model, Fault> {
    let row = sqlx::query("SELECT id, document FROM models WHERE id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    model(&row.ok_or_else(|| Fault::not_found("model", &id.0))?)
}

async fn state(store: &Store, id: &ModelId) -> std::result::Result<String, Fault> {
    let row = sqlx::query("SELECT state FROM model_states WHERE model_id = $1")
        .bind(&id.0)
        .fetch_optional(store.read())
        .await?;
    Ok(row
        .ok_or_else(|| Fault::not_found("model", &id.0))?
        .try_get(0)?)
}

async fn list(
    store: &Store,
    wanted: &ModelFilter,
) -> std::result::Result<(Vec<Model>, u64), Fault> {
    let mut filter = Filter::default();
    if let Some(agent) = &wanted.agent {
        filter.text("agent_id = ?", &agent.0);
    }
    if let Some(name) = &wanted.name {
        filter.text("name = ?", name);
    }
    if let Some(kind) = wanted.kind {
        filter.text("model_type = ?", kind.as_str());
    }
    if let Some(status) = wanted.status {
        filter.text("status = ?", status.as_str());
    }

    let count = filter
        .query(filter.sql("SELECT COUNT(*) FROM models", ""))
        .fetch_one(store.read())
        .await?;
    let total = u64::try_from(count.try_get::<i64, _>(0)?).unwrap_or_default();
    let page = filter.page(
        SELECT,
        " ORDER BY agent_id, name, version DESC",
        wanted.limit,
        wanted.offset,
    );
    let rows = filter.query(page).fetch_all(store.read()).await?;

    Ok((
        rows.iter()
            .map(model)
            .collect::<std::result::Result<_, _>>()?,
        total,
    ))
}

async fn delete(store: &Store, id: &ModelId) -> std::result::Result<(), Fault> {
    let mut tx = store.begin().await?;
    if get_in(&mut tx, id).await?.status == ModelStatus::Serving {
        return Err(Fault::Conflict(format!("the model {} serves", id.0)));
    }

    sqlx::query("DELETE FROM model_states WHERE model_id = $1")
        .bind(&id.0)
        .execute(&mut *tx)
        .await?;
    sqlx::query("DELETE FROM models WHERE id = $1")
        .bind(&id.0)
        .execute(&mut *tx)
        .await?;
    Ok(tx.commit().await?)
}

async fn note_insert(store: &Store, note: &TrustNote) -> std::result::Result<(), Fault> {
    sqlx::query(
        "INSERT INTO trust_notes (recommendation_id, at_ms, document) VALUES ($1, $2, $3)
         ON CONFLICT (recommendation_id) DO NOTHING",
    )
    .bind(&note.recommendation.0)
    .bind(note.at.as_millisecond())
    .bind(encode(&TrustNoteRow::from(note))?)
    .execute(store.write())
    .await?;
    Ok(())
}

async fn note_list(store: &Store, limit: u64) -> std::result::Result<Vec<TrustNote>, Fault> {
    let filter = Filter::default();
    let head = "SELECT recommendation_id, document FROM trust_notes";
    let page = filter.page(head, " ORDER BY at_ms DESC, recommendation_id", limit, 0);
    let rows = filter.query(page).fetch_all(store.read()).await?;

    rows.iter()
        .map(|row| {
            let id: String = row.try_get(0)?;
            let found = decode::<TrustNoteRow>(row.try_get(1)?);
            found
                .map(|row| row.into_note(RecommendationId(id.clone())))
                .map_err(unreadable("trust note", &id))
        })
        .collect()
}

fn model(row: &AnyRow) -> std::result::Result<Model, Fault> {
    let id: String = row.try_get(0)?;
    decode::<Model>(row.try_get(1)?).map_err(unreadable("model", &id))
}
