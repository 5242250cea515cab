//! A store of models in memory.

use async_trait::async_trait;
use jiff::Timestamp;
use parking_lot::Mutex;
use reeve_estate::StoreError;
use reeve_recommend::agent::AgentId;
use reeve_recommend::models::{
    Model, ModelFilter, ModelId, ModelStatus, ModelStore, ModelType, RetrainCause, TrustNote,
};

/// Models with their states, and notes.
#[derive(Default)]
pub(crate) struct Shelf {
    models: Mutex<Vec<(Model, String)>>,
    notes: Mutex<Vec<TrustNote>>,
}

impl Shelf {
    /// Lets a confidence model of this state serve.
    pub(crate) fn serve(&self, agent: &AgentId, state: &str) {
        let at = Timestamp::UNIX_EPOCH;
        let model = Model {
            id: ModelId("m-1".to_owned()),
            agent_id: agent.clone(),
            name: "confidence".to_owned(),
            kind: ModelType::Recommendation,
            version: 1,
            status: ModelStatus::Serving,
            training_span_days: 1.0,
            samples: 1,
            held_out: 1,
            accuracy: 1.0,
            precision: 1.0,
            recall: 1.0,
            f1: 1.0,
            threshold: 0.5,
            cause: RetrainCause::First,
            note: String::new(),
            configuration: String::new(),
            reference: Vec::new(),
            drift: None,
            trained_at: at,
            updated_at: at,
            tried_at: None,
            requested_by: None,
            revision: 1,
        };

        self.models.lock().push((model, state.to_owned()));
    }
}

fn missing(id: &ModelId) -> StoreError {
    StoreError::NotFound {
        what: "model",
        id: id.0.clone(),
    }
}

fn change(all: &mut [(Model, String)], model: &Model) -> Result<(), StoreError> {
    let place = all
        .iter_mut()
        .find(|(kept, _)| kept.id == model.id)
        .ok_or_else(|| missing(&model.id))?;
    if place.0.revision + 1 != model.revision {
        return Err(StoreError::Conflict("changed in between".to_owned()));
    }

    place.0 = model.clone();
    Ok(())
}

#[async_trait]
impl ModelStore for Shelf {
    async fn model_insert(&self, model: &Model, state: &str) -> Result<(), StoreError> {
        self.models.lock().push((model.clone(), state.to_owned()));
        Ok(())
    }
    async fn model_update(&self, model: &Model) -> Result<(), StoreError> {
        change(&mut self.models.lock(), model)
    }
    async fn model_promote(
        &self,
        candidate: &ModelId,
        over: Option<&ModelId>,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let mut all = self.models.lock();
        let found = |id: &ModelId| {
            all.iter()
                .find(|(kept, _)| kept.id == *id)
                .map(|(kept, _)| kept.clone())
        };
        let new = found(candidate).ok_or_else(|| missing(candidate))?;

        let old = over.and_then(found);
        if let Some(old) = old {
            let revision = old.revision + 1;
            change(
                &mut all,
                &Model {
                    status: ModelStatus::Retired,
                    updated_at: at,
                    revision,
                    ..old
                },
            )?;
        }

        let revision = new.revision + 1;
        change(
            &mut all,
            &Model {
                status: ModelStatus::Serving,
                updated_at: at,
                revision,
                ..new
            },
        )
    }
    async fn model_get(&self, id: &ModelId) -> Result<Model, StoreError> {
        let all = self.models.lock();
        all.iter()
            .find(|(kept, _)| kept.id == *id)
            .map(|(kept, _)| kept.clone())
            .ok_or_else(|| missing(id))
    }
    async fn model_state(&self, id: &ModelId) -> Result<String, StoreError> {
        let all = self.models.lock();
        all.iter()
            .find(|(kept, _)| kept.id == *id)
            .map(|(_, state)| state.clone())
            .ok_or_else(|| missing(id))
    }
    async fn model_list(&self, filter: &ModelFilter) -> Result<(Vec<Model>, u64), StoreError> {
        let all = self.models.lock();
        let mut found: Vec<Model> = all
            .iter()
            .map(|(model, _)| model)
            .filter(|model| {
                filter
                    .agent
                    .as_ref()
                    .is_none_or(|agent| *agent == model.agent_id)
            })
            .filter(|model| filter.name.as_ref().is_none_or(|name| *name == model.name))
            .filter(|model| filter.status.is_none_or(|status| status == model.status))
            .cloned()
            .collect();
        found.sort_by(|a, b| a.name.cmp(&b.name).then(b.version.cmp(&a.version)));

        let total = found.len() as u64;
        if filter.limit > 0 {
            found.truncate(filter.limit as usize);
        }

        Ok((found, total))
    }
    async fn model_delete(&self, id: &ModelId) -> Result<(), StoreError> {
        self.models.lock().retain(|(kept, _)| kept.id != *id);
        Ok(())
    }
    async fn trust_note_insert(&self, note: &TrustNote) -> Result<(), StoreError> {
        self.notes.lock().push(note.clone());
        Ok(())
    }
    async fn trust_note_list(&self, _: u64) -> Result<Vec<TrustNote>, StoreError> {
        Ok(self.notes.lock().iter().rev().cloned().collect())
    }
}
