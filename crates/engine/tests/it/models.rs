//! The registry of models: what serves until something better does, each cause to train anew, and
//! real trainers on made-up estates.

mod real;
mod serving;
pub(crate) mod shelf;

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use reeve_engine::models::{ModelOutcome, Registry, RegistrySettings};
use reeve_estate::{Metric, PriceCatalogue};
use reeve_learn::calibrate::CalibrationScores;
use reeve_recommend::agent::Agent;
use reeve_recommend::agent::contract::AgentTypes;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::open_facts::OpenFacts;
use reeve_recommend::models::{
    Material, Model, ModelEvaluation, ModelFilter, ModelStatus, ModelStore as _, ModelType,
    NotTrained, RetrainCause, Trained, Trainer,
};
use reeve_recommend::ports::Clock as _;

use crate::world::{World, operator};
use shelf::Shelf;

/// A trainer that learns what it is told, and is as accurate as the number it learned.
#[derive(Default)]
struct Pupil {
    lesson: Mutex<f64>,
    today: Mutex<Option<f64>>,
    figures: Mutex<Vec<f64>>,
    silent: Mutex<bool>,
}

impl Trainer for Pupil {
    fn name(&self) -> &'static str {
        "pupil"
    }
    fn kind(&self) -> ModelType {
        ModelType::Classification
    }
    fn threshold(&self) -> f64 {
        0.7
    }
    fn metrics(&self) -> &'static [Metric] {
        &[]
    }
    fn history_days(&self) -> i64 {
        30
    }
    fn held_out_days(&self) -> i64 {
        7
    }
    fn train(&self, _: &Material, _: Timestamp) -> Result<Trained, NotTrained> {
        if *self.silent.lock() {
            return Err(NotTrained("nothing was measured".to_owned()));
        }
        Ok(Trained {
            state: self.lesson.lock().to_string(),
            span_days: 23.0,
            samples: 400,
        })
    }
    fn evaluate(
        &self,
        state: &str,
        _: &Material,
        _: Timestamp,
    ) -> Result<ModelEvaluation, NotTrained> {
        let learned: f64 = state
            .parse()
            .map_err(|_| NotTrained("not a number".to_owned()))?;
        let accuracy = learned.min(self.today.lock().unwrap_or(1.0));
        let scores = CalibrationScores {
            accuracy,
            precision: accuracy,
            recall: accuracy,
            f1: accuracy,
        };

        Ok(ModelEvaluation {
            scores,
            held_out: 100,
            counts: None,
        })
    }
    fn figures(&self, _: &Material, _: Timestamp, _: Timestamp) -> Vec<f64> {
        self.figures.lock().clone()
    }
}

struct School {
    world: World,
    shelf: Arc<Shelf>,
    pupil: Arc<Pupil>,
    registry: Registry,
    agent: Agent,
}

impl School {
    async fn open() -> School {
        let world = World::new();
        let (shelf, pupil) = (Arc::new(Shelf::default()), Arc::new(Pupil::default()));
        *pupil.lesson.lock() = 0.8;
        *pupil.figures.lock() = (0..200).map(f64::from).collect();
        let agent = world.agent("learning", false).await;
        let registry = School::registry(&world, &shelf);

        School {
            world,
            shelf,
            pupil,
            registry,
            agent,
        }
    }

    fn registry(world: &World, shelf: &Arc<Shelf>) -> Registry {
        let settings = RegistrySettings {
            versions_kept: 3,
            ..RegistrySettings::default()
        };
        Registry::new(
            shelf.clone(),
            world.log.clone(),
            world.clock.clone(),
            AgentTypes::new(Vec::new()),
            settings,
        )
    }

    fn material(&self) -> Arc<Material> {
        Arc::new(Material {
            agent: self.agent.clone(),
            resources: Vec::new(),
            series: Vec::new(),
            outcomes: Vec::new(),
            open: OpenFacts::default(),
            guardrails: reeve_recommend::guardrail::Guardrails::default(),
            catalogue: Arc::new(PriceCatalogue::builtin().clone()),
            now: self.world.clock.now(),
        })
    }

    async fn tick(&self) -> ModelOutcome {
        self.try_tick().await.unwrap()
    }

    async fn try_tick(&self) -> Result<ModelOutcome, EngineError> {
        let trainer: Arc<dyn Trainer> = self.pupil.clone();
        self.registry
            .look_after(&trainer, self.material(), None, &Caller::system())
            .await
    }

