//! Looks after the agents' models: judges what serves, trains when there is a cause, lets the
//! better one serve.
//!
//! One training a turn, so that a tick stays short and memory bounded; what is still due comes with
//! the next turn. A person's request waits at most one beat.

use std::sync::Arc;
use std::time::Duration;

use reeve_engine::models::ModelOutcome;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::AgentStore as _;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;
use crate::tasks::context::TaskContext;

/// Time between two looks for work.
const BEAT: Duration = Duration::from_secs(10);
/// Resources whose samples are held at a time: the sample that models are judged on, and a part of
/// a training. 120 machines with 91 days of samples every five minutes take 50 MB a metric.
const MOST_RESOURCES: usize = 120;
/// Trainings and judgements in one turn at most.
const A_TURN: usize = 4;

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (context, store) = (service.tasks.clone(), service.store.clone());
    super::every(tracker, stop, BEAT, move || {
        let (context, store) = (context.clone(), store.clone());
        async move {
            let agents = match store.agent_list(None).await {
                Ok(agents) => agents,
                Err(error) => return context.journal.failed("models", &error).await,
            };
            if let Err(error) = context
                .registry
                .retire_gone(&agents, &Caller::system())
                .await
            {
                tracing::warn!(%error, "models of removed agents could not be retired");
            }
            let mut turns = A_TURN;
            // An agent that has not run yet has no samples of its scope either.
            for agent in agents.iter().filter(|agent| agent.last_run.is_some()) {
                match look_after(&context, agent, &mut turns).await {
                    Ok(()) => {}
                    Err(error) => context.journal.failed("models", &error).await,
                }
            }
        }
    });
}

async fn look_after(
    context: &TaskContext,
    agent: &reeve_recommend::agent::Agent,
    turns: &mut usize,
) -> Result<(), EngineError> {
    for trainer in context.registry.trainers_of(agent) {
        if *turns == 0 {
            return Ok(());
        }
        if !context.registry.is_due(agent, trainer.as_ref()).await? {
            continue;
        }
        *turns -= 1;
        let (metrics, days) = (trainer.metrics(), trainer.history_days());
        let material = Arc::new(
            context
                .model_service
                .material(agent, metrics, days, MOST_RESOURCES)
                .await?,
        );
        let name = trainer.name();
        let mut parts = context
            .model_service
            .parts(agent, metrics, days, MOST_RESOURCES);
        match context
            .registry
            .look_after(&trainer, material, Some(&mut parts), &Caller::system())
            .await?
        {
            ModelOutcome::Promoted(model) => {
                tracing::info!(
                    agent = agent.name,
                    name,
                    version = model.version,
                    note = model.note,
                    "a model serves"
                );
            }
            ModelOutcome::Refused(model) => {
                tracing::info!(
                    agent = agent.name,
                    name,
                    note = model.note,
                    "a model was refused"
                )
            }
            ModelOutcome::Judged(_) => {}
            ModelOutcome::Abstained(why) => {
                tracing::debug!(agent = agent.name, name, why, "no model was trained")
            }
        }
    }
    Ok(())
}
