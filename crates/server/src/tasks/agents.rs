//! Runs agents: full runs when they are due, and runs over changes after each sync.
//!
//! Runs of several agents go side by side, so that one that takes long delays no other; the agent
//! that waits longest comes first. A run reads most of the state store and keeps a core busy, so
//! that few run at a time.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use reeve_recommend::agent::{Agent, AgentId};
use reeve_recommend::caller::Caller;
use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::context::TaskContext;
use crate::service::Service;

/// Time between two looks for runs that are due.
const BEAT: Duration = Duration::from_secs(5);

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let runs = AgentRuns {
        context: service.tasks.clone(),
        tracker: tracker.clone(),
        places: Arc::new(Semaphore::new(service.tasks.settings.agents_at_once)),
        started: HashMap::new(),
        ended: Arc::default(),
        syncs: service.observers.syncer.syncs(),
        followed: HashMap::new(),
    };
    let stop = stop.clone();
    tracker.spawn(async move { stop.run_until_cancelled(runs.follow()).await });
}

/// Kinds of runs that begin by themselves.
#[derive(Debug, Clone, Copy)]
enum Wanted {
    Full,
    Changes,
}

/// Starts the runs of agents.
struct AgentRuns {
    context: Arc<TaskContext>,
    tracker: TaskTracker,
    /// Runs that may go side by side.
    places: Arc<Semaphore>,
    /// Runs that were started here, the last one of each agent.
    started: HashMap<AgentId, JoinHandle<()>>,
    /// Told when a run has ended: another one may begin.
    ended: Arc<Notify>,
    /// Number of syncs that have ended.
    syncs: watch::Receiver<u64>,
    /// The number of syncs at an agent's last run over changes. After a start there is none: what
    /// changed before is judged then.
    followed: HashMap<AgentId, u64>,
}

impl AgentRuns {
    /// Starts runs when they are due, when a sync has ended, and when a place gets free.
    async fn follow(mut self) {
        loop {
            self.start_wanted().await;
            let ended = self.ended.clone();
            tokio::select! {
                () = tokio::time::sleep(BEAT) => {}
                () = ended.notified() => {}
                // The sender lives as long as the service.
                _ = self.syncs.changed() => {}
            }
        }
    }

    async fn start_wanted(&mut self) {
        let mut agents = match self.context.agents.agent_list(None).await {
            Ok(agents) => agents,
            Err(error) => return self.context.journal.failed("agents", &error).await,
        };
        agents.sort_by_key(|agent| agent.last_run.as_ref().map(|run| run.finished_at));
        let syncs = *self.syncs.borrow_and_update();

        for agent in agents {
            let Some(wanted) = self.wanted(&agent, syncs) else {
                continue;
            };
            let Ok(place) = self.places.clone().try_acquire_owned() else {
                return;
            };

            let id = agent.id.clone();
            self.followed.insert(id.clone(), syncs);
            let (context, ended) = (self.context.clone(), self.ended.clone());
            let started = self.tracker.spawn(async move {
                run(&context, &agent, wanted).await;
                drop(place);
                ended.notify_one();
            });
            self.started.insert(id, started);
        }
    }

    /// Returns the run that an agent needs now.
    fn wanted(&self, agent: &Agent, syncs: u64) -> Option<Wanted> {
        let runs = &self.context.runs;
        let started = self.started.get(&agent.id);
        if runs.is_running(&agent.id) || started.is_some_and(|run| !run.is_finished()) {
            return None;
        }

        let next = self.context.next_run(agent);
        if agent.last_run.is_none() || next.is_some_and(|next| next <= self.context.now()) {
            return Some(Wanted::Full);
        }
        let is_behind = self.followed.get(&agent.id) != Some(&syncs);
        (is_behind && runs.follows_syncs(agent)).then_some(Wanted::Changes)
    }
}

async fn run(context: &TaskContext, agent: &Agent, wanted: Wanted) {
    let (runs, caller) = (&context.runs, Caller::system());
    let outcome = match wanted {
        Wanted::Full => runs.agent_run(&agent.id, &caller).await.map(Some),
        Wanted::Changes => {
            let apart = context.settings.agents_every;
            runs.agent_run_over_changes(&agent.id, apart, &caller).await
        }
    };
    if let Err(error) = outcome {
        tracing::warn!(agent = agent.name, %error, "a run failed");
    }
}