    async fn serving(&self) -> Model {
        self.registry
            .serving(&self.agent.id, "pupil")
            .await
            .unwrap()
            .unwrap()
    }

    fn later(&self, hours: i64) {
        self.world.clock.advance(SignedDuration::from_hours(hours));
    }

    fn recorded(&self) -> Vec<String> {
        let entries = self.world.entries();
        entries
            .iter()
            .filter(|entry| entry.event_type.as_str() == "intelligence.model")
            .filter_map(|entry| entry.action.operation.clone())
            .collect()
    }
}

fn promoted(outcome: ModelOutcome) -> Model {
    match outcome {
        ModelOutcome::Promoted(model) => model,
        other => panic!("{other:?}"),
    }
}

fn refused(outcome: ModelOutcome) -> Model {
    match outcome {
        ModelOutcome::Refused(model) => model,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_first_version_serves_and_is_recorded() {
    let school = School::open().await;
    let first = promoted(school.tick().await);
    assert_eq!(
        (first.version, first.status, first.cause),
        (1, ModelStatus::Serving, RetrainCause::First)
    );
    assert_eq!(
        (
            first.accuracy,
            first.samples,
            first.training_span_days,
            first.held_out
        ),
        (0.8, 400, 23.0, 100)
    );

    assert_eq!(school.recorded(), ["model.retrain", "model.promote"]);
    assert!(
        !school
            .registry
            .is_due(&school.agent, &*school.pupil)
            .await
            .unwrap()
    );

    school.later(1);
    assert!(
        school
            .registry
            .is_due(&school.agent, &*school.pupil)
            .await
            .unwrap()
    );

    assert!(matches!(school.tick().await, ModelOutcome::Judged(_)));
    assert_eq!(
        school.recorded().len(),
        2,
        "judging changes nothing and records nothing"
    );
}

#[tokio::test]
async fn the_old_version_serves_until_a_new_one_wins_on_the_same_days() {
    let school = School::open().await;
    let first = promoted(school.tick().await);
    school.later(24 * 8);
    *school.pupil.lesson.lock() = 0.75;
    let worse = refused(school.tick().await);
    assert_eq!(
        (worse.version, worse.status, worse.cause),
        (2, ModelStatus::Retired, RetrainCause::Schedule)
    );
    assert!(
        worse.note.contains("75.0 % against 80.0 %"),
        "{}",
        worse.note
    );
    assert_eq!(school.serving().await.id, first.id);
    assert!(school.recorded().contains(&"model.refuse".to_owned()));
    school.later(1);
    assert!(
        matches!(school.tick().await, ModelOutcome::Judged(_)),
        "it is not tried again at once"
    );
    school.later(6);
    *school.pupil.lesson.lock() = 0.9;
    let third = promoted(school.tick().await);
    assert_eq!(
        (third.version, school.serving().await.id),
        (3, third.id.clone())
    );

    let old = school.shelf.model_get(&first.id).await.unwrap();
    assert_eq!(old.status, ModelStatus::Retired);
}

#[tokio::test]
async fn accuracy_below_the_threshold_trains_anew() {
    let school = School::open().await;
    promoted(school.tick().await);
    school.later(2);
    *school.pupil.today.lock() = Some(0.6);
    *school.pupil.lesson.lock() = 0.95;

    // Both do equally badly today: the one that saw more serves.
    let second = promoted(school.tick().await);
    assert_eq!(second.cause, RetrainCause::Accuracy);
    assert!(
        second.note.contains("accuracy 60.0 % is below 70.0 %"),
        "{}",
        second.note
    );
}

#[tokio::test]
async fn drift_trains_anew_and_sameness_does_not() {
    let school = School::open().await;
    promoted(school.tick().await);
    school.later(2);
    *school.pupil.figures.lock() = (0..200).map(|n| f64::from(n) + 3.0).collect();
    assert!(
        matches!(school.tick().await, ModelOutcome::Judged(_)),
        "a little further is no drift"
    );
    school.later(2);
    *school.pupil.figures.lock() = (0..200).map(|n| f64::from(n) + 90.0).collect();
    let second = promoted(school.tick().await);
    assert_eq!(second.cause, RetrainCause::Drift);
    assert!(second.note.contains("differs by 0.4"), "{}", second.note);
}

#[tokio::test]
async fn a_changed_configuration_trains_anew() {
    let mut school = School::open().await;
    promoted(school.tick().await);
    school.agent.scope.services = vec!["ec2".to_owned()];
    assert!(
        school
            .registry
            .is_due(&school.agent, &*school.pupil)
            .await
            .unwrap()
    );

    assert_eq!(
        promoted(school.tick().await).cause,
        RetrainCause::Configuration
    );
    assert!(
        !school
            .registry
            .is_due(&school.agent, &*school.pupil)
            .await
            .unwrap()
    );
}

#[tokio::test]
async fn a_person_may_ask_for_it() {
    let school = School::open().await;
    let first = promoted(school.tick().await);
    let asked = school
        .registry
        .request(&first.id, &operator())
        .await
        .unwrap();
    assert!(asked.requested_by.is_some());
    assert!(
        school
            .registry
            .is_due(&school.agent, &*school.pupil)
            .await
            .unwrap()
    );

    let second = promoted(school.tick().await);
    assert_eq!((second.cause, second.version), (RetrainCause::Request, 2));

    let stale = school.registry.request(&first.id, &operator()).await;
    assert!(matches!(stale, Err(EngineError::Conflict(_))), "{stale:?}");
    *school.pupil.lesson.lock() = 0.1;
    school
        .registry
        .request(&second.id, &operator())
        .await
        .unwrap();
    refused(school.tick().await);
    assert_eq!(
        school.serving().await.requested_by,
        None,
        "a request is answered once"
    );
}

#[tokio::test]
async fn what_cannot_be_trained_leaves_what_serves() {
    let school = School::open().await;
    *school.pupil.silent.lock() = true;
    assert_eq!(
        school.tick().await,
        ModelOutcome::Abstained("nothing was measured".to_owned())
    );
    assert!(
        !school
            .registry
            .is_due(&school.agent, &*school.pupil)
            .await
            .unwrap(),
        "not again at once"
    );
    *school.pupil.silent.lock() = false;

    let first = promoted(school.tick().await);
    school.later(24 * 8);
    *school.pupil.silent.lock() = true;
    assert!(matches!(school.tick().await, ModelOutcome::Abstained(_)));

    let still = school.serving().await;
    assert_eq!(still.id, first.id);
    assert!(
        still.note.contains("nothing was measured"),
        "{}",
        still.note
    );
}

#[tokio::test]
async fn nothing_is_promoted_that_cannot_be_recorded() {
    let school = School::open().await;
    let first = promoted(school.tick().await);
    school.later(24 * 8);
    *school.pupil.lesson.lock() = 0.9;
    *school.world.log.silent_after.lock() = Some(1);
    assert!(matches!(
        school.try_tick().await,
        Err(EngineError::Record(_))
    ));
    assert_eq!(school.serving().await.id, first.id);
    *school.world.log.silent_after.lock() = None;
    assert_eq!(
        promoted(school.tick().await).version,
        3,
        "the candidate that was not recorded keeps its number"
    );
}

#[tokio::test]
async fn a_restart_forgets_nothing() {
    let school = School::open().await;
    let first = promoted(school.tick().await);
    let again = School::registry(&school.world, &school.shelf);
    assert_eq!(
        again
            .serving(&school.agent.id, "pupil")
            .await
            .unwrap()
            .unwrap(),
        first
    );

    assert!(
        !again.is_due(&school.agent, &*school.pupil).await.unwrap(),
        "and trains nothing anew for it"
    );
}

#[tokio::test]
async fn old_versions_go_and_gone_agents_take_theirs_along() {
    let school = School::open().await;
    for accuracy in [0.8, 0.81, 0.82, 0.83, 0.84] {
        *school.pupil.lesson.lock() = accuracy;
        promoted(school.tick().await);
        school.later(24 * 8);
    }

    let (kept, _) = school
        .shelf
        .model_list(&ModelFilter::default())
        .await
        .unwrap();

    assert_eq!(
        kept.iter().map(|model| model.version).collect::<Vec<_>>(),
        [5, 4, 3]
    );

    let none = school
        .registry
        .retire_gone(std::slice::from_ref(&school.agent), &Caller::system())
        .await
        .unwrap();
    assert_eq!(none, 0);
    assert_eq!(
        school
            .registry
            .retire_gone(&[], &Caller::system())
            .await
            .unwrap(),
        1
    );

    assert!(
        school
            .registry
            .serving(&school.agent.id, "pupil")
            .await
            .unwrap()
            .is_none()
    );

    assert_eq!(
        school.recorded().last().map(String::as_str),
        Some("model.retire")
    );
}
