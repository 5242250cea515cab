//! Looking after models: judge what serves, train when there is a cause, and let the better one
//! serve.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use reeve_audit::ActionStatus;
use reeve_estate::StoreError;
use reeve_recommend::agent::contract::AgentTypes;
use reeve_recommend::agent::{Agent, AgentId};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::models::{
    Material, Model, ModelFilter, ModelId, ModelStatus, ModelStore, NotTrained, RetrainCause,
    Trainer,
};
use reeve_recommend::ports::{Clock, Recorder};

use crate::models::drift::{drift, reference};
use crate::models::log_entry;
use crate::models::material_parts::MaterialParts;
use crate::models::parts::attempt_in_parts;
use crate::models::verdict::{ModelAttempt, apply, attempt, better, cause, fingerprint, verdict};

/// Intervals of training and evaluation.
#[derive(Debug, Clone, Copy)]
pub struct RegistrySettings {
    /// Interval after which a serving model is evaluated again.
    pub judge_every: SignedDuration,
    /// And trained anew after this, whatever its figures.
    pub train_every: SignedDuration,
    /// After a training that changed nothing the next one waits this long, unless requested.
    pub patience: SignedDuration,
    /// Versions kept of each model, the serving one included.
    pub versions_kept: usize,
}

impl Default for RegistrySettings {
    fn default() -> Self {
        RegistrySettings {
            judge_every: SignedDuration::from_hours(1),
            train_every: SignedDuration::from_hours(24 * 7),
            patience: SignedDuration::from_hours(6),
            versions_kept: 20,
        }
    }
}

/// Result of checking one model.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelOutcome {
    /// The new version serves.
    Promoted(Model),
    /// The new version was not better and is retired; the old one serves on.
    Refused(Model),
    /// There was no cause; what serves was judged.
    Judged(Model),
    /// Neither trained nor judged, and why.
    Abstained(String),
}

/// Serving model of an agent and name, if there is one.
pub type Kept = Option<Model>;

/// Looks after the models of all agents.
pub struct Registry {
    models: Arc<dyn ModelStore>,
    recorder: Arc<dyn Recorder>,
    clock: Arc<dyn Clock>,
    agent_types: AgentTypes,
    settings: RegistrySettings,
    /// Time of the last failed training of a model that does not serve yet. After a restart it is
    /// tried at once.
    in_vain: Mutex<HashMap<(AgentId, &'static str), Timestamp>>,
}

impl Registry {
    /// A registry over these ports.
    #[must_use]
    pub fn new(
        models: Arc<dyn ModelStore>,
        recorder: Arc<dyn Recorder>,
        clock: Arc<dyn Clock>,
        agent_types: AgentTypes,
        settings: RegistrySettings,
    ) -> Self {
        Registry {
            models,
            recorder,
            clock,
            agent_types,
            settings,
            in_vain: Mutex::default(),
        }
    }

    /// The trainers of an agent.
    #[must_use]
    pub fn trainers_of(&self, agent: &Agent) -> Vec<Arc<dyn Trainer>> {
        self.agent_types.trainers(agent.agent_type)
    }

    /// Returns the serving model of an agent and name.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn serving(&self, agent: &AgentId, name: &str) -> Result<Kept, EngineError> {
        let filter = ModelFilter {
            agent: Some(agent.clone()),
            name: Some(name.to_owned()),
            status: Some(ModelStatus::Serving),
            limit: 1,
            ..ModelFilter::default()
        };
        Ok(self.models.model_list(&filter).await?.0.into_iter().next())
    }

    /// Returns `true` if a model has to be checked now. Called before its data is loaded.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn is_due(&self, agent: &Agent, trainer: &dyn Trainer) -> Result<bool, EngineError> {
        let now = self.clock.now();
        let Some(serving) = self.serving(&agent.id, trainer.name()).await? else {
            let tried = self
                .in_vain
                .lock()
                .get(&(agent.id.clone(), trainer.name()))
                .copied();
            return Ok(tried.is_none_or(|at| now.duration_since(at) >= self.settings.judge_every));
        };

