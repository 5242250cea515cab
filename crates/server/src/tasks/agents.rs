//! Runs every agent that is due.

use std::time::Duration;

use reeve_recommend::caller::Caller;
use reeve_recommend::ports::AgentStore as _;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::service::Service;

pub(super) fn start(service: &Service, tracker: &TaskTracker, stop: &CancellationToken) {
    let (context, store) = (service.tasks.clone(), service.store.clone());
    super::every(tracker, stop, Duration::from_secs(5), move || {
        let (context, store) = (context.clone(), store.clone());
        async move {
            let agents = match store.agent_list(None).await {
                Ok(agents) => agents,
                Err(error) => return context.journal.failed("agents", &error).await,
            };
            for agent in agents {
                let never_ran = agent.last_run.is_none();
                let due = context
                    .next_run(&agent)
                    .is_some_and(|next| next <= context.now());
                if !(never_ran || due) || context.runs.is_running(&agent.id) {
                    continue;
                }
                if let Err(error) = context.runs.agent_run(&agent.id, &Caller::system()).await {
                    tracing::warn!(agent = agent.name, %error, "a run failed");
                }
            }
        }
    });
}
