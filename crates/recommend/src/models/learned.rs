//! Models as judgements read them: the version that serves, or the reason why none may be used.
//!
//! A judgement that finds no usable model rests on the measured past alone and says so. A version
//! is refused when it is no longer the serving one, when its accuracy on the newest test days is
//! below its threshold, or when it is stale.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::StoreError;
use serde::{Deserialize, Serialize};

use crate::agent::AgentId;
use crate::models::model::{Model, ModelId, ModelStatus, ModelType};
use crate::models::port::{ModelFilter, ModelStore};
use crate::models::trainer::NotTrained;
use reeve_audit::Obstacle;

/// Age from which a version is stale: three times the interval at which versions are trained.
const STALE: SignedDuration = SignedDuration::from_hours(24 * 21);

/// Typed content of a model's state.
pub trait ModelState: Sized + Send + Sync + 'static {
    /// Name of the model (`demand`).
    const NAME: &'static str;

    /// Reads a state that the model's trainer wrote.
    ///
    /// # Errors
    /// [`NotTrained`] for a text that is no such state.
    fn read(text: &str) -> Result<Self, NotTrained>;
}

/// Version of a model that took part in a decision, without what it said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelReference {
    /// Identifier of the version.
    pub id: ModelId,
    /// Name of the model (`demand`).
    pub name: String,
    /// Type of the model.
    pub kind: ModelType,
    /// Version, counted from 1 within agent and name.
    pub version: u32,
    /// Time of the training.
    pub trained_at: Timestamp,
}

/// Part that a model had in a recommendation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelUse {
    /// Version that was read.
    #[serde(flatten)]
    pub model: ModelReference,
    /// Answer of the model, with its numbers.
    pub statement: String,
}

impl ModelReference {
    /// Reference to a version.
    #[must_use]
    pub fn from_model(model: &Model) -> Self {
        ModelReference {
            id: model.id.clone(),
            name: model.name.clone(),
            kind: model.kind,
            version: model.version,
            trained_at: model.trained_at,
        }
    }

    /// The version with its answer.
    #[must_use]
    pub fn says(&self, statement: impl Into<String>) -> ModelUse {
        ModelUse {
            model: self.clone(),
            statement: statement.into(),
        }
    }

    /// The version in words: `demand model, version 3 of 2026-11-16`.
    #[must_use]
    pub fn words(&self) -> String {
        let day = self.trained_at.strftime("%Y-%m-%d");
        format!("{} model, version {} of {day}", self.name, self.version)
    }
}

struct LearnedModel {
    reference: ModelReference,
    text: String,
    /// Read once, by the first judgement that needs it.
    state: OnceLock<Result<Box<dyn Any + Send + Sync>, Obstacle>>,
}

/// Models that the judgements of one run may read, by name.
#[derive(Default)]
pub struct LearnedModels {
    by_name: BTreeMap<String, Result<LearnedModel, Obstacle>>,
}

impl fmt::Debug for LearnedModels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.by_name.keys()).finish()
    }
}

impl LearnedModels {
    /// No models: for judgements of the past, which must not know what was learned later.
    #[must_use]
    pub fn none() -> &'static LearnedModels {
        static NONE: LearnedModels = LearnedModels {
            by_name: BTreeMap::new(),
        };
        &NONE
    }

    /// Loads the serving versions of an agent, by name. A name without a usable version keeps the
    /// reason.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn load(
        store: &dyn ModelStore,
        agent: &AgentId,
        names: &[&str],
        now: Timestamp,
    ) -> Result<LearnedModels, StoreError> {
        let mut found = LearnedModels::default();
        for name in names {
            let filter = ModelFilter {
                agent: Some(agent.clone()),
                name: Some((*name).to_owned()),
                status: Some(ModelStatus::Serving),
                limit: 1,
                ..ModelFilter::default()
            };
            let (serving, _) = store.model_list(&filter).await?;
            let Some(model) = serving.into_iter().next() else {
                continue;
            };
            let state = match unusable(&model, now) {
                None => store.model_state(&model.id).await?,
                Some(_) => String::new(),
            };
            found.add(&model, state, now);
        }

        Ok(found)
    }

    /// Adds a version with its state, or the reason why it may not be used.
    pub fn add(&mut self, model: &Model, state: String, now: Timestamp) {
        let usable = match unusable(model, now) {
            Some(reason) => Err(reason.into()),
            None => Ok(LearnedModel {
                reference: ModelReference::from_model(model),
                text: state,
                state: OnceLock::new(),
            }),
        };
        self.by_name.insert(model.name.clone(), usable);
    }

    /// A model by the type of its state.
    ///
    /// # Errors
    /// The reason why there is none, as a clause: `the demand model is not trained yet`.
    pub fn get<S: ModelState>(&self) -> Result<(&ModelReference, &S), Obstacle> {
        let name = S::NAME;
        let model = match self.by_name.get(name) {
            None => {
                return Err(Obstacle::of(format_args!(
                    "the {name} model is not trained yet"
                )));
            }
            Some(Err(reason)) => {
                return Err(Obstacle::of(format_args!(
                    "the {name} model is not used: {reason}"
                )));
            }
            Some(Ok(model)) => model,
        };

        let read = || match S::read(&model.text) {
            Ok(state) => Ok(Box::new(state) as Box<dyn Any + Send + Sync>),
            Err(error) => Err(Obstacle::of(error)),
        };
        let state = model.state.get_or_init(read).as_ref();
        let state = state.map_err(|error| {
            Obstacle::of(format_args!("the {name} model cannot be read: {error}"))
        })?;

        let typed = state.downcast_ref::<S>().ok_or_else(|| {
            Obstacle::of(format_args!("the {name} model was read as another type"))
        })?;
        Ok((&model.reference, typed))
    }
}

/// Reason why a version may not be used; `None` for one that may.
#[must_use]
pub fn unusable(model: &Model, now: Timestamp) -> Option<String> {
    if model.status != ModelStatus::Serving {
        return Some(format!("version {} is {}", model.version, model.status));
    }

    if model.accuracy < model.threshold {
        let (is, needed) = (model.accuracy * 100.0, model.threshold * 100.0);
        return Some(format!(
            "its accuracy of {is:.1} % on the newest test days is below {needed:.1} %"
        ));
    }

    let age = now.duration_since(model.trained_at);
    (age > STALE).then(|| {
        format!(
            "it was trained {:.0} days ago",
            age.as_secs_f64() / 86_400.0
        )
    })
}
