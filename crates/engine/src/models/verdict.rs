//! The decisions of the registry: why to train, whether the new version wins, and the words for
//! both. Pure.

use jiff::Timestamp;
use reeve_recommend::agent::Agent;
use reeve_recommend::models::{
    MAX_STATE_BYTES, Material, Model, ModelEvaluation, NotTrained, RetrainCause, Trained, Trainer,
};
use sha2::{Digest as _, Sha256};

use crate::models::registry::RegistrySettings;

/// A version that was trained and judged, beside how the serving one did on the same days.
pub(super) struct ModelAttempt {
    pub(super) trained: Trained,
    pub(super) own: ModelEvaluation,
    pub(super) other: Option<ModelEvaluation>,
    pub(super) figures: Vec<f64>,
}

/// Reason why a version is trained again, with its numbers.
pub(super) fn cause(
    model: &Model,
    drifted: bool,
    configuration: &str,
    settings: &RegistrySettings,
    now: Timestamp,
) -> Option<(RetrainCause, String)> {
    if let Some(by) = &model.requested_by {
        return Some((RetrainCause::Request, format!("asked for by {by}")));
    }

    if model.configuration != configuration {
        return Some((
            RetrainCause::Configuration,
            "the agent's scope or the model's format changed".to_owned(),
        ));
    }

    if model
        .tried_at
        .is_some_and(|at| now.duration_since(at) < settings.patience)
    {
        return None;
    }

    if model.accuracy < model.threshold {
        let (is, needed) = (model.accuracy * 100.0, model.threshold * 100.0);
        return Some((
            RetrainCause::Accuracy,
            format!("accuracy {is:.1} % is below {needed:.1} %"),
        ));
    }

    if let Some(distance) = model.drift.filter(|_| drifted) {
        return Some((
            RetrainCause::Drift,
            format!("the newest data differs by {distance:.2} from the training data"),
        ));
    }

    let age = now.duration_since(model.trained_at);
    (age >= settings.train_every).then(|| {
        (
            RetrainCause::Schedule,
            format!(
                "it was trained {:.1} days ago",
                age.as_secs_f64() / 86_400.0
            ),
        )
    })
}

pub(super) fn attempt(
    trainer: &dyn Trainer,
    material: &Material,
    cut: Timestamp,
    serving: Option<&str>,
) -> Result<ModelAttempt, NotTrained> {
    let trained = trainer.train(material, cut)?;
    if trained.state.len() > MAX_STATE_BYTES {
        let bytes = trained.state.len();
        return Err(NotTrained(format!(
            "the model has {bytes} bytes, more than {MAX_STATE_BYTES}"
        )));
    }

    let own = trainer.evaluate(&trained.state, material, cut)?;
    // A state that cannot be judged any more (another format, nothing in the new scope) has lost.
    let other = serving.and_then(|state| trainer.evaluate(state, material, cut).ok());
    let figures = trainer.figures(material, material.days_ago(trainer.history_days()), cut);

    Ok(ModelAttempt {
        trained,
        own,
        other,
        figures,
    })
}

/// Returns `true` if a version is at least as good as another on the same days: by accuracy, then
/// by F1. On a tie the newer version wins, because it has seen more data.
pub(super) fn better(own: ModelEvaluation, other: ModelEvaluation) -> bool {
    let (a, b) = (own.scores, other.scores);
    a.accuracy > b.accuracy || ((a.accuracy - b.accuracy).abs() < 1e-12 && a.f1 >= b.f1)
}

pub(super) fn verdict(why: &str, attempt: &ModelAttempt, wins: bool) -> String {
    let own = attempt.own.scores.accuracy * 100.0;
    let held_out = reeve_recommend::words::thousands(attempt.own.held_out);

    match attempt.other {
        None => {
            format!("{why}; accuracy {own:.1} % on {held_out} test decisions, no earlier version")
        }
        Some(other) => format!(
            "{why}; accuracy {own:.1} % against {:.1} % of the serving version, on the same {held_out} test decisions: {}",
            other.scores.accuracy * 100.0,
            if wins { "it serves" } else { "refused" }
        ),
    }
}

pub(super) fn apply(model: &mut Model, found: &ModelEvaluation) {
    model.accuracy = found.scores.accuracy;
    model.precision = found.scores.precision;
    model.recall = found.scores.recall;
    model.f1 = found.scores.f1;
    model.held_out = found.held_out;
}

/// Returns a hash of the parts of an agent's configuration that a model depends on.
pub(super) fn fingerprint(agent: &Agent, trainer: &dyn Trainer) -> String {
    let mut hash = Sha256::new();
    let parts = agent.scope.accounts.iter().map(|a| format!("account={a}"));
    let parts = parts.chain(agent.scope.services.iter().map(|s| format!("service={s}")));
    let parts = parts.chain(
        agent
            .settings
            .0
            .iter()
            .map(|(path, value)| format!("setting.{path}={value}")),
    );

    let period = format!("learning_period={}", agent.learning_period_days);
    for part in parts.chain([
        period,
        format!("trainer={}/{}", trainer.name(), trainer.format()),
    ]) {
        hash.update(part.as_bytes());
        hash.update([0]);
    }

    hex::encode(hash.finalize())
}