        let judged = now.duration_since(serving.updated_at) >= self.settings.judge_every;
        Ok(judged
            || serving.requested_by.is_some()
            || serving.configuration != fingerprint(agent, trainer))
    }

    /// Judges what serves on the newest held-out days, trains when there is a cause, and lets the
    /// better one serve. `parts` is the whole scope where `material` is a sample of it.
    ///
    /// # Errors
    /// The store's and the log's failures; a conflict if somebody else promoted meanwhile.
    pub async fn look_after(
        &self,
        trainer: &Arc<dyn Trainer>,
        material: Arc<Material>,
        parts: Option<&mut dyn MaterialParts>,
        caller: &Caller,
    ) -> Result<ModelOutcome, EngineError> {
        let agent = &material.agent;
        let serving = self.serving(&agent.id, trainer.name()).await?;
        let cut = material.days_ago(trainer.held_out_days());
        let (serving, drifted) = match serving {
            Some(serving) => {
                let (model, drifted) = self.judge(serving, trainer, &material, cut).await?;
                (Some(model), drifted)
            }
            None => (None, false),
        };

        let cause = match &serving {
            Some(model) => {
                let configuration = fingerprint(agent, trainer.as_ref());
                cause(
                    model,
                    drifted,
                    &configuration,
                    &self.settings,
                    self.clock.now(),
                )
            }
            None => Some((RetrainCause::First, "nothing was trained before".to_owned())),
        };

        let Some((cause, why)) = cause else {
            return Ok(match serving {
                Some(model) => ModelOutcome::Judged(model),
                None => ModelOutcome::Abstained("there is no data to evaluate it on".to_owned()),
            });
        };

        let tried = self
            .attempt(trainer, &material, parts, cut, serving.as_ref())
            .await?;
        self.train(
            trainer,
            &material.agent,
            tried,
            serving,
            (cause, why),
            caller,
        )
        .await
    }

    /// The serving version with its figures of today, kept, and whether the newest data drifted
    /// away from its training's. Where nothing can be judged its figures stay as they are.
    async fn judge(
        &self,
        serving: Model,
        trainer: &Arc<dyn Trainer>,
        material: &Arc<Material>,
        cut: Timestamp,
    ) -> Result<(Model, bool), EngineError> {
        let state = self.models.model_state(&serving.id).await?;
        let (trainer, material) = (trainer.clone(), material.clone());
        let found = tokio::task::spawn_blocking(move || {
            let figures = trainer.figures(&material, cut, material.now);
            (trainer.evaluate(&state, &material, cut), figures)
        });
        let (found, figures) = found
            .await
            .map_err(|error| EngineError::Store(format!("judging stopped: {error}")))?;
        let moved = drift(&serving.reference, &figures);
        let mut model = Model {
            updated_at: self.clock.now(),
            revision: serving.revision + 1,
            drift: moved.map(|drift| drift.distance),
            ..serving
        };

        if let Ok(found) = &found {
            apply(&mut model, found);
        }

        self.models.model_update(&model).await?;
        Ok((model, moved.is_some_and(|drift| drift.drifted)))
    }

    /// Trains a version on the whole scope, or on the sample where the trainer learns no single
    /// resource.
    async fn attempt(
        &self,
        trainer: &Arc<dyn Trainer>,
        material: &Arc<Material>,
        parts: Option<&mut dyn MaterialParts>,
        cut: Timestamp,
        serving: Option<&Model>,
    ) -> Result<Result<ModelAttempt, NotTrained>, EngineError> {
        let state = match serving {
            Some(model) => Some(self.models.model_state(&model.id).await?),
            None => None,
        };
        if let Some((join, parts)) = trainer.join().zip(parts) {
            return attempt_in_parts(trainer, join, parts, cut, state).await;
        }

        let (trainer, material) = (trainer.clone(), material.clone());
        let tried = tokio::task::spawn_blocking(move || {
            attempt(trainer.as_ref(), &material, cut, state.as_deref())
        });
        tried
            .await
            .map_err(|error| EngineError::Store(format!("training stopped: {error}")))
    }

    async fn train(
        &self,
        trainer: &Arc<dyn Trainer>,
        agent: &Agent,
        tried: Result<ModelAttempt, NotTrained>,
        serving: Kept,
        (cause, why): (RetrainCause, String),
        caller: &Caller,
    ) -> Result<ModelOutcome, EngineError> {
        let attempt = match tried {
            Ok(attempt) => attempt,
            Err(NotTrained(reason)) => {
                if let Some(serving) = serving {
                    self.tried(
                        &serving,
                        &format!("{}: not trained, {reason}", cause.as_str()),
                    )
                    .await?;
                } else {
                    self.in_vain
                        .lock()
                        .insert((agent.id.clone(), trainer.name()), self.clock.now());
                }
                return Ok(ModelOutcome::Abstained(reason));
            }
        };

        self.record(log_entry::training(
            agent,
            trainer.name(),
            cause,
            &why,
            caller,
        ))
        .await?;

        let mut candidate = self
            .candidate(agent, trainer.as_ref(), &attempt, cause)
            .await?;
        let wins = attempt.other.is_none_or(|other| better(attempt.own, other));
        candidate.note = verdict(&why, &attempt, wins);

        if let (false, Some(serving)) = (wins, serving.as_ref()) {
            candidate.status = ModelStatus::Retired;
            let entry = log_entry::about("model.refuse", ActionStatus::Success, &candidate, caller)
                .before(log_entry::figures(serving))
                .after(log_entry::figures(&candidate))
                .with_metadata("reason", candidate.note.clone());
            self.record(entry).await?;
            self.models
                .model_insert(&candidate, &attempt.trained.state)
                .await?;
            self.tried(serving, &candidate.note).await?;
            self.prune(&agent.id, trainer.name()).await?;
            return Ok(ModelOutcome::Refused(candidate));
        }

        self.models
            .model_insert(&candidate, &attempt.trained.state)
            .await?;
        let mut entry =
            log_entry::about("model.promote", ActionStatus::Success, &candidate, caller)
                .after(log_entry::figures(&candidate))
                .with_metadata("reason", candidate.note.clone());

        if let Some(serving) = &serving {
            entry = entry
                .before(log_entry::figures(serving))
                .with_metadata("retires", serving.id.0.clone());
        }

        self.record(entry).await?;
        let now = self.clock.now();
        self.models
            .model_promote(&candidate.id, serving.as_ref().map(|model| &model.id), now)
            .await?;
        self.prune(&agent.id, trainer.name()).await?;

        Ok(ModelOutcome::Promoted(
            self.models.model_get(&candidate.id).await?,
        ))
    }

    async fn candidate(
        &self,
        agent: &Agent,
        trainer: &dyn Trainer,
        attempt: &ModelAttempt,
        cause: RetrainCause,
    ) -> Result<Model, EngineError> {
        let name = trainer.name().to_owned();
        let newest = ModelFilter {
            agent: Some(agent.id.clone()),
            name: Some(name.clone()),
            limit: 1,
            ..ModelFilter::default()
        };
        let newest = self.models.model_list(&newest).await?.0.into_iter().next();

        let now = self.clock.now();
        let mut model = Model {
            id: ModelId(uuid::Uuid::now_v7().to_string()),
            agent_id: agent.id.clone(),
            name,
            kind: trainer.kind(),
            version: newest.map_or(1, |model| model.version + 1),
            status: ModelStatus::Candidate,
            training_span_days: attempt.trained.span_days,
            samples: attempt.trained.samples,
            held_out: 0,
            accuracy: 0.0,
            precision: 0.0,
            recall: 0.0,
            f1: 0.0,
            threshold: trainer.threshold(),
            cause,
            note: String::new(),
            configuration: fingerprint(agent, trainer),
            reference: reference(&attempt.figures),
            drift: None,
            trained_at: now,
            updated_at: now,
            tried_at: None,
            requested_by: None,
            revision: 1,
        };
        apply(&mut model, &attempt.own);

        Ok(model)
    }

    /// Asks for a successor of what serves; the reconciler trains it.
    ///
    /// # Errors
    /// Not found, or a conflict for a version that does not serve.
    pub async fn request(&self, id: &ModelId, caller: &Caller) -> Result<Model, EngineError> {
        let model = self.models.model_get(id).await?;
        if model.status != ModelStatus::Serving {
            let message = format!(
                "version {} is {}; only the serving version can be retrained",
                model.version, model.status
            );
            return Err(EngineError::Conflict(message));
        }

        if model.requested_by.is_some() {
            return Ok(model);
        }

        let next = Model {
            requested_by: Some(caller.name.clone()),
            revision: model.revision + 1,
            ..model.clone()
        };
        let entry = log_entry::about("model.retrain", ActionStatus::Pending, &model, caller)
            .with_metadata("requested_by", caller.name.clone());
        self.record(entry).await?;
        self.models.model_update(&next).await?;

        Ok(next)
    }

    /// Has every model of a name trained at the next turn, because people gave it something new to
    /// learn.
    ///
    /// # Errors
    /// The store's and the log's failures.
    pub async fn learn_soon(&self, name: &str, caller: &Caller) -> Result<(), EngineError> {
        self.in_vain.lock().retain(|(_, tried), _| *tried != name);
        let serving = ModelFilter {
            name: Some(name.to_owned()),
            status: Some(ModelStatus::Serving),
            ..ModelFilter::default()
        };

        for model in self.models.model_list(&serving).await?.0 {
            match self.request(&model.id, caller).await {
                // It was replaced in between, or is being judged: what replaces it, or its next
                // turn, learns the same.
                Ok(_) | Err(EngineError::Conflict(_)) => {}
                Err(other) => return Err(other),
            }
        }

        Ok(())
    }

    /// Retires what serves for agents that are gone.
    ///
    /// # Errors
    /// The store's and the log's failures.
    pub async fn retire_gone(&self, agents: &[Agent], caller: &Caller) -> Result<u64, EngineError> {
        let serving = ModelFilter {
            status: Some(ModelStatus::Serving),
            ..ModelFilter::default()
        };
        let mut retired = 0;

        for model in self.models.model_list(&serving).await?.0 {
            if agents.iter().any(|agent| agent.id == model.agent_id) {
                continue;
            }
            let note = "its agent was removed".to_owned();
            let next = Model {
                status: ModelStatus::Retired,
                note,
                revision: model.revision + 1,
                ..model.clone()
            };
            let entry = log_entry::about("model.retire", ActionStatus::Success, &next, caller)
                .before(log_entry::figures(&model))
                .after(log_entry::figures(&next));
            self.record(entry).await?;
            self.models.model_update(&next).await?;
            retired += 1;
        }

        Ok(retired)
    }

    /// Notes on what serves that a successor was tried, and lets go of the request.
    async fn tried(&self, serving: &Model, note: &str) -> Result<(), EngineError> {
        let stored = self.models.model_get(&serving.id).await?;
        let next = Model {
            tried_at: Some(self.clock.now()),
            requested_by: None,
            note: note.to_owned(),
            revision: stored.revision + 1,
            ..stored
        };

        Ok(self.models.model_update(&next).await?)
    }

    /// Removes the oldest versions beyond those kept; what serves stays.
    async fn prune(&self, agent: &AgentId, name: &str) -> Result<(), EngineError> {
        let all = ModelFilter {
            agent: Some(agent.clone()),
            name: Some(name.to_owned()),
            ..ModelFilter::default()
        };
        let (versions, _) = self.models.model_list(&all).await?;
        for old in versions
            .iter()
            .skip(self.settings.versions_kept)
            .filter(|m| m.status != ModelStatus::Serving)
        {
            match self.models.model_delete(&old.id).await {
                Ok(()) | Err(StoreError::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }

        Ok(())
    }

    async fn record(&self, entry: reeve_audit::Entry) -> Result<(), EngineError> {
        Ok(self
            .recorder
            .record(vec![entry.at(self.clock.now())])
            .await?)
    }
}
